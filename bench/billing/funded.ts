import type { Space } from '../../core/storage/space.ts';
import { available, type Books, DEPOSITS, sides } from '../../plugins/billing/books.ts';

/** Gives so many agents, `agent-0` and on, more than any bench takes. */
export async function fund(space: Space, books: Books, agents: number): Promise<void> {
  for (let agent = 0; agent < agents; agent++)
    await space.tx([], (tx) =>
      books.post(tx, {
        kind: 'deposit',
        ref: `deposit-${agent}`,
        lines: sides({ debit: DEPOSITS, credit: available(`agent-${agent}`) }, 10n ** 15n),
      }),
    );
}

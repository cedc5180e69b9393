import { MEMO_PROGRAMS } from './addresses.ts';
import type { TransactionMessage } from './wire.ts';

/** The memo column of an address history: `[length] text`, several joined by `; `, or null. */
export function memoOf(message: TransactionMessage, keys: readonly string[]): string | null {
  const memos = message.compiledInstructions
    .filter((instruction) => MEMO_PROGRAMS.has(keys[instruction.programIdIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`);
  return memos.length ? memos.join('; ') : null;
}

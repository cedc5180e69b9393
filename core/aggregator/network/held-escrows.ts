import type { SchemaTypes } from '../../../schemas/types.ts';
import { formatUsdc } from '../../platform/usdc.ts';
import type { Space } from '../../storage/space.ts';
import { Rest } from '../rest.ts';
import { escrows, heldStateOf } from '../store/ledger.ts';
import { isoTime } from '../times.ts';

type EscrowCounts = Omit<NonNullable<SchemaTypes['network-stats']['escrows']>, 'organic'>;

const PAGE = 200;
/** A count waits this many times as long as the one before took, so that it never takes more than a hundredth of a thread. */
const REST = 100;

/** How many escrows hold money, by state, and how much: counted now and then, and answered from memory. */
export class HeldEscrows {
  readonly #space: Space;
  #view: EscrowCounts | null = null;
  readonly #rest = new Rest(REST);

  constructor(space: Space) {
    this.#space = space;
  }

  /** Null before they were counted first. */
  view(): EscrowCounts | null {
    return this.#view;
  }

  /** `now` tells milliseconds. */
  async count(now: () => number, signal: AbortSignal): Promise<void> {
    const began = now();
    if (!this.#rest.isOver(began)) return;
    const found = { locked: 0, delivered: 0, disputed: 0 };
    let held = 0n;
    let after: { key: string; id: string } | undefined;
    for (;;) {
      const rows = await this.#space.page(escrows, { index: 'held', limit: PAGE, after });
      for (const { value } of rows) {
        found[heldStateOf(value)] += 1;
        held += BigInt(value.amount);
      }
      after = rows.at(-1);
      if (rows.length < PAGE) break;
      if (signal.aborted) return;
    }
    const all = await this.#space.count(escrows);
    this.#view = {
      as_of: isoTime(began),
      locked_count: found.locked,
      delivered_count: found.delivered,
      disputed_count: found.disputed,
      ended_count: Math.max(0, all - found.locked - found.delivered - found.disputed),
      held_usdc: Number(formatUsdc(held)),
    };
    this.#rest.begin(began, now());
  }
}

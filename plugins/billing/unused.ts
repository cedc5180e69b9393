import type { Collection } from '../../core/plugin.ts';
import type { Clock, Space } from '../../core/services.ts';
import {
  accounts,
  addresses,
  type DepositAddress,
  type DepositorAccount,
  depositors,
  destinations,
  isUnused,
} from './stored.ts';

export interface UnusedOptions {
  readonly space: Space;
  readonly clock: Clock;
  /** How many of each kind are kept at most. */
  readonly most?: number;
}

const KEPT_MS = 90 * 24 * 3_600_000;
const MOST = 100_000;
const BATCH = 200;

/**
 * Forgets addresses and depositors to which nothing ever came, and payout destinations of agents that were never credited anything: 90 days
 * after their agents asked for them, and the oldest beyond so many. Keys cost nothing, and each may ask. Nothing is lost: an agent that asks
 * again gets the same address, and all that came is credited.
 */
export class Unused {
  readonly #options: UnusedOptions;

  constructor(options: UnusedOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#forget(addresses as Collection<DepositAddress, 'unused'>, signal);
    await this.#forget(depositors as Collection<DepositorAccount, 'unused'>, signal);
    await this.#forgetDestinations(signal);
  }

  async #forgetDestinations(signal: AbortSignal): Promise<void> {
    const { space } = this.#options;
    for (;;) {
      const gone = await this.#beyond(destinations, ({ asked = 0 }) => asked);
      if (gone.length === 0 || signal.aborted) return;
      const refs = gone.map(({ id }) => destinations.ref(id));
      await space.tx([...refs, ...gone.map(({ id }) => accounts.ref(id))], (tx) => {
        for (const [index, { id, value }] of gone.entries()) {
          const found = tx.get(refs[index]!);
          if (!found || found.asked !== value.asked) continue;
          const { asked: _, ...kept } = found;
          if (tx.get(accounts.ref(id))) tx.put(refs[index]!, kept);
          else tx.del(refs[index]!);
        }
      });
      if (gone.length < BATCH) return;
    }
  }

  /** The oldest that are to go. */
  async #beyond<T>(of: Collection<T, 'unused'>, askedAt: (value: T) => number) {
    const { space, clock, most = MOST } = this.#options;
    const beyond = (await space.count(of, 'unused')) - most;
    const oldest = await space.page(of, { index: 'unused', limit: BATCH });
    const before = clock.now() - KEPT_MS;
    return oldest.filter(({ value }, index) => index < beyond || askedAt(value) < before);
  }

  async #forget<T extends { readonly asked: number }>(of: Collection<T, 'unused'>, signal: AbortSignal): Promise<void> {
    const { space } = this.#options;
    while (!signal.aborted) {
      const gone = await this.#beyond(of, ({ asked }) => asked);
      if (gone.length === 0) return;
      const refs = gone.map(({ id }) => of.ref(id));
      await space.tx(refs, (tx) => {
        for (const [index, ref] of refs.entries()) {
          const found = tx.get(ref);
          if (found && found.asked === gone[index]!.value.asked && isUnused(found)) tx.del(ref);
        }
      });
      if (gone.length < BATCH) return;
    }
  }
}

import { collection } from '../../core/plugin.ts';
import type { Space } from '../../core/services.ts';

const DAY = 24 * 3_600_000;

/** Minor units moved by tools on a day (UTC), as text. */
const days = collection<{ readonly moved: string }>('days', { schema: 'mcp/day', ttl: 3 * DAY });
/** Steps that were counted, so that a repeated call counts once. */
const counted = collection<{ readonly day: string; readonly amount: string }>('counted', {
  schema: 'mcp/counted',
  ttl: 40 * DAY,
});
/** Confirmations that were used. */
const used = collection<{ readonly step: string }>('used', { schema: 'mcp/used', ttl: 3_600_000 });
const keys = collection<{ readonly key: string }>('keys', { schema: 'mcp/key' });

const text = { type: 'string' };
const closed = (properties: Record<string, object>) => ({
  ...{ type: 'object', additionalProperties: false, required: Object.keys(properties) },
  properties,
});
export const stored = [
  { $id: 'mcp/day', ...closed({ moved: text }) },
  { $id: 'mcp/counted', ...closed({ day: text, amount: text }) },
  { $id: 'mcp/used', ...closed({ step: text }) },
  { $id: 'mcp/key', ...closed({ key: text }) },
];

/** Counts what tools move, in the store, so that several processes and restarts count together. */
export class Spending {
  readonly #space: Space;
  readonly #mostPerDay: bigint;

  constructor(space: Space, mostPerDay: bigint) {
    this.#space = space;
    this.#mostPerDay = mostPerDay;
  }

  /**
   * Counts a step before it is taken; one that was `known` already counts once. `full`, and nothing counted, when the day has no room
   * left for it; `confirmed` counts it all the same.
   */
  async reserve(step: string, amount: bigint, confirmed: boolean): Promise<'counted' | 'known' | 'full'> {
    const ref = counted.ref(step);
    const { value } = await this.#space.tx([ref], (tx): 'counted' | 'known' | 'full' => {
      if (tx.get(ref)) return 'known';
      const day = new Date(tx.now).toISOString().slice(0, 10);
      const today = days.ref(day);
      const [known] = tx.pull([today]);
      const moved = BigInt(known?.moved ?? 0) + amount;
      if (!confirmed && moved > this.#mostPerDay) return 'full';
      tx.put(today, { moved: String(moved) });
      tx.put(ref, { day, amount: String(amount) });
      return 'counted';
    });
    return value;
  }

  /** Takes back what was counted for a step that certainly did not happen. */
  async release(step: string): Promise<void> {
    const ref = counted.ref(step);
    await this.#space.tx([ref], (tx) => {
      const known = tx.get(ref);
      if (!known) return;
      const day = days.ref(known.day);
      const [today] = tx.pull([day]);
      tx.put(day, { moved: String(BigInt(today?.moved ?? 0) - BigInt(known.amount)) });
      tx.del(ref);
    });
  }

  /** False when this confirmation was used before. */
  async use(confirmation: string, step: string): Promise<boolean> {
    const ref = used.ref(confirmation);
    const { value } = await this.#space.tx([ref], (tx) => {
      if (tx.get(ref)) return false;
      tx.put(ref, { step });
      return true;
    });
    return value;
  }

  /** Minor units moved today. */
  async today(now: number): Promise<bigint> {
    return BigInt((await this.#space.get(days.ref(new Date(now).toISOString().slice(0, 10))))?.moved ?? 0);
  }
}

/** The key of confirmations; every process on this store has the same. */
export async function keyIn(space: Space, fresh: () => string): Promise<Uint8Array> {
  const ref = keys.ref('confirmations');
  const { value } = await space.tx([ref], (tx) => {
    const known = tx.get(ref)?.key;
    if (known !== undefined) return known;
    const made = fresh();
    tx.put(ref, { key: made });
    return made;
  });
  return Buffer.from(value, 'hex');
}

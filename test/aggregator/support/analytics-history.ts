import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { ledgerEvents, type StoredLedgerEvent } from '../../../core/aggregator/store/ledger.ts';
import { activity, type StoredActivity } from '../../../core/aggregator/store/logs.ts';
import { newOwnership, ownership } from '../../../core/aggregator/store/ownership.ts';
import { formatAgentId } from '../../../core/protocol/identity/ids.ts';
import type { Space } from '../../../core/storage/space.ts';

/** One thing that happens, and how long after the one before, in milliseconds. */
export type Happening = { readonly after: number } & (
  | {
      readonly kind: 'message';
      readonly type: StoredActivity['event_type'];
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'paid'; readonly from: number; readonly to: number; readonly amount: number }
  | { readonly kind: 'owned'; readonly agent: number; readonly wallet: number }
  /** The job runs, and fails at some of its transactions: 0 never, 1 before they are done, 2 behind them. */
  | { readonly kind: 'run'; readonly faults: readonly number[]; readonly twice: boolean }
);

const AGENTS = 7;
const HOUR = 3_600_000;

export function keyOf(name: string): string {
  return formatAgentId(new Uint8Array(createHash('sha256').update(name).digest()));
}

export const agentIds = Array.from({ length: AGENTS }, (_, place) => keyOf(`counted ${place}`));

// Some agents deal a lot with each other, so that there is something to find.
const TYPES = ['JOIN', 'ACCEPT', 'DELIVER', 'VERDICT', 'FEEDBACK', 'DISPUTE', 'REJECT'] as const;
const place = fc.oneof({ weight: 8, arbitrary: fc.nat(1) }, { weight: 1, arbitrary: fc.nat(AGENTS - 1) });
const after = fc.oneof(
  { weight: 90, arbitrary: fc.constantFrom(0, 100, 399, 400, 800, 3_000, 60_000) },
  { weight: 6, arbitrary: fc.integer({ min: 0, max: HOUR }) },
  { weight: 2, arbitrary: fc.integer({ min: HOUR, max: 40 * HOUR }) },
  { weight: 1, arbitrary: fc.constant(9 * 24 * HOUR) },
);
const type = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<StoredActivity['event_type']>('ACCEPT', 'VERDICT') },
  { weight: 1, arbitrary: fc.constantFrom<StoredActivity['event_type']>(...TYPES) },
);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.record({ kind: fc.constant('message' as const), after, type, from: place, to: place }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('paid' as const),
      after,
      from: place,
      to: place,
      amount: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5_000_000 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('owned' as const), after, agent: place, wallet: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      after,
      faults: fc.array(fc.nat(2), { maxLength: 12 }),
      twice: fc.boolean(),
    }),
  },
);

export const histories = fc.array(happening, { minLength: 40, maxLength: 200, size: 'max' });

/** Leaves in the store what the ingest and the indexer would. */
export async function happens(space: Space, what: Happening, at: number): Promise<void> {
  switch (what.kind) {
    case 'message':
      await space.append(activity, activityOf(what, at));
      return;
    case 'paid':
      await space.append(ledgerEvents, ledgerEvent('escrow_approved', paidFacts(what), at));
      return;
    case 'owned': {
      const key = agentIds[what.agent]!;
      const owner = keyOf(`wallet ${what.wallet}`);
      const ref = ownership.ref(key);
      await space.tx([ref], (tx) => {
        if (tx.get(ref)) return;
        const link = { owner, claimed_at: at, signature: '1'.repeat(88) };
        tx.put(ref, { ...newOwnership(key, key), status: 'claimed', link });
        tx.append(ledgerEvents, ledgerEvent('owner_claimed', { key, agent_id: key, owner }, at));
      });
    }
  }
}

/** Nobody is both sides of anything. */
function otherThan(one: number, other: number): number {
  return one === other ? (other + 1) % AGENTS : other;
}

export function activityOf(
  { type: event_type, from, to }: Extract<Happening, { kind: 'message' }>,
  at: number,
): StoredActivity {
  const target = agentIds[otherThan(from, to)]!;
  return {
    event_type,
    agent_id: agentIds[from]!,
    ...(event_type !== 'JOIN' && { target_agent_id: target }),
    slot: 1,
    at,
  } as StoredActivity;
}

export function paidFacts({ from, to, amount }: Extract<Happening, { kind: 'paid' }>): Record<string, string> {
  return { requester: agentIds[from]!, provider: agentIds[otherThan(from, to)]!, to_provider: String(amount) };
}

function ledgerEvent(name: string, facts: Record<string, string>, at: number): StoredLedgerEvent {
  return { name, signature: null, ordinal: 0, slot: 1, at, facts } as StoredLedgerEvent;
}

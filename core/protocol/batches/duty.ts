import type { AgentAccount } from '../settlement/accounts.ts';
import type { SettlementNumbers } from '../settlement/numbers.ts';

/** The next batch that an agent owes the ledger, or why it owes none now. */
export type Duty =
  /** Nothing is owed: no stake, suspended, or leaving with all duties done. */
  | { readonly kind: 'none' }
  /** Every epoch that is over has its batch. */
  | { readonly kind: 'done' }
  /** The batch of this epoch; `skipped` are the epochs before it that stay without one for ever. */
  | { readonly kind: 'submit'; readonly epoch: number; readonly skipped: readonly number[] }
  /** The entry that this batch would overwrite can be accused until then (Unix seconds by the ledger's clock). */
  | { readonly kind: 'wait'; readonly epoch: number; readonly until: number }
  /** No batch can be submitted any more: too many epochs in a row, or among the last 32, cannot be batched. */
  | { readonly kind: 'stuck'; readonly last: number; readonly reason: 'gap' | 'skips' };

export interface DutyContext {
  readonly numbers: Pick<SettlementNumbers, 'submitGap' | 'skipLimit' | 'challengeSecs'>;
  /** The epoch and the time by the ledger's clock. */
  readonly epoch: number;
  readonly unixSeconds: number;
  /** Whether the journal of an epoch is known to be incomplete, so that no honest batch can be made of it. */
  readonly unbatchable: (epoch: number) => boolean;
}

/** Entries of the agent account: the batch of epoch E lies at E mod 16. */
const RING = 16;
/** Epochs over which skips are counted. */
const HISTORY = 32;

type Account = Pick<AgentAccount, 'duties' | 'last' | 'settledEpoch' | 'skipped' | 'batches'>;

/** The next step of catching up, one epoch at a time; PROTOCOL 28 and 29. Pure. */
export function nextDuty(agent: Account | undefined, context: DutyContext): Duty {
  if (!agent?.duties) return { kind: 'none' };
  const { numbers, unbatchable } = context;
  const newest = context.epoch - 1;
  const first = Math.max(agent.last, agent.settledEpoch) + 1;
  const furthest = agent.last + numbers.submitGap;
  let refused: 'gap' | 'skips' = 'gap';
  for (let epoch = first; epoch <= Math.min(newest, furthest); epoch++) {
    if (unbatchable(epoch)) continue;
    const skipped = range(agent.last + 1, epoch - 1);
    if (skipped.length > 0 && skipsAt(agent, epoch) + skipped.length > numbers.skipLimit) {
      refused = 'skips';
      continue;
    }
    const until = accusableUntil(agent, epoch, numbers.challengeSecs);
    if (until !== undefined && context.unixSeconds <= until) return { kind: 'wait', epoch, until: until + 1 };
    return { kind: 'submit', epoch, skipped };
  }
  return newest < furthest ? { kind: 'done' } : { kind: 'stuck', last: agent.last, reason: refused };
}

function skipsAt({ skipped }: Account, epoch: number): number {
  return skipped.filter((one) => one > epoch - HISTORY).length;
}

function accusableUntil({ batches }: Account, epoch: number, challengeSecs: number): number | undefined {
  const entry = batches.find((batch) => batch.epoch % RING === epoch % RING);
  return entry && entry.submittedAt + challengeSecs;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
}

import { type DealRecord, escrowOf } from '../../../deals/record.ts';
import { type Direction, netFlow, withRelease } from '../../../reputation/flow.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { flowRef } from '../../store/ledger.ts';

/**
 * What escrow released from the payer of this deal to its provider in 90 epochs, less what came back: how much money
 * stands behind what the two say of each other. Nothing stands behind what a notary says or is told.
 */
export function settledFor(tx: Tx, record: DealRecord, rater: string, target: string, epochs: Epochs): bigint {
  const lock = escrowOf(record)?.lock;
  if (!lock) return 0n;
  const { requester, provider } = lock;
  if (![requester, provider].includes(rater) || ![requester, provider].includes(target)) return 0n;
  const [flow] = tx.pull([flowRef(requester, provider)]);
  return netFlow(flow, directionOf(requester, provider), epochs.at(tx.now));
}

/** Adds what an escrow paid its provider; `at` is when, Unix milliseconds. */
export function addRelease(
  tx: Tx,
  { requester, provider }: { readonly requester: string; readonly provider: string },
  amount: bigint,
  at: number,
  epochs: Epochs,
): void {
  const ref = flowRef(requester, provider);
  const direction = directionOf(requester, provider);
  const { epochs: entries } = withRelease(tx.get(ref), direction, amount, epochs.at(at), epochs.at(tx.now));
  tx.put(ref, { epochs: [...entries] });
}

function directionOf(from: string, to: string): Direction {
  return from < to ? 'forth' : 'back';
}

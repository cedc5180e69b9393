import { ONE_USDC } from '../../platform/usdc.ts';
import {
  DONE_NOTHING,
  newPair,
  type Saying,
  withChanged,
  withDeed,
  withPayment,
  withSaying,
} from '../../protocol/reputation/sums.ts';
import type { Tx } from '../../storage/transaction.ts';
import type { Epochs } from '../epochs.ts';
import { agents } from '../store/agents.ts';
import { settlements } from '../store/flows.ts';
import { paidTotal } from '../store/logs.ts';
import { deeds, pairRef, type StoredDeeds, scoreChanges } from '../store/scores.ts';

/** Adds what an escrow paid its provider; `at` is when, Unix milliseconds, for sums by time, which leave out payments without it. */
export function addPayment(
  tx: Tx,
  { requester, provider }: { readonly requester: string; readonly provider: string },
  minorUnits: bigint,
  epochs: Epochs,
  at?: number,
): void {
  const ref = pairRef(requester, provider);
  const [known] = tx.pull([ref]);
  const [agent] = tx.pull([agents.ref(provider)]);
  const pair = known ?? newPair(requester, provider, epochs.at(tx.now), agent?.standing.key_changes ?? 0);
  tx.put(ref, withPayment(pair, minorUnits));
  tx.add(paidTotal, minorUnits);
  tx.append(scoreChanges, { from: requester, to: provider });
  if (at !== undefined)
    tx.append(settlements, { from: requester, to: provider, amount: minorUnits.toString(), at: Math.max(0, at) });
}

/** Adds what a FEEDBACK says; who follows the activity log hears of it. */
export function addSayings(
  tx: Tx,
  { from, to, keyChanges }: { readonly from: string; readonly to: string; readonly keyChanges: number },
  sayings: readonly Saying[],
  epochs: Epochs,
): void {
  const ref = pairRef(from, to);
  const now = epochs.at(tx.now);
  const [known] = tx.pull([ref]);
  const pair = known ?? newPair(from, to, now, keyChanges);
  tx.put(
    ref,
    sayings.reduce((sums, saying) => withSaying(sums, saying, now, keyChanges), pair),
  );
}

/** Puts what a FEEDBACK says into the place of what it was counted as when the ledger had told less. */
export function changeSayings(
  tx: Tx,
  who: {
    readonly from: string;
    readonly to: string;
    readonly keyChanges: { readonly before: number; readonly now: number };
  },
  sayings: { readonly before: readonly Saying[]; readonly after: readonly Saying[] },
  epochs: Epochs,
): void {
  const { from, to, keyChanges } = who;
  const ref = pairRef(from, to);
  const now = epochs.at(tx.now);
  const [known] = tx.pull([ref]);
  tx.put(ref, withChanged(known ?? newPair(from, to, now, keyChanges.now), sayings, now, keyChanges));
  tx.append(scoreChanges, { from, to });
}

type Deed = Partial<Pick<StoredDeeds, 'burnt' | 'abandoned' | 'disputes'>>;

/** Adds what an agent did; `at` is when, Unix milliseconds. */
export function addDeed(tx: Tx, key: string, deed: Deed, at: number, epochs: Epochs): void {
  const ref = deeds.ref(key);
  const [known] = tx.pull([ref]);
  tx.put(ref, withDeed(known ?? DONE_NOTHING, deed, epochs.at(at), epochs.at(tx.now)));
  tx.append(scoreChanges, { from: key });
}

export function inUsdc(minorUnits: bigint): number {
  return Number(minorUnits) / Number(ONE_USDC);
}

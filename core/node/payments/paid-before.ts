import type { Ledger } from '../../ledger/ledger.ts';
import type { LandedTransaction } from '../../ledger/recorded-transactions.ts';
import type { Log } from '../../platform/log.ts';
import { type Deal, lastOffer } from '../../protocol/deals/deal.ts';
import { paymentMemo } from './memo.ts';

/** The ledger's clock and ours may differ by so much. */
const CLOCK_MARGIN_SECS = 3_600;

export interface PaidBeforeOptions {
  readonly ledger: Pick<Ledger, 'sentUsdc'>;
  readonly log: Log;
}

/**
 * The finalised transfer by which the requester paid this deal, from the ledger's history read at that slot or later: so
 * a deal is not paid again by a node that lost its records, or was told something wrong about an earlier transaction.
 * That none is found proves nothing, since an RPC may have forgotten it.
 */
export async function paidBefore(
  { ledger, log }: PaidBeforeOptions,
  deal: Deal,
  atLeast: number,
): Promise<LandedTransaction | undefined> {
  if (!deal.accepted) return undefined;
  const memo = paymentMemo(deal.conversation);
  const since = Math.floor(deal.accepted.at / 1_000) - CLOCK_MARGIN_SECS;
  const { transfers, complete } = await ledger.sentUsdc(deal.requester, { memo, since, atLeast });
  const owed = BigInt(lastOffer(deal).amount) - BigInt(deal.paid);
  const found = transfers.find(({ to, amount }) => to === deal.provider && amount === owed);
  if (found) return { signature: found.signature, slot: found.slot };
  if (!complete)
    log.warn(
      { conversation: deal.conversation },
      'the history of the wallet is too long to look for an earlier payment',
    );
  return undefined;
}

import type { Epochs } from '../../core/aggregator/epochs.ts';
import { withHeld } from '../../core/aggregator/ingest/nonce.ts';
import { type DealRow, dealLife, dealRef, type StoredDeal } from '../../core/aggregator/store/deals.ts';
import { heldAs, proofOf } from '../../core/aggregator/store/held.ts';
import { noncesRef, type StoredNonces } from '../../core/aggregator/store/nonces.ts';
import { withRating } from '../../core/protocol/deals/feedback-gate.ts';
import { newRecord, observe } from '../../core/protocol/deals/record.ts';
import { withCounted } from '../../core/protocol/deals/record-ratings.ts';
import { seqOfNonce } from '../../core/protocol/envelopes/epochs.ts';
import type { Ref } from '../../core/storage/declarations.ts';
import type { Tx } from '../../core/storage/transaction.ts';
import type { Wire } from '../../test/aggregator/support/agent.ts';
import { SCORES, type WholeDeal } from '../support/agents.ts';

/** What is kept of the envelopes of a deal that both sides have rated: the deal itself, and a nonce of each. */
export function keepEnvelopes(tx: Tx, deal: WholeDeal, epochs: Epochs): void {
  const { requester, provider, conversation, ratings } = deal;
  const stored = storedDeal(deal, tx.now, epochs);
  tx.put(dealRef(conversation, requester.id, provider.id), stored, { ttl: dealLife(stored, epochs, tx.now) });
  for (const [{ id }, wire] of signedOf(deal)) {
    const ref = noncesRef(id, wire.envelope.nonce);
    const [known] = tx.pull([ref]);
    tx.put(ref, withHeld(known, [heldOf(wire, ratings.includes(wire))]));
  }
}

/** The documents of the nonces of these deals: a transaction reads them at once, since it may not come back for each. */
export function nonceRefsOf(deals: readonly WholeDeal[]): Ref<StoredNonces>[] {
  return deals.flatMap((deal) => signedOf(deal).map(([{ id }, { envelope }]) => noncesRef(id, envelope.nonce)));
}

function signedOf({ requester, provider, propose, accept, deliver, ratings }: WholeDeal) {
  return [
    [requester, propose],
    [provider, accept],
    [provider, deliver],
    [requester, ratings[0]],
    [provider, ratings[1]],
  ] as const;
}

function storedDeal(
  { requester, provider, conversation, propose, accept, deliver }: WholeDeal,
  at: number,
  epochs: Epochs,
): StoredDeal {
  const payer = requester.id;
  const facts = [
    { type: 'propose', id: propose.id, by: requester.id, at, payer },
    { type: 'accept', id: accept.id, by: provider.id, at, payer, answers: propose.id },
    { type: 'deliver', id: deliver.id, by: provider.id, at, payer, answers: accept.id },
  ] as const;
  const made = facts.reduce(observe, newRecord(conversation, requester.id, provider.id));
  const rated = withRating(made, { rater: requester.id, target: provider.id });
  const row = (event_type: DealRow['event_type'], { id, envelope }: Wire): DealRow => ({
    event_type,
    envelope_id: id,
    by: provider.id,
    to: requester.id,
    slot: envelope.blockRef,
    shown: true,
  });
  const both = withRating(rated, { rater: provider.id, target: requester.id });
  const said = [requester, provider].map(({ id }, side) => ({
    by: both.pair[0] === id ? (0 as const) : (1 as const),
    value: SCORES[side]!,
    epoch: epochs.at(at),
  }));
  return {
    record: said.reduce(withCounted, both),
    rows: [row('ACCEPT', accept), row('DELIVER', deliver)],
  };
}

function heldOf({ id, envelope }: Wire, whole: boolean): string {
  return heldAs({ seq: seqOfNonce(envelope.nonce), whole, proof: proofOf(envelope, id) });
}

import { MeshError } from '../../contracts/errors.ts';
import { fromHex } from '../../platform/bytes.ts';
import { lastOffer } from '../../protocol/deals/deal.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import type { PublicPart } from '../../protocol/envelopes/public-part.ts';
import { ENVELOPE_ID_LENGTH, parseAgentId } from '../../protocol/identity/ids.ts';
import type { Tx } from '../../storage/transaction.ts';
import { deals } from './deal-document.ts';

/** Stands for the ACCEPT of a deal that has none; the rules of the deal refuse the message in the same transaction. */
const NOTHING = new Uint8Array(ENVELOPE_ID_LENGTH);

/** The public part of a deal message of ours, by the deal as it stands when it is signed; the proposer is the payer. */
export function publicPartFor(payload: TypedPayload, conversation: string, self: Uint8Array): (tx: Tx) => PublicPart {
  return (tx) => {
    if (payload.msgType === 'PROPOSE') return { payer: self, answers: undefined };
    const deal = tx.get(deals.ref(conversation))?.deal;
    if (!deal) throw new MeshError('not_found', `There is no deal ${conversation} on this node.`);
    return publicPart(deal.requester, answeredBy(payload, lastOffer(deal).id, deal.accepted?.id));
  };
}

/** The public part from a payer and an answered id, as a notary gives them: its store does not hold the deal. */
export function publicPart(payer: string, answers: string | undefined): PublicPart {
  const id = answers === undefined ? undefined : fromHex(answers, ENVELOPE_ID_LENGTH);
  return { payer: parseAgentId(payer)!, answers: id ?? NOTHING };
}

function answeredBy({ msgType, value }: TypedPayload, offer: string, accepted: string | undefined): string | undefined {
  switch (msgType) {
    case 'ACCEPT':
      return value.offer_id;
    case 'COUNTER':
    case 'REJECT':
      return offer;
    default:
      return accepted;
  }
}

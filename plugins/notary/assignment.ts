import { normaliseAgentId, type Payloads, type ReceivedEnvelope, type ReceivePart } from '../../core/plugin.ts';
import type { Self } from '../../core/services.ts';
import { caseIdOf, cases, judgedParties, type NotaryCase } from './case-records.ts';

type Assignment = Payloads['NOTARIZE_ASSIGN'];

export interface Parties {
  readonly requester: string;
  readonly provider: string;
  /** The id of the ACCEPT, which the notary's messages name; an assignment of version 1 may leave it out. */
  readonly accepted?: string;
}

const ENVELOPE_ID = /^[0-9a-f]{64}$/i;

/** The payload of a NOTARIZE_ASSIGN: what it has for the notary says who the parties are. */
export function assignPayload(notary: string, { requester, provider, accepted }: Parties): Assignment {
  const text = JSON.stringify({ requester, provider, accepted });
  return { verifier: notary, opaque_b64: Buffer.from(text, 'utf8').toString('base64') };
}

/** The parties that an assignment names; undefined when it says something else. */
export function partiesOf({ opaque_b64 }: Assignment): Parties | undefined {
  try {
    const told: unknown = JSON.parse(Buffer.from(opaque_b64, 'base64').toString('utf8'));
    const { requester, provider, accepted } = (told ?? {}) as Record<string, unknown>;
    const [one, other] = [requester, provider].map((id) => (typeof id === 'string' ? normaliseAgentId(id) : undefined));
    if (one === undefined || other === undefined || one === other) return undefined;
    const known = typeof accepted === 'string' && ENVELOPE_ID.test(accepted);
    return { requester: one, provider: other, ...(known && { accepted: accepted.toLowerCase() }) };
  } catch {
    return undefined;
  }
}

/** A party's NOTARIZE_ASSIGN opens a case of it and the other party, which the other party's joins. */
export function assignmentPart({ id, envelopeVersion }: Self): ReceivePart<'NOTARIZE_ASSIGN'> {
  const named = ({
    conversationId,
    payload,
  }: Pick<ReceivedEnvelope<'NOTARIZE_ASSIGN'>, 'conversationId' | 'payload'>) => {
    const parties = payload.verifier === id ? partiesOf(payload) : undefined;
    return parties && { parties, case_id: caseIdOf(conversationId, parties, envelopeVersion) };
  };
  return {
    reads: (envelope) => [
      cases.ref(envelope.conversationId),
      judgedParties.ref(envelope.sender),
      ...[named(envelope)?.case_id ?? []].flat().map((one) => cases.ref(one)),
    ],
    apply(tx, envelope) {
      const { conversationId, sender } = envelope;
      const found = named(envelope);
      if (!found) return 'accepted';
      const { requester, provider, accepted } = found.parties;
      if (accepted === undefined && envelopeVersion === 2) return 'invalid';
      if (![requester, provider].includes(sender) || [requester, provider].includes(id)) return 'invalid';
      const former = tx.get(cases.ref(conversationId));
      const case_id = former && isOf(former, found.parties) ? conversationId : found.case_id;
      const known = tx.get(cases.ref(case_id));
      if (known?.accepted !== undefined && known.accepted !== accepted) return 'invalid';
      const assigned_by = [...new Set([...(known?.assigned_by ?? []), sender])];
      const fresh = { conversation: conversationId, requester, provider, case_id, opened_at: tx.now, verdict: null };
      const isKnown = known?.known || tx.get(judgedParties.ref(sender)) !== undefined;
      tx.put(cases.ref(case_id), {
        ...(known ?? fresh),
        ...(accepted !== undefined && { accepted }),
        ...(isKnown && { known: true }),
        assigned_by,
      });
      return 'accepted';
    },
  };
}

/** Whether a case of before is of these parties and of this ACCEPT, as far as it knows one. */
function isOf(former: NotaryCase, { requester, provider, accepted }: Parties): boolean {
  const isSame = former.requester === requester && former.provider === provider;
  return isSame && (former.accepted === undefined || former.accepted === accepted);
}

import { normaliseAgentId, type Payloads, type ReceivePart } from '../../core/plugin.ts';
import type { Self } from '../../core/services.ts';
import { cases } from './case-records.ts';

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

/** A party's NOTARIZE_ASSIGN opens a case. The other party's joins it, or is refused where it contradicts the first. */
export function assignmentPart({ id, envelopeVersion }: Self): ReceivePart<'NOTARIZE_ASSIGN'> {
  return {
    reads: ({ conversationId }) => [cases.ref(conversationId)],
    apply(tx, { conversationId, sender, payload }) {
      if (payload.verifier !== id) return 'accepted';
      const parties = partiesOf(payload);
      if (!parties) return 'accepted';
      const { requester, provider, accepted } = parties;
      if (accepted === undefined && envelopeVersion === 2) return 'invalid';
      if (![requester, provider].includes(sender) || [requester, provider].includes(id)) return 'invalid';
      const ref = cases.ref(conversationId);
      const known = tx.get(ref);
      if (known && (known.requester !== requester || known.provider !== provider)) return 'invalid';
      if (known?.accepted !== undefined && known.accepted !== accepted) return 'invalid';
      const assigned_by = [...new Set([...(known?.assigned_by ?? []), sender])];
      const fresh = { conversation: conversationId, requester, provider, opened_at: tx.now, verdict: null };
      tx.put(ref, { ...(known ?? fresh), ...(accepted !== undefined && { accepted }), assigned_by });
      return 'accepted';
    },
  };
}

import type { ReceiveHook } from '../../messaging/incoming.ts';
import { fromBase64, toBase64 } from '../../platform/bytes.ts';
import type { NotarizeAssignPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatEnvelopeId, normaliseAgentId, parseEnvelopeId } from '../../protocol/identity/ids.ts';
import { cases } from './case-records.ts';

export interface Parties {
  readonly requester: string;
  readonly provider: string;
  /** The id of the ACCEPT, which the notary's messages name; an assignment of version 1 may leave it out. */
  readonly accepted?: string;
}

/** The payload of a NOTARIZE_ASSIGN: what it has for the notary says who the parties are. */
export function assignPayload(notary: string, { requester, provider, accepted }: Parties): NotarizeAssignPayload {
  const text = JSON.stringify({ requester, provider, accepted });
  return { verifier: notary, opaque_b64: toBase64(Buffer.from(text, 'utf8')) };
}

/** The parties that an assignment names; undefined when it says something else. */
export function partiesOf({ opaque_b64 }: NotarizeAssignPayload): Parties | undefined {
  try {
    const told: unknown = JSON.parse(Buffer.from(fromBase64(opaque_b64) ?? []).toString('utf8'));
    const { requester, provider, accepted } = (told ?? {}) as Record<string, unknown>;
    const [one, other] = [requester, provider].map((id) => (typeof id === 'string' ? normaliseAgentId(id) : undefined));
    if (one === undefined || other === undefined || one === other) return undefined;
    const known = typeof accepted === 'string' ? parseEnvelopeId(accepted) : undefined;
    return { requester: one, provider: other, ...(known && { accepted: formatEnvelopeId(known) }) };
  } catch {
    return undefined;
  }
}

/** A party's NOTARIZE_ASSIGN opens a case. The other party's joins it, or is refused where it contradicts the first. */
export function assignmentReceiveHook(self: string): ReceiveHook {
  return {
    reads: ({ conversationId }) => [cases.ref(conversationId)],
    apply(tx, { envelope, conversationId, sender, payload }) {
      if (payload.msgType !== 'NOTARIZE_ASSIGN' || payload.value.verifier !== self) return 'accepted';
      const parties = partiesOf(payload.value);
      if (!parties) return 'accepted';
      const { requester, provider, accepted } = parties;
      if (accepted === undefined && envelope.version === 2) return 'invalid';
      if (![requester, provider].includes(sender) || [requester, provider].includes(self)) return 'invalid';
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

import { createHash } from 'node:crypto';
import { invalidField, MeshError } from '../../../contracts/errors.ts';
import { Network, Verifier } from '../../../internal-services.ts';
import { isZero } from '../../../platform/bytes.ts';
import { payloadMatches } from '../../../protocol/envelopes/build.ts';
import { checkHeader, MAX_AGE_EPOCHS } from '../../../protocol/envelopes/check.ts';
import { decodeEnvelope } from '../../../protocol/envelopes/codec.ts';
import { encodeHeader, envelopeId } from '../../../protocol/envelopes/header.ts';
import { envelopeSigningBytes } from '../../../protocol/envelopes/signing.ts';
import { domainBytes } from '../../../protocol/identity/domains.ts';
import { formatAgentId, formatConversationId, formatEnvelopeId, parseAgentId } from '../../../protocol/identity/ids.ts';
import { provider } from '../../../provider.ts';
import { Clock, Signatures, type SignedEnvelope } from '../../../services.ts';

const SIGNATURE_LENGTH = 64;
const KEY_LENGTH = 32;

/** The checks of this mesh's network, for plugins. */
export const signaturesProvider = provider(Signatures, {
  uses: { network: Network, verifier: Verifier, clock: Clock },
  open({ network, verifier, clock }): Signatures {
    return {
      async envelope(bytes, pointer): Promise<SignedEnvelope> {
        const read = decodeEnvelope(bytes);
        if (!read.ok) throw refused(read.reason, pointer);
        const { payload, ...header } = read.value;
        const signedAt = Math.ceil(header.timestamp / 1000);
        const now = clock.now();
        if (now - signedAt > MAX_AGE_EPOCHS * network.epochSecs * 1000)
          throw refused(`it is older than ${MAX_AGE_EPOCHS} epochs`, pointer);
        // It was taken in time by whoever kept it; the short life of a broadcast protects nothing here.
        const context = { network, isRecipient: () => true, forwarded: true, now: Math.min(now, signedAt) };
        const check = checkHeader(header, context);
        if (check.reason !== 'accepted') throw refused(check.detail, pointer);
        if (!payloadMatches(read.value)) throw refused('the payload is not the one that was signed', pointer);
        const message = envelopeSigningBytes(network, encodeHeader(header), payload);
        if (!(await verifier.verify(message, header.signature, header.sender)))
          throw refused('the signature is not of its sender', pointer);
        return {
          id: formatEnvelopeId(envelopeId(header)),
          type: header.msgType,
          sender: formatAgentId(header.sender),
          recipient: isZero(header.recipient) ? undefined : formatAgentId(header.recipient),
          conversationId: isZero(header.conversationId) ? undefined : formatConversationId(header.conversationId),
          time: Math.floor(header.timestamp / 1000),
          sealed: header.sealed,
        };
      },
      async heartbeat({ agentId, body, time, signature }) {
        const key = parseAgentId(agentId);
        if (!key || signature.length !== SIGNATURE_LENGTH || !Number.isSafeInteger(time) || time < 0) return false;
        const fields = { body_hash: createHash('sha256').update(body).digest(), time };
        return verifier.verify(domainBytes('heartbeat/1', network.id, fields), signature, key);
      },
      async cardKey({ agentId, cardKey, notAfter, signature }) {
        const key = parseAgentId(agentId);
        if (!key || cardKey.length !== KEY_LENGTH || signature.length !== SIGNATURE_LENGTH) return false;
        if (!Number.isSafeInteger(notAfter) || notAfter * 1000 < clock.now()) return false;
        const fields = { card_key: cardKey, not_after: notAfter };
        return verifier.verify(domainBytes('card/1', network.id, fields), signature, key);
      },
    };
  },
});

function refused(reason: string, pointer: string | undefined): MeshError {
  const message = `is not an envelope that holds: ${reason}`;
  return pointer === undefined ? new MeshError('invalid_request', `It ${message}.`) : invalidField(pointer, message);
}

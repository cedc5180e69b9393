import { concatBytes } from '../../../platform/bytes.ts';
import { decoded } from '../../../platform/decoded.ts';
import { formatAgentId, KEY_LENGTH, parseAgentId } from '../../identity/ids.ts';
import { type PayloadCodec, payloadCodec } from './codec.ts';
import { agentId, choice, hash } from './fields.ts';
import { decodeJson, encodeJson, jsonPayload } from './json.ts';
import type { VerdictPayload } from './payloads.ts';
import { optional, record, type Shape } from './shape.ts';

const OUTCOMES = ['approve', 'reject'] as const;
const outcome = choice(...OUTCOMES);
const BINARY_LENGTH = 1 + 2 * KEY_LENGTH;

const verdict: Shape<VerdictPayload> = record({ outcome, reason_hash: optional(hash) });

export const verdictPayload: PayloadCodec<VerdictPayload> = jsonPayload(verdict);

const verdictV1: Shape<VerdictPayload> = record({
  outcome,
  requester: optional(agentId),
  provider: optional(agentId),
});

/** Version 1: a byte (0 approves, 1 rejects), requester and provider; or JSON. */
export const verdictPayloadV1: PayloadCodec<VerdictPayload> = payloadCodec(verdictV1, {
  write(value) {
    if (value.requester === undefined || value.provider === undefined) return encodeJson(value);
    const code = new Uint8Array([OUTCOMES.indexOf(value.outcome)]);
    return concatBytes(code, parseAgentId(value.requester)!, parseAgentId(value.provider)!);
  },
  read(body) {
    const found = OUTCOMES[body[0] ?? -1];
    if (found === undefined || body.length < BINARY_LENGTH) return decodeJson(body);
    return decoded({
      outcome: found,
      requester: formatAgentId(body.subarray(1, 1 + KEY_LENGTH)),
      provider: formatAgentId(body.subarray(1 + KEY_LENGTH, BINARY_LENGTH)),
    });
  },
});

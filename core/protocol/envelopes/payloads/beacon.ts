import { concatBytes, equalBytes } from '../../../platform/bytes.ts';
import { decoded, refused } from '../../../platform/decoded.ts';
import { KEY_LENGTH } from '../../identity/ids.ts';
import { SIGNATURE_LENGTH } from '../../identity/verify.ts';
import { type PayloadCodec, payloadCodec } from './codec.ts';
import { agentId, base64, integer, matching, meshUrl } from './fields.ts';
import { encodeText, jsonPayload } from './json.ts';
import type { BeaconPayload } from './payloads.ts';
import { list, optional, record, type Shape } from './shape.ts';

const MAX_NAME = 64;
const name = matching(/^[ -~]{0,64}$/, `at most ${MAX_NAME} printable ASCII characters`);

const hostedClaim = record({
  agent_id: agentId,
  recovery_key: agentId,
  not_after: integer(0, Number.MAX_SAFE_INTEGER),
  signature_b64: base64(SIGNATURE_LENGTH, true),
});

const succession = record({
  agent_id: agentId,
  successor: agentId,
  time: integer(0, Number.MAX_SAFE_INTEGER),
  signature_b64: base64(SIGNATURE_LENGTH, true),
  accepted_b64: base64(SIGNATURE_LENGTH, true),
});

const beacon: Shape<BeaconPayload> = record({
  name,
  url: optional(meshUrl),
  hubs: list(agentId, 8),
  asset: optional(agentId),
  hosted: optional(list(hostedClaim, 128)),
  successions: optional(list(succession, 16)),
});

export const beaconPayload: PayloadCodec<BeaconPayload> = jsonPayload(beacon);

/**
 * Version 1: the sender's id, its key, and the name. Both must be the sender itself: believing the key in the payload
 * would let anyone replace anyone else's.
 */
export const beaconPayloadV1: PayloadCodec<BeaconPayload> = payloadCodec(beacon, {
  write: (value, sender) => concatBytes(sender, sender, encodeText(value.name)),
  read(body, sender) {
    const key = body.subarray(KEY_LENGTH, 2 * KEY_LENGTH);
    if (!equalBytes(body.subarray(0, KEY_LENGTH), sender) || !equalBytes(key, sender)) {
      return refused('the payload names another agent than the sender');
    }
    const rest = body.subarray(2 * KEY_LENGTH, 2 * KEY_LENGTH + MAX_NAME);
    return decoded({ name: String.fromCharCode(...rest.filter(isPrintable)), hubs: [] });
  },
});

function isPrintable(byte: number): boolean {
  return byte >= 0x20 && byte <= 0x7e;
}

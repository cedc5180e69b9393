import type { SignRequest } from '../client/http-caller.ts';
import { systemClock, systemRandom } from '../platform/system-clock.ts';
import { type Identity, identityFromSeed, SEED_LENGTH } from '../protocol/signer/identity.ts';
import { tokenSigner } from '../protocol/signer/token-signer.ts';

/** An agent with a key of its own, to call routes behind the guard `agent` and to send envelopes (`node.deliver`). */
export interface TestAgent {
  /** Its id in base58: the `principal.id` of its calls. */
  readonly id: string;
  /** Its key, with the few things it signs. */
  readonly identity: Identity;
  /** Signs one call: `node.call('POST /vault', { body, auth: agent.sign })`. */
  readonly sign: SignRequest;
}

export function testAgent(): TestAgent {
  const identity = identityFromSeed(systemRandom.bytes(SEED_LENGTH));
  const sign = tokenSigner(identity, systemClock, systemRandom);
  return { id: identity.address, identity, sign: (request) => sign(request).token };
}

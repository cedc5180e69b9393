import type { SignRequest } from '../client/http-caller.ts';
import { identityFromSeed, SEED_LENGTH } from '../identity/identity.ts';
import { tokenSigner } from '../identity/token-signer.ts';
import { systemClock, systemRandom } from '../system-clock.ts';

/** An agent with a key of its own, to call routes behind the guard `agent`. */
export interface TestAgent {
  /** Its id in base58: the `principal.id` of its calls. */
  readonly id: string;
  /** Signs one call: `node.call('POST /vault', { body, auth: agent.sign })`. */
  readonly sign: SignRequest;
}

export function testAgent(): TestAgent {
  const identity = identityFromSeed(systemRandom.bytes(SEED_LENGTH));
  const sign = tokenSigner(identity, systemClock, systemRandom);
  return { id: identity.address, sign: (request) => sign(request).token };
}

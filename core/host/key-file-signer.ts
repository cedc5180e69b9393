import type { SignRequest } from '../client/http-caller.ts';
import { systemClock, systemRandom } from '../platform/system-clock.ts';
import { tokenSigner } from '../protocol/signer/token-signer.ts';
import { useKeyFile } from './key-file.ts';

/**
 * Signs calls of an aggregator as the agent whose key file this is, such as the `identity.key` in a node's data folder.
 * Throws an IdentityError when it cannot be used.
 *
 *     const aggregator = new AggregatorClient({ url, sign: keyFileSigner('data/identity.key') });
 */
export function keyFileSigner(path: string): SignRequest {
  const sign = tokenSigner(useKeyFile(path), systemClock, systemRandom);
  return (request) => sign(request).token;
}

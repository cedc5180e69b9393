import { createHash } from 'node:crypto';
import { tokenClaims } from '../../core/identity/agent-token.ts';
import { identityFromSeed } from '../../core/identity/identity.ts';
import { systemClock, systemRandom } from '../../core/system-clock.ts';
import type { Asked } from './http-caller.ts';

const caller = identityFromSeed(new Uint8Array(createHash('sha256').update('a caller').digest()));

/** A token with which an agent may make this request of the server at `audience`. */
export function agentToken(audience: string, { method, target, body = '' }: Asked): string {
  const request = { audience, method, target, body: Buffer.from(body) };
  return caller.signAgentToken(tokenClaims(caller.address, request, systemClock.now(), systemRandom));
}

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Admit } from '../../core/plugin.ts';
import type { A2aConfig } from './config.ts';
import { clientCaller, GUEST } from './desks/desks.ts';

/** Admits clients by their tokens and, where the operator allows it, guests without one. */
export function admission({ clients, guests }: A2aConfig): Admit {
  const known = clients.map(({ name, token }) => ({ id: clientCaller(name), digest: digestOf(token) }));
  return ({ token, headers }) => {
    if (headers['authorization'] === undefined) return guests ? { kind: 'guest', id: GUEST } : null;
    const digest = digestOf(token ?? '');
    const found = known.find((one) => timingSafeEqual(one.digest, digest));
    return found ? { kind: 'a2a', id: found.id } : null;
  };
}

/** Tokens of any length are compared in the same time. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

import { MeshError } from '../contracts/errors.ts';
import { parseUsdc } from '../platform/usdc.ts';
import { BUILT_IN_GUARDS } from './guards.ts';
import type { Endpoint } from './route.ts';
import { type BoundGuard, lineOf } from './served.ts';

/** A route that is sold, call by call. */
export interface Sale {
  readonly line: string;
  /** Minor units of USDC. */
  readonly price: bigint;
  readonly summary: string;
}

/** Sells the calls of routes: its guards ask for a payment and take it. */
export interface Till {
  guardOf(sale: Sale): BoundGuard;
}

/** Undefined for what is not sold. */
export function saleOf(endpoint: Endpoint): Sale | undefined {
  if (endpoint.kind !== 'route' || endpoint.spec.auth !== 'x402') return undefined;
  const { price, summary = '' } = endpoint.spec;
  return { line: lineOf(endpoint), price: parseUsdc(price!)!, summary };
}

/** The guard where nobody can take a payment. */
export const guardWithout: BoundGuard = {
  name: 'x402',
  spec: BUILT_IN_GUARDS['x402'],
  admit() {
    throw new MeshError('ledger_unavailable', 'This call is sold, and the seller has no ledger to be paid on.');
  },
};

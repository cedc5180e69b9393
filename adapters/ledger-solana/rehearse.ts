import type { Transaction } from '@solana/web3.js';
import { MeshError } from '../../core/errors.ts';
import type { JsonRpc } from './json-rpc.ts';

/** Has the node run it against its present state, unsigned; throws when it would be refused. */
export async function rehearse(rpc: JsonRpc, transaction: Transaction): Promise<void> {
  const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false }).toString('base64');
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false };
  const error = (await rpc.ask('simulateTransaction', [bytes, options])).at('value').at('err').raw;
  if (error === null || error === 'BlockhashNotFound') return;
  throw new MeshError(
    'upstream_failed',
    `The ledger would refuse this transaction: ${JSON.stringify(error)?.slice(0, 500)}; nothing was sent.`,
  );
}

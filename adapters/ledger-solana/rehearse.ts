import type { Transaction } from '@solana/web3.js';
import { MeshError } from '../../core/contracts/errors.ts';
import type { JsonRpc } from './json-rpc.ts';
import { errorOf } from './transfer-record.ts';

/** Has the node run it against its present state, unsigned; throws when it would be refused. */
export async function rehearse(rpc: JsonRpc, transaction: Transaction): Promise<void> {
  return rehearseBytes(rpc, transaction.serialize({ requireAllSignatures: false, verifySignatures: false }));
}

/** The same of the wire bytes of any transaction. */
export async function rehearseBytes(rpc: JsonRpc, bytes: Uint8Array): Promise<void> {
  const options = { encoding: 'base64', commitment: 'confirmed', sigVerify: false };
  const error = errorOf(
    (await rpc.ask('simulateTransaction', [Buffer.from(bytes).toString('base64'), options])).at('value'),
  );
  if (error.isNull || error.raw === 'BlockhashNotFound') return;
  throw new MeshError(
    'upstream_failed',
    `The ledger would refuse this transaction: ${JSON.stringify(error.raw).slice(0, 500)}; nothing was sent.`,
  );
}

import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { type Keypair, type TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';

export interface TransactionV1 {
  readonly bytes: Buffer;
  /** Base58. */
  readonly signature: string;
}

export interface V1Options {
  /** Pays, and is the first signer. */
  readonly payer: Keypair;
  readonly instructions: readonly TransactionInstruction[];
  readonly blockhash: string;
  /** Further signers. */
  readonly signers?: readonly Keypair[];
  /** In lamports, for the whole transaction. */
  readonly priorityFee?: bigint;
  /** 200,000 unless given: a transaction of version 1 that asks for none gets none. */
  readonly computeUnits?: number;
  /** 4 MiB unless given. */
  readonly loadedBytes?: number;
  readonly heapSize?: number;
}

const VERSION_1 = 129;

/**
 * A signed transaction of version 1 (SIMD-0385): version, header, config mask, blockhash, counts, addresses, config
 * values, instruction headers, instruction payloads, and the signatures last. web3.js 1.98 cannot make one.
 */
export function transactionV1(options: V1Options): TransactionV1 {
  const { payer, blockhash, priorityFee, computeUnits = 200_000, loadedBytes = 4 * 1024 * 1024, heapSize } = options;
  const { header, staticAccountKeys, compiledInstructions } = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: [...options.instructions],
  }).compileToV0Message();
  const values = [
    { bits: 0b11, bytes: priorityFee === undefined ? undefined : u64(priorityFee) },
    { bits: 0b100, bytes: u32(computeUnits) },
    { bits: 0b1000, bytes: u32(loadedBytes) },
    { bits: 0b10000, bytes: heapSize === undefined ? undefined : u32(heapSize) },
  ].flatMap(({ bits, bytes }) => (bytes ? [{ bits, bytes }] : []));
  const message = Buffer.concat([
    Buffer.of(
      VERSION_1,
      header.numRequiredSignatures,
      header.numReadonlySignedAccounts,
      header.numReadonlyUnsignedAccounts,
    ),
    u32(values.reduce((mask, { bits }) => mask | bits, 0)),
    bs58.decode(blockhash),
    Buffer.of(compiledInstructions.length, staticAccountKeys.length),
    ...staticAccountKeys.map((key) => key.toBytes()),
    ...values.map(({ bytes }) => bytes),
    ...compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) =>
      Buffer.of(programIdIndex, accountKeyIndexes.length, data.length & 0xff, data.length >> 8),
    ),
    ...compiledInstructions.flatMap(({ accountKeyIndexes, data }) => [Buffer.from(accountKeyIndexes), data]),
  ]);
  const signers = [payer, ...(options.signers ?? [])];
  const signatures = staticAccountKeys.slice(0, header.numRequiredSignatures).map((key) => {
    const signer = signers.find(({ publicKey }) => publicKey.equals(key));
    if (!signer) throw new Error(`${key} has to sign`);
    return signed(message, signer);
  });
  return { bytes: Buffer.concat([message, ...signatures]), signature: bs58.encode(signatures[0]!) };
}

/** What a signed legacy transaction does, such as one that an adapter has made; to be done by version 1 instead. */
export function instructionsOf(bytes: Uint8Array): TransactionInstruction[] {
  return TransactionMessage.decompile(VersionedTransaction.deserialize(bytes).message).instructions;
}

/** Sends it to an RPC node as it is; the node's whole answer. */
export async function sendV1(url: string, { bytes }: TransactionV1, options: object = {}): Promise<any> {
  const params = [bytes.toString('base64'), { encoding: 'base64', ...options }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params });
  return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json();
}

function signed(message: Uint8Array, signer: Keypair): Buffer {
  return sign(null, message, privateKeyOf(signer.secretKey.subarray(0, 32)));
}

/** PKCS #8 of an Ed25519 seed. */
function privateKeyOf(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

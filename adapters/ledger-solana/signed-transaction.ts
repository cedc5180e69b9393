import { PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import bs58 from 'bs58';
import { MeshError } from '../../core/contracts/errors.ts';
import type { PreparedTransaction, Signer, TransactionLifetime } from '../../core/ledger/ledger.ts';
import type { JsonRpc } from './json-rpc.ts';
import type { ProgramInstruction } from './program/index.ts';

const MAX_BYTES = 1_232;
const SIGNATURE_BYTES = 64;

export type Lifetime = TransactionLifetime;

/** The newest blockhash, as of a slot that is not before `atLeast`. */
export async function readLifetime(rpc: JsonRpc, atLeast = 0): Promise<Lifetime> {
  const options = { commitment: 'confirmed', ...(atLeast > 0 && { minContextSlot: atLeast }) };
  const latest = await rpc.ask('getLatestBlockhash', [options]);
  const madeAfter = latest.at('context').at('slot').natural();
  if (madeAfter < atLeast) throw rpc.behind('getLatestBlockhash', madeAfter, atLeast);
  const value = latest.at('value');
  return {
    blockhash: value.at('blockhash').address(),
    lastValidBlockHeight: value.at('lastValidBlockHeight').natural(),
    madeAfter,
  };
}

/** A transaction whose fees the first signer pays; the other signers sign where an instruction asks for them. */
export function compileTransaction(
  instructions: readonly TransactionInstruction[],
  signers: readonly [Signer, ...Signer[]],
  { blockhash }: Lifetime,
): Transaction {
  const transaction = new Transaction({ feePayer: new PublicKey(signers[0].address), recentBlockhash: blockhash });
  transaction.add(...instructions);
  const { header, accountKeys } = transaction.compileMessage();
  for (const key of accountKeys.slice(0, header.numRequiredSignatures)) {
    const address = key.toBase58();
    if (signers.every((signer) => signer.address !== address))
      throw new MeshError('forbidden', `This step must be signed by ${address}, whose key is not here.`);
  }
  const bytes = 1 + SIGNATURE_BYTES * header.numRequiredSignatures + transaction.serializeMessage().length;
  if (bytes > MAX_BYTES) throw new RangeError(`a transaction of ${bytes} bytes is larger than ${MAX_BYTES}`);
  return transaction;
}

export function signTransaction(
  transaction: Transaction,
  signers: readonly Signer[],
  { lastValidBlockHeight, madeAfter }: Lifetime,
): PreparedTransaction {
  const message = transaction.serializeMessage();
  const { header, accountKeys } = transaction.compileMessage();
  for (const key of accountKeys.slice(0, header.numRequiredSignatures)) {
    const signer = signers.find(({ address }) => address === key.toBase58())!;
    transaction.addSignature(key, Buffer.from(signer.sign(message)));
  }
  const bytes = transaction.serialize();
  const signature = bs58.encode(transaction.signature!);
  return { signature, bytes: bytes.toString('base64'), lastValidBlockHeight, madeAfter };
}

export function web3Instruction({ programId, keys, data }: ProgramInstruction): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(programId),
    keys: keys.map(({ address, signer, writable }) => ({
      pubkey: new PublicKey(address),
      isSigner: signer,
      isWritable: writable,
    })),
    data: Buffer.from(data),
  });
}

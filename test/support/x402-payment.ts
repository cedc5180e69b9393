import {
  ComputeBudgetProgram,
  type Connection,
  type Keypair,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { associatedTokenAddress, memo, transferChecked } from '../../adapters/ledger-solana/instructions.ts';

/** How a payment differs from the honest one. */
export interface Forged {
  readonly payer?: Keypair;
  readonly amount?: bigint;
  readonly mint?: PublicKey;
  readonly to?: PublicKey;
  readonly feePayer?: PublicKey;
  readonly blockhash?: string;
  readonly more?: readonly TransactionInstruction[];
  /** All instructions as they are signed, from those that a stock client makes. */
  readonly rearranged?: (stock: TransactionInstruction[]) => TransactionInstruction[];
  readonly memo?: string | null;
  readonly price?: number;
  readonly unsigned?: boolean;
  readonly header?: (value: any) => void;
}

let orders = 0;
const same = <T>(one: T): T => one;

/** The headers of a payment for an offer of version 2, by a client that needs mean no good. */
export async function paymentFor(
  offer: any,
  connection: Connection,
  forgery: Forged & { readonly payer: Keypair },
): Promise<Record<string, string>> {
  const [accepted] = offer.accepts;
  const [node, mint] = [new PublicKey(accepted.payTo), new PublicKey(accepted.asset)];
  const { payer } = forgery;
  const from = payer.publicKey;
  const message = new TransactionMessage({
    payerKey: forgery.feePayer ?? node,
    recentBlockhash: forgery.blockhash ?? (await connection.getLatestBlockhash()).blockhash,
    instructions: (forgery.rearranged ?? same)([
      ComputeBudgetProgram.setComputeUnitLimit({ units: 20_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: forgery.price ?? 1 }),
      transferChecked({
        source: associatedTokenAddress(from, mint),
        mint: forgery.mint ?? mint,
        destination: associatedTokenAddress(forgery.to ?? node, mint),
        ...{ owner: from, amount: forgery.amount ?? BigInt(accepted.amount), decimals: 6 },
      }),
      ...(forgery.memo === null ? [] : [memo(forgery.memo ?? `order ${orders++}`)]),
      ...(forgery.more ?? []),
    ]),
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  if (!forgery.unsigned) transaction.sign([payer]);
  const payload = { transaction: Buffer.from(transaction.serialize()).toString('base64') };
  const value: any = { x402Version: 2, resource: offer.resource, accepted, payload };
  forgery.header?.(value);
  return { 'PAYMENT-SIGNATURE': inBase64(value) };
}

/** The offer of version 2 in an answer. */
export function offerOf({ headers }: Response): any {
  return JSON.parse(Buffer.from(headers.get('payment-required')!, 'base64').toString('utf8'));
}

function inBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

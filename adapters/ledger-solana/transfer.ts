import type { PublicKey } from '@solana/web3.js';
import { invalidField, MeshError } from '../../core/contracts/errors.ts';
import type { PreparedTransaction, Signer, UsdcTransfer } from '../../core/ledger/ledger.ts';
import { MAX_USDC, USDC_DECIMALS } from '../../core/platform/usdc.ts';
import { checkSol, checkUsdc } from './funds.ts';
import { type Account, publicKey, readAccounts, TOKEN_ACCOUNT_BYTES, tokenAmount } from './holdings.ts';
import {
  associatedTokenAddress,
  createAssociatedToken,
  memo,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  transferChecked,
} from './instructions.ts';
import type { JsonRpc } from './json-rpc.ts';
import { rehearse } from './rehearse.ts';
import type { Rent } from './rent.ts';
import { compileTransaction, readLifetime, signTransaction } from './signed-transaction.ts';
import type { TransferFee } from './transfer-fee.ts';

const MAX_MEMO_BYTES = 200;
export interface TransferContext {
  readonly rpc: JsonRpc;
  readonly mint: PublicKey;
  readonly rent: Rent;
  readonly fee: TransferFee;
}

/** Builds, rehearses and signs the transfer against the newest blockhash. Nothing is sent. */
export async function prepareTransfer(
  { rpc, mint, rent, fee }: TransferContext,
  transfer: UsdcTransfer,
  signer: Signer,
): Promise<PreparedTransaction> {
  const { amount } = transfer;
  checkTransfer(transfer);
  const from = publicKey(signer.address);
  const to = publicKey(transfer.to);
  const source = associatedTokenAddress(from, mint);
  const destination = associatedTokenAddress(to, mint);
  const [accounts, lifetime, kept] = await Promise.all([
    readAccounts(rpc, [from, source, destination, to]),
    readLifetime(rpc),
    rent.of(0),
  ]);
  const [payer, held, receiving, wallet] = accounts;
  checkWallet(wallet ?? null, transfer.to);
  checkUsdc(tokenAmount(held ?? null, from, mint), amount);
  const instructions = [
    createAssociatedToken(from, to, mint),
    transferChecked({ source, mint, destination, owner: from, amount, decimals: USDC_DECIMALS }),
    memo(transfer.memo, from),
  ];
  const transaction = compileTransaction(instructions, [signer], lifetime);
  const costs = await Promise.all([fee.of(transaction), receiving ? 0n : rent.of(TOKEN_ACCOUNT_BYTES)]);
  checkSol(payer?.lamports ?? 0n, costs[0] + costs[1] + kept);
  await rehearse(rpc, transaction);
  return signTransaction(transaction, [signer], lifetime);
}

/** The tokens of a token account's own token account belong to nobody who could move them. */
export function checkWallet(account: Account | null, address: string): void {
  if (account?.owner !== TOKEN_PROGRAM.toBase58() && account?.owner !== TOKEN_2022_PROGRAM.toBase58()) return;
  throw invalidField('/to', `is a token account or a mint (${address}); name the wallet that owns it`);
}

export function checkTransfer({ amount, memo: text }: UsdcTransfer, most = MAX_MEMO_BYTES): void {
  if (amount <= 0n || amount > MAX_USDC) throw new MeshError('invalid_request', 'The amount is out of range.');
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > most || bytes.toString('utf8') !== text) {
    throw new MeshError('invalid_request', `The memo must be at most ${most} bytes of UTF-8.`);
  }
}

import { ComputeBudgetProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { invalidField, MeshError } from '../../core/contracts/errors.ts';
import type { PreparedTransaction, Signer, SponsoredTransfer } from '../../core/ledger/ledger.ts';
import { USDC_DECIMALS } from '../../core/platform/usdc.ts';
import { checkUsdc } from './funds.ts';
import { publicKey, readAccounts, TOKEN_ACCOUNT_BYTES, tokenAmount } from './holdings.ts';
import { associatedTokenAddress, memo, TOKEN_PROGRAM, transferChecked } from './instructions.ts';
import { rehearseBytes } from './rehearse.ts';
import { readLifetime } from './signed-transaction.ts';
import { checkTransfer, checkWallet, type TransferContext } from './transfer.ts';

const MAX_MEMO_BYTES = 256;
/** Compute units of a transfer with a short memo, and of each further byte of the memo. */
const UNITS = 20_000;
const UNITS_A_BYTE = 400;
const SHORT_MEMO_BYTES = 32;

/**
 * Builds and rehearses the transfer, and signs it in its owner's place. The instructions and their order are those that
 * the `exact` scheme of x402 asks for on Solana: limit, price, TransferChecked, memo.
 */
export async function prepareSponsored(
  { rpc, mint }: Pick<TransferContext, 'rpc' | 'mint'>,
  transfer: SponsoredTransfer,
  signer: Signer,
): Promise<PreparedTransaction> {
  const { amount } = transfer;
  checkTransfer(transfer, MAX_MEMO_BYTES);
  const from = publicKey(signer.address);
  const to = publicKey(transfer.to);
  const payerKey = publicKey(transfer.feePayer);
  const source = associatedTokenAddress(from, mint);
  const destination = associatedTokenAddress(to, mint);
  if ([from, source, destination, mint].some((part) => part.equals(payerKey)))
    throw invalidField('/feePayer', 'takes part in the transfer, which the one who pays the fee must not');
  const [accounts, { blockhash, lastValidBlockHeight, madeAfter }] = await Promise.all([
    readAccounts(rpc, [source, destination, to]),
    readLifetime(rpc),
  ]);
  const [held, receiving, wallet] = accounts;
  checkWallet(wallet ?? null, transfer.to);
  checkUsdc(tokenAmount(held ?? null, from, mint), amount);
  if (receiving?.owner !== TOKEN_PROGRAM.toBase58() || receiving.data.length !== TOKEN_ACCOUNT_BYTES)
    throw new MeshError(
      'invalid_request',
      `${transfer.to} has no USDC account to be paid into; whoever made the offer opens one first.`,
    );
  const long = Math.max(0, Buffer.byteLength(transfer.memo) - SHORT_MEMO_BYTES);
  const message = new TransactionMessage({
    payerKey,
    recentBlockhash: blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: UNITS + UNITS_A_BYTE * long }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 }),
      transferChecked({ source, mint, destination, owner: from, amount, decimals: USDC_DECIMALS }),
      memo(transfer.memo),
    ],
  }).compileToV0Message();
  const transaction = new VersionedTransaction(message);
  await rehearseBytes(rpc, transaction.serialize());
  const own = signer.sign(message.serialize());
  transaction.addSignature(from, own);
  const bytes = Buffer.from(transaction.serialize()).toString('base64');
  return { signature: bs58.encode(own), bytes, lastValidBlockHeight, madeAfter };
}

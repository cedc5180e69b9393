import { type PublicKey, Transaction } from '@solana/web3.js';
import bs58 from 'bs58';
import { MeshError } from '../../core/errors.ts';
import type { PreparedTransaction, Signer, UsdcTransfer } from '../../core/ledger/ledger.ts';
import { formatUsdc, MAX_USDC, USDC_DECIMALS } from '../../core/money.ts';
import { Answer } from './answers.ts';
import { publicKey, readAccounts, tokenAmount } from './holdings.ts';
import { associatedTokenAddress, createAssociatedToken, memo, transferChecked } from './instructions.ts';
import type { JsonRpc } from './json-rpc.ts';

const MAX_MEMO_BYTES = 200;
const FEE_LAMPORTS = 5_000n;
/** Rent of a token account, and the least a plain account must keep: the same on every cluster. */
const TOKEN_ACCOUNT_RENT = 2_039_280n;
const PLAIN_ACCOUNT_RENT = 890_880n;

/** Builds and signs the transfer against the newest blockhash. Nothing is sent. */
export async function prepareTransfer(
  rpc: JsonRpc,
  mint: PublicKey,
  transfer: UsdcTransfer,
  signer: Signer,
): Promise<PreparedTransaction> {
  const { amount } = transfer;
  checkTransfer(transfer);
  const from = publicKey(signer.address);
  const to = publicKey(transfer.to);
  const source = associatedTokenAddress(from, mint);
  const destination = associatedTokenAddress(to, mint);
  const [accounts, latest] = await Promise.all([
    readAccounts(rpc, [from, source, destination]),
    rpc.call('getLatestBlockhash', [{ commitment: 'confirmed' }]),
  ]);
  const [payer, held, receiving] = accounts;
  checkFunds('USDC', tokenAmount(held ?? null, from, mint), amount, formatUsdc);
  const rent = receiving ? 0n : TOKEN_ACCOUNT_RENT;
  checkFunds('SOL', payer?.lamports ?? 0n, FEE_LAMPORTS + rent + PLAIN_ACCOUNT_RENT, formatSol);

  const blockhash = new Answer(latest, 'getLatestBlockhash').at('value');
  const transaction = new Transaction({ feePayer: from, recentBlockhash: blockhash.at('blockhash').text() }).add(
    createAssociatedToken(from, to, mint),
    transferChecked({ source, mint, destination, owner: from, amount, decimals: USDC_DECIMALS }),
    memo(transfer.memo, from),
  );
  const signature = signer.sign(transaction.serializeMessage());
  transaction.addSignature(from, Buffer.from(signature));
  return {
    signature: bs58.encode(signature),
    bytes: transaction.serialize().toString('base64'),
    lastValidBlockHeight: blockhash.at('lastValidBlockHeight').integer(),
  };
}

function checkTransfer({ amount, memo: text }: UsdcTransfer): void {
  if (amount <= 0n || amount > MAX_USDC) throw new MeshError('invalid_request', 'The amount is out of range.');
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > MAX_MEMO_BYTES || bytes.toString('utf8') !== text) {
    throw new MeshError('invalid_request', `The memo must be at most ${MAX_MEMO_BYTES} bytes of UTF-8.`);
  }
}

function checkFunds(asset: string, available: bigint, needed: bigint, format: (amount: bigint) => string): void {
  if (available >= needed) return;
  const missing = format(needed - available);
  throw new MeshError('insufficient_funds', {
    detail: `The wallet holds ${format(available)} ${asset} and this transaction needs ${format(needed)}.`,
    extra: { asset, available: format(available), needed: format(needed), missing },
  });
}

function formatSol(lamports: bigint): string {
  const digits = lamports.toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return digits.slice(0, -9) + (fraction && `.${fraction}`);
}

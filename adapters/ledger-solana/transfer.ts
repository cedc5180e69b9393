import type { PublicKey } from '@solana/web3.js';
import { MeshError } from '../../core/errors.ts';
import type { PreparedTransaction, Signer, UsdcTransfer } from '../../core/ledger/ledger.ts';
import { MAX_USDC, USDC_DECIMALS } from '../../core/money.ts';
import { checkSol, checkUsdc } from './funds.ts';
import { publicKey, readAccounts, tokenAmount } from './holdings.ts';
import { associatedTokenAddress, createAssociatedToken, memo, transferChecked } from './instructions.ts';
import type { JsonRpc } from './json-rpc.ts';
import { compileTransaction, readLifetime, signTransaction } from './signed-transaction.ts';

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
  const [accounts, lifetime] = await Promise.all([readAccounts(rpc, [from, source, destination]), readLifetime(rpc)]);
  const [payer, held, receiving] = accounts;
  checkUsdc(tokenAmount(held ?? null, from, mint), amount);
  const rent = receiving ? 0n : TOKEN_ACCOUNT_RENT;
  checkSol(payer?.lamports ?? 0n, FEE_LAMPORTS + rent + PLAIN_ACCOUNT_RENT);

  const instructions = [
    createAssociatedToken(from, to, mint),
    transferChecked({ source, mint, destination, owner: from, amount, decimals: USDC_DECIMALS }),
    memo(transfer.memo, from),
  ];
  const transaction = compileTransaction(instructions, [signer], lifetime);
  return signTransaction(transaction, [signer], lifetime);
}

function checkTransfer({ amount, memo: text }: UsdcTransfer): void {
  if (amount <= 0n || amount > MAX_USDC) throw new MeshError('invalid_request', 'The amount is out of range.');
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > MAX_MEMO_BYTES || bytes.toString('utf8') !== text) {
    throw new MeshError('invalid_request', `The memo must be at most ${MAX_MEMO_BYTES} bytes of UTF-8.`);
  }
}

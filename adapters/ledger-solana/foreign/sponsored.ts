import type { PublicKey, VersionedTransaction } from '@solana/web3.js';
import { PublicKey as Key } from '@solana/web3.js';
import { invalidField } from '../../../core/contracts/errors.ts';
import type { SponsoredPayment, SponsoredPaymentTerms } from '../../../core/ledger/foreign.ts';
import { USDC_DECIMALS } from '../../../core/platform/usdc.ts';
import { verify } from '../../../core/protocol/identity/verify.ts';
import { associatedTokenAddress, MEMO_PROGRAM, TOKEN_PROGRAM } from '../instructions.ts';
import { parseForeign } from './decode.ts';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
/** The memo came with version 2; the packages of version 1 write none. */
const WITHOUT_MEMO = [COMPUTE_BUDGET, COMPUTE_BUDGET, TOKEN_PROGRAM.toBase58()];
const LAYOUTS = [WITHOUT_MEMO, [...WITHOUT_MEMO, MEMO_PROGRAM.toBase58()]].map((layout) => layout.join());
const SET_LIMIT = 2;
const SET_PRICE = 3;
const TRANSFER_CHECKED = 12;
const MAX_UNITS = 400_000;
const MAX_MEMO_BYTES = 256;
/** Lamports for two signatures. */
const BASE_FEE = 10_000n;
/** Lamports that a sponsor gives for one payment. */
const MAX_FEE = 50_000n;
const MICRO = 1_000_000n;

type Fault = (part: string, message: string) => Error;
type Instruction = VersionedTransaction['message']['compiledInstructions'][number];

/** Reads a payment of the scheme `exact` whose fee `terms.wallet` is to pay. Everything that is not such a payment, to the byte, is refused. */
export function readSponsored(bytes: Uint8Array, mint: PublicKey, terms: SponsoredPaymentTerms): SponsoredPayment {
  const transaction = parseForeign(bytes);
  const { message, signatures } = transaction;
  const fault: Fault = (part, text) => invalidField(`/transaction${part}`, text);
  if (message.version !== 0) throw fault('', 'must be of version 0');
  if (message.addressTableLookups.length > 0) throw fault('', 'must name its accounts without lookup tables');
  const keys = message.staticAccountKeys.map((key) => key.toBase58());
  const { numRequiredSignatures, numReadonlySignedAccounts } = message.header;
  if (keys[0] !== terms.wallet) throw fault('/feePayer', `must be ${terms.wallet}`);
  if (numRequiredSignatures !== 2 || numReadonlySignedAccounts !== 1)
    throw fault('/signers', 'must be the payer of the fee and the one who pays, who signs and is not changed');
  if (signatures[0]!.some(Boolean)) throw fault('/signers', 'has a signature in the place of this node');
  const payer = message.staticAccountKeys[1]!;
  const signed = message.serialize();
  if (!verify(signed, signatures[1]!, payer.toBytes()))
    throw fault('/signers', 'lacks the signature of the one who pays');
  const instructions = message.compiledInstructions;
  const programs = instructions.map(({ programIdIndex }) => keys[programIdIndex]);
  if (!LAYOUTS.includes(programs.join()))
    throw fault(
      '/instructions',
      'must be a compute limit, a compute price, one TransferChecked and at most one memo, and no other',
    );
  if (instructions.some(({ accountKeyIndexes }) => accountKeyIndexes.includes(0)))
    throw fault('/instructions', 'must not use the account that pays the fee');
  const [limit, price, transfer, memo] = instructions as [Instruction, Instruction, Instruction, Instruction?];
  const fee = feeOf(limit, price, fault);
  const amount = transferOf(transfer, keys, { payer, mint, terms }, fault);
  const found = { payer: payer.toBase58(), amount, fee, message: signed };
  return memo ? { ...found, memo: memoOf(memo, fault) } : found;
}

function feeOf(limit: Instruction, price: Instruction, fault: Fault): bigint {
  const [units, unitPrice] = [limit, price].map(({ data }) => Buffer.from(data));
  if (units!.length !== 5 || units![0] !== SET_LIMIT || limit.accountKeyIndexes.length > 0)
    throw fault('/instructions/0', 'must set the compute limit');
  if (unitPrice!.length !== 9 || unitPrice![0] !== SET_PRICE || price.accountKeyIndexes.length > 0)
    throw fault('/instructions/1', 'must set the compute price');
  const most = units!.readUInt32LE(1);
  if (most > MAX_UNITS) throw fault('/instructions/0', `must be at most ${MAX_UNITS} units`);
  const fee = BASE_FEE + (BigInt(most) * unitPrice!.readBigUInt64LE(1) + MICRO - 1n) / MICRO;
  if (fee > MAX_FEE) throw fault('/instructions/1', `makes a fee of ${fee} lamports, and ${MAX_FEE} is the most`);
  return fee;
}

interface Parts {
  readonly payer: PublicKey;
  readonly mint: PublicKey;
  readonly terms: SponsoredPaymentTerms;
}

function transferOf(
  { data: bytes, accountKeyIndexes }: Instruction,
  keys: readonly string[],
  { payer, mint, terms }: Parts,
  fault: Fault,
): bigint {
  const data = Buffer.from(bytes);
  if (data.length !== 10 || data[0] !== TRANSFER_CHECKED || accountKeyIndexes.length !== 4)
    throw fault('/instructions/2', 'must be TransferChecked of one owner');
  const [source, moved, destination, owner] = accountKeyIndexes.map((index) => keys[index]);
  if (moved !== mint.toBase58() || data[9] !== USDC_DECIMALS)
    throw fault('/mint', `must be the USDC of this cluster, ${mint.toBase58()}`);
  if (destination !== associatedTokenAddress(new Key(terms.payTo), mint).toBase58())
    throw fault('/destination', `must be the USDC account of ${terms.payTo}`);
  if (owner !== payer.toBase58()) throw fault('/signers', 'must be the owner of what is paid');
  if (source !== associatedTokenAddress(payer, mint).toBase58())
    throw fault('/source', `must be the USDC account of ${payer.toBase58()}`);
  const amount = data.readBigUInt64LE(1);
  if (amount !== terms.amount) throw fault('/amount', `is ${amount}, and the price is ${terms.amount}`);
  return amount;
}

function memoOf({ data, accountKeyIndexes }: Instruction, fault: Fault): string {
  const text = Buffer.from(data).toString('utf8');
  if (data.length === 0 || data.length > MAX_MEMO_BYTES || !Buffer.from(text, 'utf8').equals(Buffer.from(data)))
    throw fault('/memo', `must be 1 to ${MAX_MEMO_BYTES} bytes of UTF-8`);
  if (accountKeyIndexes.length > 0) throw fault('/memo', 'must have no accounts');
  return text;
}

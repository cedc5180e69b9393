import type { PublicKey, VersionedTransaction } from '@solana/web3.js';
import { PublicKey as Key } from '@solana/web3.js';
import { invalidField } from '../../../core/contracts/errors.ts';
import type { SponsoredPayment, SponsoredPaymentTerms } from '../../../core/ledger/foreign.ts';
import { USDC_DECIMALS } from '../../../core/platform/usdc.ts';
import { verify } from '../../../core/protocol/identity/verify.ts';
import { associatedTokenAddress, MEMO_PROGRAM, TOKEN_PROGRAM } from '../instructions.ts';
import { parseForeign } from './decode.ts';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
/** Wallets guard what they sign with its assertions, before and behind the payment. */
const LIGHTHOUSE = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';
const TOKEN = TOKEN_PROGRAM.toBase58();
const MEMO = MEMO_PROGRAM.toBase58();
/** For refusals that people read. */
const NAMES: Readonly<Record<string, string>> = {
  '11111111111111111111111111111111': 'the system program',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'the second token program',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'the program of associated token accounts',
};
const BUDGETS: Readonly<Record<number, string>> = {
  0: 'RequestUnits',
  1: 'RequestHeapFrame',
  4: 'SetLoadedAccountsDataSizeLimit',
};
const TOKENS = [
  ...['InitializeMint', 'InitializeAccount', 'InitializeMultisig', 'Transfer', 'Approve', 'Revoke', 'SetAuthority'],
  ...['MintTo', 'Burn', 'CloseAccount', 'FreezeAccount', 'ThawAccount', 'TransferChecked', 'ApproveChecked'],
];
const ASSERTIONS_FROM = 2;
/** A memo of the client and one that its wallet adds; one of everything else. */
const MOST: Readonly<Partial<Record<Kind, number>>> = { memo: 2, assertion: 4 };
const SET_LIMIT = 2;
const SET_PRICE = 3;
const TRANSFER_CHECKED = 12;
const MAX_UNITS = 400_000;
/** The ledger grants each instruction so many where no limit is set. */
const UNITS_EACH = 200_000;
const MAX_MEMO_BYTES = 256;
/** Lamports for two signatures. */
const BASE_FEE = 10_000n;
/** Lamports that a sponsor gives for one payment. */
const MAX_FEE = 50_000n;
const MICRO = 1_000_000n;

type Fault = (part: string, message: string) => Error;
type Kind = 'compute limit' | 'compute price' | 'TransferChecked' | 'memo' | 'assertion';
type Instruction = VersionedTransaction['message']['compiledInstructions'][number];

/**
 * Reads a payment of the scheme `exact` whose fee `terms.wallet` is to pay. Everything that is not such a payment, to the byte, is refused,
 * but for assertions that wallets put around what they sign: they change nothing, and none may name the account that pays the fee.
 */
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
  const steps = message.compiledInstructions.map((instruction, index) => ({
    ...{ instruction, at: `/instructions/${index}`, program: keys[instruction.programIdIndex]! },
  }));
  const { limit, price, transfer, memos, others } = sortedOut(steps, fault);
  const fee = feeOf(limit, price, others, fault);
  const amount = transferOf(transfer, keys, { payer, mint, terms }, fault);
  return {
    ...{ payer: payer.toBase58(), amount, fee, message: signed },
    memos: memos.map((memo) => memoOf(memo, fault)),
  };
}

interface Step {
  readonly instruction: Instruction;
  readonly program: string;
  readonly at: string;
}

interface SortedOut {
  readonly limit: Step | undefined;
  readonly price: Step | undefined;
  readonly transfer: Step;
  readonly memos: readonly Step[];
  /** How many are none of the compute budget. */
  readonly others: number;
}

/** Each instruction by what it is, in any order; one that is none of a payment is refused by its name. */
function sortedOut(steps: readonly Step[], fault: Fault): SortedOut {
  const found: Readonly<Record<Kind, Step[]>> = {
    ...{ 'compute limit': [], 'compute price': [], TransferChecked: [], memo: [], assertion: [] },
  };
  for (const step of steps) {
    const { instruction, at } = step;
    if (instruction.accountKeyIndexes.includes(0))
      throw fault(at, `is ${nameOf(step)} with the account that pays the fee, which no instruction may name`);
    const kind = kindOf(step);
    if (kind === undefined)
      throw fault(
        at,
        `is ${nameOf(step)}; a payment has one TransferChecked, at most one compute limit and compute price, ${MOST.memo} memos, and ${MOST.assertion} assertions of Lighthouse`,
      );
    found[kind].push(step);
    const most = MOST[kind] ?? 1;
    if (found[kind].length > most) throw fault(at, `is one ${kind} more than ${most}`);
  }
  const [[limit], [price], [transfer]] = [found['compute limit'], found['compute price'], found.TransferChecked];
  if (!transfer) throw fault('/instructions', 'have no TransferChecked');
  return { limit, price, transfer, memos: found.memo, others: steps.length - (limit ? 1 : 0) - (price ? 1 : 0) };
}

function kindOf({ program, instruction: { data } }: Step): Kind | undefined {
  const [first] = data;
  if (program === COMPUTE_BUDGET && first === SET_LIMIT) return 'compute limit';
  if (program === COMPUTE_BUDGET && first === SET_PRICE) return 'compute price';
  if (program === TOKEN && first === TRANSFER_CHECKED) return 'TransferChecked';
  if (program === MEMO) return 'memo';
  // Before them are those that write accounts of its own, which somebody pays for.
  return program === LIGHTHOUSE && first !== undefined && first >= ASSERTIONS_FROM ? 'assertion' : undefined;
}

function nameOf({ program, instruction: { data } }: Step): string {
  const number = data[0] ?? -1;
  if (program === COMPUTE_BUDGET) return `${BUDGETS[number] ?? `instruction ${number}`} of the compute budget`;
  if (program === TOKEN) return `${TOKENS[number] ?? `instruction ${number}`} of the token program`;
  if (program === LIGHTHOUSE) return `instruction ${number} of Lighthouse`;
  return `a call of ${NAMES[program] ?? `the program ${program}`}`;
}

function feeOf(limit: Step | undefined, price: Step | undefined, others: number, fault: Fault): bigint {
  for (const [step, bytes, what] of [
    [limit, 5, 'limit'],
    [price, 9, 'price'],
  ] as const)
    if (step && (step.instruction.data.length !== bytes || step.instruction.accountKeyIndexes.length > 0))
      throw fault(step.at, `must set the compute ${what}`);
  const most = limit ? Buffer.from(limit.instruction.data).readUInt32LE(1) : others * UNITS_EACH;
  if (limit && most > MAX_UNITS) throw fault(limit.at, `must be at most ${MAX_UNITS} units`);
  if (!price) return BASE_FEE;
  const unitPrice = Buffer.from(price.instruction.data).readBigUInt64LE(1);
  const fee = BASE_FEE + (BigInt(most) * unitPrice + MICRO - 1n) / MICRO;
  if (fee > MAX_FEE) throw fault(price.at, `makes a fee of ${fee} lamports, and ${MAX_FEE} is the most`);
  return fee;
}

interface Parts {
  readonly payer: PublicKey;
  readonly mint: PublicKey;
  readonly terms: SponsoredPaymentTerms;
}

function transferOf(
  { instruction: { data: bytes, accountKeyIndexes }, at }: Step,
  keys: readonly string[],
  { payer, mint, terms }: Parts,
  fault: Fault,
): bigint {
  const data = Buffer.from(bytes);
  if (data.length !== 10 || data[0] !== TRANSFER_CHECKED || accountKeyIndexes.length !== 4)
    throw fault(at, 'must be TransferChecked of one owner');
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

function memoOf({ instruction: { data, accountKeyIndexes } }: Step, fault: Fault): string {
  const text = Buffer.from(data).toString('utf8');
  if (data.length === 0 || data.length > MAX_MEMO_BYTES || !Buffer.from(text, 'utf8').equals(Buffer.from(data)))
    throw fault('/memo', `must be 1 to ${MAX_MEMO_BYTES} bytes of UTF-8`);
  if (accountKeyIndexes.length > 0) throw fault('/memo', 'must have no accounts');
  return text;
}

import type { ForeignEffects, ForeignInstruction, ForeignTransaction } from './foreign.ts';

/** Limits of a transaction on the wallet; it may do nothing that is not named. */
export interface ForeignTerms {
  /** The most that may leave: lamports with fees and rent, and units of each mint. */
  readonly spend?: Amounts | undefined;
  /** The least that must come in. */
  readonly receive?: Amounts | undefined;
  /** The payer of the fee, where it is not the wallet. */
  readonly feePayer?: string | undefined;
  /** Others whose signatures it may need. */
  readonly cosigners?: readonly string[] | undefined;
}

export interface Amounts {
  readonly lamports?: bigint | undefined;
  readonly tokens?: Readonly<Record<string, bigint>> | undefined;
}

export interface ForeignRules {
  readonly wallet: string;
  /** The settlement program of this mesh, whose accounts no foreign transaction may touch. */
  readonly settlement?: string | undefined;
  /** Whether the caller may have transactions of that program signed; `any` when it may of any but the guarded ones. */
  may(program: string): boolean;
}

const SYSTEM = '11111111111111111111111111111111';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';

/** Their effects on a wallet show in its balances and rights, which are checked. */
const PLAIN: ReadonlySet<string> = new Set([
  SYSTEM,
  COMPUTE_BUDGET,
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]);

/** The wallet's part in these programs shows in no balance, so `money:sign:*` does not include them. */
const GUARDED: ReadonlyMap<string, string> = new Map([
  ['BPFLoader1111111111111111111111111111111111', 'programs'],
  ['BPFLoader2111111111111111111111111111111111', 'programs'],
  ['BPFLoaderUpgradeab1e11111111111111111111111', 'programs'],
  ['LoaderV411111111111111111111111111111111111', 'programs'],
  ['Stake11111111111111111111111111111111111111', 'staked SOL'],
  ['Vote111111111111111111111111111111111111111', 'votes'],
  ['CoREENxT6tW1HoK8ypY1SxRMZTcVPm7R94rH4PZNhX7d', 'registry assets'],
]);

const ADVANCE_NONCE = 4;

/** Why a transaction may not be signed, each the end of "it …"; none when it may. */
export function refusalsOf(
  transaction: ForeignTransaction,
  effects: ForeignEffects,
  terms: ForeignTerms,
  rules: ForeignRules,
): string[] {
  if (effects.error !== undefined) return [`would fail: ${effects.error}`];
  return [
    ...signerFaults(transaction, terms, rules),
    ...programFaults(transaction, rules),
    ...effects.faults,
    ...amountFaults(effects, terms),
  ];
}

/** Why a transaction that others have signed wholly may not be sent for them, each the end of "it …". */
export function relayRefusalsOf(
  transaction: ForeignTransaction,
  failure: string | undefined,
  rules: ForeignRules,
): string[] {
  if (failure !== undefined) return [`would fail: ${failure}`];
  const { signers, instructions } = transaction;
  return [
    ...(signers.some(({ address }) => address === rules.wallet) ? ['needs the signature of this wallet'] : []),
    ...signers.filter(({ signed }) => !signed).map(({ address }) => `lacks the signature of ${address}`),
    ...(instructions.some(advancesNonce) ? ['has no end to its validity'] : []),
    ...programFaults(transaction, rules),
  ];
}

function signerFaults(
  { feePayer, signers, instructions }: ForeignTransaction,
  terms: ForeignTerms,
  rules: ForeignRules,
) {
  const { wallet } = rules;
  const payer = terms.feePayer ?? wallet;
  const known = new Set([wallet, payer, ...(terms.cosigners ?? [])]);
  return [
    ...(feePayer === payer ? [] : [`has its fee paid by ${feePayer}`]),
    ...(signers.some(({ address }) => address === wallet) ? [] : ['does not need the signature of this wallet']),
    ...signers.filter(({ address }) => !known.has(address)).map(({ address }) => `needs the signature of ${address}`),
    // With a nonce it would stay valid for ever, and somebody could send it when it suits them.
    ...(instructions.some(advancesNonce) ? ['has no end to its validity'] : []),
  ];
}

function advancesNonce({ program, data }: ForeignInstruction): boolean {
  return program === SYSTEM && data.length >= 4 && Buffer.from(data).readUInt32LE(0) === ADVANCE_NONCE;
}

function programFaults({ programs, instructions, owners }: ForeignTransaction, { settlement, may }: ForeignRules) {
  const called = new Set([...programs, ...instructions.map(({ program }) => program)]);
  const faults: string[] = [];
  for (const program of called) {
    if (PLAIN.has(program)) continue;
    if (program === settlement) faults.push('could call the settlement program of this mesh');
    else if (!may(program)) faults.push(`could call ${program}, for which ${neededFor(program)} is missing`);
  }
  for (const owner of owners) {
    if (owner === settlement) faults.push('could change an account of the settlement program');
    else if (GUARDED.has(owner) && !may(owner)) faults.push(`could change ${GUARDED.get(owner)}`);
  }
  return faults;
}

function neededFor(program: string): string {
  return `the permission money:sign:${program}`;
}

/** `money:sign:*` is any program but those that own what no balance shows. */
export function isGuarded(program: string): boolean {
  return GUARDED.has(program);
}

function amountFaults({ lamports, tokens }: ForeignEffects, { spend = {}, receive = {} }: ForeignTerms): string[] {
  const mints = new Set([...tokens.keys(), ...Object.keys(spend.tokens ?? {}), ...Object.keys(receive.tokens ?? {})]);
  return [
    ...amountFault('lamports', lamports, spend.lamports, receive.lamports),
    ...[...mints].flatMap((mint) =>
      amountFault(`of ${mint}`, tokens.get(mint) ?? 0n, spend.tokens?.[mint], receive.tokens?.[mint]),
    ),
  ];
}

/** Of what may be spent and must come in at once, the change counts: lamports that pay for lamports, such as a refund. */
function amountFault(what: string, change: bigint, most = 0n, least: bigint | undefined): string[] {
  if (-change > most) return [`takes ${-change} ${what}, and ${most} is allowed`];
  if (least !== undefined && change < least) return [`gives ${change} ${what}, and ${least} is the least`];
  return [];
}

import { type AskedAgain, appendLog, type Collection, collection, counter, spendingWindow } from '../../core/plugin.ts';
import type { StoredWindow } from './windows.ts';

/** The balance that an agent may use, and the one set aside for withdrawals under way; minor units. */
export interface Account {
  readonly available: string;
  readonly reserved: string;
}

/** One side of an entry; a debit is positive. */
export interface StoredLine {
  readonly account: string;
  readonly amount: string;
}

/** Something that happened to money. Its lines sum to zero. */
export interface StoredEntry {
  readonly at: number;
  readonly kind: string;
  /** The transaction, withdrawal or sweep that it tells of. */
  readonly ref: string;
  readonly lines: readonly StoredLine[];
}

/** A deposit address of an agent. */
export interface DepositAddress {
  readonly agent: string;
  readonly address: string;
  /** The account at which USDC arrives; absent in records from before it was kept. */
  readonly account?: string;
  /** How far its history was read. */
  readonly cursor?: string;
  /** Transactions before the cursor that the ledger listed and did not show. */
  readonly passedOver?: readonly AskedAgain[];
  /** Credited and not yet moved into the wallet. */
  readonly unswept: string;
  /** USDC in other token accounts of this wallet, as it was last seen: nobody knows whose deposit it is, and none is made of it. */
  readonly beside?: string;
  /** The move under way. */
  readonly sweep?: { readonly number: number; readonly amount: string };
  readonly sweeps: number;
  /** When its owner last asked for it. */
  readonly asked: number;
  /** When it is looked at by itself next; absent while only the round over all addresses comes by. */
  readonly due?: number;
}

/** An agent's depositor at the gateway, on one chain. */
export interface DepositorAccount {
  readonly agent: string;
  readonly chain: string;
  readonly address: string;
  /** The highest balance that was seen, all of which is credited. */
  readonly credited: string;
  readonly asked: number;
  /** As of a deposit address. */
  readonly due?: number;
}

export type WithdrawalState = 'reserved' | 'sending' | 'burning' | 'burnt' | 'attested' | 'minting' | 'done' | 'failed';

export interface Withdrawal {
  readonly id: string;
  readonly agent: string;
  readonly kind: 'withdrawal' | 'payout';
  /** The deposit that a payout passes on. */
  readonly source?: string;
  readonly chain: string;
  readonly address: string;
  readonly amount: string;
  /** So much of it had come in within the 24 hours before. */
  readonly fresh?: string;
  readonly platformFee: string;
  readonly providerFee: string;
  readonly state: WithdrawalState;
  readonly created: number;
  readonly changed: number;
  /** When it goes on; whoever works on it puts this ahead. */
  readonly due: number;
  /** How often in a row it waited. */
  readonly waits: number;
  readonly speed?: string;
  readonly maxFee?: string;
  readonly signature?: string;
  readonly message?: string;
  readonly attestation?: string;
  readonly received?: string;
  readonly mintTx?: string;
  readonly problem?: string;
}

export interface Destination {
  readonly chain: string;
  readonly address: string;
}

/** Where an agent's settled payments go. */
export interface PayoutDestination extends Destination {
  /** When it was named; absent once something was credited to its agent. */
  readonly asked?: number;
}

/** A release of an escrow to its provider. By transaction and provider. */
export interface Release {
  readonly amount: string;
  readonly conversation: string;
}

/** A deposit that was credited. By transaction and agent. */
export interface Credited {
  readonly agent: string;
  readonly amount: string;
  readonly at: number;
}

const FINAL: ReadonlySet<WithdrawalState> = new Set(['done', 'failed']);
const RELEASE_MS = 30 * 24 * 3_600_000;

export const accounts = collection<Account>('accounts', { schema: 'billing/account' });
/** Sums of all accounts that are nobody's, by name. */
export const sums = counter('sums');
export const journal = appendLog<StoredEntry>('journal', {
  schema: 'billing/entry',
  postings: ({ lines }) => lines.map(({ account }) => account),
});
/** By agent. */
export const addresses: Collection<DepositAddress, 'due' | 'unused' | 'beside'> = collection('addresses', {
  schema: 'billing/address',
  indexes: {
    due: ({ due }) => (due === undefined ? undefined : [due]),
    unused: (one) => (isUnused(one) ? [one.asked] : undefined),
    beside: ({ beside, address }) => (beside === undefined ? undefined : [address]),
  },
});
/** By agent and chain. */
export const depositors: Collection<DepositorAccount, 'due' | 'unused'> = collection('depositors', {
  schema: 'billing/depositor',
  indexes: {
    due: ({ due }) => (due === undefined ? undefined : [due]),
    unused: (one) => (isUnused(one) ? [one.asked] : undefined),
  },
});
export const withdrawals: Collection<Withdrawal, 'due' | 'agent'> = collection('withdrawals', {
  schema: 'billing/withdrawal-record',
  indexes: {
    due: ({ state, due }) => (FINAL.has(state) ? undefined : [due]),
    agent: ({ agent, created }) => [agent, -created],
  },
});
export const destinations: Collection<PayoutDestination, 'unused'> = collection('destinations', {
  schema: 'billing/destination',
  indexes: { unused: ({ asked }) => (asked === undefined ? undefined : [asked]) },
});
export const releases = collection<Release>('releases', { schema: 'billing/release', ttl: RELEASE_MS });
export const credited = collection<Credited>('credited', { schema: 'billing/credited' });
/** Amounts that left, of an agent and of all. */
export const spent = collection<StoredWindow>('spent', { schema: 'billing/spent', ttl: spendingWindow.KEPT_MS });
/** Amounts that came in, by agent. */
export const received = collection<StoredWindow>('received', { schema: 'billing/spent', ttl: spendingWindow.KEPT_MS });
/** How many withdrawals and payouts of an agent are under way. */
export const underWay = collection<{ readonly count: number }>('under-way', { schema: 'billing/under-way' });
export const marks = collection<{ readonly value: string }>('marks', { schema: 'billing/mark' });

/** Whether nothing ever came to it: then nothing is known of it that a second look would not find. */
export function isUnused(one: object): boolean {
  const {
    credited = '0',
    unswept = '0',
    sweeps = 0,
    cursor,
    passedOver,
    beside,
    sweep,
  }: Partial<DepositorAccount & DepositAddress> = one;
  return credited === '0' && unswept === '0' && sweeps === 0 && !cursor && !passedOver && !beside && !sweep;
}

/** The amount that leaves the wallet: without the platform's fee, which stays. */
export function burnOf({ amount, platformFee }: Pick<Withdrawal, 'amount' | 'platformFee'>): bigint {
  return BigInt(amount) - BigInt(platformFee);
}

const stored = (name: string, properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  $id: `billing/${name}`,
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((one) => !optional.includes(one)),
  properties,
});
const text = { type: 'string', maxLength: 256 };
const units = { type: 'string', pattern: '^-?\\d{1,20}$' };
const integer = { type: 'integer' };
const long = { type: 'string', maxLength: 8_192 };

/** The plugin's collections. */
export const STORED: readonly object[] = [
  stored('account', { available: units, reserved: units }),
  stored('entry', {
    at: integer,
    kind: text,
    ref: text,
    lines: {
      type: 'array',
      minItems: 2,
      items: { type: 'object', required: ['account', 'amount'], properties: { account: text, amount: units } },
    },
  }),
  stored(
    'address',
    {
      ...{ agent: text, address: text, cursor: text, unswept: units, sweeps: integer, asked: integer, due: integer },
      account: text,
      beside: units,
      sweep: { type: 'object', required: ['number', 'amount'], properties: { number: integer, amount: units } },
      passedOver: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          required: ['signature', 'slot', 'tries', 'again'],
          properties: { signature: text, slot: integer, tries: integer, again: integer },
        },
      },
    },
    ['account', 'cursor', 'beside', 'sweep', 'passedOver', 'due'],
  ),
  stored('depositor', { agent: text, chain: text, address: text, credited: units, asked: integer, due: integer }, [
    'due',
  ]),
  stored(
    'withdrawal-record',
    {
      ...{ id: text, agent: text, kind: text, chain: text, address: text, amount: units },
      ...{ platformFee: units, providerFee: units, state: text, created: integer, changed: integer, due: integer },
      ...{ waits: integer, source: text, speed: text, maxFee: units, signature: text, message: long },
      ...{ attestation: long, received: units, mintTx: text, problem: { type: 'string', maxLength: 1_000 } },
      fresh: units,
    },
    ['fresh', 'source', 'speed', 'maxFee', 'signature', 'message', 'attestation', 'received', 'mintTx', 'problem'],
  ),
  stored('destination', { chain: text, address: text, asked: integer }, ['asked']),
  stored('release', { amount: units, conversation: text }),
  stored('credited', { agent: text, amount: units, at: integer }),
  stored(
    'spent',
    {
      quarters: {
        type: 'array',
        maxItems: 128,
        items: { type: 'object', required: ['from', 'amount'], properties: { from: integer, amount: units } },
      },
      // Until 26 November 2026.
      hours: {
        type: 'array',
        maxItems: 26,
        items: { type: 'object', required: ['from', 'minor'], properties: { from: integer, minor: units } },
      },
    },
    ['quarters', 'hours'],
  ),
  stored('under-way', { count: integer }),
  stored('mark', { value: text }),
];

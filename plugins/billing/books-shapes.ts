import { formatUsdc, type TypedSchema, typed } from '../../core/plugin.ts';
import type { AddressRound } from './address-round.ts';
import type { Beside } from './beside.ts';
import { REMEDY, type Reconciliation } from './reconciliation.ts';

const SIGNED = (description: string, example: string) => ({
  description,
  type: 'string',
  pattern: '^-?\\d{1,19}(\\.\\d{1,6})?$',
  examples: [example],
});
const COUNT = { type: 'integer', minimum: 0, examples: [2] };
const TIME = { $ref: 'common.json#/$defs/time' };
const WALLET = 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU';
const AGENT_EXAMPLE = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
/** The most addresses that one answer names. */
const MOST = 100;

export interface BooksAnswer {
  readonly state: 'ok' | 'degraded' | 'unknown';
  readonly faults: readonly string[];
  readonly remedy?: string;
  readonly as_of?: string;
  readonly agents_usdc?: string;
  readonly accounts?: readonly { readonly account: string; readonly balance_usdc: string }[];
  readonly wallet?: { readonly held_usdc: string; readonly least_usdc: string; readonly beyond_usdc: string };
  readonly addresses?: {
    readonly compared: number;
    readonly held_usdc: string;
    readonly booked_usdc: string;
    readonly difference_usdc: string;
    readonly from: string;
    readonly to: string;
  };
  readonly differences: readonly {
    readonly agent_id: string;
    readonly address: string;
    readonly held_usdc: string;
    readonly booked_usdc: string;
    readonly difference_usdc: string;
  }[];
  readonly differences_more: number;
  readonly beside: readonly { readonly agent_id: string; readonly address: string; readonly usdc: string }[];
  readonly beside_more: number;
}

export const booksAnswer: TypedSchema<BooksAnswer> = typed({
  $id: 'billing/books',
  type: 'object',
  required: ['state', 'faults', 'differences', 'differences_more', 'beside', 'beside_more'],
  properties: {
    state: { description: '`unknown` until the first comparison.', enum: ['ok', 'degraded', 'unknown'] },
    faults: { type: 'array', items: { type: 'string' } },
    remedy: { description: 'Absent while everything fits.', type: 'string' },
    as_of: { ...TIME, description: 'When the sums and the wallet were compared, which is done every hour.' },
    agents_usdc: SIGNED('The balances of all agents, available and reserved.', '12.5'),
    accounts: {
      description: "The accounts that are nobody's; a debit is positive.",
      type: 'array',
      items: {
        type: 'object',
        required: ['account', 'balance_usdc'],
        properties: { account: { type: 'string' }, balance_usdc: SIGNED('Its balance.', '12.5') },
      },
    },
    wallet: {
      description: 'The wallet of this aggregator on the ledger; absent without a ledger.',
      type: 'object',
      required: ['held_usdc', 'least_usdc', 'beyond_usdc'],
      properties: {
        held_usdc: SIGNED('The USDC that it holds.', '20'),
        least_usdc: SIGNED('The amount that it must hold by the books, without what may be on its way out.', '10'),
        beyond_usdc: SIGNED(
          'The difference: below 0 something is missing, above it is the float of the operator.',
          '10',
        ),
      },
    },
    addresses: {
      description: 'The last whole round over all deposit addresses; absent before the first.',
      type: 'object',
      required: ['compared', 'held_usdc', 'booked_usdc', 'difference_usdc', 'from', 'to'],
      properties: {
        compared: { ...COUNT, description: 'How many addresses there are.' },
        held_usdc: SIGNED('The USDC that they hold on the ledger.', '2.5'),
        booked_usdc: SIGNED('The amount by the books.', '2.5'),
        difference_usdc: SIGNED('Below 0 something is missing.', '0'),
        from: TIME,
        to: TIME,
      },
    },
    differences: {
      description: 'Addresses that were found different twice, a minute apart.',
      type: 'array',
      maxItems: MOST,
      items: {
        type: 'object',
        required: ['agent_id', 'address', 'held_usdc', 'booked_usdc', 'difference_usdc'],
        properties: {
          agent_id: { $ref: 'common.json#/$defs/agent-id' },
          address: { type: 'string', examples: [WALLET] },
          held_usdc: SIGNED('The USDC that it holds on the ledger.', '2.5'),
          booked_usdc: SIGNED('The amount by the books.', '2'),
          difference_usdc: SIGNED('Below 0 something is missing.', '0.5'),
        },
      },
    },
    differences_more: { ...COUNT, description: 'How many more addresses differ.' },
    beside: {
      description:
        'Deposit addresses with USDC in other token accounts than their own one, as it was last seen: kept, credited to nobody, and in none of the sums.',
      type: 'array',
      maxItems: MOST,
      items: {
        type: 'object',
        required: ['agent_id', 'address', 'usdc'],
        properties: {
          agent_id: { $ref: 'common.json#/$defs/agent-id' },
          address: { type: 'string', examples: [WALLET] },
          usdc: SIGNED('All that is beside.', '7'),
        },
      },
    },
    beside_more: { ...COUNT, description: 'How many more addresses have some.' },
  },
  examples: [
    {
      ...{ state: 'ok', faults: [], as_of: '2026-01-01T12:00:00.000Z', agents_usdc: '12.5' },
      accounts: [
        { account: 'deposits', balance_usdc: '2.5' },
        { account: 'treasury', balance_usdc: '10' },
      ],
      wallet: { held_usdc: '20', least_usdc: '10', beyond_usdc: '10' },
      addresses: {
        ...{ compared: 2, held_usdc: '2.5', booked_usdc: '2.5', difference_usdc: '0' },
        ...{ from: '2026-01-01T12:00:00.000Z', to: '2026-01-01T12:00:01.000Z' },
      },
      ...{ differences: [], differences_more: 0, beside: [], beside_more: 0 },
    },
    {
      ...{ state: 'degraded', faults: ['the deposit address holds 2.5 USDC and the books say 2'] },
      remedy: 'Compare the journal with the ledger.',
      differences: [
        {
          ...{ agent_id: AGENT_EXAMPLE, address: WALLET, held_usdc: '2.5', booked_usdc: '2' },
          difference_usdc: '0.5',
        },
      ],
      differences_more: 0,
      beside: [{ agent_id: AGENT_EXAMPLE, address: WALLET, usdc: '7' }],
      beside_more: 0,
    },
  ],
});

/** The books and what they were held against. */
export async function booksOf(
  reconciliation: Reconciliation,
  round: AddressRound,
  beside: Beside,
): Promise<BooksAnswer> {
  const { rows, more } = await beside.found(MOST);
  const { faults, last } = reconciliation;
  const { rounded } = round;
  const differences = round.differences.slice(0, MOST);
  return {
    state: faults.length > 0 ? 'degraded' : last ? 'ok' : 'unknown',
    faults,
    ...(faults.length > 0 && { remedy: REMEDY }),
    ...(last && {
      as_of: new Date(last.at).toISOString(),
      agents_usdc: signed(last.standing.agents),
      accounts: Object.entries(last.standing.named).map(([account, minor]) => ({
        account,
        balance_usdc: signed(minor),
      })),
    }),
    ...(last?.wallet && {
      wallet: {
        held_usdc: signed(last.wallet.held),
        least_usdc: signed(last.wallet.least),
        beyond_usdc: signed(last.wallet.held - last.wallet.least),
      },
    }),
    ...(rounded && {
      addresses: {
        compared: rounded.addresses,
        ...against(rounded),
        from: new Date(rounded.from).toISOString(),
        to: new Date(rounded.to).toISOString(),
      },
    }),
    differences: differences.map((one) => ({ agent_id: one.agent, address: one.address, ...against(one) })),
    differences_more: round.differences.length - differences.length + round.more,
    beside: rows.map(({ agent, address, amount }) => ({ agent_id: agent, address, usdc: formatUsdc(amount) })),
    beside_more: more,
  };
}

function against({ held, booked }: { readonly held: bigint; readonly booked: bigint }) {
  return { held_usdc: signed(held), booked_usdc: signed(booked), difference_usdc: signed(held - booked) };
}

function signed(minor: bigint): string {
  return minor < 0n ? `-${formatUsdc(-minor)}` : formatUsdc(minor);
}

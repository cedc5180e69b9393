import { type TypedSchema, typed } from '../../core/plugin.ts';
import { CHAINS } from './settlement/chains.ts';

const CHAIN_NAMES = CHAINS.map(({ name }) => name);
const chain = (description: string, example = 'solana') => ({
  description,
  type: 'string',
  enum: CHAIN_NAMES,
  examples: [example],
});
const USDC = { $ref: 'common.json#/$defs/usdc' };
const AGENT = { $ref: 'common.json#/$defs/agent-id' };
const TIME = { $ref: 'common.json#/$defs/time' };
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const WALLET = 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU';
const AGENT_EXAMPLE = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
const address = (description: string) => ({
  description: `${description}: a wallet on Solana in base58, or 0x and 40 hex digits on other chains.`,
  type: 'string',
  maxLength: 64,
  pattern: '^([1-9A-HJ-NP-Za-km-z]{32,44}|0x[0-9a-fA-F]{40})$',
  examples: [WALLET],
});

export interface DepositRequest {
  readonly chain: string;
  readonly amount_usdc: string;
}
export const depositRequest: TypedSchema<DepositRequest> = typed({
  type: 'object',
  required: ['chain', 'amount_usdc'],
  properties: {
    chain: chain('Where the deposit will be made.'),
    amount_usdc: {
      ...USDC,
      description: 'How much is meant to come; whatever comes is credited.',
      examples: ['10.00'],
    },
  },
});

export interface DepositAnswer {
  readonly agent_id: string;
  readonly chain: string;
  readonly domain_id: number;
  readonly address: string;
  readonly token: string;
  readonly wallet_contract?: string;
  readonly amount_usdc: string;
  readonly detail: string;
}
export const depositAnswer: TypedSchema<DepositAnswer> = typed({
  $id: 'billing/deposit',
  type: 'object',
  required: ['agent_id', 'chain', 'domain_id', 'address', 'token', 'amount_usdc', 'detail'],
  properties: {
    agent_id: AGENT,
    chain: chain('As asked for.'),
    domain_id: {
      description: 'The id of the chain in the table of the settlement library.',
      type: 'integer',
      examples: [5],
    },
    address: address('The deposit address of this agent, or its depositor at the gateway; always the same'),
    token: { description: 'The USDC that is taken: the address of its mint.', type: 'string', examples: [WALLET] },
    wallet_contract: {
      description:
        'The contract of the gateway, on other chains than Solana: call its depositFor(token, address, amount) after approve. A plain transfer to it is lost.',
      type: 'string',
      pattern: '^0x[0-9a-f]{40}$',
      examples: ['0x77777777dcc4d5a8b6e418fd04d8997ef11000ee'],
    },
    amount_usdc: USDC,
    detail: { type: 'string' },
  },
  examples: [
    {
      ...{ agent_id: AGENT_EXAMPLE, chain: 'solana', domain_id: 5, address: WALLET },
      ...{ token: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', amount_usdc: '10' },
      detail: 'USDC that is sent to this wallet on solana is credited once it is final.',
    },
  ],
});

export interface BalanceAnswer {
  readonly agent_id: string;
  readonly balance_usdc: string;
  readonly reserved_usdc: string;
  readonly payout?: { readonly chain: string; readonly address: string };
  readonly unread?: readonly string[];
  readonly beside_usdc?: string;
}
export const balanceAnswer: TypedSchema<BalanceAnswer> = typed({
  $id: 'billing/balance',
  type: 'object',
  required: ['agent_id', 'balance_usdc', 'reserved_usdc'],
  properties: {
    agent_id: AGENT,
    balance_usdc: { ...USDC, description: 'Credited and free.' },
    reserved_usdc: { ...USDC, description: 'Set aside for withdrawals and payouts under way.' },
    payout: {
      description: 'Where settled task payments go; absent while they stay in the balance.',
      type: 'object',
      required: ['chain', 'address'],
      properties: { chain: chain('The chain.'), address: address('The address') },
    },
    unread: {
      description:
        'Transactions on the deposit address that the ledger lists and does not show. They may be deposits, and are asked for again. Absent when there are none.',
      type: 'array',
      maxItems: 100,
      items: { type: 'string' },
    },
    beside_usdc: {
      ...USDC,
      description:
        'USDC in other token accounts of the deposit address than its own one, as it was last seen. It is kept and not credited: ask the operator. Absent when there is none.',
    },
  },
  examples: [{ agent_id: AGENT_EXAMPLE, balance_usdc: '12.5', reserved_usdc: '0' }],
});

export interface WithdrawRequest {
  readonly amount_usdc: string;
  readonly destination_chain: string;
  readonly destination_address: string;
}
export const withdrawRequest: TypedSchema<WithdrawRequest> = typed({
  type: 'object',
  required: ['amount_usdc', 'destination_chain', 'destination_address'],
  properties: {
    amount_usdc: { ...USDC, description: 'The amount taken from the balance, with all fees.', examples: ['5.00'] },
    destination_chain: chain('Where it is paid.'),
    destination_address: address('Whom it is paid to'),
  },
});

const STATES = ['reserved', 'sending', 'burning', 'burnt', 'attested', 'minting', 'done', 'failed'];

export interface WithdrawalAnswer {
  readonly withdrawal_id: string;
  readonly agent_id: string;
  readonly kind: string;
  readonly status: string;
  readonly amount_usdc: string;
  readonly platform_fee_usdc: string;
  readonly transfer_fee_max_usdc?: string;
  readonly received_usdc?: string;
  readonly destination_chain: string;
  readonly destination_address: string;
  readonly speed?: string;
  readonly signature?: string;
  readonly message?: string;
  readonly attestation?: string;
  readonly mint_tx?: string;
  readonly problem?: string;
  readonly created_at: string;
  readonly updated_at: string;
}
const text = (description: string, example: string) => ({ description, type: 'string', examples: [example] });
export const withdrawalAnswer: TypedSchema<WithdrawalAnswer> = typed({
  $id: 'billing/withdrawal',
  type: 'object',
  required: [
    ...['withdrawal_id', 'agent_id', 'kind', 'status', 'amount_usdc', 'platform_fee_usdc'],
    ...['destination_chain', 'destination_address', 'created_at', 'updated_at'],
  ],
  properties: {
    withdrawal_id: text('Names it for GET /billing/withdrawals/{withdrawal_id}.', '00112233445566778899aabbccddeeff'),
    agent_id: AGENT,
    kind: { description: 'Asked for, or a settled task payment on its way.', enum: ['withdrawal', 'payout'] },
    status: { description: 'Which step it waits for; `done` and `failed` are final.', enum: STATES },
    amount_usdc: { ...USDC, description: 'The amount taken from the balance.' },
    platform_fee_usdc: { ...USDC, description: '1 % of a cross-chain settlement; 0 on Solana.' },
    transfer_fee_max_usdc: { ...USDC, description: 'The most that the transfer service may take.' },
    received_usdc: { ...USDC, description: 'The amount that arrives, once it is known.' },
    destination_chain: chain('Where it is paid.'),
    destination_address: address('Whom it is paid to'),
    speed: { description: 'How the burn asked to be attested.', enum: ['fast', 'standard'] },
    signature: text('The transfer or the burn on Solana, final.', SIGNATURE),
    message: text('The attested message; with the attestation anybody can have it minted.', '0x00000001'),
    attestation: text('The signatures of the attestation service.', '0x01'),
    mint_tx: text('The transaction on the destination chain.', `0x${'ab'.repeat(32)}`),
    problem: text('Why it waits, or why it failed.', 'insufficient_fee'),
    created_at: TIME,
    updated_at: TIME,
  },
  examples: [
    {
      ...{ withdrawal_id: '00112233445566778899aabbccddeeff', agent_id: AGENT_EXAMPLE, kind: 'withdrawal' },
      ...{ status: 'reserved', amount_usdc: '5', platform_fee_usdc: '0', destination_chain: 'solana' },
      ...{
        destination_address: WALLET,
        created_at: '2026-01-01T12:00:00.000Z',
        updated_at: '2026-01-01T12:00:00.000Z',
      },
    },
  ],
});

export interface PayoutRequest {
  readonly chain: string;
  readonly address: string;
}
export const payoutRequest: TypedSchema<PayoutRequest> = typed({
  type: 'object',
  required: ['chain', 'address'],
  properties: { chain: chain('The default chain.'), address: address('The default address') },
});
export const payoutAnswer: TypedSchema<PayoutRequest & { readonly agent_id: string }> = typed({
  $id: 'billing/payout',
  type: 'object',
  required: ['agent_id', 'chain', 'address'],
  properties: { agent_id: AGENT, ...(payoutRequest.schema as { properties: object }).properties },
  examples: [{ agent_id: AGENT_EXAMPLE, chain: 'solana', address: WALLET }],
});

export interface EstimateQuery {
  readonly amount: string;
  readonly destination_chain: string;
}
export const estimateQuery: TypedSchema<EstimateQuery> = typed({
  type: 'object',
  required: ['amount', 'destination_chain'],
  properties: {
    amount: { ...USDC, description: 'The amount to settle.', examples: ['100'] },
    destination_chain: chain('Where it would be paid.'),
  },
});

export interface EstimateAnswer {
  readonly amount_usdc: string;
  readonly source_chain: string;
  readonly destination_chain: string;
  readonly domain_id: number;
  readonly fee_usdc: string;
  readonly platform_fee_usdc: string;
  readonly transfer_fee_usdc: string;
  readonly received_usdc: string;
  readonly speed: string;
  readonly transfer_time_seconds: number;
  readonly transfer_time_max_seconds: number;
  readonly as_of: string;
  readonly age_seconds: number;
}
const SECONDS = { type: 'integer', minimum: 0, examples: [30] };
export const estimateAnswer: TypedSchema<EstimateAnswer> = typed({
  $id: 'billing/estimate',
  type: 'object',
  required: [
    ...['amount_usdc', 'source_chain', 'destination_chain', 'domain_id', 'fee_usdc', 'platform_fee_usdc'],
    ...['transfer_fee_usdc', 'received_usdc', 'speed', 'transfer_time_seconds', 'transfer_time_max_seconds'],
    ...['as_of', 'age_seconds'],
  ],
  properties: {
    amount_usdc: USDC,
    source_chain: chain('Where the wallet of this aggregator is.'),
    destination_chain: chain('As asked for.'),
    domain_id: { description: 'The id of the destination in the table of the settlement library.', type: 'integer' },
    fee_usdc: { ...USDC, description: 'Both fees together.' },
    platform_fee_usdc: { ...USDC, description: '1 % of a cross-chain settlement.' },
    transfer_fee_usdc: { ...USDC, description: 'Of the transfer service, the mint included.' },
    received_usdc: { ...USDC, description: 'The amount that would arrive; 0 where the fees are more than the amount.' },
    speed: { description: 'Fast, or standard where fast is not offered.', enum: ['fast', 'standard'] },
    transfer_time_seconds: { ...SECONDS, description: 'From the burn to the mint, at best.' },
    transfer_time_max_seconds: { ...SECONDS, description: 'The same, as a rule at most.' },
    as_of: { ...TIME, description: 'When the transfer service told its fees.' },
    age_seconds: { ...SECONDS, description: 'How long ago that was.' },
  },
  examples: [
    {
      ...{ amount_usdc: '100', source_chain: 'solana', destination_chain: 'solana', domain_id: 5, fee_usdc: '0' },
      ...{ platform_fee_usdc: '0', transfer_fee_usdc: '0', received_usdc: '100', speed: 'standard' },
      ...{
        transfer_time_seconds: 15,
        transfer_time_max_seconds: 60,
        as_of: '2026-01-01T12:00:00.000Z',
        age_seconds: 0,
      },
    },
  ],
});

export const WITHDRAWAL_ID: TypedSchema<string> = typed({
  type: 'string',
  pattern: '^[0-9a-f]{32}$',
  examples: ['00112233445566778899aabbccddeeff'],
});

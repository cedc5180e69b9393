import { type Limit, route } from '../../core/plugin.ts';
import { booksAnswer } from './books-shapes.ts';
import { historyAnswer, historyQuery } from './history-shapes.ts';
import * as shapes from './shapes.ts';

const READS: Limit = { per: 'principal', rate: 600, window: 60 };
const WRITES: Limit = { per: 'principal', rate: 60, window: 60 };
const feature = 'billing';

export const routes = {
  billing_deposit: route('POST /billing/deposit', {
    auth: 'agent',
    limit: WRITES,
    feature,
    money: true,
    summary: 'The deposit address of the agent: USDC sent there credits its billing balance',
    body: shapes.depositRequest,
    reply: shapes.depositAnswer,
    errors: ['not_found', 'ledger_unavailable'],
  }),
  billing_balance: route('GET /billing/balance/:agent_id', {
    auth: 'agent',
    limit: READS,
    feature,
    summary: 'The credited USDC of the agent that asks',
    params: { agent_id: 'agent-id' },
    reply: shapes.balanceAnswer,
    errors: ['forbidden'],
  }),
  billing_withdraw: route('POST /billing/withdraw', {
    auth: 'agent',
    limit: WRITES,
    feature,
    money: true,
    idempotency: true,
    summary:
      'Takes USDC from the balance to an address on a chain: a transfer on Solana, elsewhere burn, attestation and mint',
    body: shapes.withdrawRequest,
    reply: shapes.withdrawalAnswer,
    status: 202,
    errors: ['insufficient_funds', 'withdrawal_cap', 'upstream_failed', 'ledger_unavailable'],
  }),
  billing_set_payout: route('POST /billing/set-payout', {
    auth: 'agent',
    limit: WRITES,
    feature,
    money: true,
    idempotency: true,
    summary: 'Where settled task payments go by themselves',
    body: shapes.payoutRequest,
    reply: shapes.payoutAnswer,
    errors: ['not_found', 'ledger_unavailable'],
  }),
  billing_estimate: route('GET /billing/estimate-settlement', {
    auth: 'agent',
    limit: READS,
    feature,
    summary: 'Fee and time of a settlement to a chain',
    query: shapes.estimateQuery,
    reply: shapes.estimateAnswer,
    errors: ['upstream_failed'],
  }),
  billing_withdrawal: route('GET /billing/withdrawals/:withdrawal_id', {
    auth: 'agent',
    limit: READS,
    feature,
    summary: 'How far a withdrawal or payout of the agent is',
    params: { withdrawal_id: shapes.WITHDRAWAL_ID },
    reply: shapes.withdrawalAnswer,
    errors: ['not_found'],
  }),
  billing_history: route('GET /billing/history', {
    auth: 'agent',
    limit: READS,
    feature,
    summary: 'Every change of the balance of the agent, newest first',
    query: historyQuery,
    reply: historyAnswer,
  }),
  billing_books: route('GET /admin/billing/books', {
    auth: 'api-secret',
    limit: READS,
    feature,
    summary: 'The billing books against the ledger, with every difference',
    reply: booksAnswer,
  }),
} as const;

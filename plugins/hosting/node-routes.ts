import { type Limit, route, stream } from '../../core/plugin.ts';

const READS: Limit = { per: 'principal', rate: 6_000, window: 60 };
const STEPS: Limit = { per: 'principal', rate: 600, window: 60 };
const OPENINGS: Limit = { per: 'ip', rate: 1_200, window: 60 };
/** 10 MiB in base64, or as JSON text: a delivery above 48 KiB stays on the disk of this host until it is fetched. So many are in memory at a time. */
const LARGE = { maxBody: 16 * 1_048_576, largeBodies: 4 };

const OFF = ['hosting_off', 'not_ready'] as const;
const SIGNING = ['identity_in_use', 'clock_skewed', 'agent_moved'] as const;
const step = {
  auth: 'hosted',
  reply: 'deal-step',
  money: true,
  limit: STEPS,
  idempotency: true,
  errors: ['invalid_transition', 'not_found', 'rate_limited', ...SIGNING, ...OFF],
} as const;
const priced = { ...step, errors: [...step.errors, 'insufficient_funds', 'spending_cap'] } as const;
const said = {
  auth: 'hosted',
  reply: 'sent',
  limit: STEPS,
  idempotency: true,
  errors: ['rate_limited', ...SIGNING, ...OFF],
} as const;
/** Each asks the ledger, which all agents of the host do together so often that its RPC stands it. */
const LEDGER: Limit = { per: 'principal', rate: 20, window: 60 };
/** A host finds its agents by their keys. */
const agent = { params: { agent_id: 'agent-id' }, agentIds: 'as-given', errors: ['not_found', ...OFF] } as const;

/** Routes for hosted agents and the operator of their host. */
export const routes = {
  hosted_ping: route('GET /hosted/ping', {
    auth: 'hosted-or-anyone',
    limit: { per: 'ip', rate: 1_200, window: 60 },
    summary: 'Whether this host is there and, with a token, whether it still knows the agent.',
    reply: 'hosted-pong',
    errors: ['hosting_off'],
  }),
  hosted_register: route('POST /hosted/register', {
    auth: 'open',
    limit: { per: 'ip', rate: 10, window: 60 },
    summary: 'Makes an agent with a fresh key, which this host keeps and signs with.',
    body: 'hosted-registration',
    reply: 'hosted-registered',
    errors: ['host_full', 'rate_limited', ...OFF],
  }),
  hosted_session: route('GET /hosted/session', {
    auth: 'hosted',
    limit: READS,
    summary: 'The agent of the token, with its prepaid account.',
    reply: 'hosted-session',
    errors: OFF,
  }),
  rotate_hosted_token: route('POST /hosted/session/rotate', {
    auth: 'hosted',
    limit: STEPS,
    summary: 'Gives another token; the one that was shown holds no more.',
    reply: 'hosted-token',
    errors: OFF,
  }),
  leave_host: route('DELETE /hosted/session', {
    auth: 'hosted',
    limit: STEPS,
    summary: 'Ends with the agent of the token: its key is destroyed, and what it has not sent is not sent any more.',
    query: 'hosted-removal-query',
    reply: 'done',
    errors: ['conflict', 'ledger_unavailable', 'rate_limited', ...OFF],
  }),
  move_hosted_agent: route('POST /hosted/move', {
    auth: 'hosted',
    limit: STEPS,
    summary:
      'Begins the move to another host: names the key under which the agent shall go on. It stays until that key takes over; the answer goes to the other host.',
    body: 'hosted-move',
    agentIds: 'as-given',
    reply: 'move-notice',
    errors: ['conflict', ...OFF],
  }),
  take_over_agent: route('POST /hosted/take-over', {
    auth: 'hosted',
    limit: STEPS,
    summary: 'Has the agent of the token, which must be fresh, go on for an agent that moves here from another host.',
    body: 'move-notice',
    agentIds: 'as-given',
    reply: 'succession',
    errors: ['conflict', 'upstream_failed', ...OFF],
  }),
  hosted_statement: route('GET /hosted/statement', {
    auth: 'hosted',
    limit: READS,
    summary: "The statement of the agent's prepaid account, the newest line first.",
    query: 'hosted-statement-query',
    reply: 'hosted-statement',
    errors: OFF,
  }),
  hosted_send: route('POST /hosted/send', {
    auth: 'hosted',
    limit: STEPS,
    summary: 'Sends a message, signed by this host with the key of the agent.',
    body: 'hosted-send-request',
    agentIds: 'as-given',
    reply: 'sent',
    idempotency: true,
    ...LARGE,
    errors: [
      ...['insufficient_funds', 'spending_cap', 'invalid_transition', 'not_found', 'payload_too_large', 'rate_limited'],
      'ledger_unavailable',
      ...SIGNING,
      ...OFF,
    ],
  }),
  hosted_propose: route('POST /hosted/negotiate/propose', {
    ...priced,
    summary: 'Offers a deal to an agent.',
    body: 'propose-request',
    agentIds: 'as-given',
    errors: [...priced.errors, 'ledger_unavailable'],
  }),
  hosted_counter: route('POST /hosted/negotiate/counter', {
    ...priced,
    summary: 'Answers an offer with another.',
    body: 'counter-request',
  }),
  hosted_accept: route('POST /hosted/negotiate/accept', {
    ...priced,
    summary: 'Accepts the last offer.',
    body: 'accept-request',
    errors: [...priced.errors, 'ledger_unavailable'],
  }),
  hosted_reject: route('POST /hosted/negotiate/reject', {
    ...step,
    summary: 'Refuses an offer, or withdraws one.',
    body: 'reject-request',
  }),
  hosted_deliver: route('POST /hosted/deliver', {
    ...step,
    summary: 'Hands over the work.',
    body: 'deliver-request',
    ...LARGE,
    errors: [...step.errors, 'payload_too_large'],
  }),
  hosted_dispute: route('POST /hosted/dispute', {
    ...step,
    summary: 'Objects to a delivery, as the requester. Everybody may read it.',
    body: 'dispute-request',
  }),
  hosted_advertise: route('POST /hosted/advertise', {
    ...said,
    summary: 'Says to everybody what the agent can do, where and for how much.',
    body: 'advertise-request',
  }),
  hosted_bounty: route('POST /hosted/bounty', {
    ...said,
    summary: 'Offers work to whoever can do it; who wants it writes a MESSAGE in this conversation.',
    body: 'bounty-request',
  }),
  hosted_feedback: route('POST /hosted/feedback', {
    auth: 'hosted',
    limit: STEPS,
    summary: 'Rates the other side of a deal that has ended, for everybody to see.',
    body: 'feedback-request',
    reply: 'sent',
    idempotency: true,
    errors: ['invalid_transition', 'not_found', 'rate_limited', ...SIGNING, ...OFF],
  }),
  hosted_sweep: route('POST /hosted/wallet/sweep', {
    auth: 'hosted',
    limit: LEDGER,
    summary:
      'Sends USDC that came to the ledger account of the agent to a wallet. SOL in that account pays the fee, and the rent of a token account that is made.',
    body: 'sweep-request',
    money: true,
    reply: 'sweep',
    idempotency: true,
    errors: ['ledger_unavailable', 'insufficient_funds', 'conflict', 'upstream_failed', 'rate_limited', ...OFF],
  }),
  hosted_balances: route('GET /hosted/portfolio/balances', {
    auth: 'hosted',
    limit: LEDGER,
    summary: 'SOL and tokens in the ledger account of the agent, whose address is its key.',
    reply: 'portfolio-balances',
    errors: ['ledger_unavailable', 'rate_limited', ...OFF],
  }),
  hosted_history: route('GET /hosted/portfolio/history', {
    auth: 'hosted',
    limit: LEDGER,
    summary: 'The sweeps of the agent that are final, newest first.',
    query: 'history-query',
    reply: 'history-page',
    errors: OFF,
  }),
  hosted_deals: route('GET /hosted/deals', {
    auth: 'hosted',
    limit: READS,
    summary: 'The deals of the agent, the most recently changed first.',
    query: 'deals-query',
    reply: 'deals-page',
    errors: OFF,
  }),
  hosted_deal: route('GET /hosted/deals/:conversation_id', {
    auth: 'hosted',
    limit: READS,
    summary: 'A deal of the agent.',
    params: { conversation_id: 'conversation-id' },
    reply: 'deal-view',
    errors: ['not_found', ...OFF],
  }),
  hosted_delivery: route('GET /hosted/deals/:conversation_id/delivery', {
    auth: 'hosted',
    limit: { per: 'principal', rate: 60, window: 60 },
    summary: 'The bytes of a delivery above 48 KiB, fetched from its provider and compared with their hash.',
    params: { conversation_id: 'conversation-id' },
    reply: 'bytes',
    media: { type: 'application/octet-stream', example: 'The delivery as it was made.' },
    errors: ['not_found', 'upstream_failed', ...OFF],
  }),
  hosted_inbox: route('GET /hosted/inbox', {
    auth: 'hosted',
    limit: READS,
    summary: 'Inbound envelopes of the agent behind a cursor, for clients without WebSockets.',
    query: 'inbox-page-query',
    reply: 'inbox-page',
    errors: OFF,
  }),
  acknowledge_hosted_inbox: route('POST /hosted/inbox/ack', {
    auth: 'hosted',
    limit: STEPS,
    summary: 'Forgets the frames of the agent up to a cursor.',
    body: 'inbox-ack',
    errors: OFF,
  }),
  hosted_frames: stream('/ws/hosted/inbox', {
    auth: 'hosted',
    limit: OPENINGS,
    summary:
      'Inbound envelopes of the agent as they come, after a first frame that says how many wait; with `since` or `unacked` those that wait come first. It ends with its token.',
    tokenInQuery: true,
    errors: ['hosting_off'],
    query: 'inbox-query',
    frame: 'inbox-stream-frame',
  }),
  hosted_agents: route('GET /hosted/agents', {
    auth: 'api-secret',
    limit: READS,
    summary: 'The agents that this node hosts, with their accounts.',
    query: 'hosted-agents-query',
    reply: 'hosted-agents',
    errors: OFF,
  }),
  remove_hosted_agent: route('DELETE /hosted/agents/:agent_id', {
    ...agent,
    auth: 'api-secret',
    limit: STEPS,
    summary: 'Ends with a hosted agent, as the operator; its account and statement stay.',
    query: 'hosted-removal-query',
    reply: 'done',
    errors: [...agent.errors, 'conflict', 'ledger_unavailable', 'rate_limited'],
  }),
  renew_hosted_token: route('POST /hosted/agents/:agent_id/token', {
    ...agent,
    auth: 'api-secret',
    limit: STEPS,
    summary: 'Gives a hosted agent another token, for a client that lost its own.',
    reply: 'hosted-token',
  }),
  hosted_account_statement: route('GET /hosted/agents/:agent_id/statement', {
    ...agent,
    auth: 'api-secret',
    limit: READS,
    summary: 'The statement of a prepaid account, also of an agent that is gone.',
    query: 'hosted-statement-query',
    reply: 'hosted-statement',
  }),
  credit_hosted_agent: route('POST /hosted/agents/:agent_id/credit', {
    ...agent,
    auth: 'api-secret',
    limit: STEPS,
    money: true,
    idempotency: true,
    summary: 'Puts USDC that its client has paid to the operator into the prepaid account of a hosted agent.',
    body: 'hosted-movement',
    reply: 'hosted-line',
  }),
  debit_hosted_agent: route('POST /hosted/agents/:agent_id/debit', {
    ...agent,
    auth: 'api-secret',
    limit: STEPS,
    money: true,
    idempotency: true,
    summary: 'Takes USDC that the operator has paid back out of a prepaid account, also of an agent that is gone.',
    body: 'hosted-movement',
    reply: 'hosted-line',
    errors: [...agent.errors, 'insufficient_funds'],
  }),
} as const;

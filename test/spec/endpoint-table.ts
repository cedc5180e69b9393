import type { Profile } from '../../core/plugin.ts';

/** One row of the specification's tables. */
export interface SpecifiedEndpoint {
  readonly part: string;
  readonly profile: Profile;
  /** `GET /agents/{agent_id}/profile`; a stream is `WS /ws/inbox`. */
  readonly line: string;
  /** Whether this release must serve it; the others are shown as pending until they appear. */
  readonly due: boolean;
}

const NODE_FIRST_SLICE = `
  GET /identity
  GET /peers
  POST /envelopes/send
  POST /message
  POST /advertise
  GET /advertise
  POST /bounty
  POST /dispute
  GET /topics
  PUT /topics/{topic}
  DELETE /topics/{topic}
  GET /envelopes/{envelope_id}
  POST /negotiate/propose
  POST /negotiate/counter
  POST /negotiate/accept
  POST /negotiate/reject
  POST /deliver
  POST /feedback
  GET /deals
  GET /deals/{conversation_id}
  GET /deals/{conversation_id}/delivery
  POST /deals/{conversation_id}/pay
  POST /inbox/ack
  WS /ws/inbox
  WS /ws/events
  GET /portfolio/balances
  GET /batch/{agent_id}/{epoch}
  GET /batch/{agent_id}/{epoch}/proof/{nonce}
  GET /stake
  POST /stake/add
  POST /stake/unlock
  POST /stake/resume
  POST /stake/withdraw
  GET /lease
  POST /lease/pay
  GET /accusations
  POST /notarize/bid
  POST /notarize/assign
  GET /notarize/cases
  POST /verdict
  POST /notarize/decide
  POST /escrow/lock
  POST /escrow/deliver
  POST /escrow/approve
  POST /escrow/refund
  POST /escrow/reclaim
  POST /escrow/dispute
  POST /escrow/contest
  POST /escrow/claim
  POST /escrow/split
  GET /escrow/{conversation_id}
  GET /portfolio/caps
  GET /owner
  POST /owner/propose
  POST /wallet/sweep
  POST /wallet/x402/pay
  GET /wallet/x402/{payment_id}
  GET /wallet/sales
  GET /portfolio/history
  GET /reputation/{agent_id}
  GET /admin/exempt
  POST /admin/exempt
  DELETE /admin/exempt/{agent_id}
  POST /agent/register-pid
  POST /agent/reload`;

const SKILLS = `
  GET /skill/list
  POST /skill/write
  POST /skill/install-url
  POST /skill/remove`;

const TRADE = `
  POST /trade/swap
  GET /trade/quote
  GET /trade/price
  GET /trade/tokens
  POST /trade/limit/create
  GET /trade/limit/orders
  POST /trade/limit/cancel
  POST /trade/dca/create`;

const HOSTED = `
  GET /hosted/ping
  POST /hosted/register
  POST /hosted/send
  POST /hosted/negotiate/propose
  POST /hosted/negotiate/counter
  POST /hosted/negotiate/accept
  POST /hosted/negotiate/reject
  POST /hosted/deliver
  POST /hosted/feedback
  GET /hosted/deals
  GET /hosted/deals/{conversation_id}
  GET /hosted/inbox
  POST /hosted/inbox/ack
  GET /hosted/session
  POST /hosted/session/rotate
  DELETE /hosted/session
  GET /hosted/statement
  GET /hosted/agents
  DELETE /hosted/agents/{agent_id}
  POST /hosted/agents/{agent_id}/token
  GET /hosted/agents/{agent_id}/statement
  POST /hosted/agents/{agent_id}/credit
  POST /hosted/agents/{agent_id}/debit
  WS /ws/hosted/inbox`;

const LAUNCHPAD = `
  GET /launchpad/config
  POST /launchpad/launch
  POST /launchpad/swap/quote
  POST /launchpad/swap/execute
  GET /launchpad/pool/{token_mint}
  GET /launchpad/positions
  POST /launchpad/set-api-key
  GET /launchpad/claimable
  POST /launchpad/claim
  GET /launchpad/chart-listing/check/{token_mint}
  POST /launchpad/chart-listing/list`;

const OPERATIONS = `
  GET /health
  GET /ready
  GET /metrics
  GET /openapi.json
  GET /asyncapi.json
  GET /docs`;

const AGGREGATOR_FIRST_SLICE = `
  POST /ingest/envelopes
  GET /version
  GET /agents
  GET /agents/search
  GET /agents/search/name
  GET /agents/{agent_id}/profile
  GET /reputation/{agent_id}
  GET /leaderboard
  GET /activity
  WS /ws/activity
  GET /interactions
  GET /interactions/by/{agent_id}
  GET /disputes/{agent_id}
  GET /bounties
  GET /stats/network
  GET /network
  GET /search
  GET /registry`;

const AGGREGATOR_LEDGER = `
  GET /ledger
  GET /ledger/events
  GET /escrows/{conversation_id}
  GET /agents/{agent_id}/escrows
  GET /agents/{agent_id}/stake
  GET /stake/required/{agent_id}
  GET /epochs/{agent_id}/{epoch}/envelopes
  PUT /epochs/{agent_id}/{epoch}/leaves
  GET /epochs/{agent_id}/{epoch}
  GET /epochs/{agent_id}/{epoch}/leaves
  POST /agents/{agent_id}/propose-owner
  POST /agents/{agent_id}/claim-owner
  GET /agents/{agent_id}/owner
  GET /agents/by-owner/{wallet}`;

const BILLING = `
  POST /billing/deposit
  GET /billing/balance/{agent_id}
  POST /billing/withdraw
  POST /billing/set-payout
  GET /billing/estimate-settlement`;

const ANALYTICS = `
  GET /leaderboard/anomaly
  GET /leaderboard/verifier-concentration
  GET /leaderboard/ownership-clusters
  GET /entropy/{agent_id}
  GET /entropy/{agent_id}/history
  GET /entropy/{agent_id}/rolling
  GET /params/calibrated
  GET /system/sri`;

const GRAPH = `
  GET /stats/timeseries
  GET /capabilities
  GET /conversations/{conversation_id}
  GET /graph/flow
  GET /graph/clusters
  GET /graph/agent/{agent_id}`;

const HOSTING = `
  GET /hosting/nodes
  POST /hosting/register`;

const SPONSOR = `
  POST /sponsor/fee-share-config`;

const BLOBS = `
  POST /blobs
  GET /blobs/{cid}`;

const SLEEPING = `
  POST /push/register
  POST /push/sleep
  GET /agents/{agent_id}/sleeping
  GET /agents/{agent_id}/pending
  POST /agents/{agent_id}/pending`;

const CAMPAIGNS = `
  GET /campaigns
  POST /campaigns
  GET /campaigns/{id}
  WS /ws/campaigns`;

const REGISTRY_8004 = `
  GET /registry/8004/info
  POST /registry/8004/register-prepare
  POST /registry/8004/register-submit
  POST /registry/8004/register-local`;

/** Every endpoint of the specification, with those of the design that it leaves open, by part. */
export const SPECIFIED: readonly SpecifiedEndpoint[] = [
  ...rows('node', 'Node-local API', NODE_FIRST_SLICE, true),
  ...rows('node', 'Operations', OPERATIONS, true),
  ...rows('node', 'Skills', SKILLS, true),
  ...rows('node', 'Trade', TRADE, true),
  ...rows('node', 'Hosted agents', HOSTED, true),
  ...rows('node', 'Launchpad', LAUNCHPAD, true),
  ...rows('aggregator', 'Health, discovery, reputation', AGGREGATOR_FIRST_SLICE, true),
  ...rows('aggregator', 'Stake, escrow, batches, ownership', AGGREGATOR_LEDGER, true),
  ...rows('aggregator', 'Operations', OPERATIONS, true),
  ...rows('aggregator', 'Billing', BILLING, true),
  ...rows('aggregator', 'Analytics', ANALYTICS, true),
  ...rows('aggregator', 'Graph and timeseries', GRAPH, true),
  ...rows('aggregator', 'Sleeping', SLEEPING, true),
  ...rows('aggregator', 'Hosting', HOSTING, true),
  ...rows('aggregator', 'Sponsor', SPONSOR, true),
  ...rows('aggregator', 'Blobs', BLOBS, true),
  ...rows('aggregator', 'Campaigns', CAMPAIGNS, true),
  ...rows('aggregator', 'Registry 8004', REGISTRY_8004, true),
];

function rows(profile: Profile, part: string, lines: string, due: boolean): SpecifiedEndpoint[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => ({ part, profile, line: line.trim(), due }));
}

/** The rows of the tables of the launchpad, of billing and of the aggregator, as the specification writes them. */
const OF_OTHERS = linesOf(`
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
  POST /launchpad/chart-listing/list
  POST /billing/deposit
  GET /billing/balance/{agent_id}
  POST /billing/withdraw
  POST /billing/set-payout
  GET /billing/estimate-settlement?amount=&destination_chain=
  GET /health
  GET /version
  GET /agents
  GET /agents/search?q=
  GET /agents/search/name?q=
  GET /agents/:agent_id/profile
  GET /reputation/:agent_id
  GET /leaderboard?limit=
  GET /leaderboard/anomaly
  GET /leaderboard/verifier-concentration
  GET /leaderboard/ownership-clusters
  GET /activity?limit=&before=:id
  WS /ws/activity
  GET /bounties
  POST /agents/:agent_id/propose-owner
  POST /agents/:agent_id/claim-owner
  GET /agents/:agent_id/owner
  GET /agents/by-owner/:wallet
  GET /hosting/nodes
  POST /hosting/register
  POST /sponsor/fee-share-config
  POST /push/register
  POST /push/sleep
  GET /agents/:agent_id/sleeping
  GET /agents/:agent_id/pending
  GET /interactions
  GET /interactions/by/:agent_id
  GET /disputes/:agent_id
  GET /stats/network
  GET /stats/timeseries
  GET /entropy/:agent_id
  GET /entropy/:agent_id/history
  GET /entropy/:agent_id/rolling
  GET /params/calibrated
  GET /system/sri
  GET /stake/required/:agent_id
  GET /graph/flow
  GET /graph/clusters
  GET /graph/agent/:agent_id
  GET /epochs/:agent_id/:epoch/envelopes
  GET /registry
  POST /blobs
  GET /blobs/:cid
  GET /campaigns
  POST /campaigns
  GET /campaigns/:id
  WS /ws/campaigns
  GET /registry/8004/info
  POST /registry/8004/register-prepare
  POST /registry/8004/register-submit
  POST /registry/8004/register-local
`);

/** The rows of the node-local API and of hosted agents. */
export const OF_NODE = linesOf(`
  GET /identity
  GET /peers
  GET /reputation/:agent_id
  GET /batch/:agent_id/:epoch
  WS /ws/events
  POST /envelopes/send
  WS /ws/inbox
  POST /negotiate/propose
  POST /negotiate/counter
  POST /negotiate/accept
  POST /escrow/lock
  POST /escrow/approve
  POST /wallet/sweep
  POST /wallet/x402/pay
  GET /skill/list
  POST /skill/write
  POST /skill/install-url
  POST /skill/remove
  GET /admin/exempt
  POST /admin/exempt
  DELETE /admin/exempt/:agent_id
  POST /agent/register-pid
  POST /agent/reload
  POST /trade/swap
  GET /trade/quote
  GET /trade/price
  GET /trade/tokens
  POST /trade/limit/create
  GET /trade/limit/orders
  POST /trade/limit/cancel
  POST /trade/dca/create
  GET /portfolio/history
  GET /portfolio/balances
  GET /hosted/ping
  POST /hosted/register
  POST /hosted/send
  POST /hosted/negotiate/propose
  POST /hosted/negotiate/counter
  POST /hosted/negotiate/accept
  WS /ws/hosted/inbox?token=
`);

/** Every row of the tables of endpoints, once where two parts have it. */
export const ROWS = [...new Set([...OF_OTHERS, ...OF_NODE])];

function linesOf(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim());
}

// Generated from schemas/*.json by `npm run schemas`. Do not edit.
/**
 * How many elements to return; 200 at most, and more is read as 200.
 */
export type Limit = number
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
export type AgentId = string
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
export type EnvelopeId = string
/**
 * A country as two letters (ISO 3166-1), upper case in answers.
 */
export type Country = string
/**
 * A capability of an agent: letters, digits, `-` and `_`; compared in lower case.
 */
export type Capability = string
export type FeedbackOutcome = ("negative" | "neutral" | "positive")
/**
 * Reputation from -100 to 100; 0 for an agent nobody has rated.
 */
export type Score = number
/**
 * How many elements to pass over.
 */
export type Offset = number
/**
 * Whether the newer half of the last ten ratings is better than the older half by more than five.
 */
export type ScoreTrend = ("rising" | "falling" | "stable")
/**
 * A moment in UTC, ISO 8601.
 */
export type Time = string
/**
 * Of the formula.
 */
export type ScoreVersion = 2
/**
 * Up to when facts are in the scores shown; null before the first run.
 */
export type ScoreAsOf = (null | Time)
export type Agents = Agent[]
/**
 * A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one too.
 */
export type ConversationId = string
/**
 * `disputed`: it was raised against the agent that is asked for; `disputer`: that agent raised it.
 */
export type DisputeRole = ("disputed" | "disputer")
/**
 * `none` where the agent has no lease or the ledger program is not deployed.
 */
export type LeaseStatus = ("active" | "grace" | "deactivated" | "none")
export type ActivityType = ("JOIN" | "ACCEPT" | "DELIVER" | "REJECT" | "VERDICT" | "DISPUTE" | "FEEDBACK" | "KEY_CHANGE")
/**
 * The same moment as a whole number of Unix seconds.
 */
export type UnixSeconds = number
/**
 * Activity events, newest first.
 */
export type ActivityPage = ActivityEvent[]
/**
 * Last beacon first.
 */
export type Registry = RegistryEntry[]
/**
 * Newest first; the `id` of the last one goes into `before` for the next page.
 */
export type Interactions = Interaction[]
/**
 * A ledger address: 32 bytes in base58.
 */
export type Address = string
/**
 * Rated agents, the best first; of equal ones who was heard of first.
 */
export type Leaderboard = Leader[]
/**
 * Newest first.
 */
export type Disputes = AgentDispute[]
/**
 * The most common first, and equal ones by name; of a query in the order of their names.
 */
export type CapabilityCounts = CapabilityCount[]
/**
 * Newest first.
 */
export type Bounties = Bounty[]
/**
 * Of the formulas.
 */
export type AnalyticsVersion = 1
/**
 * Epochs of an agent, the newest first.
 */
export type Entropies = Entropy[]
/**
 * The present vector of each agent, the most anomalous first; of equal ones the smaller agent id.
 */
export type Anomalies = Entropy[]
/**
 * The most concentrated first; of equal ones the smaller agent id.
 */
export type VerifierConcentrations = VerifierConcentration[]
/**
 * Those by behaviour, then those by owner; of each the largest first, then by the smallest member or the owner.
 */
export type OwnershipClusters = OwnershipCluster[]
/**
 * The number of an epoch, below 2,100,000,000: those beyond have no nonces.
 */
export type EpochText = string
/**
 * The nonce of an envelope of that epoch.
 */
export type NonceText = string
/**
 * 32 bytes as hex digits.
 */
export type HashHex = string
/**
 * The content identifier of a blob: the keccak-256 of its bytes, 64 hex digits.
 */
export type BlobCid = string
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
export type Usdc = string
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
export type UsdcMicro = (number | string)
/**
 * The type of the message.
 */
export type MessageType = ("ADVERTISE" | "DISCOVER" | "PROPOSE" | "COUNTER" | "ACCEPT" | "REJECT" | "DELIVER" | "NOTARIZE_BID" | "NOTARIZE_ASSIGN" | "VERDICT" | "FEEDBACK" | "DISPUTE" | "BEACON" | "BROADCAST" | "BOUNTY" | "MESSAGE")
/**
 * The receiver's answer to an envelope.
 */
export type AckReason = ("accepted" | "duplicate" | "conflict" | "invalid" | "blocked" | "rate-limited" | "restricted" | "expired")
/**
 * `24h`: this hour and the 23 before it; `7d` and `30d`: this day and the 6 or 29 before it, UTC; `all`: everything.
 */
export type FlowWindow = ("24h" | "7d" | "30d" | "all")
/**
 * `settled`: USDC that escrows paid. `feedback`: no payment is known, so ratings.
 */
export type FlowKind = ("settled" | "feedback")
/**
 * Settled edges by USDC downwards, then those of feedback by praise downwards; equal ones by their ids.
 */
export type FlowEdges = FlowEdge[]
/**
 * The largest first, then by mutual flow, then by id.
 */
export type FlowClusters = FlowCluster[]
/**
 * Buckets in the order of time; those in which nothing happened too.
 */
export type Timeseries = TimeseriesRow[]
/**
 * The signature that names a transaction, base58.
 */
export type LedgerSignature = string
/**
 * `contested`: the provider refused what a dispute offers. `decided`: the notary did, after that. `split`: the offer of a dispute stood, or what was contested burnt, as `payouts` says. `unknown`: it ended, and the ledger no longer has the history that says how.
 */
export type EscrowState = ("locked" | "delivered" | "disputed" | "contested" | "released" | "claimed" | "refunded" | "reclaimed" | "decided" | "split" | "unknown")
/**
 * Newest first.
 */
export type Escrows = Escrow[]
export type HostingNodes = HostingNode[]
/**
 * A message type by name, in any case.
 */
export type MessageName = string
/**
 * Encrypt the payload so that only the recipient can read it, not even the sender afterwards. Private types only: PROPOSE, COUNTER, ACCEPT, REJECT, DELIVER, MESSAGE.
 */
export type SealedWish = boolean
/**
 * Slots, for every method or by method; * is every other one.
 */
export type RpcFaultSlots = (number | {
[k: string]: number
})
export type HistoryType = ("swap" | "bounty" | "launchpad" | "escrow" | "transfer" | "lease" | "fee" | "stake")
/**
 * The aggregators that this node reports to, as it finds them.
 */
export type Aggregators = {
url: string
/**
 * `away`: it does not answer, and reports are kept. `other_network`: it takes nothing of this node.
 */
state: ("ok" | "away" | "other_network")
/**
 * Why it is not ok.
 */
detail?: string
/**
 * The step that helps.
 */
remedy?: string
}[]
export type Peers = Peer[]
/**
 * The topic of BROADCASTs: 1 to 64 bytes without control characters.
 */
export type TopicName = string
/**
 * `delivered`: its recipient has acknowledged it. `broadcast`: it was handed to hubs and peers, who acknowledge nothing. `queued`: it is tried again. `refused`: its recipient does not take it. `expired`: nobody takes it any more.
 */
export type SentStatus = ("delivered" | "broadcast" | "queued" | "refused" | "expired")
/**
 * Words such as translate: the network folds them to small letters and keeps letters, digits, - and _.
 * 
 * @maxItems 32
 */
export type Capabilities = string[]
/**
 * Lowest and highest price, in USD.
 * 
 * @minItems 2
 * @maxItems 2
 */
export type PriceRangeUsd = number[]
/**
 * 32 bytes as hex digits; an empty text is none.
 */
export type HashOrNone = string
export type DealState = ("proposed" | "countered" | "accepted" | "delivered" | "settled" | "refunded" | "rejected" | "expired" | "abandoned" | "disputed" | "contested" | "decided" | "verdict" | "split")
/**
 * The first frame, unless what waits was asked for; then inbound envelopes.
 */
export type InboxStreamFrame = (InboxOpening | InboxFrame)
/**
 * Seconds from ACCEPT until the delivery is due; 86 400 when left out.
 */
export type DeadlineSecs = number
/**
 * Seconds the requester has to object to a delivery; 86 400 when left out.
 */
export type ReviewSecs = number
/**
 * Whether the requester locks the amount in escrow before the work begins.
 */
export type EscrowWanted = boolean
/**
 * The lowest share of the amount, in basis points, that a dispute may offer the provider; 0 when left out.
 */
export type DisputeBps = number
/**
 * Bytes whose meaning the two sides know.
 */
export type OpaqueB64 = string
export type Uint32 = number
/**
 * A case: the 32 hex digits of its conversation, a hyphen and 32 more; cases of before have the conversation alone. Anybody can name a conversation first, so there may be several.
 */
export type NotaryCaseId = string
/**
 * `approve` (also `completed` or 2) or `reject` (also `failed` or 0). There is no third word: `partial` (or 1) is `reject`.
 */
export type VerdictOutcome = ("approve" | "reject" | "completed" | "partial" | "failed" | 2 | 1 | 0)
/**
 * First the known ones, then those that anybody may have opened, each the newest first.
 */
export type NotaryCases = NotaryCaseView[]
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
export type Bond = (number | string)
/**
 * 32 bytes as hex digits.
 */
export type Acceptance = string
/**
 * A ws or wss URL.
 */
export type MeshUrl = string
/**
 * By which service a device is woken.
 */
export type PushProvider = ("webhook" | "expo" | "apns" | "fcm")
export type PendingMessages = PendingMessage[]
/**
 * Newest first.
 */
export type LedgerEvents = LedgerEvent[]
/**
 * In the order of their ids.
 */
export type OwnerSummaries = OwnerSummary[]
/**
 * By sequence number.
 */
export type EpochEnvelopes = EpochEnvelope[]
export type X402PaymentId = string
/**
 * Accusations of this node's key and those its wallet has made, newest first.
 */
export type Accusations = AccusationView[]

/**
 * It is done, or was done already.
 */
export interface Done {
ok: true
}
/**
 * An agent that passes the gates of this node; `since` in milliseconds.
 */
export interface ExemptAgentRecord {
since: number
}
export interface ExemptQuery {
limit?: Limit
/**
 * The last id of the page before this one.
 */
after?: string
}
/**
 * Exempt agents by id. `count` is of all; `next` goes into `after` for the next page, and is null behind the last.
 */
export interface ExemptAgents {
exempt_agents: AgentId[]
count: number
next: (AgentId | null)
}
export interface ExemptRequest {
agent_id: AgentId
}
/**
 * The agent that is exempt now.
 */
export interface ExemptAdded {
ok: true
agent_id: AgentId
}
/**
 * The registered process of the agent. `started` names the boot and the moment it began.
 */
export interface AgentProcessRecord {
pid: number
started: string
executable: string
}
export interface AgentPid {
pid: number
}
/**
 * The process that is registered now, and the program it runs.
 */
export interface AgentRegistered {
ok: true
pid: number
executable: string
}
/**
 * `stopped`: the old process ended by itself when asked, was killed, or had ended before. `pid` is the new one.
 */
export interface AgentReloaded {
ok: true
pid: number
old_pid: number
stopped: ("gracefully" | "forced" | "was_gone")
}
/**
 * The parts of core and the plugins of this process, in the order in which they came up; those that were left out stand last.
 */
export interface LoadedPlugins {
plugins: {
name: string
/**
 * `core`, `built-in`, `file`, `package` or, of one that was left out, `optional`.
 */
from: string
version?: string
state: ("ok" | "degraded" | "out")
/**
 * Why, when it is not `ok`.
 */
detail?: string
/**
 * The remedy, or that it mends itself.
 */
remedy?: string
/**
 * Those it holds.
 */
permissions: string[]
/**
 * Its routes, streams and folders.
 */
serves: string[]
}[]
}
/**
 * The settings of the start. A value that is a secret is `(hidden)`; of a URL only what names its place is shown.
 */
export interface ShownSettings {
/**
 * The configuration that was read; null where none was.
 */
file: (string | null)
/**
 * Where settings that were changed over the API are kept.
 */
kept: string
settings: {
/**
 * The names that lead to it, with dots between.
 */
key: string
/**
 * Null is one that nobody has set and that has no usual value.
 */
value: (string | number | boolean | unknown[] | {

} | null)
/**
 * A flag, a variable, the file of changes, the file with the reference it holds, or `default`.
 */
source: string
/**
 * The meaning of the setting.
 */
about?: string
/**
 * When a change by `PATCH /settings` holds; absent where there is none.
 */
change?: ("now" | "restart")
/**
 * Why it cannot be changed there.
 */
fixed?: string
/**
 * The JSON Schema that a change must fit.
 */
shape?: {

}
/**
 * True where it was changed by `PATCH /settings`.
 */
kept?: true
/**
 * The changed value, which waits for a restart; null is the one that holds without a change.
 */
after_restart?: (string | number | boolean | unknown[] | {

} | null)
}[]
}
export interface SettingChanges {
/**
 * New values by the names that `GET /settings` gives; null takes a change back. All are taken or none.
 */
settings: {
/**
 * @maxItems 64
 */
[k: string]: string | number | boolean | (string | number)[] | null
}
}
export interface ChangedSettings {
/**
 * Those of the request that hold now.
 */
changed: string[]
/**
 * Every setting that was changed and waits for a restart.
 */
restart: string[]
}
/**
 * One envelope or one receipt: the bytes of its CBOR in base64. Exactly one of the two members; an item that has not is answered `invalid`.
 */
export interface IngestItem {
/**
 * An envelope: the array of 12.
 */
envelope_b64?: string
/**
 * A receipt: fields 0 to 9 and the signature; of a deal message the array of 13, which shows its public part.
 */
receipt_b64?: string
}
export interface IngestRequest {
/**
 * Judged one by one; a bad one does not spoil the others.
 * 
 * @minItems 1
 * @maxItems 256
 */
items: IngestItem[]
}
/**
 * The outcome of one item. An item that is not `accepted` changed nothing, except that both sides of a `conflict` are kept.
 */
export interface IngestResult {
/**
 * Null when the bytes could not be read as an envelope or receipt.
 */
envelope_id: (EnvelopeId | null)
status: ("accepted" | "duplicate" | "conflict" | "invalid" | "expired" | "rate-limited")
/**
 * Why, for people.
 */
detail?: string
/**
 * Of a conflict: the receipt held under the same key and nonce, proof that its signer used the nonce twice.
 */
held_b64?: string
}
/**
 * One result for each item, in the order of the request.
 */
export interface IngestReply {
results: IngestResult[]
}
/**
 * Versions of this service; `sdk` and `node` are released together.
 */
export interface Version {
version: string
sdk: string
node: string
}
export interface AgentsQuery {
country?: Country
capability?: Capability
/**
 * `reputation`: best first, as on the leaderboard; `recent`: last heard of first, for which `active` and `new` are other words.
 */
sort?: ("reputation" | "recent" | "active" | "new")
limit?: Limit
offset?: Offset
}
/**
 * An agent in a list. `country` and `city` are absent when the agent has not told them.
 */
export interface Agent {
agent_id: AgentId
/**
 * Empty until its first BEACON.
 */
name: string
score: Score
/**
 * The part of the score that the evidence supports; the aggregator orders its lists by it.
 */
lower_bound: number
/**
 * Its stake in USDC; 0 without one, and without a ledger.
 */
stake_usdc: number
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
host?: string
/**
 * Sum of the ratings that count.
 */
total_score: number
/**
 * Plain mean of the ratings that count, 0 without any. Anybody can buy it with friends: `score` is what lists are made of.
 */
average_score: number
trend: ScoreTrend
/**
 * Ratings that count.
 */
feedback_count: number
positive_count: number
neutral_count: number
negative_count: number
verdict_count: number
/**
 * Disputes raised against it.
 */
dispute_count: number
country?: Country
city?: string
/**
 * Whether the measured latencies fit the claimed country; absent while nothing was measured.
 */
geo_consistent?: boolean
latency: Latency
last_round_trip?: RoundTrip
capabilities: string[]
/**
 * Where it can be dialled, from its BEACON.
 */
url?: string
first_seen: Time
last_seen: Time
/**
 * When its counts last changed, Unix seconds.
 */
last_updated: number
version: ScoreVersion
as_of: ScoreAsOf
}
/**
 * Last measured round trip in milliseconds by the name of the region it was measured from; empty while nothing was measured.
 */
export interface Latency {
[k: string]: number
}
/**
 * The last work that the agent delivered to somebody who had asked for it. Both ends are signed: `asked_at` by the payer, in the offer or ACCEPT that came last before the work, `answered_at` by the agent, in the DELIVER. Absent before the first.
 */
export interface RoundTrip {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
with: string
/**
 * Whether it was a probe: the one who asked is a probe buyer that this aggregator's operator lists (core.agents.probes).
 */
probe: boolean
/**
 * Its signed events are at GET /conversations/:conversation_id.
 */
conversation_id: string
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
envelope_id: string
asked_at: Time
answered_at: Time
/**
 * From one to the other, to a thousandth.
 */
seconds: number
}
/**
 * `q`, `capability` or both.
 */
export interface AgentSearchQuery {
/**
 * The beginning of an agent id in base58 or a whole one in hex, the beginning of a name or of a word in it, or a capability.
 */
q?: string
/**
 * A capability of an agent: letters, digits, `-` and `_`; compared in lower case.
 */
capability?: string
limit?: Limit
offset?: number
}
export interface NearAgentQuery {
/**
 * The whole id, in base58; it need not be one that exists.
 */
q: string
}
export interface NameSearchQuery {
/**
 * The beginning of the name or of any word in it, in any case.
 */
q?: string
/**
 * The same as `q`.
 */
name?: string
limit?: Limit
offset?: number
}
/**
 * A dispute one party of a deal raised against the other.
 */
export interface Dispute {
id: number
sender: AgentId
disputed_agent: AgentId
conversation_id: ConversationId
slot: number
created_at: Time
}
/**
 * A dispute of an agent, with its role in it.
 */
export interface AgentDispute {
id: number
role: DisputeRole
sender: AgentId
disputed_agent: AgentId
conversation_id: ConversationId
slot: number
created_at: Time
}
/**
 * One agent. `country`, `city` and `geo_consistent` are absent while they are unknown.
 */
export interface AgentProfile {
agent_id: AgentId
name: string
score: Score
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
successor?: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
predecessor?: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
host?: string
country?: Country
city?: string
/**
 * Whether the measured latencies fit the claimed country; absent while nothing was measured.
 */
geo_consistent?: boolean
/**
 * The staked USDC in minor units; the specification's name.
 */
stake_lamports: (number | string)
/**
 * The same in USDC.
 */
stake_usdc: number
lease_status: LeaseStatus
latency: Latency
last_round_trip?: RoundTrip
capabilities: string[]
/**
 * The last five raised against it, newest first.
 */
disputes: Dispute[]
feedback_count: number
url?: string
/**
 * The hubs it keeps a session with, by agent id.
 */
hubs: AgentId[]
first_seen: Time
last_seen: Time
version: ScoreVersion
as_of: ScoreAsOf
}
/**
 * Something an agent did. `target_agent_id` is the other side, of a KEY_CHANGE the key that replaces `agent_id`; `score` and `outcome` come with FEEDBACK.
 */
export interface ActivityEvent {
/**
 * Rises with every event; the cursor of pages and streams.
 */
id: number
event_type: ActivityType
agent_id: AgentId
target_agent_id?: AgentId
/**
 * The name that `agent_id` had then; absent without one.
 */
name?: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
target_id?: string
/**
 * The name that `target_agent_id` had then; absent without one.
 */
target_name?: string
score?: Score
outcome?: FeedbackOutcome
conversation_id?: ConversationId
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
envelope_id?: string
/**
 * The ledger slot the sender knew.
 */
slot: number
/**
 * A moment in UTC, ISO 8601.
 */
created_at: string
ts: UnixSeconds
}
export interface ActivityQuery {
limit?: Limit
/**
 * The `id` of the last element you have; without it, the newest page.
 */
before?: number
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
agent_id?: string
/**
 * A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one too.
 */
conversation_id?: string
/**
 * Only events of this kind.
 */
type?: ("JOIN" | "ACCEPT" | "DELIVER" | "REJECT" | "VERDICT" | "DISPUTE" | "FEEDBACK" | "KEY_CHANGE")
/**
 * The same as `type`, as events spell it.
 */
event_type?: ("JOIN" | "ACCEPT" | "DELIVER" | "REJECT" | "VERDICT" | "DISPUTE" | "FEEDBACK" | "KEY_CHANGE")
}
export interface ActivityStreamQuery {
/**
 * The `id` of the last event you have; everything behind it comes first. Without it, only what is new.
 */
since?: number
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
agent_id?: string
/**
 * A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one too.
 */
conversation_id?: string
/**
 * Only events of this kind.
 */
type?: ("JOIN" | "ACCEPT" | "DELIVER" | "REJECT" | "VERDICT" | "DISPUTE" | "FEEDBACK" | "KEY_CHANGE")
/**
 * The same as `type`, as events spell it.
 */
event_type?: ("JOIN" | "ACCEPT" | "DELIVER" | "REJECT" | "VERDICT" | "DISPUTE" | "FEEDBACK" | "KEY_CHANGE")
}
export interface LeaderboardQuery {
limit?: Limit
offset?: Offset
}
/**
 * Which mesh this is. Everybody in it has the same: nothing that is signed for one counts in another. Without the three addresses it settles on no ledger.
 */
export interface Network {
/**
 * Its name, as in the setting `network.id`.
 */
network_id: string
/**
 * The version of envelopes that is spoken.
 */
envelope_version: (1 | 2)
/**
 * Seconds of an epoch.
 */
epoch_secs: number
/**
 * Of the cluster it settles on.
 */
genesis_hash?: string
/**
 * The settlement program.
 */
program?: string
/**
 * The config account of the settlement program.
 */
config?: string
}
/**
 * Counts since this aggregator was first started, and what is so now.
 */
export interface NetworkStats {
/**
 * Name of the mesh; GET /network says more.
 */
network: string
/**
 * Agents ever heard of.
 */
agent_count: number
/**
 * Ratings that count.
 */
interaction_count: number
/**
 * Deals that both sides signed.
 */
deal_count: number
/**
 * USDC that escrows paid to providers.
 */
volume_usdc: number
/**
 * BEACONs taken.
 */
beacon_count: number
/**
 * BEACONs taken in the last minute.
 */
beacon_bpm: number
/**
 * Agents whose last BEACON is at most ten minutes old.
 */
online_count: number
started_at: Time
/**
 * The part of it that counts after clusters and ground, side by side with the raw figures. Null before it was counted first.
 */
organic: (null | {
version: ScoreVersion
as_of: ScoreAsOf
/**
 * Agents that paid or were paid something that counts.
 */
agent_count: number
/**
 * Ratings between agents of different clusters between whom grounded money went.
 */
interaction_count: number
/**
 * Payments of which something counts.
 */
payment_count: number
/**
 * USDC that escrows paid, weighed: what did not flow back, as far as it is grounded.
 */
volume_usdc: number
})
/**
 * The escrows by their states, counted every few seconds. Null without a ledger and before they were counted first.
 */
escrows: (null | {
/**
 * A moment in UTC, ISO 8601.
 */
as_of: string
/**
 * Money is locked and nothing was named as delivered on the ledger.
 */
locked_count: number
/**
 * A delivery is named on the ledger and waits for its payer.
 */
delivered_count: number
/**
 * Disputed, contested or not, and not ended.
 */
disputed_count: number
/**
 * Those that have ended; of two with the same name the newer one is counted.
 */
ended_count: number
/**
 * USDC in the escrows that have not ended, without bonds.
 */
held_usdc: number
/**
 * Those of them between agents between whom money went that counts after clusters and ground, and the part of their USDC that counts. Null before they were counted first.
 */
organic: (null | {
version: ScoreVersion
/**
 * A moment in UTC, ISO 8601.
 */
as_of: string
locked_count: number
delivered_count: number
disputed_count: number
held_usdc: number
})
})
}
export interface RegistryQuery {
/**
 * Also agents whose last BEACON is older than 48 hours.
 */
all?: boolean
limit?: Limit
offset?: Offset
}
/**
 * An agent that announces itself by BEACON. `last_seen` is the time of its last one.
 */
export interface RegistryEntry {
agent_id: AgentId
name: string
url?: string
/**
 * The hubs it keeps a session with, by agent id.
 */
hubs: AgentId[]
first_seen: Time
last_seen: Time
}
export interface InteractionsQuery {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
from?: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
to?: string
/**
 * How many elements to return; 200 at most, and more is read as 200.
 */
limit?: number
before?: number
}
export interface AgentInteractionsQuery {
/**
 * How many elements to return; 200 at most, and more is read as 200.
 */
limit?: number
before?: number
}
/**
 * A rating that counts.
 */
export interface Interaction {
id: number
sender: AgentId
target_agent: AgentId
score: Score
outcome: FeedbackOutcome
role: ("participant" | "notary")
/**
 * Whether its sender says that it disputes the delivery.
 */
is_dispute: boolean
conversation_id: ConversationId
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
envelope_id?: string
slot: number
created_at: Time
ts: UnixSeconds
}
/**
 * Stored: one agent as the aggregator knows it.
 */
export interface StoredAgent {
agent_id: AgentId
name: string
url?: string
hubs: string[]
/**
 * @maxItems 32
 */
capabilities: string[]
/**
 * The key that replaced this one, since when (Unix seconds, as signed) and since when that is known here (Unix milliseconds).
 */
successor?: {
agent_id: AgentId
time: number
known_at: number
}
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
predecessor?: string
country?: string
city?: string
/**
 * Unix milliseconds.
 */
first_seen: number
/**
 * Unix milliseconds.
 */
last_seen: number
/**
 * The first BEACON and the newest, by their signed times; null before the first.
 */
beacon: (null | {
/**
 * Unix milliseconds.
 */
first: number
/**
 * Unix milliseconds.
 */
last: number
/**
 * The highest nonce of them, as `stored-heard` has it; absent on networks of version 1.
 */
nonce?: number
})
/**
 * Signed time of the ADVERTISE that is shown; 0 before the first.
 */
advertise: number
verdicts: number
disputes: number
standing: StoredStanding
/**
 * Milliseconds by region; absent while nothing was measured.
 */
latency?: {
[k: string]: number
}
/**
 * The last work that it delivered: when the payer asked for it, and when it was answered, both as signed, in Unix milliseconds.
 */
round_trip?: {
with: AgentId
conversation_id: ConversationId
envelope_id: EnvelopeId
asked: number
answered: number
}
}
/**
 * Stored: what has been counted of an agent, and what its score came to when it was last written.
 */
export interface StoredStanding {
version: 2
/**
 * The last epoch in which it took part in a deal.
 */
active: number
key_changes: number
counts: ReputationCounts
/**
 * The last scores given, newest first.
 * 
 * @maxItems 10
 */
scores: Score[]
/**
 * Sum of the ratings that count; absent where they were counted before sums were kept.
 */
total?: number
/**
 * When its counts last changed, Unix milliseconds; absent before.
 */
updated?: number
score: Score
/**
 * The order of lists, in steps of a hundredth.
 */
rank: number
}
/**
 * Counts so far. `abandoned` and `unpaid` are deals; `conceded`, `burnt` and `lost` are disputes on the ledger.
 */
export interface ReputationCounts {
positive: number
neutral: number
negative: number
abandoned: number
unpaid: number
conceded?: number
burnt?: number
lost?: number
}
/**
 * Stored: one activity event, without its id.
 */
export interface StoredActivity {
event_type: ActivityType
agent_id: AgentId
target_agent_id?: AgentId
name?: string
target_name?: string
score?: Score
outcome?: FeedbackOutcome
conversation_id?: ConversationId
/**
 * The id of its envelope: 32 bytes in base64.
 */
envelope?: string
slot: number
/**
 * Unix milliseconds.
 */
at: number
}
/**
 * Stored: one rating that counts, without its id.
 */
export interface StoredInteraction {
sender: AgentId
target_agent: AgentId
score: Score
outcome: FeedbackOutcome
role: ("participant" | "notary")
is_dispute?: boolean
conversation_id: ConversationId
/**
 * The id of its envelope: 32 bytes in base64.
 */
envelope?: string
slot: number
/**
 * Unix milliseconds.
 */
at: number
}
/**
 * Stored: one public envelope that the handlers of plugins have yet to see.
 */
export interface UnhandledEnvelope {
/**
 * The envelope as it came, base64.
 */
bytes: string
}
/**
 * Stored: one dispute, without its id.
 */
export interface StoredDispute {
sender: AgentId
disputed_agent: AgentId
conversation_id: ConversationId
slot: number
/**
 * Unix milliseconds.
 */
at: number
}
/**
 * Stored: what a key signed under a few nonces of an epoch, as core/aggregator/store/held.ts writes it. Two entries of one number are proof that it used the nonce twice.
 */
export interface StoredNonces {
/**
 * @minItems 1
 * @maxItems 8
 */
held: string[]
}
/**
 * Stored: the newest BEACON of a key, and which of its last windows of six hours have one that is kept.
 */
export interface StoredHeard {
nonce: number
/**
 * Dense header and signature, base64.
 */
proof: string
/**
 * Hashes of the last payloads, newest first.
 * 
 * @maxItems 3
 */
said: string[]
/**
 * Number of the last window.
 */
window: number
/**
 * A bit for each window, the last one lowest.
 */
windows: number
}
/**
 * USDC behind opinions, and USDC times value.
 */
export interface SaidMean {
mass: number
sum: number
}
/**
 * Which node acts for a hosted agent, as both have signed.
 */
export interface AgentHost {
agent_id: AgentId
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
host: string
/**
 * The key that can name a successor of this agent, by the first claim that was published.
 */
recovery_key: string
/**
 * A moment in UTC, ISO 8601.
 */
not_after: string
}
/**
 * Stored: which host acts for an agent, as both have signed.
 */
export interface StoredHost {
agent_id: AgentId
host: AgentId
recovery_key: Address
/**
 * Unix seconds.
 */
not_after: number
}
/**
 * Stored: what one agent paid another by escrow, and said of it.
 */
export interface StoredPair {
from: AgentId
to: AgentId
/**
 * Minor units of USDC, as digits.
 */
paid: string
/**
 * As of which `said` holds.
 */
epoch: number
key_changes: number
said: {
paid: SaidMean
returned: SaidMean
word: SaidMean
free: SaidMean
}
}
/**
 * Stored: what counts for or against an agent besides what others say.
 */
export interface StoredDeeds {
/**
 * As of which the sums hold.
 */
epoch: number
/**
 * USDC of leases, slashes and burnt disputes.
 */
burnt: number
abandoned: number
disputes: SaidMean
}
/**
 * Stored: what the ledger changed of the facts of scores: a pair, or an agent where `to` is absent.
 */
export interface StoredScoreChange {
from: AgentId
to?: AgentId
}
/**
 * Where the points of a score come from; they add up to the score before rounding.
 */
export interface ReputationPoints {
/**
 * Good words of those who paid with grounded money.
 */
grounded: number
/**
 * Good words of those whose money was their own and is not grounded.
 */
raw: number
/**
 * Good words that cost nothing.
 */
free: number
/**
 * Bad words of all kinds.
 */
blame: number
/**
 * Deals left undelivered with the money locked.
 */
abandoned: number
/**
 * Disputes that the ledger ended against it.
 */
disputes: number
}
/**
 * One cluster of agents that paid or rated it.
 */
export interface ReputationRater {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
cluster: string
/**
 * Whether an anchor is part of it.
 */
anchor: boolean
/**
 * Its payments to the agent's cluster, less what came back.
 */
paid_usdc: number
/**
 * Of what it spends, the share that stands on good ground: g.
 */
share: number
/**
 * Grounded money between the two: b.
 */
grounded_usdc: number
/**
 * The mean of what it said, -100 to 100; null where nothing that counts.
 */
value: (null | number)
}
/**
 * Stored: what a run found behind the score of one agent.
 */
export interface StoredExplanation {
confidence: number
points: ReputationPoints
grounded_usdc: number
yardstick_usdc: number
/**
 * @maxItems 10
 */
raters: ReputationRater[]
rater_count: number
}
/**
 * Stored: the last run of the job that scores everybody.
 */
export interface StoredScoreRun {
/**
 * Up to when facts are in, Unix milliseconds.
 */
as_of: number
epoch: number
yardstick_usdc: number
version: 2
/**
 * Where the logs stood that it had read; runs of earlier checkouts lack it.
 */
read?: {
activity: number
changes: number
}
}
/**
 * Agents that the network's configuration lists as ordinary buyers: what they spend is where trust begins.
 */
export interface Anchors {
version: ScoreVersion
anchors: AgentId[]
}
/**
 * An agent's score and where it comes from. The formula has a version; points add up to the score before rounding.
 */
export interface Reputation {
agent_id: AgentId
/**
 * Empty until its first BEACON.
 */
name: string
version: ScoreVersion
as_of: ScoreAsOf
score: Score
/**
 * The order of lists: praise that costs nothing is no part of it, and little evidence costs.
 */
lower_bound: number
/**
 * 0 to 1: the share of the score that is evidence and not prior.
 */
confidence: number
points: ReputationPoints
/**
 * Grounded money behind what is said of it.
 */
grounded_usdc: number
/**
 * The grounded money that others are measured by.
 */
yardstick_usdc: number
/**
 * Those with the most grounded money, at most ten.
 */
raters: ReputationRater[]
/**
 * Clusters that paid or rated it, at most 256.
 */
rater_count: number
/**
 * How many anchors there are; GET /reputation/anchors lists them.
 */
anchor_count: number
/**
 * Epochs without a deal beyond the sixth, and the share of a positive score that is left after them.
 */
idle: {
epochs: number
factor: number
}
/**
 * How often the agent has had another key: each time, what spoke for it halves.
 */
key_changes: number
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
successor?: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
predecessor?: string
last_active_epoch: number
counts: ReputationCounts
/**
 * Ratings that count.
 */
feedback_count: number
positive_count: number
neutral_count: number
negative_count: number
/**
 * Verdicts about its deals.
 */
verdict_count: number
/**
 * Disputes raised against it.
 */
dispute_count: number
/**
 * Sum of the ratings that count.
 */
total_score: number
/**
 * Plain mean of the ratings that count, 0 without any. Anybody can buy it with friends: `score` is what lists are made of.
 */
average_score: number
first_seen: Time
last_seen: Time
/**
 * When its counts last changed, Unix seconds.
 */
last_updated: number
trend: ScoreTrend
/**
 * The last ratings, newest first, at most ten.
 */
recent_scores: Score[]
}
/**
 * An agent on the leaderboard. `rank` counts from 1.
 */
export interface Leader {
rank: number
agent_id: AgentId
name: string
score: Score
/**
 * Sum of the ratings that count.
 */
total_score: number
/**
 * Plain mean of the ratings that count, 0 without any. Anybody can buy it with friends: `score` is what lists are made of.
 */
average_score: number
trend: ScoreTrend
/**
 * The order of agents: praise that costs nothing is no part of it, and little evidence costs.
 */
lower_bound: number
feedback_count: number
positive_count: number
neutral_count: number
negative_count: number
verdict_count: number
country?: Country
city?: string
geo_consistent?: boolean
latency: Latency
last_seen: Time
/**
 * When its counts last changed, Unix seconds.
 */
last_updated: number
version: ScoreVersion
as_of: ScoreAsOf
}
/**
 * Stored: an activity event of a deal, shown once the other side's signature exists.
 */
export interface StoredDealRow {
event_type: ("ACCEPT" | "REJECT" | "DELIVER" | "DISPUTE" | "VERDICT")
envelope_id: EnvelopeId
by: AgentId
to: AgentId
slot: number
shown: boolean
}
/**
 * Stored: what two agents signed in one conversation. `record` is the record of core/protocol/deals.
 */
export interface StoredDeal {
record: {
conversation: ConversationId
/**
 * @minItems 2
 * @maxItems 2
 */
pair: AgentId[]
rated: string[]
}
/**
 * @maxItems 32
 */
rows: StoredDealRow[]
/**
 * When the passing of time next means something for it, Unix milliseconds; absent when it will not.
 */
due?: number
/**
 * Whether the failure of a party has been counted.
 */
counted?: boolean
/**
 * Whether the end of its dispute has been counted.
 */
judged?: boolean
}
/**
 * Stored: one agent in one conversation: whom it wrote to, the notary it assigned, the verdicts it was sent.
 */
export interface StoredParty {
/**
 * @maxItems 16
 */
with: AgentId[]
assigned: (null | {
id: EnvelopeId
by: AgentId
at: number
notary: AgentId
})
/**
 * @maxItems 16
 */
verdicts: {
id: EnvelopeId
by: AgentId
at: number
slot: number
payer?: AgentId
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
answers?: string
}[]
}
/**
 * Stored: feedback of one agent that may still come to count, oldest first.
 */
export interface StoredWaiting {
/**
 * @maxItems 64
 */
items: {
envelope_id: EnvelopeId
conversation_id: ConversationId
target: AgentId
score: Score
outcome: FeedbackOutcome
role: ("participant" | "notary")
is_dispute?: boolean
at: number
received_at: number
slot: number
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
answers?: string
until: number
}[]
}
export interface DisputesQuery {
/**
 * `disputed`: it was raised against the agent that is asked for; `disputer`: that agent raised it.
 */
role?: ("disputed" | "disputer")
limit?: Limit
/**
 * The `id` of the last element you have.
 */
before?: number
}
/**
 * Round trips that a reference node measured. It signs the bytes of this body (SHA-256) with `time` in the domain latency/1; the signature goes in the header X-Signature.
 */
export interface LatencyReport {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
reporter: string
/**
 * The region in which the aggregator lists it: lower-case letters, digits and dashes.
 */
region: string
/**
 * When it was signed, Unix seconds: within two minutes of now, and later than in the last report.
 */
time: number
/**
 * @minItems 1
 * @maxItems 200
 */
round_trips: {
agent_id: AgentId
/**
 * Milliseconds.
 */
rtt_ms: number
}[]
}
/**
 * How many round trips were taken, and whose were not: agents that the aggregator has not heard of, and the reporter itself.
 */
export interface LatencyTaken {
taken: number
unknown: AgentId[]
}
export interface CapabilitiesQuery {
/**
 * A capability of an agent: letters, digits, `-` and `_`; compared in lower case.
 */
q?: string
limit?: Limit
offset?: Offset
}
/**
 * A capability, and how many agents advertise it.
 */
export interface CapabilityCount {
capability: Capability
agents: number
}
/**
 * For what an agent is counted.
 */
export interface CountedCapabilities {
/**
 * @maxItems 64
 */
capabilities: string[]
}
/**
 * How far agents have been counted that advertised before there were counts.
 */
export interface Recounted {
after: string
over: boolean
}
export interface BountiesQuery {
/**
 * A capability of an agent: letters, digits, `-` and `_`; compared in lower case.
 */
capability?: string
limit?: Limit
offset?: Offset
}
/**
 * Work that an agent offers to anybody, until `deadline_at` or until it has made a deal in this conversation.
 */
export interface Bounty {
envelope_id: EnvelopeId
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
agent_id: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
sender: string
/**
 * Empty until its first BEACON.
 */
name: string
/**
 * The capability that it asks for.
 */
required_capability: string
max_budget_usd: number
/**
 * The first 1,000 characters.
 */
task_summary: string
/**
 * A conversation: 16 bytes as 32 hex digits, in lower case and without dashes in answers; a UUID is one too.
 */
conversation_id: string
deadline_at: Time
slot: number
/**
 * A moment in UTC, ISO 8601.
 */
created_at: string
ts: UnixSeconds
}
/**
 * Stored: one open bounty.
 */
export interface StoredBounty {
envelope_id: EnvelopeId
agent_id: AgentId
conversation_id: ConversationId
required_capability: string
max_budget_usd: number
task_summary: string
/**
 * Unix milliseconds.
 */
deadline: number
slot: number
/**
 * When it was signed, Unix milliseconds.
 */
at: number
}
/**
 * Stored: the bounties of one agent that are open.
 */
export interface StoredOpenBounties {
/**
 * @maxItems 16
 */
open: {
conversation_id: ConversationId
/**
 * Unix milliseconds.
 */
deadline: number
}[]
}
export interface SearchQuery {
/**
 * An id, a name, a capability, a conversation, the signature of a transaction, or a wallet; of ids and names the beginning is enough.
 */
q: string
/**
 * How many agents to return; 50 at most, and more is read as 50.
 */
limit?: number
}
/**
 * Everything of this name here; an empty list where there is nothing.
 */
export interface Found {
/**
 * Those whose id begins like this, then the best of the others.
 */
agents: {
agent_id: AgentId
name: string
score: Score
}[]
/**
 * GET /activity and GET /escrows tell more.
 */
conversations: {
conversation_id: ConversationId
}[]
/**
 * Of the settlement program, with the names of what happened.
 */
transactions: {
signature: string
events: string[]
}[]
/**
 * With the first 50 of the agents that it owns.
 */
wallets: {
wallet: Address
agents: AgentId[]
}[]
}
/**
 * Stored: what an epoch of an agent shows. Entropies in millionths of a bit, the anomaly in millionths.
 */
export interface StoredEntropy {
epoch: number
ht: (number | null)
hb: (number | null)
hs: (number | null)
hv: (number | null)
hm: (number | null)
anomaly: number
n_ht: number
n_hb: number
n_hs: number
n_hv: number
n_hm: number
}
/**
 * Stored: the counts of an agent in an epoch that is not closed.
 */
export interface StoredEntropyTally {
agent_id: AgentId
epoch: number
/**
 * The newest message, Unix milliseconds.
 */
last: number
/**
 * Moments at which messages came; those that come within a slot (400 ms) of each other are one.
 */
moments: number
/**
 * Times between messages, by the binary logarithm in slots.
 */
gaps: {
[k: string]: number
}
/**
 * Payments, by the binary logarithm in minor units.
 */
amounts: {
[k: string]: number
}
/**
 * Deals by the other side; of more than 64 sides by places.
 */
partners: {
[k: string]: number
}
/**
 * VERDICTs by who gave them; of more than 64 by places.
 */
verifiers: {
[k: string]: number
}
/**
 * Messages by type.
 */
types: {
[k: string]: number
}
}
/**
 * Stored: the present vector of an agent, and how its verifiers were spread in all its epochs.
 */
export interface StoredEntropyStanding {
agent_id: AgentId
latest: (null | StoredEntropy)
/**
 * The agents it dealt with in that epoch; none where there were more than 64.
 * 
 * @maxItems 64
 */
partners: AgentId[]
/**
 * Whether the vector is in the sums of the network.
 */
counted: boolean
verified: {
/**
 * Epochs whose verifiers could be judged.
 */
epochs: number
/**
 * Of their entropies, in millionths of a bit.
 */
sum: number
/**
 * How many of them were concentrated.
 */
below: number
/**
 * The agent that gave most VERDICTs in the last of them.
 */
top: (null | {
agent_id: AgentId
/**
 * In millionths.
 */
share: number
})
}
}
/**
 * Stored: how far the logs have been counted, and which epochs are closed.
 */
export interface StoredAnalyticsState {
activity: number
ledger: number
/**
 * The last closed epoch; 0 before the first.
 */
closed: number
/**
 * The closed epoch that clusters were last made of.
 */
clustered: number
/**
 * Unix milliseconds.
 */
as_of: (number | null)
}
/**
 * Stored: sums over the present vectors of all agents, in millionths; those of the components over the flagged ones.
 */
export interface StoredAnalyticsSums {
agents: number
flagged: number
anomaly: number
ht: number
hb: number
hs: number
hv: number
}
/**
 * Stored: the agents of one owner.
 */
export interface StoredOwnerCluster {
owner: Address
/**
 * @maxItems 200
 */
agents: AgentId[]
mean: number
mad: number
}
/**
 * Stored: the agents that behave alike.
 */
export interface StoredBehaviourClusters {
/**
 * @maxItems 100
 */
clusters: {
/**
 * @maxItems 200
 */
agents: AgentId[]
mean: number
mad: number
}[]
/**
 * The sum of C over the flagged agents, in millionths.
 */
coordination: number
}
/**
 * How varied an agent's epoch was, as this aggregator counted it from what both sides signed and from finalised payments. Low entropy is suspicious.
 */
export interface Entropy {
agent_id: AgentId
/**
 * The epoch that was counted.
 */
epoch: number
/**
 * Entropy in bits of the times between its messages, as they came; null where there are fewer than 4 samples, as in the next four.
 */
ht: (number | null)
/**
 * Of the amounts that escrows paid it or it paid.
 */
hb: (number | null)
/**
 * Of the agents it made deals with.
 */
hs: (number | null)
/**
 * Of the agents that gave VERDICTs on its work.
 */
hv: (number | null)
/**
 * Of the types of its messages; shown, and not part of the anomaly.
 */
hm: (number | null)
/**
 * 0 to 1.6: how far the first four entropies are below their thresholds, by weight.
 */
anomaly: number
/**
 * Moments at which messages came; those that come within a slot (400 ms) of each other are one.
 */
n_ht: number
/**
 * Payments.
 */
n_hb: number
/**
 * Deals.
 */
n_hs: number
/**
 * VERDICTs.
 */
n_hv: number
/**
 * Messages.
 */
n_hm: number
/**
 * Whether the anomaly is above 0.55.
 */
flagged: boolean
/**
 * Whether the epoch is over; an open one still changes and counts for nothing else.
 */
complete: boolean
}
export interface AnalyticsListQuery {
limit?: Limit
offset?: Offset
}
export interface EntropyHistoryQuery {
/**
 * How many epochs to return; 100 at most, and more is read as 100.
 */
limit?: number
/**
 * Only epochs before this one.
 */
before?: number
}
export interface EntropyRollingQuery {
/**
 * How many of the last closed epochs; 100 at most, and more is read as 100.
 */
window?: number
}
/**
 * An agent's anomaly over the last closed epochs.
 */
export interface EntropyRolling {
agent_id: AgentId
/**
 * Epochs that were looked at.
 */
window_epochs: number
/**
 * Those in which something could be judged.
 */
epochs_found: number
/**
 * Over the epochs found; 0 where there are none.
 */
mean_anomaly: number
/**
 * Of the population.
 */
anomaly_variance: number
/**
 * In at least 5 epochs the mean is above 0.3 and the variance below 0.005: the anomaly is a habit.
 */
low_variance_flag: boolean
/**
 * Whether the mean is above 0.55.
 */
high_anomaly_flag: boolean
/**
 * The last closed epoch; 0 before the first.
 */
last_epoch: number
version: AnalyticsVersion
/**
 * Up to when the aggregator has counted; null before the first run.
 */
as_of: (null | Time)
}
/**
 * How much of the VERDICTs on an agent's work comes from few agents.
 */
export interface VerifierConcentration {
agent_id: AgentId
/**
 * Epochs with at least 4 VERDICTs on its work; 3 or more.
 */
epochs_sampled: number
/**
 * The mean entropy of its verifiers in them, in bits.
 */
mean_hv: number
/**
 * How many of them were below 1 bit.
 */
epochs_below_threshold: number
/**
 * 0 to 1: 1 when one agent gives all VERDICTs.
 */
concentration_score: number
/**
 * The agent that gave most VERDICTs in the last of them; null where more than 64 agents did.
 */
top_verifier: (null | AgentId)
/**
 * Its share of them.
 */
top_share: number
}
/**
 * Agents that seem to belong together.
 */
export interface OwnershipCluster {
/**
 * Stays the same while the owner, or the smallest member, does.
 */
cluster_id: string
/**
 * `owner`: their links on the ledger name one wallet. `behaviour`: they are flagged, with close anomalies, and share owner, host or more than half of their partners.
 */
by: ("owner" | "behaviour")
/**
 * A ledger address: 32 bytes in base58.
 */
owner?: string
/**
 * Bytewise; at most 200.
 */
agents: AgentId[]
/**
 * Of its agents.
 */
mean_anomaly: number
/**
 * The mean distance of their anomalies from that.
 */
mean_anomaly_mad: number
/**
 * 0 to 1: (agents − 1) / 10. Of a cluster by behaviour it raises the required stake.
 */
c_coefficient: number
}
export interface OwnershipClustersQuery {
/**
 * One kind only.
 */
by?: ("owner" | "behaviour")
limit?: Limit
offset?: Offset
}
/**
 * The parameters that the present vectors of the network suggest. The required stake does not follow them, since strangers could move them.
 */
export interface CalibratedParameters {
/**
 * Weight of the anomaly: E / (E + 0.15), where E is the mean anomaly of the flagged agents.
 */
beta_1_anomaly: number
/**
 * 1 less the first.
 */
beta_2_rep_decay: number
/**
 * K / (K + 0.15), where K is the mean C of the flagged agents.
 */
beta_3_coordination: number
/**
 * S / (S + 0.15), where S is the systemic risk index.
 */
beta_4_systemic: number
/**
 * Agents with a present vector.
 */
sample_agents: number
/**
 * Those whose anomaly is above 0.55.
 */
flagged_agents: number
/**
 * `default` with fewer than 10 agents, or with none that is flagged: then the first is 0.87, the third 0.3 and the fourth 0.
 */
source: ("default" | "measured")
/**
 * Below it the parameters are not measured.
 */
minimum_agents: number
/**
 * The mean shortfall of each component over the flagged agents.
 */
components: {
ht: number
hb: number
hs: number
hv: number
}
/**
 * The same moment in Unix seconds.
 */
calibrated_at: (number | null)
version: AnalyticsVersion
/**
 * Up to when the aggregator has counted; null before the first run.
 */
as_of: (null | Time)
}
/**
 * The systemic risk index: the share of agents that are flagged.
 */
export interface SystemicRisk {
/**
 * 0 to 1.
 */
sri: number
/**
 * Whether the index is above 0.5, of at least 10 agents. Nothing in this aggregator acts on it.
 */
circuit_breaker_active: boolean
/**
 * Of the same agents.
 */
mean_anomaly: number
/**
 * Agents with a present vector: of one of the last 7 closed epochs.
 */
active_agents: number
/**
 * Those whose anomaly is above 0.55.
 */
flagged_agents: number
/**
 * Whether there are enough agents for a statement about the network.
 */
sufficient: boolean
/**
 * How many that takes.
 */
minimum_agents: number
/**
 * The same moment in Unix seconds.
 */
computed_at: (number | null)
version: AnalyticsVersion
/**
 * Up to when the aggregator has counted; null before the first run.
 */
as_of: (null | Time)
}
/**
 * The batch of an epoch that is closed, as the node keeps it. `lists` names the aggregators that hold its leaf list.
 */
export interface BatchRecord {
epoch: number
count: number
root: HashHex
/**
 * @maxItems 16
 */
lists: string[]
/**
 * @maxItems 16
 */
compared: string[]
/**
 * Unix milliseconds.
 */
closed_at: number
/**
 * How often the ledger confirmed it and did not keep it.
 */
undone?: number
submitted: (null | {
/**
 * Unix milliseconds.
 */
at: number
signature: (string | null)
/**
 * At which the ledger confirmed it, or showed it first.
 */
slot?: number
})
}
/**
 * Part of the leaves of a closed epoch, base64.
 */
export interface LeafChunk {
leaves: string
}
/**
 * The behavior batch of one agent and epoch. Counts and root of an epoch that lasts, or that is tainted, are those so far and will not be submitted.
 */
export interface BatchSummary {
agent_id: AgentId
epoch: number
/**
 * `open`: the epoch lasts. `complete`: over, not submitted. `submitted`: on the ledger. `tainted`: never submitted, because the journal is not whole.
 */
state: ("open" | "complete" | "submitted" | "tainted")
message_count: number
log_merkle_root: HashHex
submitted_at: (Time | null)
/**
 * How long it can be accused; null where it is not on the ledger or the ledger does not answer.
 */
challenge_until: (Time | null)
/**
 * The transaction, where this node sent it.
 */
signature?: string
/**
 * Aggregators that keep the leaves.
 */
leaf_lists?: string[]
/**
 * Why it is tainted.
 */
why?: string
}
/**
 * That an envelope stands in a batch: hash leaf and siblings pairwise, keccak-256 with 01 in front, up to the root; bit n of the index says whether sibling n is on the left.
 */
export interface BatchProof {
agent_id: AgentId
epoch: number
nonce: number
/**
 * Sequence number minus one.
 */
index: number
count: number
root: HashHex
/**
 * 32 bytes as hex digits.
 */
leaf: string
/**
 * @maxItems 22
 */
siblings: HashHex[]
}
export interface UploadedBlob {
cid: BlobCid
/**
 * Bytes.
 */
size: number
/**
 * A moment in UTC, ISO 8601.
 */
expires_at: string
}
/**
 * Stored: a blob that agents uploaded.
 */
export interface StoredBlob {
size: number
/**
 * Agents on whose account it is kept.
 */
holders: number
}
/**
 * Stored: that an agent keeps a blob.
 */
export interface StoredBlobHold {
agent_id: AgentId
cid: BlobCid
size: number
/**
 * Unix milliseconds.
 */
expires: number
}
/**
 * Stored: the bytes of all blobs that an agent keeps.
 */
export interface StoredBlobUsage {
bytes: number
}
/**
 * An error as RFC 9457 describes it. `code` is stable and repeated as `error` for simple clients.
 */
export interface Problem {
type: string
title: string
status: number
detail?: string
instance?: string
code: string
error: string
/**
 * The fields that are wrong, each with the reason.
 */
fields?: {
pointer: string
message: string
}[]
}
/**
 * Stored: payments and ratings in some time; `usdc` in minor units.
 */
export interface FlowSum {
usdc: string
payments: number
ratings: number
score: number
positive: number
absolute: number
}
/**
 * Stored: the same in an hour or a day, by its number since 1970.
 */
export interface FlowBucket {
at: number
usdc: string
payments: number
ratings: number
score: number
positive: number
absolute: number
}
/**
 * Stored: what went from one agent to another.
 */
export interface StoredFlow {
from: AgentId
to: AgentId
all: FlowSum
/**
 * @maxItems 24
 */
hours: FlowBucket[]
/**
 * @maxItems 30
 */
days: FlowBucket[]
moving: {
"24h": FlowSum
"7d": FlowSum
"30d": FlowSum
}
due?: number
}
/**
 * Stored: all that an agent gave, or got.
 */
export interface FlowSide {
usdc: string
payments: number
ratings: number
score: number
positive: number
absolute: number
counterparties: number
}
/**
 * Stored: what an agent gave and got, in each window.
 */
export interface StoredFlowAgent {
agent_id: AgentId
windows: {
"24h": {
given: FlowSide
got: FlowSide
}
"7d": {
given: FlowSide
got: FlowSide
}
"30d": {
given: FlowSide
got: FlowSide
}
all: {
given: FlowSide
got: FlowSide
}
}
}
/**
 * Stored: two agents between whom flows are mutual, and the flow in each window in which they are.
 */
export interface StoredFlowLink {
one: AgentId
other: AgentId
windows: {
"24h"?: number
"7d"?: number
"30d"?: number
all?: number
}
/**
 * The windows in which the flow is minor units of USDC; it is points of praise in the others. Links of before have none.
 * 
 * @maxItems 4
 */
settled?: FlowWindow[]
}
/**
 * Stored: a cluster of agents.
 */
export interface StoredFlowCluster {
window: FlowWindow
cluster_id: AgentId
/**
 * @maxItems 200
 */
agents: AgentId[]
agent_count: number
links: number
flow: number
/**
 * The part of the flow that is minor units of USDC. Clusters of before have none.
 */
usdc?: number
/**
 * The part of the flow that is points of praise.
 */
praise?: number
}
/**
 * Stored: minor units that an escrow paid, and when, Unix milliseconds.
 */
export interface StoredSettlement {
from: AgentId
to: AgentId
amount: string
at: number
}
/**
 * Stored: what counts of an hour or a day after clusters and ground. `usdc` in minor units, as digits.
 */
export interface StoredOrganic {
version: ScoreVersion
usdc: string
payments: number
ratings: number
}
/**
 * Stored: the same of all time, how many agents have a part in it, and up to when facts are in it, Unix milliseconds.
 */
export interface StoredOrganicTotals {
version: ScoreVersion
usdc: string
payments: number
ratings: number
agents: number
as_of: number
}
/**
 * Stored: the same of the escrows that hold money, by their states. `usdc` in minor units, as digits; `as_of` in Unix milliseconds.
 */
export interface StoredOrganicEscrows {
version: ScoreVersion
as_of: number
locked: number
delivered: number
disputed: number
usdc: string
}
/**
 * The part of it that counts after clusters and ground, by the scores of this version; docs/analytics.md has the formula.
 */
export interface OrganicFigures {
version: ScoreVersion
/**
 * Payments of which something counts.
 */
payment_count: number
/**
 * USDC that escrows paid, weighed: what did not flow back, as far as it is grounded.
 */
settled_usdc: number
settled_usdc_micro: UsdcMicro
/**
 * Ratings between agents of different clusters between whom grounded money went.
 */
feedback_count: number
}
/**
 * Stored: what happened in an hour or a day.
 */
export interface StoredSeries {
joins: number
deals: number
deliveries: number
rejections: number
verdicts: number
disputes: number
feedback: number
positive: number
negative: number
payments: number
usdc: string
}
/**
 * Stored: how far the digest has read.
 */
export interface StoredDigestCursor {
activity: number
settlements: number
/**
 * Changes of links.
 */
links: number
/**
 * The change of links that clusters were last made of.
 */
clustered: number
}
export interface GraphFlowQuery {
/**
 * `24h`: this hour and the 23 before it; `7d` and `30d`: this day and the 6 or 29 before it, UTC; `all`: everything.
 */
window?: ("24h" | "7d" | "30d" | "all")
/**
 * Only edges of this kind.
 */
kind?: ("settled" | "feedback")
/**
 * How many elements to return; 2000 at most, and more is read as 2000.
 */
limit?: number
offset?: number
}
/**
 * Money and ratings from one agent to another in a window.
 */
export interface FlowEdge {
from_agent: AgentId
to_agent: AgentId
kind: FlowKind
/**
 * The USDC that escrows paid.
 */
settled_usdc: number
settled_usdc_micro: UsdcMicro
payment_count: number
rating_count: number
/**
 * Payments and ratings.
 */
interaction_count: number
/**
 * The sum of the scores above zero.
 */
positive_flow: number
/**
 * The sum of the scores without their signs.
 */
total_abs_flow: number
/**
 * Null without ratings.
 */
avg_score: (number | null)
}
export interface GraphClustersQuery {
/**
 * `24h`: this hour and the 23 before it; `7d` and `30d`: this day and the 6 or 29 before it, UTC; `all`: everything.
 */
window?: ("24h" | "7d" | "30d" | "all")
limit?: Limit
offset?: number
}
/**
 * Agents between whom flows are mutual.
 */
export interface FlowCluster {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
cluster_id: string
/**
 * By id; the first 200.
 */
agents: AgentId[]
agent_count: number
link_count: number
cluster_suspicion: number
c_coefficient: number
/**
 * Both strengths of all links inside, added up: minor units of USDC of settled links and points of praise of others, two units in one number. Read mutual_usdc and mutual_praise for each.
 */
total_mutual_flow: number
/**
 * USDC that was paid both ways over the settled links inside. Null in a store of before until its clusters change.
 */
mutual_usdc: (number | null)
/**
 * The same in minor units.
 */
mutual_usdc_micro: (UsdcMicro | null)
/**
 * Points of praise that went both ways over the other links inside. Null like mutual_usdc.
 */
mutual_praise: (number | null)
}
export interface GraphAgentQuery {
/**
 * `24h`: this hour and the 23 before it; `7d` and `30d`: this day and the 6 or 29 before it, UTC; `all`: everything.
 */
window?: ("24h" | "7d" | "30d" | "all")
limit?: Limit
}
/**
 * An agent's part of the flow graph.
 */
export interface AgentFlow {
agent_id: AgentId
window: FlowWindow
kind: FlowKind
cluster_id: (AgentId | null)
c_coefficient: number
/**
 * The share of the three strongest outgoing flows of this kind in all.
 */
concentration_ratio: number
/**
 * @maxItems 5
 */
top_counterparties: {
agent_id: AgentId
kind: FlowKind
/**
 * USDC where settled, points of praise otherwise.
 */
flow: number
}[]
/**
 * USDC where any was settled, points of praise otherwise.
 */
total_outgoing_flow: number
total_incoming_flow: number
/**
 * Agents that it paid or rated.
 */
unique_counterparties: number
/**
 * Agents that paid or rated it.
 */
unique_payers: number
outgoing: FlowEdges
incoming: FlowEdges
}
export interface TimeseriesQuery {
/**
 * The time up to now; not together with `from` and `to`. `24h` unless anything is said.
 */
window?: ("1h" | "24h" | "7d" | "30d")
/**
 * How long a bucket is; `hour` unless the range is longer than seven days.
 */
bucket?: ("hour" | "day")
/**
 * A moment in UTC, ISO 8601.
 */
from?: string
/**
 * A moment in UTC, ISO 8601.
 */
to?: string
}
export interface TimeseriesRow {
/**
 * When it begins, Unix seconds.
 */
bucket: number
start_at: Time
join_count: number
/**
 * Deals that both sides signed.
 */
deal_count: number
deliver_count: number
reject_count: number
verdict_count: number
dispute_count: number
/**
 * Ratings that count.
 */
feedback_count: number
positive_count: number
negative_count: number
payment_count: number
/**
 * USDC that escrows paid: raw, not weighed by clusters and ground.
 */
settled_usdc: number
settled_usdc_micro: UsdcMicro
/**
 * Null where they were not counted: before the first score, and in hours that were over for a day when counting began, or days for 30 days.
 */
organic: (null | OrganicFigures)
}
export interface ConversationQuery {
limit?: Limit
}
/**
 * The public facts of one conversation.
 */
export interface PublicConversation {
conversation_id: ConversationId
/**
 * Agents on either side of the events shown.
 */
agents: AgentId[]
/**
 * The newest first: events that agents signed, and those of the ledger.
 */
timeline: {
at: Time
kind: ("activity" | "ledger")
event: string
activity?: ActivityEvent
ledger?: LedgerEvent
}[]
escrows: Escrows
links: {
activity: string
ledger_events: string
escrows: string
agents: string[]
}
}
/**
 * One event of the settlement program, as docs/program.md lists them, or a gap in its history (`gap`). Its own fields stand beside these; amounts are minor units.
 */
export interface LedgerEvent {
/**
 * Monotonic; used for paging.
 */
id: number
event: string
signature: (null | LedgerSignature)
slot: number
created_at: Time
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
key?: string
agent_id?: AgentId
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
claimed_agent_id?: string
requester?: AgentId
provider?: AgentId
notary?: (AgentId | null)
accuser?: AgentId
[k: string]: unknown
}
/**
 * A payment locked on the ledger: what its finalised events told, confirmed by its account.
 */
export interface Escrow {
requester: AgentId
provider: AgentId
notary?: AgentId
conversation_id: ConversationId
state: EscrowState
amount_usdc: Usdc
amount_usdc_micro: UsdcMicro
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
bond_usdc_micro: (number | string)
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
released_usdc_micro: (number | string)
/**
 * The sum paid out so far, by the events; in the end it is the amount and the bond.
 */
payouts: {
to_provider_usdc_micro: UsdcMicro
to_requester_usdc_micro: UsdcMicro
burnt_usdc_micro: UsdcMicro
}
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
waiting_usdc_micro?: (number | string)
/**
 * Id of the ACCEPT.
 */
terms: string
deadline_at: Time
review_secs: number
/**
 * The lowest share of the amount, in basis points, that a dispute may offer the provider.
 */
dispute_bps: number
locked_at: Time
delivered_at?: Time
/**
 * Id of the DELIVER.
 */
delivery?: string
disputed_at?: Time
/**
 * The share of the amount that the dispute offers the provider, in basis points.
 */
offer_bps?: number
closed_at?: Time
/**
 * The finalised slot at which the account was read and agreed with what is shown; absent while it was not read since the last event.
 */
confirmed_slot?: number
signature: LedgerSignature
}
export interface GuideSearch {
/**
 * Words, or their beginnings; a section has all of them, of at most eight.
 */
q: string
/**
 * Sections at most.
 */
limit?: number
}
export interface GuideSections {
/**
 * The best first.
 */
sections: {
/**
 * Its page is `/docs/` and this name.
 */
guide: string
/**
 * Of the guide.
 */
title: string
/**
 * Of the section.
 */
heading: string
/**
 * Some of its text, around the first of the words.
 */
excerpt: string
}[]
/**
 * Sections that have the words, also those beyond the limit.
 */
found: number
}
/**
 * A hosting node says that it is there. It signs the bytes of this body (SHA-256) with `time` in the domain heartbeat/1; the signature goes in the header X-Signature.
 */
export interface HostingHeartbeat {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
node_id: string
name?: string
/**
 * Where clients reach the node: http or https, without a user, query or fragment.
 */
api_url: string
/**
 * The fee of a hosted message in basis points; 50 means 0.5 %.
 */
fee_bps: number
/**
 * The agents it hosts now.
 */
hosted_agent_count?: number
/**
 * When it was signed, Unix seconds: within two minutes of now, and later than in the last heartbeat.
 */
time: number
/**
 * The hosting secret, where it is not sent as Bearer.
 */
hosting_secret?: string
}
/**
 * The node is listed until the time, if it sends no further heartbeat.
 */
export interface HostingListed {
node_id: AgentId
listed_until: Time
}
export interface HostingNodesQuery {
limit?: Limit
offset?: Offset
}
export interface HostingNode {
node_id: AgentId
/**
 * As the node says itself.
 */
name: string
api_url: string
fee_bps: number
/**
 * Heartbeats received of those expected, one a minute, over the last 30 days or since the node was first seen; two decimals.
 */
uptime_pct: number
/**
 * The agents it says it hosts; never more than `signed_agent_count` where that is above zero.
 */
hosted_agent_count: number
/**
 * The same as `hosted_agent_count`.
 */
hosted_count: number
/**
 * The agents that have signed that it hosts them (host/1), as far as this aggregator has heard.
 */
signed_agent_count: number
first_seen: Time
last_seen: Time
}
/**
 * Stored: a hosting node by its last heartbeat, and how many came on each day.
 */
export interface StoredHostingNode {
node_id: AgentId
name: string
api_url: string
fee_bps: number
hosted: number
signed: number
/**
 * Of the last heartbeat, Unix seconds, as signed.
 */
time: number
/**
 * Unix milliseconds.
 */
first_seen: number
/**
 * Unix milliseconds.
 */
last_seen: number
/**
 * Heartbeats that count, by day (Unix days), oldest first.
 * 
 * @maxItems 30
 */
days: {
day: number
beats: number
}[]
}
/**
 * A hosted agent and its prepaid account.
 */
export interface HostedSession {
agent_id: AgentId
name: string
created_at: Time
/**
 * A moment in UTC, ISO 8601.
 */
expires_at: string
/**
 * The fee of a message in basis points of the USDC that it offers or accepts; 50 means 0.5 %.
 */
fee_bps: number
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
available_usdc: string
available_usdc_micro: UsdcMicro
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
held_usdc: string
held_usdc_micro: UsdcMicro
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
successor?: string
/**
 * Keys that POST /hosted/move named and that can still take the agent over, the one that was named last first. The first that does counts.
 * 
 * @maxItems 8
 */
pending_successors?: {
successor: AgentId
/**
 * The end of that time.
 */
until: string
}[]
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
predecessor?: string
}
/**
 * Hosted agents by id. `next` goes into `after` for the next page.
 */
export interface HostedAgents {
agents: HostedSession[]
next: (string | null)
}
/**
 * Another token; the one before holds no more.
 */
export interface HostedToken {
agent_id: AgentId
/**
 * Shown this once: Bearer value of the calls for this agent, and `token` in the address of its WebSocket.
 */
token: string
expires_at: Time
}
/**
 * A hosted agent, with the token by which its client is known. The private key of the agent never leaves this host.
 */
export interface HostedRegistered {
agent_id: AgentId
/**
 * The same id in hex.
 */
agent_id_hex: string
/**
 * Shown this once: Bearer value of the calls for this agent, and `token` in the address of its WebSocket.
 */
token: string
/**
 * A moment in UTC, ISO 8601.
 */
expires_at: string
name: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
host: string
/**
 * The fee of a message in basis points of the USDC that it offers or accepts; 50 means 0.5 %.
 */
fee_bps: number
}
/**
 * Nothing is needed: without a body the agent is named after its id.
 */
export interface HostedRegistration {
/**
 * Shown to the mesh: printable ASCII.
 */
name?: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
recovery_key?: string
}
/**
 * The key under which an agent goes on at another host.
 */
export interface HostedMove {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
successor: string
/**
 * Unix seconds; now unless given.
 */
time?: number
/**
 * Of the recovery key over succession/1 (old key, new key, time). An agent that named no recovery key needs none.
 */
signature_b64?: string
/**
 * Moves although deals are open: they stay with the old key, and what it leaves undelivered counts against the agent.
 */
abandon_deals?: boolean
}
/**
 * All that another host needs to take an agent over.
 */
export interface MoveNotice {
agent_id: AgentId
successor: AgentId
/**
 * Unix seconds.
 */
time: number
/**
 * Of the recovery key, over succession/1.
 */
signature_b64: string
/**
 * Goes along: 1 to 64 printable ASCII characters.
 */
name?: string
/**
 * The old key's word (host/1) on its host and its recovery key.
 */
claim: {
host: AgentId
recovery_key: AgentId
/**
 * Unix seconds.
 */
not_after: number
signature_b64: string
}
}
/**
 * A line of the statement of a prepaid account.
 */
export interface HostedLine {
/**
 * From 1, without a gap.
 */
number: number
at: Time
/**
 * `credit` adds to the balance; `debit` and `fee` take from it.
 */
kind: ("credit" | "debit" | "fee")
amount_usdc: Usdc
amount_usdc_micro: UsdcMicro
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
balance_usdc: string
balance_usdc_micro: UsdcMicro
/**
 * The words of the operator; of a fee the type of the message.
 */
reference: string
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
envelope_id?: string
conversation_id?: ConversationId
}
/**
 * The statement of a prepaid account, the newest line first. `next` goes into `before` for the next page.
 */
export interface HostedStatement {
lines: HostedLine[]
next: (number | null)
}
export interface HostedRemovalQuery {
/**
 * Ends with the agent although its key holds USDC, which is lost with it.
 */
abandon_usdc?: boolean
}
export interface HostedStatementQuery {
limit?: Limit
/**
 * Only lines with a smaller number.
 */
before?: number
}
export interface HostedAgentsQuery {
limit?: Limit
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
after?: string
}
/**
 * Exactly one of `amount_usdc` (decimal text) and `amount_usdc_micro` (minor units).
 */
export interface HostedMovement {
amount_usdc?: Usdc
amount_usdc_micro?: UsdcMicro
/**
 * Stands on the statement, such as the signature of the payment.
 */
reference?: string
}
/**
 * This host is there.
 */
export interface HostedPong {
ok: true
}
/**
 * Any message that an agent sends. Exactly one of `payload`, `payload_hex` and `payload_b64`.
 */
export interface HostedSendRequest {
msg_type: MessageName
/**
 * Needed for every type that does not go to everybody.
 */
recipient?: (AgentId | null)
/**
 * A fresh one is made when absent.
 */
conversation_id?: (ConversationId | null)
/**
 * The payload as JSON, in the shape of its message type.
 */
payload?: {

}
/**
 * The payload's bytes in hex; of a MESSAGE its text.
 */
payload_hex?: string
/**
 * The same in base64.
 */
payload_b64?: string
sealed?: SealedWish
}
/**
 * Every view is a listener over the same chain, with faults of its own. The first is the localnet's own port.
 */
export interface RpcFaults {
/**
 * Decides wherever a rule has a chance: the same seed and the same calls give the same faults. 1 unless given.
 */
seed?: number
/**
 * @minItems 1
 * @maxItems 8
 */
views: RpcFaultView[]
}
/**
 * One RPC node: how far behind it is, what it has forgotten, and what happens to its answers.
 */
export interface RpcFaultView {
/**
 * Where it listens; the WebSocket is on the next port. A free pair unless given. The first view has the localnet's own.
 */
port?: number
/**
 * Logs end with "Log truncated" after so many bytes; 10,000 as on real nodes unless given.
 */
logBytes?: number
/**
 * How many slots ago the node is; its answers say so in context.slot, and minContextSlot is refused.
 */
lag?: (number | {
[k: string]: number
})
/**
 * For so many slots a transaction that has landed is missing, though context.slot is the newest: getSignatureStatuses, getTransaction, getSignaturesForAddress.
 */
late?: (number | {
[k: string]: number
})
/**
 * A transaction that landed is confirmed at once, and finalized after so many slots; 0 unless given.
 */
finality?: number
/**
 * Older transactions are pruned: getFirstAvailableBlock moves with it.
 */
keepSlots?: number
/**
 * Without searchTransactionHistory, statuses are known for so many slots only; real nodes keep 300.
 */
statusSlots?: number
/**
 * The first that fits a call, and whose chance comes up, is played.
 * 
 * @maxItems 64
 */
rules?: RpcFaultRule[]
}
/**
 * Faults of some calls of some methods.
 */
export interface RpcFaultRule {
/**
 * One method, several, or * for all.
 */
method: (string | string[])
/**
 * preflight: sendTransaction sends it and answers -32002. rolled-back: it does not, and its status is confirmed for some slots. error: a JSON-RPC error. status: an HTTP status. timeout, reset, cut, empty, html: as named. null, type, no-context, wrong-id, duplicate, number-as-text, huge, previous: an answer of another shape. delay: only late.
 */
fault: ("preflight" | "rolled-back" | "error" | "status" | "timeout" | "reset" | "delay" | "cut" | "empty" | "html" | "null" | "type" | "no-context" | "wrong-id" | "duplicate" | "number-as-text" | "huge" | "previous")
/**
 * 1, always, unless given.
 */
chance?: number
/**
 * So many calls that fit go well first.
 */
skip?: number
/**
 * Ends after it was played so often.
 */
times?: number
/**
 * With request, the call is not made at all; with answer, it is made and only its answer suffers. Answer unless given; for HTTP status 429 always request.
 */
lost?: ("request" | "answer")
/**
 * Of error: -32005, the node is behind, unless given.
 */
code?: number
/**
 * Of error.
 */
message?: string
/**
 * Of status: 503 unless given.
 */
status?: number
/**
 * Of status: the Retry-After header, in seconds.
 */
retryAfter?: number
/**
 * Of delay and timeout: after so many milliseconds the answer comes, or the connection is closed. 1,000 and 60,000 unless given.
 */
ms?: number
/**
 * Of rolled-back: for so many slots the status is shown. 8 unless given.
 */
slots?: number
/**
 * Of huge: 48 MiB unless given.
 */
bytes?: number
}
/**
 * The caps of this node and what is used of them. A sum that counts in 24 hours is freed at most 15 minutes later.
 */
export interface PortfolioCaps {
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
max_escrow_usdc: string
max_stake_usdc: Usdc
day: CapUse
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
partner_limit_usdc: string
x402: CapUse1
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
max_x402_usdc: string
partner?: CapUse2
}
export interface CapUse {
limit_usdc: Usdc
used_usdc: Usdc
left_usdc: Usdc
/**
 * When all of it is free again if nothing else is spent; null when it is.
 */
unused_from: (string | null)
}
/**
 * Of the payments by x402.
 */
export interface CapUse1 {
limit_usdc: Usdc
used_usdc: Usdc
left_usdc: Usdc
/**
 * When all of it is free again if nothing else is spent; null when it is.
 */
unused_from: (string | null)
}
/**
 * Of the partner that was asked for.
 */
export interface CapUse2 {
limit_usdc: Usdc
used_usdc: Usdc
left_usdc: Usdc
/**
 * When all of it is free again if nothing else is spent; null when it is.
 */
unused_from: (string | null)
}
export interface CapsQuery {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
partner?: string
}
/**
 * USDC that left the wallet or is about to. `from` begins the quarter of an hour in which it counts.
 */
export interface Spending {
amount: string
partner: (Address | null)
from: number
/**
 * Whether nobody has to ask the ledger any more what became of it.
 */
settled: boolean
/**
 * Whether it is a payment of x402.
 */
x402?: boolean
entry?: HistoryDraft
}
/**
 * The outcome that the history tells once it is final.
 */
export interface HistoryDraft {
type: HistoryType
action: string
direction: ("in" | "out" | "none")
/**
 * Minor units of USDC.
 */
amount: (string | null)
counterparty: (string | null)
conversation?: string
source?: string
details?: {
[k: string]: string | number | boolean | null
}
}
/**
 * A transfer that a plugin asked for under a key of its own.
 */
export interface PluginPayment {
to: Address
/**
 * Minor units.
 */
amount: string
memo: string
/**
 * Of the newest transaction that was recorded for it.
 */
signature?: string
}
/**
 * Amounts that left the wallet, by quarter of an hour, oldest first.
 */
export interface SpendingWindow {
/**
 * @maxItems 128
 */
quarters: {
from: number
amount: string
}[]
}
/**
 * The identity of this node. `address` is the hot wallet: the same key on the ledger.
 */
export interface Identity {
agent_id: AgentId
agent_id_hex: string
name: string
address: Address
network_id: string
envelope_version: (1 | 2)
epoch: number
lease_status: LeaseStatus
}
export interface Peer {
agent_id: AgentId
name: string
/**
 * Where it can be dialled, from its BEACON.
 */
url: (string | null)
hub: boolean
connected: boolean
last_seen: Time
last_active_epoch: number
lease_status: LeaseStatus
}
export interface PeersQuery {
/**
 * How many peers to return; 200 at most, and more is read as 200.
 */
limit?: number
/**
 * How many to pass over.
 */
offset?: number
}
/**
 * Any envelope. Deal messages go through the deal machine like those of the typed routes.
 */
export interface SendRequest {
msg_type: MessageName
/**
 * Needed for every type that is not broadcast; of a FEEDBACK whom it rates.
 */
recipient?: (AgentId | null)
/**
 * A fresh one is made when absent.
 */
conversation_id?: (ConversationId | null)
/**
 * The payload as JSON, in the shape of its message type. Members that the request or the deal says already may be left out.
 */
payload?: {

}
/**
 * The payload's bytes in base64, instead of `payload`; of a DELIVER the content itself, which is wrapped, and above 48 KiB kept for the recipient to fetch. JSON is taken for every type.
 */
payload_b64?: string
sealed?: SealedWish
}
/**
 * The topics whose broadcasts a node hears: those of its configuration, and those that were asked for.
 */
export interface Topics {
topics: {
topic: TopicName
/**
 * Whether it stands in `mesh.topics`.
 */
configured: boolean
since?: Time
}[]
}
/**
 * A text for one agent. It needs no deal; the recipient's limits and gates apply.
 */
export interface MessageRequest {
recipient: AgentId
/**
 * At most 16 384 bytes of UTF-8.
 */
text: string
/**
 * That of a deal, or of the message this one answers; a fresh one is made when absent.
 */
conversation_id?: (ConversationId | null)
sealed?: SealedWish
}
/**
 * An envelope that was signed, and what has become of it so far; `GET /envelopes/{envelope_id}` shows its way.
 */
export interface Sent {
envelope_id: EnvelopeId
conversation_id: ConversationId
status: SentStatus
nonce: number
payload_hash: string
feedback?: FeedbackView
/**
 * Of a FEEDBACK that aggregators do not count yet: what they have to learn first.
 */
waits_for?: string
}
/**
 * Of a FEEDBACK: what was signed.
 */
export interface FeedbackView {
conversation_id: ConversationId
target_agent: AgentId
score: number
/**
 * 0: negative, 1: neutral, 2: positive.
 */
outcome: (0 | 1 | 2)
outcome_name: ("negative" | "neutral" | "positive")
is_dispute: boolean
/**
 * As what the sender rates: 0 a participant, 1 the notary.
 */
role: (0 | 1)
role_name: ("participant" | "notary")
}
/**
 * The way of one envelope, hop by hop. `refused` names the recipient's reason.
 */
export interface EnvelopeTrace {
envelope_id: EnvelopeId
direction: ("out" | "in")
msg_type: MessageName
/**
 * Whether its payload is encrypted to the recipient.
 */
sealed: boolean
sender: AgentId
recipient: (AgentId | null)
conversation_id: ConversationId
status: ("queued" | "delivered" | "broadcast" | "refused" | "expired" | "received")
hops: {
at: Time
event: string
detail?: string
}[]
}
/**
 * Exactly one of `amount_usdc` (decimal string) and `amount_usdc_micro` (minor units).
 */
export interface Amount {
amount_usdc?: Usdc
amount_usdc_micro?: UsdcMicro
}
export interface ProposeRequest {
recipient: AgentId
conversation_id?: (ConversationId | null)
amount_usdc?: Usdc
amount_usdc_micro?: UsdcMicro
/**
 * The work that is asked for.
 */
message: string
max_rounds?: number
deadline_secs?: number
review_secs?: number
expires_at?: Time
sealed?: SealedWish
/**
 * Whether the amount must be locked on the ledger within an hour of ACCEPT; where the mesh has the settlement program and the terms allow it, true unless told otherwise.
 */
escrow?: boolean
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
notary?: string
bond_usdc?: Usdc
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
bond_usdc_micro?: (number | string)
/**
 * The lowest share of the amount, in basis points, that a dispute may offer the provider; 0 unless told otherwise.
 */
dispute_bps?: number
/**
 * SHA-256, in hex, of the schema or test program by which both agree to judge the delivery; a plugin of a node may run it.
 */
acceptance?: string
}
export interface CounterRequest {
conversation_id: ConversationId
recipient?: AgentId
amount_usdc?: Usdc
amount_usdc_micro?: UsdcMicro
message?: string
expires_at?: Time
/**
 * Checked against the deal when given.
 */
round?: number
max_rounds?: (number | null)
sealed?: SealedWish
deadline_secs?: number
review_secs?: number
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
notary?: string
bond_usdc?: Usdc
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
bond_usdc_micro?: (number | string)
/**
 * The lowest share of the amount, in basis points, that a dispute may offer the provider; that of the offer before unless told otherwise.
 */
dispute_bps?: number
/**
 * SHA-256, in hex, of the schema or test program by which both agree to judge the delivery; a plugin of a node may run it.
 */
acceptance?: string
}
/**
 * Accepts the last offer. An amount, an offer id or a recipient, when given, must be that of the last offer.
 */
export interface AcceptRequest {
conversation_id: ConversationId
recipient?: AgentId
amount_usdc?: Usdc
amount_usdc_micro?: UsdcMicro
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
offer_id?: string
message?: (string | null)
sealed?: SealedWish
}
/**
 * Refuses the other side's offer, or withdraws one's own.
 */
export interface RejectRequest {
conversation_id: ConversationId
reason?: string
sealed?: SealedWish
}
/**
 * The fault of a delivery. A DISPUTE is public: everybody may read the reason.
 */
export interface DisputeRequest {
conversation_id: ConversationId
reason?: string
/**
 * The share of the locked amount that the provider may keep, in basis points; the least that the terms allow unless given.
 */
offer_bps?: number
}
/**
 * Work for whoever can do it. An agent that wants it answers with a MESSAGE in this conversation; the deal is then offered to one of them.
 */
export interface BountyRequest {
required_capability: string
max_budget_usd: number
deadline_secs?: number
task_summary?: string
/**
 * A fresh one is made when absent.
 */
conversation_id?: (ConversationId | null)
}
/**
 * The capabilities, regions and prices of this agent. A member that is given replaces the one said before and stays over restarts; the others stay. An empty request says it all again.
 */
export interface AdvertiseRequest {
capabilities?: Capabilities
description?: string
agent_type?: string
geo?: {
country?: string
city?: string
}
token_address?: Address
min_token_hold?: number
downpayment_bps?: number
price_range_usd?: PriceRangeUsd
/**
 * @maxItems 16
 */
capability_proofs?: CapabilityProof[]
}
/**
 * An agent's own word on why others should believe that it can do something. It is carried; nothing checks it.
 */
export interface CapabilityProof {
capability: string
proof_type: ("benchmark" | "live" | "human-delegated")
benchmark_id?: string
input_hash?: HashOrNone
output_hash?: HashOrNone
/**
 * 64 bytes in hex; an empty text is none.
 */
signature?: string
/**
 * Microseconds.
 */
timestamp?: number
attestation_url?: string
}
/**
 * The advertisement of this agent, by its configuration and by its later announcements.
 */
export interface Advertisement {
payload: AdvertisePayload
/**
 * When this process last sent it; null while it has not.
 */
advertised_at: (Time | null)
}
/**
 * ADVERTISE: what an agent can do, and for how much.
 */
export interface AdvertisePayload {
/**
 * @maxItems 32
 */
capabilities?: string[]
description?: string
agent_type?: string
geo?: {
country?: string
city?: string
}
token_address?: Address
min_token_hold?: number
downpayment_bps?: number
/**
 * Lowest and highest price, in USD.
 * 
 * @minItems 2
 * @maxItems 2
 */
price_range_usd?: number[]
/**
 * @maxItems 16
 */
capability_proofs?: CapabilityProof[]
}
/**
 * This agent, in its own words, and the network that it is of: all of it is public on the mesh.
 */
export interface Introduction {
agent_id: AgentId
name: string
/**
 * Those it advertises.
 */
capabilities: string[]
description?: string
/**
 * Lowest and highest price, in USD.
 */
price_range_usd?: number[]
network: Network
}
/**
 * Exactly one of `content`, `content_b64` (both at most 10 MiB) and `payload_uri`, or another name for one of them. Above 48 KiB the node keeps the content, and the recipient's node fetches it.
 */
export interface DeliverRequest {
conversation_id: ConversationId
content_type?: string
content?: string
content_b64?: string
payload_uri?: string
/**
 * The same as `content`.
 */
text?: string
/**
 * The same as `content`: a string. JSON goes into `content`, as text.
 */
payload?: {
[k: string]: unknown
}
/**
 * The same as `content_b64`.
 */
payload_b64?: string
/**
 * The same as `content_b64`.
 */
inline_b64?: string
sealed?: SealedWish
}
/**
 * A rating of the other side of a deal. It counts once the deal has ended. Outcome and role by name or number.
 */
export interface FeedbackRequest {
conversation_id: ConversationId
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
target_agent?: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
recipient?: string
score: number
/**
 * Follows from the score when absent. 0 is negative, 1 neutral, 2 positive.
 */
outcome?: ("negative" | "neutral" | "positive" | 0 | 1 | 2)
/**
 * As what you rate: `notary` (1) where you were the notary of the deal, else `participant` (0). Follows from the deal when absent.
 */
role?: ("participant" | "notary" | 0 | 1)
is_dispute?: boolean
}
/**
 * The envelope that was sent and the deal after it.
 */
export interface DealStep {
envelope_id: EnvelopeId
conversation_id: ConversationId
status: SentStatus
nonce: number
payload_hash: string
deal: DealView
}
/**
 * A deal as this node sees it.
 */
export interface DealView {
conversation_id: ConversationId
state: DealState
/**
 * Why it is rejected, expired or abandoned.
 */
reason?: string
role: ("requester" | "provider" | "notary")
counterparty: AgentId
requester: AgentId
provider: AgentId
amount_usdc: Usdc
amount_usdc_micro: UsdcMicro
/**
 * The agent that gives a verdict, and decides a contested dispute.
 */
notary: (AgentId | null)
bond_usdc: Usdc
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
bond_usdc_micro: (number | string)
/**
 * The lowest share of the amount, in basis points, that a dispute may offer the provider.
 */
dispute_bps: number
/**
 * SHA-256 of the schema or test program by which both agreed to judge the delivery, if any.
 */
acceptance?: string
risk?: DealRisk
/**
 * The work that the first offer asks for.
 */
message?: string
max_rounds: number
deadline_secs: number
review_secs: number
/**
 * A moment in UTC, ISO 8601.
 */
deadline?: string
/**
 * The steps that this node may and can take now.
 */
allowed_actions: string[]
/**
 * The steps that the deal allows and this node cannot take, each with the reason.
 */
unavailable_actions?: {
action: string
reason: string
}[]
/**
 * The change that comes by itself if nobody acts.
 */
next_timer: (null | {
at: Time
kind: string
})
/**
 * Whether the amount must be locked within an hour of ACCEPT, and what the ledger says of it.
 */
escrow: {
agreed: boolean
locked_at?: Time
delivered_at?: Time
disputed_at?: Time
/**
 * The share of the amount that the dispute offers the provider, in basis points.
 */
offer_bps?: number
contested_at?: Time
outcome?: ("released" | "claimed" | "refunded" | "reclaimed" | "decided" | "split")
to_provider_usdc_micro?: UsdcMicro
to_requester_usdc_micro?: UsdcMicro
burnt_usdc_micro?: UsdcMicro
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
waiting_usdc_micro?: (number | string)
/**
 * A moment in UTC, ISO 8601.
 */
missing_since?: string
}
/**
 * The USDC transfer that settles the deal, once there is one.
 */
payment?: {
signature: string
status: ("recorded" | "confirmed" | "failed")
}
history: {
event: string
/**
 * The key that did it.
 */
by: AgentId
at: Time
envelope_id?: EnvelopeId
}[]
created_at: Time
updated_at: Time
}
/**
 * The risk of this side in the open offer, with escrow: to be read before ACCEPT.
 */
export interface DealRisk {
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
locks_usdc: string
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
silent_usdc: string
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
worst_usdc: string
/**
 * How long a dispute can be contested.
 */
answer_secs: number
texts: string[]
}
/**
 * Locks what was agreed. Whatever else is given must equal it.
 */
export interface EscrowLockRequest {
conversation_id: ConversationId
requester?: AgentId
provider?: AgentId
amount_usdc?: Usdc
amount_usdc_micro?: UsdcMicro
notary?: (AgentId | null)
deadline_secs?: number
review_secs?: number
bond_usdc?: Usdc
bond_usdc_micro?: UsdcMicro
dispute_bps?: number
}
/**
 * Objects to what was delivered, and offers the provider a share of the amount; again while disputed: a higher one.
 */
export interface EscrowDisputeRequest {
conversation_id: ConversationId
requester?: AgentId
provider?: AgentId
/**
 * The provider's share of the amount, in basis points. When left out the lowest that the terms allow: 0, unless the deal has a dispute_bps.
 */
offer_bps?: number
}
/**
 * Refuses the offer of a dispute: then its notary decides, or the disputed part burns.
 */
export interface EscrowContestRequest {
conversation_id: ConversationId
requester?: AgentId
provider?: AgentId
/**
 * The highest offer, in basis points, that is refused: an offer that was raised above it meanwhile is not burnt.
 */
max_bps?: number
}
/**
 * Names the wallet that the release of an escrow is paid to; its USDC account is made when it is missing.
 */
export interface EscrowPayeeRequest {
conversation_id: ConversationId
requester?: AgentId
provider?: AgentId
wallet: Address
}
/**
 * Names an escrow by its conversation; a node that has no such deal, as a notary's, gives the parties too.
 */
export interface EscrowRequest {
conversation_id: ConversationId
requester?: AgentId
provider?: AgentId
}
/**
 * The transaction that was confirmed, where the money is or was, and the deal after it.
 */
export interface EscrowStep {
ok: true
conversation_id: ConversationId
signature: string
slot: number
escrow: Address
vault: Address
deal?: DealView
}
/**
 * A locked payment, finalised.
 */
export interface EscrowView {
conversation_id: ConversationId
escrow: Address
vault: Address
state: ("locked" | "delivered" | "disputed" | "contested" | "splitting")
requester: AgentId
provider: AgentId
notary: (AgentId | null)
/**
 * A ledger address: 32 bytes in base58.
 */
payee: string
amount_usdc: Usdc
amount_usdc_micro: UsdcMicro
bond_usdc: Usdc
bond_usdc_micro: UsdcMicro
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
terms: string
deadline: Time
review_secs: number
/**
 * The lowest share of the amount, in basis points, that a dispute may offer.
 */
dispute_bps: number
/**
 * The share that the dispute offers the provider; null before one.
 */
offer_bps: (number | null)
/**
 * Whether the provider has refused the offer.
 */
contested: boolean
locked_at: Time
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
delivery?: string
delivered_at?: Time
/**
 * A moment in UTC, ISO 8601.
 */
disputed_at?: string
}
export interface DealsQuery {
state?: DealState
limit?: Limit
/**
 * The `next` of the page before.
 */
before?: string
}
/**
 * Deals, the most recently changed first. `next` goes into `before` for the next page.
 */
export interface DealsPage {
deals: DealView[]
next: (string | null)
}
export interface InboxQuery {
/**
 * The cursor of the last frame you have; 0 from the start. Acknowledged letters do not come again.
 */
since?: number
/**
 * `1`: first everything that was not acknowledged, as `since=0`.
 */
unacked?: ("1" | "true" | "0" | "false")
msg_type?: MessageName
conversation_id?: ConversationId
}
export interface TopicsQuery {
topic?: TopicName
}
/**
 * Where the stream begins: envelopes behind `cursor` follow. `waiting` were not acknowledged; `unacked=1` shows them.
 */
export interface InboxOpening {
type: "inbox"
/**
 * Of the newest envelope so far.
 */
cursor: number
waiting: number
/**
 * Query parameters that this stream does not know.
 */
ignored?: string[]
}
/**
 * One inbound envelope. `payload` is its decoded content, `payload_b64` its bytes (of a DELIVER: the content).
 */
export interface InboxFrame {
cursor: number
envelope_id: EnvelopeId
msg_type: MessageName
/**
 * Whether it came encrypted; what is shown here was opened.
 */
sealed: boolean
sender: AgentId
recipient: (AgentId | null)
conversation_id: ConversationId
timestamp: Time
slot: number
nonce: number
/**
 * In the shape of its message type.
 */
payload: (ProposePayload | CounterPayload | AcceptPayload | RejectPayload | DeliverPayload | NotarizeBidPayload | NotarizeAssignPayload | VerdictPayload | FeedbackPayload | DisputePayload | AdvertisePayload | DiscoverPayload | BroadcastPayload | BountyPayload | MessagePayload | {

})
payload_b64: string
feedback?: FeedbackView1
deliver?: DeliverPayload1
notarize_bid?: NotarizeBidPayload1
}
/**
 * PROPOSE: an offer that opens a deal.
 */
export interface ProposePayload {
amount_usdc_micro: UsdcMicro
/**
 * Counter-offers allowed to each side; 2 when left out.
 */
max_rounds?: number
/**
 * The work that is wanted, at most 4096 bytes.
 */
message: string
token_mint?: Address
/**
 * A payment that the sender says it has made; nothing checks it.
 */
payment_tx?: string
payment_usd_micro?: UsdcMicro
total_price_usd_micro?: UsdcMicro
expires_at?: Time
deadline_secs?: DeadlineSecs
review_secs?: ReviewSecs
escrow?: EscrowWanted
notary?: AgentId
/**
 * The bond that the requester locks besides the amount, at most twice the amount; half of the amount when left out and escrow is agreed.
 */
bond_usdc_micro?: (number | string)
dispute_bps?: DisputeBps
/**
 * SHA-256 of the schema or test program by which both agree to judge the delivery; a plugin of a node may run it.
 */
acceptance?: string
}
/**
 * COUNTER: another offer in the same deal.
 */
export interface CounterPayload {
amount_usdc_micro: UsdcMicro
/**
 * Counts from 1.
 */
round: number
max_rounds?: number
message?: string
token_mint?: Address
expires_at?: Time
deadline_secs?: DeadlineSecs
review_secs?: ReviewSecs
escrow?: EscrowWanted
notary?: AgentId
/**
 * The bond that the requester locks besides the amount, at most twice the amount; half of the amount when left out and escrow is agreed.
 */
bond_usdc_micro?: (number | string)
dispute_bps?: DisputeBps
/**
 * SHA-256 of the schema or test program by which both agree to judge the delivery; a plugin of a node may run it.
 */
acceptance?: string
}
/**
 * ACCEPT: agrees to the other side's last offer.
 */
export interface AcceptPayload {
amount_usdc_micro: UsdcMicro
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
offer_id?: string
message?: string
token_mint?: Address
downpayment_usd_micro?: UsdcMicro
remaining_usd_micro?: UsdcMicro
}
/**
 * REJECT: ends a negotiation, or withdraws one's own offer.
 */
export interface RejectPayload {
reason: string
}
/**
 * DELIVER: the result, inline or where to fetch it; at least one of the two.
 */
export interface DeliverPayload {
conversation_id: ConversationId
/**
 * A MIME type.
 */
content_type?: string
/**
 * The content itself, at most 48 KiB.
 */
inline_b64?: string
/**
 * Where the content is; `agg://` and the 64 hex digits of its keccak-256 for a blob.
 */
payload_uri?: string
/**
 * Bytes at the address.
 */
payload_size?: number
}
/**
 * NOTARIZE_BID: a party looks for a notary, or a notary offers itself.
 */
export interface NotarizeBidPayload {
/**
 * 0: a party's request; 1: a notary's offer.
 */
bid_type: (0 | 1)
conversation_id: ConversationId
opaque_b64: OpaqueB64
}
/**
 * NOTARIZE_ASSIGN: makes an agent the notary of the conversation.
 */
export interface NotarizeAssignPayload {
verifier: AgentId
opaque_b64: OpaqueB64
}
/**
 * VERDICT: what the notary says of a delivery.
 */
export interface VerdictPayload {
outcome: ("approve" | "reject")
/**
 * 32 bytes as hex digits.
 */
reason_hash?: string
requester?: AgentId
provider?: AgentId
}
/**
 * FEEDBACK: how one party rates another after a deal.
 */
export interface FeedbackPayload {
conversation_id: ConversationId
target_agent: AgentId
score: number
/**
 * 0: negative, 1: neutral, 2: positive.
 */
outcome: (0 | 1 | 2)
is_dispute: boolean
/**
 * As what the sender rates: 0 a participant, 1 the notary, of which the verdict was heard.
 */
role: (0 | 1)
}
/**
 * DISPUTE: says that a delivery is not what was agreed.
 */
export interface DisputePayload {
reason: string
/**
 * The share of the amount, in basis points, that the provider shall have; with escrow the requester's node names it on the ledger. The lowest that the terms allow when left out.
 */
offer_bps?: number
}
/**
 * DISCOVER: asks who can do something.
 */
export interface DiscoverPayload {
query: string
}
/**
 * BROADCAST: something for the subscribers of a named topic.
 */
export interface BroadcastPayload {
/**
 * At most 64 bytes without control characters; not `broadcast`, `notary` or `reputation`.
 */
topic: string
title: string
/**
 * @maxItems 32
 */
tags: string[]
format: ("audio" | "text" | "data")
content_b64?: string
content_type?: string
chunk_index?: Uint32
total_chunks?: Uint32
duration_ms?: Uint32
price_per_epoch_micro?: UsdcMicro
epoch?: number
}
/**
 * BOUNTY: work for whoever can do it.
 */
export interface BountyPayload {
required_capability: string
max_budget_usd: number
deadline_secs: DeadlineSecs
task_summary: string
conversation_id: ConversationId
}
/**
 * MESSAGE: a text from one agent to another, at most 16 384 bytes. Version 2 only.
 */
export interface MessagePayload {
text: string
}
/**
 * Of a FEEDBACK.
 */
export interface FeedbackView1 {
conversation_id: ConversationId
target_agent: AgentId
score: number
/**
 * 0: negative, 1: neutral, 2: positive.
 */
outcome: (0 | 1 | 2)
outcome_name: ("negative" | "neutral" | "positive")
is_dispute: boolean
/**
 * As what the sender rates: 0 a participant, 1 the notary.
 */
role: (0 | 1)
role_name: ("participant" | "notary")
}
/**
 * DELIVER: the result, inline or where to fetch it; at least one of the two.
 */
export interface DeliverPayload1 {
conversation_id: ConversationId
/**
 * A MIME type.
 */
content_type?: string
/**
 * The content itself, at most 48 KiB.
 */
inline_b64?: string
/**
 * Where the content is; `agg://` and the 64 hex digits of its keccak-256 for a blob.
 */
payload_uri?: string
/**
 * Bytes at the address.
 */
payload_size?: number
}
/**
 * NOTARIZE_BID: a party looks for a notary, or a notary offers itself.
 */
export interface NotarizeBidPayload1 {
/**
 * 0: a party's request; 1: a notary's offer.
 */
bid_type: (0 | 1)
conversation_id: ConversationId
opaque_b64: OpaqueB64
}
/**
 * A rating with its numbers and their names.
 */
export interface FeedbackView2 {
conversation_id: ConversationId
target_agent: AgentId
score: number
/**
 * 0: negative, 1: neutral, 2: positive.
 */
outcome: (0 | 1 | 2)
outcome_name: ("negative" | "neutral" | "positive")
is_dispute: boolean
/**
 * As what the sender rates: 0 a participant, 1 the notary.
 */
role: (0 | 1)
role_name: ("participant" | "notary")
}
export interface InboxPageQuery {
/**
 * The cursor of the last frame you have; 0 from the start.
 */
since?: number
conversation_id?: ConversationId
limit?: Limit
}
/**
 * Inbound envelopes, oldest first. `next` goes into `since` for the next page.
 */
export interface InboxPage {
frames: InboxFrame[]
next: number
}
/**
 * Forgets every frame up to and including this cursor.
 */
export interface InboxAck {
cursor: number
}
/**
 * One event of the node: of kind envelope, peer, deal, reputation, batch, lease or plugin. `event_type` repeats `type`; of what a plugin tells it is `plugin/<name of the plugin>/<event>`. `reputation` tells that a score has changed which the node knows: its own, or that of a partner of a recent deal.
 */
export interface NodeEvent {
type: ("envelope" | "peer" | "deal" | "reputation" | "batch" | "lease" | "key_change" | "plugin")
event_type: string
at: Time
agent_id?: AgentId
/**
 * By `type`; `requester` and `provider` are those of a deal.
 */
data: {
requester?: AgentId
provider?: AgentId
[k: string]: unknown
}
}
/**
 * The balances of the hot wallet. SOL is the first element; `amount` is for people, `amount_base` exact.
 */
export interface PortfolioBalances {
address: Address
tokens: {
mint: Address
symbol: (string | null)
amount: number
amount_base: string
decimals: number
}[]
}
/**
 * A deal whose parties have made this node its notary. Times are Unix milliseconds.
 */
export interface NotaryCase {
conversation: ConversationId
requester: Address
provider: Address
/**
 * @maxItems 2
 */
assigned_by: Address[]
/**
 * The id under which it is kept; cases of before lie under their conversation.
 */
case_id?: string
opened_at: number
/**
 * Whether this notary has to do with it: it was judged, its escrow names the notary, or a party that signed for it was judged before. Absent for no.
 */
known?: boolean
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
accepted?: string
/**
 * The sides that this notary has rated.
 * 
 * @maxItems 2
 */
rated?: Address[]
verdict: (null | {
outcome: ("approve" | "reject")
reason_hash?: string
at: number
/**
 * Envelope ids by party.
 */
sent: {
[k: string]: EnvelopeId
}
/**
 * How the escrow stands to it; cases of before disputes name what the notary itself did.
 */
escrow: ("due" | "none" | "released" | "refunded" | "decided" | "closed")
signature?: string
})
/**
 * The escrow, once it was seen.
 */
ledger?: {
/**
 * A finalised slot at which it was there.
 */
seen_slot: number
/**
 * As it was last seen; `other`: it names another notary; then how it ended.
 */
state: ("running" | "contested" | "other" | "released" | "refunded" | "decided" | "closed")
/**
 * Unix milliseconds.
 */
contested_at?: number
/**
 * How often the agent was reminded to decide.
 */
reminded?: number
}
/**
 * The notary's decision on the ledger in a contested dispute, where it differs from its verdict.
 */
decision?: {
for_provider: boolean
signature?: string
}
}
/**
 * Tells everybody that a deal looks for a notary (`request`), or that this agent would be its notary (`offer`).
 */
export interface NotarizeBidRequest {
conversation_id: ConversationId
kind: ("request" | "offer")
/**
 * For whoever reads it, such as a fee.
 */
note?: string
}
/**
 * Assigns the notary that the deal's terms name.
 */
export interface NotarizeAssignRequest {
conversation_id: ConversationId
}
/**
 * A VERDICT in the words of clients.
 */
export interface VerdictWords {
outcome: VerdictOutcome
/**
 * Only its keccak-256 goes into the VERDICT.
 */
reason?: string
/**
 * The same as `reason`.
 */
reasoning?: string
reason_hash?: HashHex
requester?: AgentId
provider?: AgentId
}
export interface VerdictRequest {
conversation_id: ConversationId
/**
 * `approve` (also `completed` or 2) or `reject` (also `failed` or 0). There is no third word: `partial` (or 1) is `reject`.
 */
outcome: ("approve" | "reject" | "completed" | "partial" | "failed" | 2 | 1 | 0)
/**
 * Only its keccak-256 goes into the VERDICT.
 */
reason?: string
/**
 * The same as `reason`.
 */
reasoning?: string
/**
 * Which of several cases of the conversation; needed where nothing tells them apart.
 */
case_id?: string
}
/**
 * Decides a contested escrow: exactly one of `for_provider` and `outcome`.
 */
export interface NotarizeDecideRequest {
conversation_id: ConversationId
/**
 * true: the provider gets the amount, and the bond but for the share that the dispute offered. false: the offer of the dispute stands.
 */
for_provider?: boolean
/**
 * `approve` (also `completed` or 2) or `reject` (also `failed` or 0). There is no third word: `partial` (or 1) is `reject`.
 */
outcome?: ("approve" | "reject" | "completed" | "partial" | "failed" | 2 | 1 | 0)
/**
 * Which of several cases of the conversation; needed where nothing tells them apart.
 */
case_id?: string
}
export interface VerdictView {
outcome: ("approve" | "reject")
at: Time
/**
 * The VERDICT to each party.
 */
envelopes: EnvelopeId[]
/**
 * `due`: it has not ended, as far as is known. `released`, `refunded`, `closed`: it ended so, without the notary. `decided`: the notary decided it on the ledger. `none`: it has no such notary.
 */
escrow: ("due" | "none" | "released" | "refunded" | "decided" | "closed")
signature?: string
}
/**
 * A deal this node is the notary of.
 */
export interface NotaryCaseView {
case_id: NotaryCaseId
conversation_id: ConversationId
requester: AgentId
provider: AgentId
/**
 * The parties that have assigned this notary.
 */
assigned_by: AgentId[]
opened_at: Time
/**
 * Whether this notary has to do with it: it has judged it, its escrow names the notary, or the notary has judged for a party that signed for it. The others may be anybody's.
 */
known: boolean
verdict: (null | VerdictView)
/**
 * The escrow, once it was seen on the ledger.
 */
escrow?: {
state: ("running" | "contested" | "other" | "released" | "refunded" | "decided" | "closed")
/**
 * A moment in UTC, ISO 8601.
 */
decide_by?: string
/**
 * Of the notary's decision.
 */
signature?: string
}
}
export interface NotaryCasesQuery {
/**
 * The most cases of a page.
 */
limit?: number
/**
 * A case: the 32 hex digits of its conversation, a hyphen and 32 more; cases of before have the conversation alone. Anybody can name a conversation first, so there may be several.
 */
after?: string
}
/**
 * The wallet that shall own this agent. It has to sign, within `valid_secs`, the text that the answer gives.
 */
export interface OwnerWish {
owner_wallet: Address
valid_secs?: number
}
/**
 * `none`: nobody is proposed. `pending`: the proposed wallet may sign `text` and hand the signature in at any of `claim_at`. `claimed`: written on the ledger, for ever.
 */
export interface OwnerView {
status: ("none" | "pending" | "claimed")
agent_id: AgentId
/**
 * A ledger address: 32 bytes in base58.
 */
owner?: string
claimed_at?: Time
/**
 * A ledger address: 32 bytes in base58.
 */
proposed_owner?: string
/**
 * The text that the proposed owner's wallet must sign, as UTF-8.
 */
text?: string
expires_at?: Time
/**
 * Where `{"signature": "<64 bytes in base64>"}` is posted, by anybody: the aggregators that took the proposal.
 */
claim_at?: string[]
}
/**
 * Stored: the owner this node has proposed last.
 */
export interface StoredProposal {
owner: Address
nonce: string
/**
 * Unix seconds.
 */
expires: number
/**
 * Those that took it.
 */
aggregators: string[]
}
/**
 * BEACON: an agent is here, under this name.
 */
export interface BeaconPayload {
/**
 * At most 64 printable ASCII characters.
 */
name: string
/**
 * Where others can dial it, if anywhere.
 */
url?: string
/**
 * The hubs it keeps a session with, by agent id.
 * 
 * @maxItems 8
 */
hubs: AgentId[]
/**
 * A ledger address: 32 bytes in base58.
 */
asset?: string
/**
 * Hosted agents reached by way of this one.
 * 
 * @maxItems 128
 */
hosted?: HostedClaim[]
/**
 * Agents that go on under other keys.
 * 
 * @maxItems 16
 */
successions?: Succession[]
}
/**
 * A hosted agent's own word (signing domain host/1) that this host acts for it.
 */
export interface HostedClaim {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
agent_id: string
/**
 * A ledger address: 32 bytes in base58.
 */
recovery_key: string
/**
 * Unix seconds.
 */
not_after: number
signature_b64: string
}
/**
 * An agent goes on under another key. Both signatures are over succession/1 (old key, new key, time): the recovery key of the old key's first claim names the successor, and the successor takes over.
 */
export interface Succession {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
agent_id: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
successor: string
/**
 * Unix seconds.
 */
time: number
/**
 * By the recovery key.
 */
signature_b64: string
/**
 * By the successor.
 */
accepted_b64: string
}
/**
 * Anywhere in it, { "$env": "NAME" } takes a value from the environment and { "$file": "path" } from a file.
 */
export interface Settings {
$schema?: string
/**
 * A node runs for an agent; an aggregator indexes a network.
 */
profile?: ("node" | "aggregator")
/**
 * Address and port of the API, such as 127.0.0.1:9090, [::1]:9090 or 0.0.0.0:0.
 */
listen?: string
/**
 * Where identity, secrets and files live; relative to this file.
 */
dataDir?: string
network?: {
/**
 * Which mesh this is; everybody in it has the same.
 */
id?: string
/**
 * The envelope version that everybody in it speaks: 2, or 1 as on the public network, where there are no sealed payloads, receipts or proofs, and where BEACONs name no address, so that its nodes meet over hubs they share.
 */
envelope?: (1 | 2)
/**
 * A ledger address: 32 bytes in base58.
 */
genesisHash?: string
/**
 * A ledger address: 32 bytes in base58.
 */
program?: string
/**
 * A ledger address: 32 bytes in base58.
 */
config?: string
/**
 * Seconds of an epoch, for a process that has no ledger itself; 86400 when absent.
 */
epochSecs?: number
}
agent?: {
name?: string
/**
 * The agent this must be, in base58 or hex; the start is refused with another's key.
 */
id?: string
/**
 * Capabilities of the agent for its ADVERTISE; those of POST /advertise come before them until this setting changes.
 * 
 * @maxItems 32
 */
capabilities?: string[]
/**
 * The same in a sentence.
 */
description?: string
/**
 * Its lowest and highest price, in USD.
 * 
 * @minItems 2
 * @maxItems 2
 */
priceRangeUsd?: number[]
/**
 * Where it is.
 */
geo?: {
/**
 * Two letters, such as KR.
 */
country?: string
city?: string
}
/**
 * 32 raw bytes, made at first start; identity.key in the data folder when absent.
 */
keyFile?: string
}
mesh?: {
/**
 * Base URLs of the aggregators this node reports to and meets others through.
 * 
 * @maxItems 16
 * 
 * Items: A URL that begins with http:// or https://, without user and password, which HTTP clients refuse in a URL.
 */
aggregators?: string[]
/**
 * The part of private messages that aggregators are told: `receipts`, who wrote to whom and when; `offers`, PROPOSE, COUNTER and ACCEPT whole, with their texts, so that they can tell whether what was locked is what was agreed. Sealed ones stay sealed.
 */
report?: ("receipts" | "offers")
/**
 * Base URLs of nodes that relay for this one when it cannot be reached.
 * 
 * @maxItems 16
 */
hubs?: string[]
/**
 * Be a hub: relay for others.
 */
relayServer?: boolean
/**
 * Broadcasts this node wants to hear. One that hears no BEACONs asks aggregators where peers are.
 * 
 * @maxItems 64
 */
topics?: string[]
/**
 * Dial peers at addresses of this machine and of private networks when others name them. Without it: only when all that is configured (aggregators, hubs, own URL) is there too.
 */
allowPrivatePeers?: boolean
/**
 * Seconds from one announcement of this node to the next.
 */
beaconSecs?: number
/**
 * Seconds from one ping of a peer to the next; a peer that has not answered by then is gone.
 */
pingSecs?: number
/**
 * Envelopes a second that are taken from one connection, before their signatures are looked at.
 */
peerRate?: number
/**
 * Envelopes a second that are taken from one sender, whichever way they come.
 */
senderRate?: number
/**
 * MESSAGEs a minute that are taken from one sender; the others wait at the sender.
 */
senderMessages?: number
/**
 * Offers of unknown keys that may wait for an answer; one address may have a quarter of what other addresses leave, and one key a fifth of that; all who come over one hub are of one address. A key is known once this node has made it an offer, or a deal with it has moved money.
 */
strangerOffers?: number
/**
 * Mebibytes of letters of unknown keys that may wait in the inbox, with the same shares.
 */
strangerInboxMiB?: number
}
/**
 * The storage adapter and what it needs.
 */
storage?: {
use?: string
/**
 * A folder for blobs that all processes of this deployment share; `blobs` in the data directory unless given.
 */
blobs?: string
/**
 * The most that the blobs of one plugin may take up, in mebibytes.
 */
blobsPerPluginMiB?: number
[k: string]: unknown
}
/**
 * The ledger adapter and what it needs.
 */
ledger?: {
use?: string
/**
 * The RPC of the ledger.
 */
rpcUrl?: string
/**
 * In place of rpcUrl: the RPC of the ledger, and a second one of somebody else, which must say the same before anything is decided about money.
 * 
 * @minItems 1
 * @maxItems 2
 */
rpcUrls?: string[]
/**
 * A ledger address: 32 bytes in base58.
 */
program?: string
/**
 * A ledger address: 32 bytes in base58.
 */
config?: string
/**
 * The most SOL that one transaction which a plugin had signed may take from the wallet, fees and rent included.
 */
maxSolPerTransaction?: string
/**
 * The same for all of them in 24 hours.
 */
maxSolPerDay?: string
/**
 * The most that is offered for a settlement transaction to be taken sooner, in micro-lamports per compute unit.
 */
maxPriorityFee?: number
[k: string]: unknown
}
api?: {
/**
 * The Bearer value of everything that changes something: ASCII without spaces, as a header carries it; made at first start when absent.
 */
secret?: string
/**
 * Ask for the secret on reads too, also on loopback.
 */
readAuth?: boolean
/**
 * Accept writes on loopback without the secret, for old clients.
 */
openLoopback?: boolean
/**
 * The URL at which others reach this API.
 */
publicUrl?: string
/**
 * Host names under which this API may be called, beside localhost, IP addresses and the public URL's.
 * 
 * @maxItems 64
 */
hosts?: string[]
/**
 * Origins of web pages that may call this API; * for every page. When absent, none of a node, and of an aggregator what everybody may read: its open GET routes and streams.
 * 
 * @maxItems 64
 */
corsOrigins?: string[]
/**
 * How many reverse proxies stand in front; their X-Forwarded-For is believed.
 */
trustProxy?: number
/**
 * Calls one address may make per window of seconds, over all routes; each route has a limit of its own besides.
 */
limit?: {
rate: number
window: number
}
/**
 * Addresses whose calls no limit counts, such as those of your own dashboards; an IPv6 address stands for its network. Never that of a proxy whose X-Forwarded-For is not believed.
 * 
 * @maxItems 64
 */
unlimited?: ({
[k: string]: unknown
} & string)[]
/**
 * TCP connections that may be open at once.
 */
connections?: number
/**
 * TCP connections one address may hold open at once; not applied behind reverse proxies.
 */
connectionsPerIp?: number
/**
 * WebSockets one address may hold open at once.
 */
socketsPerIp?: number
/**
 * Seconds for which it still takes calls after it was told to stop, while `/ready` answers 503, so that whoever spreads calls over several sends no more.
 */
drainSecs?: number
/**
 * MiB that all streams together may have waiting for clients that are slow to read; above half of it the slowest are closed with 4008.
 */
unsentMiB?: number
}
/**
 * Of several aggregators on one Redis, one is the writer, and the others hand it what they have verified. How they reach it.
 */
writer?: {
/**
 * Where this aggregator takes what others hand over while it is the writer. Open to the other aggregators alone; every frame has a code that only those who read the store can make.
 */
listen?: string
/**
 * Host and port at which the other aggregators reach `listen`; the address itself unless given, and the name of this machine where that is 0.0.0.0.
 */
address?: string
}
log?: {
/**
 * The least severe level that is written; SIGHUP has it read again.
 */
level?: ("debug" | "info" | "warn" | "error" | "silent")
/**
 * `json`, one object a line for machines, or `pretty` for people.
 */
format?: ("json" | "pretty")
/**
 * The log goes into this file instead of standard output, where `mesh logs` finds it; relative to this one. At 10 MB a new one is begun, and four older ones are kept.
 */
file?: string
}
/**
 * Configuration of the profile's own parts, by name.
 */
core?: {
[k: string]: {

}
}
/**
 * Features by where they come from: a bare word is built in, ./path is a file beside this one, anything else an npm package. Absent is not loaded.
 */
plugins?: {
/**
 * The plugin's configuration; true is one without any, false switches the plugin off.
 */
[k: string]: {
/**
 * false leaves it out.
 */
enabled?: boolean
/**
 * true: when it fails, the node starts without it and says so.
 */
optional?: boolean
/**
 * Permissions that the plugin asks for and the operator gives it. A built-in plugin needs none.
 */
$grant?: string[]
} | boolean
}
}
export interface PushRegisterRequest {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
agent_id: string
/**
 * Where to push: a URL (a webhook, a topic of ntfy, an endpoint of UnifiedPush), a token of Expo, APNs (64 or more hex digits) or FCM. An empty text forgets the device.
 */
push_token: string
/**
 * Where the token does not show it.
 */
provider?: ("webhook" | "expo" | "apns" | "fcm")
}
export interface PushRegistration {
agent_id: AgentId
registered: boolean
provider?: PushProvider
}
export interface SleepRequest {
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
agent_id: string
sleeping: boolean
}
export interface SleepState {
sleeping: boolean
}
/**
 * The state as it is shown now, and what the aggregator does for a sleeping agent.
 */
export interface SleepAnswer {
sleeping: boolean
/**
 * Whether messages to the agent wait here while it sleeps.
 */
holds_messages: boolean
/**
 * Whether its device is woken when a message comes: it has registered one.
 */
pushes: boolean
/**
 * Messages that wait here now.
 */
pending: number
detail: string
}
export interface PendingQuery {
/**
 * Seconds for which the messages are lent: they stay until `ack` names them, and come again when the time is over. Without it they are removed once this answer has been sent.
 */
lease?: number
/**
 * Removes the messages up to this `cursor` before the next ones are given.
 */
ack?: number
/**
 * How many messages to give; 100 at most, and more is read as 100.
 */
limit?: number
}
export interface PendingMessage {
/**
 * The envelope's id.
 */
id: string
from: AgentId
msg_type: string
/**
 * The envelope, CBOR in base64.
 */
payload: string
/**
 * When it came, Unix seconds.
 */
ts: number
/**
 * For `ack`.
 */
cursor: number
}
/**
 * One whole envelope to the agent, CBOR in base64: as `envelope_b64`, or as `payload` where clients send it so.
 */
export interface PendingRequest {
envelope_b64?: string
/**
 * Another name of `envelope_b64`.
 */
payload?: string
}
export interface PendingHeld {
envelope_id: string
/**
 * `held` from now on, or `duplicate`: it waits here already.
 */
status: ("held" | "duplicate")
/**
 * Messages that wait for the agent now.
 */
pending: number
}
export interface StoredSleeper {
/**
 * Unix milliseconds.
 */
since: number
}
/**
 * Stored: where an agent is woken.
 */
export interface StoredDevice {
provider: PushProvider
token: string
since: number
/**
 * Wakes after which nobody came.
 */
missed: number
}
/**
 * Stored: the messages that wait for one agent, without their content.
 */
export interface StoredMailbox {
next: number
lease?: {
up_to: number
until: number
}
/**
 * @maxItems 100
 */
entries: {
cursor: number
id: string
from: AgentId
type: string
at: number
stranger: boolean
}[]
}
/**
 * Stored: an agent that is to be woken, or whose device was pushed.
 */
export interface StoredWake {
agent_id: AgentId
phase: ("send" | "sent")
/**
 * Unix milliseconds: when it is pushed, or looked at whether the agent came.
 */
due: number
/**
 * Failed pushes of this round.
 */
tries: number
/**
 * Pushes after which nobody came.
 */
rounds: number
/**
 * Of the provider, to ask later what became of the push.
 */
ticket?: string
}
/**
 * How far the epochs of a key have come. Sequence numbers are consecutive within an epoch.
 */
export interface NonceState {
/**
 * The epoch of the last nonce.
 */
epoch: number
/**
 * Its sequence number.
 */
seq: number
/**
 * In this epoch and those before nothing is signed any more.
 */
closed?: number
/**
 * Seconds of an epoch when it last signed, for those who look at the store from outside.
 */
epoch_secs?: number
/**
 * The last epoch whose batch was submitted.
 */
submitted?: number
/**
 * The newest row of epochs, longer than five, in which nothing was signed.
 */
silent?: {
from: number
to: number
}
/**
 * Recent epochs in which the key signed something this store does not hold.
 * 
 * @maxItems 16
 */
tainted?: Taint[]
}
export interface Taint {
epoch: number
/**
 * Sequence numbers go on above this one.
 */
above: number
/**
 * Nothing is signed in this epoch any more.
 */
stopped: boolean
why: string
/**
 * Unix milliseconds.
 */
at: number
}
export interface OutboxEntry {
sender: Address
nonce: number
msg_type: string
/**
 * Empty for a broadcast.
 */
recipient: string
conversation_id: ConversationId
/**
 * Unix milliseconds.
 */
timestamp: number
payload_hash: string
/**
 * Whether the payload is encrypted to the recipient; absent: no.
 */
sealed?: boolean
/**
 * Who keeps it for its recipient; absent: nobody but this node.
 */
held_by?: string
/**
 * The envelope while it may have to be sent, then its receipt; base64.
 */
bytes: string
status: ("queued" | "delivered" | "broadcast" | "refused" | "expired")
attempts: number
/**
 * @maxItems 32
 */
hops: Hop[]
}
export interface Hop {
at: number
event: string
detail?: string
}
export interface ReplayMark {
id: EnvelopeId
/**
 * Header and signature, base64: what a conflicting sender is answered with.
 */
receipt: string
}
export interface NonceConflict {
nonce: number
/**
 * @minItems 2
 * @maxItems 2
 */
receipts: string[]
}
export interface InboxRecord {
/**
 * Its number in the inbox.
 */
cursor: number
envelope_id: EnvelopeId
msg_type: string
conversation_id: ConversationId
received_at: number
/**
 * The envelope as it came, base64.
 */
bytes: string
/**
 * The body of a sealed envelope, opened; base64.
 */
opened?: string
/**
 * The address that it came from, when its sender had no business with this node before.
 */
stranger?: string
}
/**
 * The newest cursor of the inbox, and up to which ones its agent and the plugins' handlers are done.
 */
export interface InboxState {
cursor: number
acknowledged: number
/**
 * null while no plugin handles envelopes.
 */
handled: (number | null)
}
/**
 * The agent's announcements beyond its configuration, as JSON, and the configuration that they replaced.
 */
export interface AdvertisementRecord {
said: {
[k: string]: string
}
configured: {
[k: string]: string
}
}
/**
 * A delivery that is too large for an envelope, by the keccak-256 of its bytes.
 */
export interface KeptBlob {
size: number
/**
 * Unix milliseconds after which it is removed.
 */
until: number
/**
 * Keys that may fetch it.
 * 
 * @maxItems 64
 */
readers: Address[]
/**
 * A ledger address: 32 bytes in base58.
 */
hosted?: string
/**
 * A ledger address: 32 bytes in base58.
 */
from?: string
}
/**
 * A byte string that a plugin keeps, by the plugin's name and the keccak-256 of its bytes.
 */
export interface PluginBlob {
size: number
}
/**
 * The bytes that the blobs of a plugin take up.
 */
export interface PluginBlobUsage {
used: number
}
/**
 * Where a delivery is that is too large for an envelope, by its conversation.
 */
export interface ExpectedBlob {
keeper: Address
cid: string
size: number
/**
 * Whether its bytes are sealed; absent for not.
 */
sealed?: boolean
state: ("waiting" | "here" | "failed")
attempts: number
/**
 * Unix milliseconds of the next attempt.
 */
due: number
/**
 * Unix milliseconds.
 */
since: number
/**
 * The last fault.
 */
why?: string
}
/**
 * The topics that the agent of a node has asked for.
 */
export interface TopicSubscriptions {
/**
 * @maxItems 64
 */
topics: {
topic: string
/**
 * Unix milliseconds.
 */
since: number
}[]
}
/**
 * An agent that lives on this node beside its own, as it was added last, and whether something waits for it.
 */
export interface LocalAgentRecord {
name: string
/**
 * The plugin that added it.
 */
plugin: string
recovery_key: Address
/**
 * Until when its claim (host/1) holds, Unix seconds.
 */
not_after: number
signature_b64: string
/**
 * It was in memory: something may wait for it.
 */
awake: boolean
/**
 * When time moves one of its deals next, Unix milliseconds.
 */
wake_at?: number
/**
 * The name that its last BEACON said.
 */
announced?: string
/**
 * The key that it shall go on under elsewhere. Once that key has accepted, nothing is signed here any more.
 */
moved?: {
successor: Address
/**
 * Unix seconds.
 */
time: number
/**
 * By its recovery key.
 */
signature_b64: string
/**
 * By the successor.
 */
accepted_b64?: string
/**
 * Keys that were named before and can still accept, the newest first.
 * 
 * @maxItems 7
 */
others?: {
successor: Address
/**
 * Unix seconds.
 */
time: number
}[]
}
succeeds?: Succession
}
/**
 * The node that acts for an agent, as both have signed.
 */
export interface KnownHost {
host: Address
recovery_key: Address
/**
 * Unix seconds.
 */
not_after: number
/**
 * Unix milliseconds.
 */
heard_at: number
/**
 * A ledger address: 32 bytes in base58.
 */
successor?: string
/**
 * The time of that succession, Unix seconds.
 */
moved_at?: number
}
/**
 * The content of the last BEACON of a key. Times are Unix milliseconds.
 */
export interface PeerRecord {
name: string
url: (string | null)
hubs: string[]
/**
 * The capabilities that its last ADVERTISE named.
 */
advertised?: {
at: number
capabilities: string[]
}
sent_at: number
seen_at: number
/**
 * Header and signature of that BEACON, base64.
 */
receipt?: string
}
export interface DealPayment {
signature: string
/**
 * The signed transaction, base64; earlier versions recorded it here and nowhere else.
 */
bytes?: string
lastValidBlockHeight?: number
/**
 * Minor units.
 */
amount: string
status: ("recorded" | "confirmed" | "failed")
}
/**
 * A ledger transaction that is stored before it is sent, and what became of it.
 */
export interface RecordedTransaction {
signature: string
/**
 * The signed transaction, base64; empty once it is certain what became of it.
 */
bytes: string
lastValidBlockHeight: number
/**
 * The slot it was made after; absent in older records.
 */
madeAfter?: number
status: ("recorded" | "confirmed" | "failed" | "expired")
/**
 * Where it landed, or at which it was certain that it never will.
 */
slot?: number
/**
 * False while a confirmed one may be taken back.
 */
finalised?: boolean
/**
 * It can land no more since that slot, and nobody can say yet whether it did.
 */
lapsed?: {
slot: number
reason: string
}
/**
 * Those of the same name before it, oldest first; asked about again before a new one is made.
 * 
 * @maxItems 16
 */
earlier?: {
signature: string
lastValidBlockHeight: number
madeAfter?: number
}[]
/**
 * Why the ledger did not take it.
 */
refusal?: string
at: number
}
/**
 * The one step that moves the money of a deal now.
 */
export interface MoneyStep {
/**
 * Its plain name, such as `pay`.
 */
step: string
/**
 * The name its transaction is recorded under.
 */
transaction: string
at: number
}
/**
 * A transfer for a deal whose ACCEPT has not arrived yet.
 */
export interface EarlyPayment {
signature: string
from: Address
/**
 * Minor units.
 */
amount: string
}
export interface PaymentCursor {
signature?: string
/**
 * Transactions before it that the ledger listed and did not show; they are asked for again.
 * 
 * @maxItems 100
 */
passed_over?: {
signature: string
slot: number
tries: number
/**
 * Unix milliseconds.
 */
again: number
}[]
}
/**
 * A deal as core/protocol/deals/deal.ts defines it, with what the node remembers beside it.
 */
export interface DealDocument {
deal: {
conversation: ConversationId
requester: Address
provider: Address
state: DealState
/**
 * @minItems 1
 * @maxItems 21
 */
offers: unknown[]
/**
 * @maxItems 65
 */
history: unknown[]
clock: number
}
message: string
rated: boolean
payment: (DealPayment | null)
/**
 * This node's knowledge of a delivery beyond its DELIVER.
 */
findings?: {
delivery: EnvelopeId
/**
 * The other side has acknowledged it.
 */
received?: boolean
/**
 * The result of the agreed acceptance check.
 */
fits?: boolean
}
/**
 * The escrow account as last read.
 */
ledger?: {
/**
 * A finalised slot at which it was there.
 */
seen_slot: number
/**
 * Since when it is missing without a history of its end; Unix milliseconds.
 */
missing_since?: number
}
/**
 * @maxItems 32
 */
early_payments: EarlyPayment[]
/**
 * The address that the first offer came from, when it came from a key without business with this node.
 */
stranger?: string
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
named?: string
updated_at: number
}
/**
 * A report that the aggregator put off.
 */
export interface LateReport {
report: Report
tries: number
/**
 * Unix milliseconds.
 */
next_at: number
}
/**
 * One element of a request to an aggregator's ingest: an envelope or a receipt, base64.
 */
export interface Report {
envelope_b64?: string
receipt_b64?: string
}
/**
 * A call that has its effect once. While it runs, `claim` names who runs it and `until` is soon.
 */
export interface CallRecord {
/**
 * SHA-256 of target and body, hex.
 */
fingerprint: string
claim: string
/**
 * Unix milliseconds.
 */
until: number
answered: boolean
/**
 * It ended with an error that leaves open whether anything was done: only the same call runs again.
 */
failed?: boolean
/**
 * Of the answer's body.
 */
bytes: number
/**
 * Absent while it runs, and when it was too large.
 */
answer?: {
status: number
headers: {
[k: string]: string
}
text?: string
base64?: string
}
}
/**
 * The one call that a credential made for one request was used for.
 */
export interface UsedCredential {
operation: string
fingerprint: string
}
/**
 * Ratings as sums.
 */
export interface RatingTally {
count: number
positive: number
neutral: number
negative: number
/**
 * Sum of their scores, -100 to 100 each.
 */
total_score: number
}
/**
 * A rating of this agent is in the sums; `at` in milliseconds.
 */
export interface RatingCounted {
at: number
}
/**
 * Ratings between this agent and another: given to it as a party of a deal, given to it as a notary, and received from it.
 */
export interface RatingsWith {
given: RatingTally
given_as_notary: RatingTally
received: RatingTally
}
/**
 * This node's own deals and ratings with an agent.
 */
export interface OwnExperience {
/**
 * Deals between the two, the newest 500; `more` says that there are others.
 */
deals: {
count: number
more: boolean
/**
 * Those in which the agent was the provider.
 */
as_provider: number
/**
 * Those in which the agent was the requester.
 */
as_requester: number
/**
 * Those that the agent let lapse.
 */
lapsed_by_agent: number
/**
 * How many stand in each state.
 */
by_state: {
[k: string]: number
}
/**
 * When one of them last moved.
 */
last_at: (Time | null)
}
ratings: RatingsWith
}
/**
 * The word of one aggregator about an agent.
 */
export interface AggregatorWord {
url: string
/**
 * `known`: it told a reputation within 30 seconds. `unknown`: it has not heard of the agent. `away`: it does not answer; `reputation` is then its last answer of the past day, if any.
 */
state: ("known" | "unknown" | "away")
/**
 * When it gave the answer that is shown.
 */
asked_at: (Time | null)
/**
 * Why it counts as away.
 */
detail?: string
reputation: (null | {
version: ScoreVersion
as_of: ScoreAsOf
score: Score
lower_bound: number
confidence: number
points: ReputationPoints
idle: ReputationDecay
trend: ScoreTrend
counts: ReputationCounts
average_score: number
feedback_count: number
dispute_count: number
last_active_epoch: number
})
}
/**
 * Epochs without a deal beyond the sixth, and the share of a positive score that is left after them.
 */
export interface ReputationDecay {
epochs: number
factor: number
}
/**
 * An agent's reputation as this node knows it. Score, components, confidence and decay are those of `source`, the first aggregator that knows the agent; null where none does. `reliability`, `cooperation` and `notary_accuracy` are for older clients.
 */
export interface ReputationVector {
agent_id: AgentId
score: (Score | null)
/**
 * The points that add up to the score.
 */
components: (ReputationPoints | null)
/**
 * 0 to 1: the share of the score that is evidence.
 */
confidence: (number | null)
decay: (ReputationDecay | null)
trend: (ScoreTrend | null)
version: (ScoreVersion | null)
as_of: (ScoreAsOf | null)
/**
 * The aggregator whose word stands above, and when it gave it; `away` where that is its last answer.
 */
source: (null | {
url: string
state: ("known" | "unknown" | "away")
asked_at: Time
})
own: (OwnExperience | null)
aggregators: AggregatorWord[]
/**
 * Thousandths: the plain mean of its ratings that count, after decay.
 */
reliability: number
/**
 * The same as `reliability`.
 */
cooperation: number
/**
 * Thousandths: the mean of the ratings that this node gave it as a notary; 0 without any.
 */
notary_accuracy: number
/**
 * Its ratings that count.
 */
total_tasks: number
/**
 * Disputes raised against it.
 */
total_disputes: number
/**
 * 0 where nothing is known.
 */
last_active_epoch: number
}
/**
 * Stored: how far the settlement program's history has been read.
 */
export interface StoredLedgerPosition {
/**
 * Cursor of the last whole page; null before the first.
 */
cursor: (string | null)
/**
 * The last entry of the page behind it that was taken.
 */
last: (string | null)
/**
 * Gaps in the history that were met.
 */
gaps: number
/**
 * After a gap, every known account is read anew: where that stands. Null when it is done.
 */
sweep: (string | null)
/**
 * 2 once every account was read with the fields of this format.
 */
format?: number
}
/**
 * Stored: one event of the settlement program, or a gap in its history.
 */
export interface StoredLedgerEvent {
name: string
signature: (string | null)
ordinal: number
slot: number
/**
 * Unix milliseconds.
 */
at: number
/**
 * The event's own fields in snake_case; amounts as digits.
 */
facts: {

}
}
/**
 * Stored: what the ledger holds of one key, as last read.
 */
export interface StoredStake {
key: Address
agent_id: Address
state: ("none" | "active" | "leaving" | "suspended")
stake: string
stake_owner: (null | Address)
start: number
last: number
duties: boolean
settled_epoch: number
open: number
/**
 * @maxItems 32
 */
skipped: number[]
/**
 * @maxItems 16
 * 
 * Items: A batch on the ledger.
 */
batches: {
epoch: number
count: number
/**
 * 32 bytes in hex.
 */
root: string
submitted_at: number
slot: number
}[]
paid_through: number
/**
 * Slashes ever seen.
 */
slashes: number
/**
 * Slot of the last event about it.
 */
event_slot: number
read_slot: number
/**
 * When it was last read, Unix milliseconds.
 */
read_at?: number
/**
 * Whether the account must be read.
 */
stale: boolean
}
/**
 * Stored: an escrow as its events told, and as its account last was.
 */
export interface StoredEscrow {
requester: Address
provider: Address
conversation_id: ConversationId
notary: (null | Address)
/**
 * 32 bytes in hex.
 */
terms: string
amount: string
deadline: number
review_secs: number
dispute_bps: number
/**
 * The bond that the requester locked besides the amount.
 */
bond?: string
state: ("locked" | "delivered" | "disputed" | "contested" | "released" | "claimed" | "refunded" | "reclaimed" | "decided" | "split" | "unknown")
locked_at: number
delivered_at: (null | number)
delivery: (null | string)
disputed_at: (null | number)
/**
 * The dispute's offer to the provider, in basis points.
 */
offer_bps?: number
/**
 * Whether the provider refused the offer.
 */
contested?: boolean
/**
 * Whether its notary decided for the provider.
 */
decision?: boolean
closed_at: (null | number)
/**
 * The provider's share, as far as the account confirms it.
 */
released: string
/**
 * The sum paid out so far, by its events.
 */
payouts?: {
to_provider: string
to_requester: string
burnt: string
}
/**
 * The sum that waits for an account that can receive.
 */
waiting?: string
/**
 * How its events say it ended.
 */
ending?: {
outcome: ("released" | "claimed" | "refunded" | "reclaimed" | "decided" | "split")
at: number
}
/**
 * The events whose payouts are counted.
 * 
 * @maxItems 16
 */
steps?: string[]
/**
 * The transaction that locked it.
 */
signature: string
/**
 * Whether the account must be read.
 */
stale: boolean
/**
 * Slot of the last event about it.
 */
event_slot?: number
/**
 * The finalised slot at which its account was last read.
 */
read_slot?: number
/**
 * When that was, Unix milliseconds.
 */
read_at?: number
/**
 * The part of its burns that has been counted, minor units.
 */
burnt?: string
}
/**
 * Stored: who owns, or is about to own, the agent behind a key.
 */
export interface StoredOwnerLink {
key: Address
agent_id: Address
status: ("pending" | "claimed")
proposal: (null | {
owner: Address
nonce: string
expires: number
/**
 * The agent's; absent until it has signed.
 */
signature?: string
proposed_at: number
})
claim: (null | {
signature: string
at: number
/**
 * Not yet taken from the budget: the agent had not signed.
 */
unpaid?: boolean
})
link: (null | {
owner: Address
claimed_at: number
signature?: string
})
}
/**
 * Stored: what this aggregator paid for owner links in one day.
 */
export interface StoredLinkBudget {
day: number
/**
 * Lamports.
 */
spent: number
}
/**
 * Stored: the leaf list an agent handed in for one epoch; its bytes are a blob.
 */
export interface StoredLeafList {
key: Address
epoch: number
count: number
/**
 * 32 bytes in hex.
 */
root: string
signature: string
cid: string
received_at: number
}
/**
 * Stored: an accusation that is open on the ledger.
 */
export interface StoredAccusation {
key: Address
accuser: Address
/**
 * 32 bytes in hex.
 */
id: string
epoch: number
index: number
tries: number
next_try: number
/**
 * Slot of the accusation.
 */
slot?: number
}
/**
 * At most one of `agent_id` and `conversation_id`.
 */
export interface LedgerEventsQuery {
agent_id?: AgentId
conversation_id?: ConversationId
limit?: Limit
/**
 * The `id` of the last element you have.
 */
before?: number
}
/**
 * With both `agent_id` and `conversation_id`, the events that are of both.
 */
export interface LedgerStreamQuery {
/**
 * The `id` of the last event you have; everything behind it comes first. Without it, only what is new.
 */
since?: number
agent_id?: AgentId
conversation_id?: ConversationId
}
/**
 * This aggregator's knowledge of the settlement program.
 */
export interface LedgerStatus {
cluster: string
program: (null | Address)
config: (null | Address)
/**
 * Parts of the history that could not be had any more.
 */
gaps: number
/**
 * False while accounts are read anew after a gap.
 */
complete: boolean
}
/**
 * Which part of the list.
 */
export interface EscrowsQuery {
limit?: Limit
offset?: Offset
}
/**
 * The stake that an agent should have, and the one it has. The base is 10 USDC; each deal that it abandoned after the first asks for as much again, up to eight times the base. A flagged agent is asked for the base times beta_1 × anomaly + beta_3 × C more.
 */
export interface StakeRequired {
agent_id: AgentId
base_stake_usdc: number
/**
 * Of its present vector; 0 without one. It asks for more from above 0.55 on.
 */
current_anomaly: number
/**
 * 0 to 1, by the size of its cluster by behaviour; 0 without one.
 */
c_coefficient: number
/**
 * Weight of the anomaly.
 */
beta_1: number
/**
 * Weight of C.
 */
beta_3: number
required_stake_usdc: number
/**
 * The stake on the ledger, as last finalised.
 */
stake_usdc: number
/**
 * Required less staked; never below 0.
 */
deficit_usdc: number
}
/**
 * Stake, duties, batches and lease of an agent on the ledger, as last finalised.
 */
export interface AgentStake {
agent_id: AgentId
/**
 * `none`: nothing staked. `suspended`: slashed.
 */
state: ("none" | "active" | "leaving" | "suspended")
stake_usdc: number
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
stake_lamports: (number | string)
stake_owner?: Address
lease_status: LeaseStatus
/**
 * Last paid epoch.
 */
lease_paid_through?: number
/**
 * Whether every epoch must have its batch.
 */
duties: boolean
/**
 * First epoch with duties.
 */
first_epoch?: number
/**
 * Newest epoch that is settled by a batch.
 */
last_epoch?: number
open_accusations: number
slashes: number
/**
 * The newest ones, at most 16, by epoch.
 * 
 * Items: A behavior batch.
 */
batches: {
epoch: number
count: number
/**
 * 32 bytes in hex.
 */
root: string
submitted_at: Time
slot: number
}[]
skipped_epochs: number[]
}
/**
 * An agent proposes the wallet that owns it. The wallet alone is enough: then the aggregator chooses nonce and expiry. The link can be written once the agent has signed it too: `signature` is the agent key's over owner/1: agent id, owner, nonce, expires; it comes with the other two, at once or later.
 */
export interface OwnerProposal {
/**
 * A ledger address: 32 bytes in base58.
 */
owner_wallet?: string
/**
 * A ledger address: 32 bytes in base58.
 */
proposed_owner?: string
/**
 * 8 random bytes in hex.
 */
nonce?: string
/**
 * Unix seconds: until when the owner can claim; at most 30 days ahead.
 */
expires?: number
/**
 * 64 bytes, base64.
 */
signature?: string
}
/**
 * The owner's signature over the text of the proposal.
 */
export interface OwnerClaim {
/**
 * 64 bytes, base64.
 */
signature: string
}
/**
 * `none`: nobody was proposed. `pending`: the proposed wallet may sign `text`, and the agent may sign owner/1 with `nonce` and `expires`, in any order; the link is written when both have. `claimed`: written on the ledger, for ever.
 */
export interface OwnerStatus {
status: ("none" | "pending" | "claimed")
agent_id?: AgentId
/**
 * A ledger address: 32 bytes in base58.
 */
owner?: string
/**
 * A ledger address: 32 bytes in base58.
 */
proposed_owner?: string
/**
 * The text that the proposed owner's wallet must sign, as UTF-8.
 */
text?: string
/**
 * Present while pending: 8 bytes in hex.
 */
nonce?: string
/**
 * Present while pending: Unix seconds, the same as `expires_at`.
 */
expires?: number
/**
 * Present while pending: whether the agent has signed owner/1.
 */
agent_signed?: boolean
/**
 * Present while pending: whether the wallet has signed the text.
 */
owner_signed?: boolean
expires_at?: Time
claimed_at?: Time
/**
 * The signature that names a transaction, base58.
 */
signature?: string
}
/**
 * An agent of this owner.
 */
export interface OwnerSummary {
agent_id: AgentId
name: string
score: number
version: ScoreVersion
as_of: ScoreAsOf
}
/**
 * The leaf list of one behavior batch as the agent handed it in; the leaves themselves are at `…/leaves`.
 */
export interface LeafList {
agent_id: AgentId
epoch: number
/**
 * Envelopes the key signed in that epoch.
 */
count: number
/**
 * 32 bytes in hex.
 */
root: string
/**
 * The agent key's over leaves/1, base64.
 */
signature: string
received_at: Time
}
/**
 * The agent key's signature over leaves/1 (PROTOCOL 3): epoch, count, root.
 */
export interface LeafListQuery {
/**
 * 64 bytes in hex.
 */
signature: string
}
/**
 * The envelopes that a key signed under one sequence number, as far as this aggregator was shown them.
 */
export interface EpochEnvelope {
seq: number
/**
 * 32 bytes in hex.
 */
leaf_hash: string
/**
 * Its receipt: header and signature.
 */
bytes_b64: string
}
/**
 * Which part of the list.
 */
export interface EpochEnvelopesQuery {
/**
 * How many elements to return; 1000 at most, and more is read as 1000.
 */
limit?: number
/**
 * The `seq` of the last element you have.
 */
after?: number
}
/**
 * This agent's stake, the duties that come with it, and the time at which it can be taken back.
 */
export interface StakeView {
agent_id: AgentId
state: ("none" | "active" | "leaving" | "suspended")
stake_usdc: Usdc
stake_usdc_micro: UsdcMicro
/**
 * The only one who is ever paid back.
 */
stake_owner: (Address | null)
/**
 * Whether every epoch must have its batch.
 */
duties: boolean
/**
 * The epoch by the ledger's clock.
 */
epoch: number
/**
 * The newest epoch that has its batch or needed none.
 */
last_epoch: number
/**
 * Epochs without a batch among the 32 up to the last.
 * 
 * @maxItems 32
 */
skipped_epochs: number[]
open_accusations: number
/**
 * null unless the agent is leaving.
 */
unlock: (null | {
requested_at: Time
/**
 * A moment in UTC, ISO 8601.
 */
withdrawable_at: string
/**
 * The other condition of that.
 */
waits_for: ("batches" | "accusations" | "time")[]
})
/**
 * Warnings for the operator.
 */
warnings: string[]
}
/**
 * Exactly one of `amount_usdc` and `amount_usdc_micro`. The stake owner is this node's own wallet. It comes back after the batch of this key that ends the duties, or after a slash.
 */
export interface StakeRequest {
amount_usdc?: Usdc
amount_usdc_micro?: UsdcMicro
}
/**
 * The transaction that was confirmed.
 */
export interface StakeDone {
signature: string
}
/**
 * How far this agent's lease is paid, and what the node does about it.
 */
export interface LeaseView {
agent_id: AgentId
status: LeaseStatus
epoch: number
/**
 * 0 when never paid.
 */
paid_through: number
/**
 * The price of a payment for the present epoch now; null when it is paid.
 */
due: (null | {
epochs: number
amount_usdc: Usdc
})
/**
 * Whether the node pays by itself now.
 */
automatic: boolean
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
spent_usdc: string
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
budget_usdc: string
/**
 * The latest, newest first.
 * 
 * @maxItems 64
 */
payments: LeasePaymentView[]
warnings: string[]
}
export interface LeasePaymentView {
/**
 * When it was paid.
 */
epoch: number
paid_through: number
amount_usdc: Usdc
signature: string
}
/**
 * Pays through the present epoch and `ahead` more. Refused when it would cost more than `max_usdc`.
 */
export interface LeasePayRequest {
ahead?: number
max_usdc?: Usdc
}
/**
 * One lease payment; amounts in minor units.
 */
export interface LeasePayment {
/**
 * The number that the payment names: the ledger takes one payment of a number.
 */
payments: number
epoch: number
epochs: number
paid_through: number
amount: string
signature?: string
}
/**
 * The newest payment of this key that the ledger has confirmed: the number it named, and its slot.
 */
export interface PaymentCount {
payments: number
slot: number
}
/**
 * The newest stake whose outcome was not known when its call was answered; amounts in minor units.
 */
export interface StakePayment {
/**
 * Of the call that asked for it.
 */
name: string
amount: string
/**
 * The number that the payment names.
 */
payments: number
/**
 * The stake before.
 */
stake: string
/**
 * As it was before; a slash moves it.
 */
settled_epoch: number
/**
 * Once the account has shown that it arrived.
 */
signature?: string
}
/**
 * The payments of this node for its lease. `pending` was decided and is not known to be finished.
 */
export interface LeaseState {
pending: (LeasePayment | null)
/**
 * @maxItems 64
 */
payments: LeasePayment[]
}
/**
 * Where the USDC of the hot wallet goes. Without an amount all of it goes that no payment under way needs.
 */
export interface SweepRequest {
/**
 * The wallet that gets the USDC: 32 bytes in base58, or 64 hex digits. Its token account is made when it is missing.
 */
destination: string
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
amount_usdc?: string
amount_usdc_micro?: UsdcMicro
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
amount?: (number | string)
}
export interface Sweep {
/**
 * Of the ledger transaction.
 */
signature: string
/**
 * The USDC that went.
 */
amount_usdc: number
amount_usdc_micro: UsdcMicro
destination: Address
}
/**
 * A sweep that was asked for.
 */
export interface SweepRecord {
destination: Address
amount: string
/**
 * The amount of the request; null when everything was to go.
 */
wanted: (string | null)
at: number
/**
 * Whether its outcome is not final yet.
 */
open: boolean
/**
 * Of the transaction that landed.
 */
signature?: string
}
/**
 * An offer of x402 to pay: as the header PAYMENT-REQUIRED brought it, as the JSON of a 402, or at a URL that the node calls itself. Give exactly one of the three.
 */
export interface X402PayRequest {
/**
 * The offer as base64 of its JSON: the header PAYMENT-REQUIRED (version 2), or the body of a 402 (version 1).
 */
payment_required_b64?: string
/**
 * The offer as JSON, of version 1 or 2.
 */
payment_required?: {

}
/**
 * A resource that the node calls; when it answers 402, the node pays and calls it again.
 */
url?: string
/**
 * Of the call; POST when `body` is given.
 */
method?: ("GET" | "POST")
/**
 * Sent with the call, as JSON.
 */
body?: {
[k: string]: unknown
}
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
max_usdc?: string
}
/**
 * The payment requirements of x402, version 1 or 2, as sellers send them.
 */
export interface X402Offer {
x402Version: (1 | 2)
resource?: unknown
/**
 * @minItems 1
 * @maxItems 64
 */
accepts: {
scheme: string
network: string
asset?: unknown
}[]
}
/**
 * The one of the requirements that the node can pay.
 */
export interface X402Choice {
scheme: "exact"
network: string
asset: string
payTo: Address
amount?: string
maxAmountRequired?: string
maxTimeoutSeconds?: number
resource?: unknown
extra?: {
feePayer?: Address
memo?: string
}
}
/**
 * A payment of x402. The seller adds its signature and sends the transaction, so `pending` and `unknown` are answers, too: `GET /wallet/x402/{payment_id}` tells what the ledger says later.
 */
export interface X402Payment {
payment_id: (X402PaymentId | null)
/**
 * `pending`: signed, and the seller may still have it taken. `paid`: the ledger took it. `unpaid`: it certainly did not, and never will. `unknown`: it can land no more, and the ledger does not say whether it did. `not_needed`: the URL asked for no payment.
 */
status: ("pending" | "paid" | "unpaid" | "unknown" | "not_needed")
/**
 * The value of the header to send; whoever holds it can have the payment taken.
 */
payment_signature: (string | null)
/**
 * PAYMENT-SIGNATURE (version 2) or X-PAYMENT (version 1).
 */
header_name: (string | null)
x402_version: (1 | 2 | null)
network: (string | null)
amount_micro: UsdcMicro
amount_usdc: number
pay_to: (string | null)
fee_payer: (string | null)
/**
 * Its signature on the ledger, once it is there.
 */
transaction: (string | null)
made_at: (Time | null)
/**
 * Whether it was made for an earlier call.
 */
repeated: boolean
/**
 * Why the seller served nothing, of a URL that was called.
 */
problem?: string
/**
 * The seller's answer, of a URL that was called.
 */
response?: {
status: number
url: string
content_type: (string | null)
/**
 * As text, where it is UTF-8.
 */
body: (string | null)
body_base64: (string | null)
}
}
/**
 * A payment of x402 as the node keeps it.
 */
export interface X402Record {
/**
 * Names the offer, the URL or the key it was made for.
 */
call: string
version: (1 | 2)
/**
 * The value of the header; empty while nothing is signed.
 */
header: string
network: string
amount: string
to: Address
fee_payer: Address
memo: string
at: number
/**
 * Milliseconds in which the same offer is the same payment.
 */
window: number
state: ("begun" | "made" | "paid" | "unpaid" | "unknown")
/**
 * When the ledger is asked next.
 */
look_at: number
/**
 * This agent's.
 */
signature?: string
last_valid?: number
made_after?: number
/**
 * It can land no more.
 */
lapsed?: boolean
/**
 * The signature that the seller says it landed under.
 */
told?: string
transaction?: string
final?: boolean
/**
 * Whether the seller gave what was paid for.
 */
served?: boolean
}
/**
 * The value of the header that pays by x402, version 1 or 2.
 */
export interface X402Header {
x402Version: (1 | 2)
scheme?: string
network?: string
accepted?: {

}
payload: {
transaction: string
}
}
/**
 * A payment that a call was sold for, as the node keeps it.
 */
export interface X402SaleRecord {
line: string
price: string
payer: Address
state: ("taken" | "paid" | "begun" | "served")
tries: number
at: number
signature?: string
/**
 * The history does not have it yet.
 */
untold?: boolean
}
/**
 * A call that was sold by x402.
 */
export interface X402Sale {
id: string
route: string
price_usdc: Usdc
/**
 * A ledger address: 32 bytes in base58.
 */
payer: string
/**
 * `taken`: recorded, and sent to the ledger or about to be. `paid`: confirmed, and its call can be made again. `begun`: the answer was begun and has not left whole. `served`: it has.
 */
state: ("taken" | "paid" | "begun" | "served")
/**
 * How often the answer was begun.
 */
tries: number
/**
 * The signature of the payment on the ledger; null until it is confirmed.
 */
transaction: (string | null)
timestamp: Time
}
export interface X402SalesQuery {
/**
 * Only payments whose answer has not left whole.
 */
unserved?: boolean
limit?: Limit
/**
 * The `next` of the page before.
 */
before?: string
}
/**
 * Newest first. `next` goes into `before` for the next page. A sale is kept for 90 days.
 */
export interface X402Sales {
sales: X402Sale[]
next: (string | null)
}
/**
 * Something that happened to the money of this agent, final on the ledger. `bounty` is pay for work, `fee` pay for a sold call; details beyond these members are text.
 */
export interface HistoryEntry {
id: string
type: HistoryType
/**
 * Which step it was, such as `lock`, `sweep` or `x402`.
 */
action: string
direction: ("in" | "out" | "none")
/**
 * A decimal string; null where no USDC moved.
 */
amount_usdc: (Usdc | null)
/**
 * Of the ledger transaction, where one is known.
 */
signature: (string | null)
/**
 * The same, under the name that earlier clients read.
 */
txid: (string | null)
/**
 * The other agent or wallet.
 */
counterparty: (string | null)
/**
 * Of a bounty: who paid.
 */
from_agent?: string
conversation_id?: string
/**
 * The plugin that told of it.
 */
source?: string
timestamp: Time
[k: string]: string | number | boolean | null | HistoryType | "in" | "out" | "none" | undefined
}
export interface HistoryQuery {
/**
 * Only entries of this type.
 */
type?: ("swap" | "bounty" | "launchpad" | "escrow" | "transfer" | "lease" | "fee" | "stake")
limit?: Limit
/**
 * The `next` of the page before.
 */
before?: string
}
/**
 * Newest first. `next` goes into `before` for the next page. An entry is kept for 366 days.
 */
export interface HistoryPage {
events: HistoryEntry[]
next: (string | null)
}
/**
 * An entry of the history without its time.
 */
export interface HistoryDraft1 {
type: HistoryType
action: string
direction: ("in" | "out" | "none")
/**
 * Minor units of USDC.
 */
amount: (string | null)
counterparty: (string | null)
conversation?: string
source?: string
details?: {
[k: string]: string | number | boolean | null
}
}
export interface HistoryRecord {
draft: HistoryDraft1
signature: (string | null)
at: number
}
/**
 * How far the events of the settlement program were read.
 */
export interface WatchState {
cursor: (string | null)
/**
 * Parts of the history that nobody could read.
 */
gaps: number
}
/**
 * An accusation that concerns this node: of its own key, or by its own wallet.
 */
export interface AccusationRecord {
/**
 * A ledger address: 32 bytes in base58.
 */
key: string
id: EnvelopeId
epoch: number
index: number
accuser: Address
/**
 * Unix seconds of its block.
 */
at: number
/**
 * When it was made; an ending from before this slot is that of an earlier accusation.
 */
slot?: number
/**
 * `announced`: by this node, and not yet on the ledger.
 */
state: ("announced" | "open" | "answered" | "convicted" | "void")
/**
 * The answer of this node that the ledger confirmed, and how many were undone before.
 */
answer?: {
slot: number
undone: number
}
}
/**
 * How far the leaves of this key's batches were looked through for accusations that no event told of.
 */
export interface LeafSearch {
/**
 * Open accusations when the search began; all of these are found by its end.
 */
open: number
/**
 * The batch that is looked through; newer ones are done. null once all are.
 */
epoch: (number | null)
/**
 * Leaves of that batch that are done.
 */
leaf: number
/**
 * Epochs of batches whose leaves could not be had.
 * 
 * @maxItems 64
 */
unread: number[]
/**
 * Unix milliseconds of its last step.
 */
at: number
}
/**
 * A batch of somebody else that is to be compared with what this node holds.
 */
export interface SuspectBatch {
key: Address
epoch: number
count: number
root: EnvelopeId
/**
 * Unix seconds of its block.
 */
at: number
/**
 * At which its account showed it.
 */
slot?: number
/**
 * Unix milliseconds.
 */
due: number
tries: number
}
/**
 * An agent with a stake.
 */
export interface WatchedAgent {
/**
 * Unix seconds.
 */
since: number
/**
 * Its batches up to this epoch were taken up for examination.
 */
examined?: number
}
export interface AccusationView {
agent_id: AgentId
envelope_id: EnvelopeId
epoch: number
index: number
accuser: Address
accused_at: Time
/**
 * `announced`: by this node, and not yet on the ledger. `void`: given back, because a slash settled its epoch.
 */
state: ("announced" | "open" | "answered" | "convicted" | "void")
}

export interface SchemaTypes {
  'done': Done;
  'exempt-agent-record': ExemptAgentRecord;
  'exempt-query': ExemptQuery;
  'exempt-agents': ExemptAgents;
  'exempt-request': ExemptRequest;
  'exempt-added': ExemptAdded;
  'agent-process-record': AgentProcessRecord;
  'agent-pid': AgentPid;
  'agent-registered': AgentRegistered;
  'agent-reloaded': AgentReloaded;
  'loaded-plugins': LoadedPlugins;
  'shown-settings': ShownSettings;
  'setting-changes': SettingChanges;
  'changed-settings': ChangedSettings;
  'ingest-item': IngestItem;
  'ingest-request': IngestRequest;
  'ingest-result': IngestResult;
  'ingest-reply': IngestReply;
  'version': Version;
  'country': Country;
  'capability': Capability;
  'feedback-outcome': FeedbackOutcome;
  'score': Score;
  'agents-query': AgentsQuery;
  'agent': Agent;
  'agents': Agents;
  'agent-search-query': AgentSearchQuery;
  'near-agent-query': NearAgentQuery;
  'name-search-query': NameSearchQuery;
  'dispute': Dispute;
  'agent-dispute': AgentDispute;
  'agent-profile': AgentProfile;
  'activity-type': ActivityType;
  'activity-event': ActivityEvent;
  'activity-query': ActivityQuery;
  'activity-page': ActivityPage;
  'activity-stream-query': ActivityStreamQuery;
  'leaderboard-query': LeaderboardQuery;
  'network': Network;
  'network-stats': NetworkStats;
  'registry-query': RegistryQuery;
  'registry-entry': RegistryEntry;
  'registry': Registry;
  'interactions-query': InteractionsQuery;
  'agent-interactions-query': AgentInteractionsQuery;
  'interaction': Interaction;
  'interactions': Interactions;
  'stored-agent': StoredAgent;
  'stored-activity': StoredActivity;
  'stored-interaction': StoredInteraction;
  'unhandled-envelope': UnhandledEnvelope;
  'stored-dispute': StoredDispute;
  'stored-nonces': StoredNonces;
  'stored-heard': StoredHeard;
  'reputation-counts': ReputationCounts;
  'stored-standing': StoredStanding;
  'said-mean': SaidMean;
  'agent-host': AgentHost;
  'stored-host': StoredHost;
  'stored-pair': StoredPair;
  'stored-deeds': StoredDeeds;
  'stored-score-change': StoredScoreChange;
  'reputation-points': ReputationPoints;
  'reputation-rater': ReputationRater;
  'stored-explanation': StoredExplanation;
  'stored-score-run': StoredScoreRun;
  'score-as-of': ScoreAsOf;
  'score-version': ScoreVersion;
  'anchors': Anchors;
  'reputation': Reputation;
  'leader': Leader;
  'leaderboard': Leaderboard;
  'stored-deal-row': StoredDealRow;
  'stored-deal': StoredDeal;
  'stored-party': StoredParty;
  'stored-waiting': StoredWaiting;
  'dispute-role': DisputeRole;
  'disputes-query': DisputesQuery;
  'disputes': Disputes;
  'unix-seconds': UnixSeconds;
  'latency-report': LatencyReport;
  'latency-taken': LatencyTaken;
  'round-trip': RoundTrip;
  'latency': Latency;
  'score-trend': ScoreTrend;
  'capabilities-query': CapabilitiesQuery;
  'capability-count': CapabilityCount;
  'capability-counts': CapabilityCounts;
  'counted-capabilities': CountedCapabilities;
  'recounted': Recounted;
  'bounties-query': BountiesQuery;
  'bounty': Bounty;
  'bounties': Bounties;
  'stored-bounty': StoredBounty;
  'stored-open-bounties': StoredOpenBounties;
  'search-query': SearchQuery;
  'found': Found;
  'stored-entropy': StoredEntropy;
  'stored-entropy-tally': StoredEntropyTally;
  'stored-entropy-standing': StoredEntropyStanding;
  'stored-analytics-state': StoredAnalyticsState;
  'stored-analytics-sums': StoredAnalyticsSums;
  'stored-owner-cluster': StoredOwnerCluster;
  'stored-behaviour-clusters': StoredBehaviourClusters;
  'analytics-version': AnalyticsVersion;
  'entropy': Entropy;
  'entropies': Entropies;
  'anomalies': Anomalies;
  'analytics-list-query': AnalyticsListQuery;
  'entropy-history-query': EntropyHistoryQuery;
  'entropy-rolling-query': EntropyRollingQuery;
  'entropy-rolling': EntropyRolling;
  'verifier-concentration': VerifierConcentration;
  'verifier-concentrations': VerifierConcentrations;
  'ownership-cluster': OwnershipCluster;
  'ownership-clusters': OwnershipClusters;
  'ownership-clusters-query': OwnershipClustersQuery;
  'calibrated-parameters': CalibratedParameters;
  'systemic-risk': SystemicRisk;
  'epoch-text': EpochText;
  'nonce-text': NonceText;
  'batch-record': BatchRecord;
  'leaf-chunk': LeafChunk;
  'batch-summary': BatchSummary;
  'batch-proof': BatchProof;
  'blob-cid': BlobCid;
  'uploaded-blob': UploadedBlob;
  'stored-blob': StoredBlob;
  'stored-blob-hold': StoredBlobHold;
  'stored-blob-usage': StoredBlobUsage;
  'agent-id': AgentId;
  'address': Address;
  'conversation-id': ConversationId;
  'envelope-id': EnvelopeId;
  'usdc': Usdc;
  'usdc-micro': UsdcMicro;
  'time': Time;
  'limit': Limit;
  'offset': Offset;
  'problem': Problem;
  'message-type': MessageType;
  'ack-reason': AckReason;
  'flow-sum': FlowSum;
  'flow-bucket': FlowBucket;
  'stored-flow': StoredFlow;
  'flow-side': FlowSide;
  'stored-flow-agent': StoredFlowAgent;
  'stored-flow-link': StoredFlowLink;
  'stored-flow-cluster': StoredFlowCluster;
  'stored-settlement': StoredSettlement;
  'stored-organic': StoredOrganic;
  'stored-organic-totals': StoredOrganicTotals;
  'stored-organic-escrows': StoredOrganicEscrows;
  'organic-figures': OrganicFigures;
  'stored-series': StoredSeries;
  'stored-digest-cursor': StoredDigestCursor;
  'flow-window': FlowWindow;
  'flow-kind': FlowKind;
  'graph-flow-query': GraphFlowQuery;
  'flow-edge': FlowEdge;
  'flow-edges': FlowEdges;
  'graph-clusters-query': GraphClustersQuery;
  'flow-cluster': FlowCluster;
  'flow-clusters': FlowClusters;
  'graph-agent-query': GraphAgentQuery;
  'agent-flow': AgentFlow;
  'timeseries-query': TimeseriesQuery;
  'timeseries-row': TimeseriesRow;
  'timeseries': Timeseries;
  'conversation-query': ConversationQuery;
  'public-conversation': PublicConversation;
  'guide-search': GuideSearch;
  'guide-sections': GuideSections;
  'hosting-heartbeat': HostingHeartbeat;
  'hosting-listed': HostingListed;
  'hosting-nodes-query': HostingNodesQuery;
  'hosting-node': HostingNode;
  'hosting-nodes': HostingNodes;
  'stored-hosting-node': StoredHostingNode;
  'hosted-session': HostedSession;
  'hosted-agents': HostedAgents;
  'hosted-token': HostedToken;
  'hosted-registered': HostedRegistered;
  'hosted-registration': HostedRegistration;
  'hosted-move': HostedMove;
  'move-notice': MoveNotice;
  'hosted-line': HostedLine;
  'hosted-statement': HostedStatement;
  'hosted-removal-query': HostedRemovalQuery;
  'hosted-statement-query': HostedStatementQuery;
  'hosted-agents-query': HostedAgentsQuery;
  'hosted-movement': HostedMovement;
  'hosted-pong': HostedPong;
  'hosted-send-request': HostedSendRequest;
  'rpc-faults': RpcFaults;
  'rpc-fault-view': RpcFaultView;
  'rpc-fault-slots': RpcFaultSlots;
  'rpc-fault-rule': RpcFaultRule;
  'portfolio-caps': PortfolioCaps;
  'caps-query': CapsQuery;
  'cap-use': CapUse;
  'spending': Spending;
  'plugin-payment': PluginPayment;
  'spending-window': SpendingWindow;
  'identity': Identity;
  'lease-status': LeaseStatus;
  'peer': Peer;
  'aggregators': Aggregators;
  'peers-query': PeersQuery;
  'peers': Peers;
  'message-name': MessageName;
  'sealed-wish': SealedWish;
  'send-request': SendRequest;
  'topic-name': TopicName;
  'topics': Topics;
  'sent-status': SentStatus;
  'message-request': MessageRequest;
  'sent': Sent;
  'envelope-trace': EnvelopeTrace;
  'amount': Amount;
  'propose-request': ProposeRequest;
  'counter-request': CounterRequest;
  'accept-request': AcceptRequest;
  'reject-request': RejectRequest;
  'dispute-request': DisputeRequest;
  'bounty-request': BountyRequest;
  'advertise-request': AdvertiseRequest;
  'capabilities': Capabilities;
  'price-range-usd': PriceRangeUsd;
  'advertisement': Advertisement;
  'introduction': Introduction;
  'deliver-request': DeliverRequest;
  'feedback-request': FeedbackRequest;
  'deal-step': DealStep;
  'escrow-lock-request': EscrowLockRequest;
  'escrow-dispute-request': EscrowDisputeRequest;
  'escrow-contest-request': EscrowContestRequest;
  'escrow-payee-request': EscrowPayeeRequest;
  'escrow-request': EscrowRequest;
  'escrow-step': EscrowStep;
  'escrow-view': EscrowView;
  'deal-state': DealState;
  'deal-risk': DealRisk;
  'deal-view': DealView;
  'deals-query': DealsQuery;
  'deals-page': DealsPage;
  'inbox-query': InboxQuery;
  'topics-query': TopicsQuery;
  'inbox-stream-frame': InboxStreamFrame;
  'inbox-opening': InboxOpening;
  'feedback-view': FeedbackView;
  'inbox-frame': InboxFrame;
  'inbox-page-query': InboxPageQuery;
  'inbox-page': InboxPage;
  'inbox-ack': InboxAck;
  'node-event': NodeEvent;
  'portfolio-balances': PortfolioBalances;
  'notary-case': NotaryCase;
  'notary-case-id': NotaryCaseId;
  'notarize-bid-request': NotarizeBidRequest;
  'notarize-assign-request': NotarizeAssignRequest;
  'verdict-outcome': VerdictOutcome;
  'verdict-words': VerdictWords;
  'verdict-request': VerdictRequest;
  'notarize-decide-request': NotarizeDecideRequest;
  'verdict-view': VerdictView;
  'notary-case-view': NotaryCaseView;
  'notary-cases-query': NotaryCasesQuery;
  'notary-cases': NotaryCases;
  'owner-wish': OwnerWish;
  'owner-view': OwnerView;
  'stored-proposal': StoredProposal;
  'propose-payload': ProposePayload;
  'counter-payload': CounterPayload;
  'accept-payload': AcceptPayload;
  'reject-payload': RejectPayload;
  'deliver-payload': DeliverPayload;
  'notarize-bid-payload': NotarizeBidPayload;
  'notarize-assign-payload': NotarizeAssignPayload;
  'verdict-payload': VerdictPayload;
  'feedback-payload': FeedbackPayload;
  'dispute-payload': DisputePayload;
  'beacon-payload': BeaconPayload;
  'hosted-claim': HostedClaim;
  'succession': Succession;
  'advertise-payload': AdvertisePayload;
  'capability-proof': CapabilityProof;
  'discover-payload': DiscoverPayload;
  'broadcast-payload': BroadcastPayload;
  'bounty-payload': BountyPayload;
  'message-payload': MessagePayload;
  'deadline-secs': DeadlineSecs;
  'review-secs': ReviewSecs;
  'escrow-wanted': EscrowWanted;
  'dispute-bps': DisputeBps;
  'bond': Bond;
  'acceptance': Acceptance;
  'hash-or-none': HashOrNone;
  'hash-hex': HashHex;
  'opaque-b64': OpaqueB64;
  'mesh-url': MeshUrl;
  'uint32': Uint32;
  'settings': Settings;
  'push-provider': PushProvider;
  'push-register-request': PushRegisterRequest;
  'push-registration': PushRegistration;
  'sleep-request': SleepRequest;
  'sleep-state': SleepState;
  'sleep-answer': SleepAnswer;
  'pending-query': PendingQuery;
  'pending-message': PendingMessage;
  'pending-messages': PendingMessages;
  'pending-request': PendingRequest;
  'pending-held': PendingHeld;
  'stored-sleeper': StoredSleeper;
  'stored-device': StoredDevice;
  'stored-mailbox': StoredMailbox;
  'stored-wake': StoredWake;
  'nonce-state': NonceState;
  'taint': Taint;
  'outbox-entry': OutboxEntry;
  'hop': Hop;
  'replay-mark': ReplayMark;
  'nonce-conflict': NonceConflict;
  'inbox-record': InboxRecord;
  'inbox-state': InboxState;
  'advertisement-record': AdvertisementRecord;
  'kept-blob': KeptBlob;
  'plugin-blob': PluginBlob;
  'plugin-blob-usage': PluginBlobUsage;
  'expected-blob': ExpectedBlob;
  'topic-subscriptions': TopicSubscriptions;
  'local-agent-record': LocalAgentRecord;
  'known-host': KnownHost;
  'peer-record': PeerRecord;
  'deal-payment': DealPayment;
  'recorded-transaction': RecordedTransaction;
  'money-step': MoneyStep;
  'early-payment': EarlyPayment;
  'payment-cursor': PaymentCursor;
  'deal-document': DealDocument;
  'late-report': LateReport;
  'report': Report;
  'call-record': CallRecord;
  'used-credential': UsedCredential;
  'rating-tally': RatingTally;
  'rating-counted': RatingCounted;
  'ratings-with': RatingsWith;
  'own-experience': OwnExperience;
  'aggregator-word': AggregatorWord;
  'reputation-decay': ReputationDecay;
  'reputation-vector': ReputationVector;
  'ledger-signature': LedgerSignature;
  'stored-ledger-position': StoredLedgerPosition;
  'stored-ledger-event': StoredLedgerEvent;
  'stored-stake': StoredStake;
  'stored-escrow': StoredEscrow;
  'stored-owner-link': StoredOwnerLink;
  'stored-link-budget': StoredLinkBudget;
  'stored-leaf-list': StoredLeafList;
  'stored-accusation': StoredAccusation;
  'ledger-event': LedgerEvent;
  'ledger-events': LedgerEvents;
  'ledger-events-query': LedgerEventsQuery;
  'ledger-stream-query': LedgerStreamQuery;
  'ledger-status': LedgerStatus;
  'escrow-state': EscrowState;
  'escrow': Escrow;
  'escrows': Escrows;
  'escrows-query': EscrowsQuery;
  'stake-required': StakeRequired;
  'agent-stake': AgentStake;
  'owner-proposal': OwnerProposal;
  'owner-claim': OwnerClaim;
  'owner-status': OwnerStatus;
  'owner-summary': OwnerSummary;
  'owner-summaries': OwnerSummaries;
  'leaf-list': LeafList;
  'leaf-list-query': LeafListQuery;
  'epoch-envelope': EpochEnvelope;
  'epoch-envelopes': EpochEnvelopes;
  'epoch-envelopes-query': EpochEnvelopesQuery;
  'stake-view': StakeView;
  'stake-request': StakeRequest;
  'stake-done': StakeDone;
  'lease-view': LeaseView;
  'lease-payment-view': LeasePaymentView;
  'lease-pay-request': LeasePayRequest;
  'lease-payment': LeasePayment;
  'payment-count': PaymentCount;
  'stake-payment': StakePayment;
  'lease-state': LeaseState;
  'sweep-request': SweepRequest;
  'sweep': Sweep;
  'sweep-record': SweepRecord;
  'x402-pay-request': X402PayRequest;
  'x402-offer': X402Offer;
  'x402-choice': X402Choice;
  'x402-payment-id': X402PaymentId;
  'x402-payment': X402Payment;
  'x402-record': X402Record;
  'x402-header': X402Header;
  'x402-sale-record': X402SaleRecord;
  'x402-sale': X402Sale;
  'x402-sales-query': X402SalesQuery;
  'x402-sales': X402Sales;
  'history-type': HistoryType;
  'history-entry': HistoryEntry;
  'history-query': HistoryQuery;
  'history-page': HistoryPage;
  'history-draft': HistoryDraft;
  'history-record': HistoryRecord;
  'watch-state': WatchState;
  'accusation-record': AccusationRecord;
  'leaf-search': LeafSearch;
  'suspect-batch': SuspectBatch;
  'watched-agent': WatchedAgent;
  'accusation-view': AccusationView;
  'accusations': Accusations;
}

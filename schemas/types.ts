// Generated from schemas/*.json by `npm run schemas`. Do not edit.
/**
 * An agent: 32 bytes. Base58 in answers; base58 or 64 hex digits in requests.
 */
export type AgentId = string
/**
 * A ledger address: 32 bytes in base58.
 */
export type Address = string
/**
 * A conversation: 16 bytes as 32 hex digits, lower case in answers.
 */
export type ConversationId = string
/**
 * An envelope: the keccak-256 of its header, 64 hex digits.
 */
export type EnvelopeId = string
/**
 * A USDC amount as a decimal string with at most six decimals.
 */
export type Usdc = string
/**
 * A USDC amount in minor units (1 USDC is 1 000 000); a string of digits above 2^53.
 */
export type UsdcMicro = (number | string)
/**
 * A moment in UTC, ISO 8601.
 */
export type Time = string
/**
 * How many elements to return.
 */
export type Limit = number
/**
 * How many elements to pass over.
 */
export type Offset = number
/**
 * 1 on the public network, 2 elsewhere.
 */
export type EnvelopeVersion = (1 | 2)
/**
 * What kind of message it is.
 */
export type MessageType = ("ADVERTISE" | "DISCOVER" | "PROPOSE" | "COUNTER" | "ACCEPT" | "REJECT" | "DELIVER" | "NOTARIZE_BID" | "NOTARIZE_ASSIGN" | "VERDICT" | "FEEDBACK" | "DISPUTE" | "BEACON" | "BROADCAST" | "BOUNTY")
/**
 * A moment in UTC with six decimals, ISO 8601.
 */
export type TimeMicros = string
export type Uint53 = number
/**
 * The 64 bytes of an Ed25519 signature.
 */
export type SignatureB64 = string
/**
 * 32 bytes as hex digits.
 */
export type HashHex = string
/**
 * What became of an envelope at its receiver.
 */
export type AckReason = ("accepted" | "duplicate" | "conflict" | "invalid" | "blocked" | "rate-limited" | "restricted" | "expired")
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
 * The provider's share, in basis points, of a disputed escrow that nobody decides; 5 000 when left out.
 */
export type DisputeBps = number
/**
 * Bytes whose meaning the two sides know.
 */
export type OpaqueB64 = string
export type Uint32 = number
/**
 * A ws or wss URL.
 */
export type MeshUrl = string

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
 * What is wrong with which field.
 */
fields?: {
pointer: string
message: string
}[]
}
/**
 * A signed message between agents.
 */
export interface EnvelopeJson {
id: EnvelopeId
version: EnvelopeVersion
msg_type: MessageType
/**
 * Whether the payload is encrypted to the recipient.
 */
sealed: boolean
/**
 * The key that signed.
 */
sender: string
/**
 * The recipient's key; null for broadcasts.
 */
recipient: (AgentId | null)
timestamp: TimeMicros
/**
 * The ledger slot the sender knew.
 */
block_ref: number
nonce: Uint53
conversation_id: ConversationId
/**
 * Keccak-256 of salt and payload.
 */
payload_hash: string
/**
 * Bytes of salt and payload.
 */
payload_len: number
/**
 * The 16 bytes in front of the payload, if any, in hex.
 */
salt?: string
/**
 * The payload without its salt.
 */
payload_b64: string
signature_b64: SignatureB64
}
/**
 * Proof that an envelope was sent, without its payload.
 */
export interface ReceiptJson {
id: EnvelopeId
version: 2
msg_type: MessageType
sealed: boolean
sender: AgentId
recipient: (AgentId | null)
timestamp: TimeMicros
block_ref: Uint53
nonce: Uint53
conversation_id: ConversationId
payload_hash: HashHex
payload_len: Uint53
signature_b64: SignatureB64
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
 * What is wanted, at most 4096 bytes.
 */
message: string
token_mint?: Address
/**
 * A payment already made.
 */
payment_tx?: string
payment_usd_micro?: UsdcMicro
total_price_usd_micro?: UsdcMicro
expires_at?: Time
deadline_secs?: DeadlineSecs
review_secs?: ReviewSecs
escrow?: EscrowWanted
notary?: AgentId
dispute_bps?: DisputeBps
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
dispute_bps?: DisputeBps
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
 * VERDICT: what the notary, or the requester, decides about a delivery.
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
 * What is rated: 0 a participant, 1 a notary.
 */
role: (0 | 1)
}
/**
 * DISPUTE: says that a delivery is not what was agreed.
 */
export interface DisputePayload {
reason: string
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
 * Why others should believe that an agent can do something.
 */
export interface CapabilityProof {
capability: string
proof_type: ("benchmark" | "live" | "human-delegated")
benchmark_id?: string
input_hash?: HashHex
output_hash?: HashHex
signature?: string
/**
 * Microseconds.
 */
timestamp?: number
attestation_url?: string
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

export interface SchemaTypes {
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
  'envelope-json': EnvelopeJson;
  'receipt-json': ReceiptJson;
  'message-type': MessageType;
  'envelope-version': EnvelopeVersion;
  'time-micros': TimeMicros;
  'uint53': Uint53;
  'signature-b64': SignatureB64;
  'ack-reason': AckReason;
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
  'advertise-payload': AdvertisePayload;
  'capability-proof': CapabilityProof;
  'discover-payload': DiscoverPayload;
  'broadcast-payload': BroadcastPayload;
  'bounty-payload': BountyPayload;
  'deadline-secs': DeadlineSecs;
  'review-secs': ReviewSecs;
  'escrow-wanted': EscrowWanted;
  'dispute-bps': DisputeBps;
  'hash-hex': HashHex;
  'opaque-b64': OpaqueB64;
  'mesh-url': MeshUrl;
  'uint32': Uint32;
}

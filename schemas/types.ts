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
[k: string]: unknown
}
agent?: {
name?: string
[k: string]: unknown
}
mesh?: {
/**
 * Base URLs of the aggregators this node reports to and meets others through.
 * 
 * @maxItems 16
 */
aggregators?: string[]
/**
 * Base URLs of servers that relay for this node when it cannot be reached.
 * 
 * @maxItems 16
 */
relays?: string[]
[k: string]: unknown
}
/**
 * The storage adapter and what it needs.
 */
storage?: {
use?: string
[k: string]: unknown
}
/**
 * The ledger adapter and what it needs.
 */
ledger?: {
use?: string
rpcUrl?: string
[k: string]: unknown
}
api?: {
/**
 * The Bearer value of everything that changes something; made at first start when absent.
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
 * Origins of web pages that may call this API; * for every page.
 * 
 * @maxItems 64
 */
corsOrigins?: string[]
/**
 * How many reverse proxies stand in front; their X-Forwarded-For is believed.
 */
trustProxy?: number
/**
 * Calls one address may make per window of seconds, over all routes.
 */
limit?: {
rate: number
window: number
}
/**
 * WebSockets one address may hold open at once.
 */
socketsPerIp?: number
}
log?: {
level?: ("debug" | "info" | "warn" | "error" | "silent")
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
[k: string]: {
/**
 * false leaves it out.
 */
enabled?: boolean
/**
 * true: when it fails, the node starts without it and says so.
 */
optional?: boolean
}
}
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
  'settings': Settings;
}

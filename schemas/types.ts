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
}

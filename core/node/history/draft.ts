import { invalidField } from '../../contracts/errors.ts';
import { MAX_USDC } from '../../platform/usdc.ts';
import type { MoneyEvent } from '../../services.ts';
import type { HistoryDraft } from './entries.ts';

const TYPES = ['swap', 'bounty', 'launchpad', 'escrow', 'transfer', 'lease', 'fee', 'stake'];
const DIRECTIONS = ['in', 'out', 'none'];
const NAME = /^[a-z][a-z0-9-]{0,63}$/;
const MEMBER = /^[a-z][a-z0-9_]{0,63}$/;
/** Members that every entry has, or that the node fills in. */
const TAKEN =
  /^(id|type|action|direction|amount_usdc|signature|txid|counterparty|from_agent|conversation_id|source|timestamp)$/;
const MAX_DETAILS = 16;
const MAX_TEXT = 256;

/** Checks an entry that a plugin writes about its own doings; throws `invalid_request`. */
export function draftOf(event: Omit<MoneyEvent, 'key'>): HistoryDraft {
  if (typeof event !== 'object' || event === null) throw invalidField('', 'must be an event');
  const { type, action, direction = 'none', amount, signature, counterparty, conversationId, details } = event;
  if (!TYPES.includes(type)) throw invalidField('/type', `must be one of ${TYPES.join(', ')}`);
  if (typeof action !== 'string' || !NAME.test(action)) throw invalidField('/action', 'must be kebab-case');
  if (!DIRECTIONS.includes(direction)) throw invalidField('/direction', `must be one of ${DIRECTIONS.join(', ')}`);
  if (amount !== undefined && (typeof amount !== 'bigint' || amount < 0n || amount > MAX_USDC))
    throw invalidField('/amount', 'must be a bigint of minor units, from 0n to 2^63 - 1');
  if (amount === undefined && direction !== 'none') throw invalidField('/amount', 'is needed where USDC moved');
  for (const [name, text] of Object.entries({ signature, counterparty, conversationId }))
    if (text !== undefined && !isText(text)) throw invalidField(`/${name}`, `must be text, at most ${MAX_TEXT} long`);
  return {
    ...{ type, action, direction },
    amount: amount?.toString() ?? null,
    counterparty: counterparty ?? null,
    ...(conversationId !== undefined && { conversation: conversationId }),
    ...(details !== undefined && { details: detailsOf(details) }),
  };
}

function detailsOf(given: NonNullable<MoneyEvent['details']>): NonNullable<HistoryDraft['details']> {
  if (typeof given !== 'object' || given === null) throw invalidField('/details', 'must be an object');
  const members = Object.entries(given);
  if (members.length > MAX_DETAILS) throw invalidField('/details', `has at most ${MAX_DETAILS} members`);
  for (const [name, value] of members) {
    if (!MEMBER.test(name) || TAKEN.test(name))
      throw invalidField('/details', `cannot have the member ${name.slice(0, 64)}`);
    const fits =
      value === null ||
      typeof value === 'boolean' ||
      isText(value) ||
      (typeof value === 'number' && Number.isFinite(value));
    if (!fits)
      throw invalidField(`/details/${name}`, `must be a number, a boolean, null or text of at most ${MAX_TEXT}`);
  }
  return Object.fromEntries(members);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT;
}

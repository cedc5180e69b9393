import { isZero } from '../../platform/bytes.ts';
import type { Network } from '../identity/network.ts';
import { isForgeable } from '../identity/points.ts';
import type { Header } from './envelope.ts';
import { epochOf, epochOfNonce, seqOfNonce } from './epochs.ts';
import { isBroadcast } from './message-types.ts';
import { hasPublicPart } from './public-part.ts';

/** `detail` is for logs; only the reason goes on the wire. */
export type HeaderCheck =
  | { readonly reason: 'accepted' }
  | { readonly reason: 'invalid' | 'expired'; readonly detail: string };

export interface HeaderCheckContext {
  readonly network: Network;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Whether a bilateral envelope to this key is for us: the node's own key, a hosted agent, a mailbox we keep. */
  isRecipient(key: Uint8Array): boolean;
  /** Whether it came from somebody other than its sender: a hub may take its time with broadcasts. */
  readonly forwarded: boolean;
}

/** How far ahead of ours a sender's clock may be. */
export const MAX_AHEAD_SECS = 30;
/** How old a broadcast may be: from its sender, and by way of hubs. */
export const MAX_BROADCAST_AGE_SECS = 30;
export const MAX_FORWARDED_AGE_SECS = 120;
/** How many epochs old anything else may be, on any path. Replay marks live as long. */
export const MAX_AGE_EPOCHS = 4;

const MICROS = 1_000_000;

/**
 * The checks that need nothing but the header and a clock, in the order of the protocol: version, recipient, time and
 * epoch. The checks for duplicates, payload hash, signature, rate, payload schema and gate follow them.
 */
export function checkHeader(header: Header, context: HeaderCheckContext): HeaderCheck {
  const { network } = context;
  if (header.version !== network.version)
    return invalid(`version ${header.version} on a network of ${network.version}`);
  if (isForgeable(header.sender)) return invalid('anybody can sign for this sender');
  if (hasPublicPart(header) && isZero(header.conversationId)) return invalid('no conversation');
  const addressed = checkRecipient(header, context);
  if (addressed.reason !== 'accepted') return addressed;
  const timely = checkTime(header, context);
  if (timely.reason !== 'accepted') return timely;
  return network.version === 2 ? checkNonce(header, network) : ACCEPTED;
}

const ACCEPTED = { reason: 'accepted' } as const;

function checkRecipient(header: Header, context: HeaderCheckContext): HeaderCheck {
  const open = isZero(header.recipient);
  if (isBroadcast(header.msgType)) return open ? ACCEPTED : invalid('a broadcast with a recipient');
  if (open) return invalid('no recipient');
  if (isForgeable(header.recipient)) return invalid('anybody can sign for this recipient');
  if (isZero(header.conversationId)) return invalid('no conversation');
  return context.isRecipient(header.recipient) ? ACCEPTED : invalid('addressed to somebody else');
}

function checkTime(header: Header, { network, now, forwarded }: HeaderCheckContext): HeaderCheck {
  const age = now * 1000 - header.timestamp;
  if (-age > MAX_AHEAD_SECS * MICROS) return invalid('from the future');
  const broadcastAge = forwarded ? MAX_FORWARDED_AGE_SECS : MAX_BROADCAST_AGE_SECS;
  const limit = isBroadcast(header.msgType) ? broadcastAge : MAX_AGE_EPOCHS * network.epochSecs;
  return age > limit * MICROS ? { reason: 'expired', detail: 'too old' } : ACCEPTED;
}

function checkNonce(header: Header, network: Network): HeaderCheck {
  if (epochOfNonce(header.nonce) !== epochOf(header.timestamp, network.epochSecs)) {
    return invalid('the nonce is of another epoch than the timestamp');
  }
  return seqOfNonce(header.nonce) === 0 ? invalid('sequence number 0') : ACCEPTED;
}

function invalid(detail: string): HeaderCheck {
  return { reason: 'invalid', detail };
}

import type { EnvelopeVersion } from '../identity/network.ts';

/**
 * A message type: how it travels and what an aggregator is told of it.
 *
 * - `broadcast` goes to everybody, carries a zero recipient and a public payload; its `topic` is what nodes subscribe
 *   to (`named`: the topic is in the payload). `bilateral` goes to one agent.
 * - `report`: `whole` envelopes are public; of the others an aggregator gets receipts.
 */
export type MessageType = {
  readonly name: string;
  /** 15 bits. The 16th is the sealed flag of the wire. */
  readonly code: number;
  readonly report: 'whole' | 'receipt';
  /** The first envelope version that has it; 1 unless said otherwise. */
  readonly since?: EnvelopeVersion;
} & (
  | { readonly route: 'broadcast'; readonly topic: 'broadcast' | 'notary' | 'reputation' | 'named' }
  | { readonly route: 'bilateral' }
);

const broadcast = { route: 'broadcast', report: 'whole', topic: 'broadcast' } as const;
const notary = { ...broadcast, topic: 'notary' } as const;
const reputation = { ...broadcast, topic: 'reputation' } as const;
const named = { ...broadcast, topic: 'named' } as const;
const told = { route: 'bilateral', report: 'receipt' } as const;
const shown = { route: 'bilateral', report: 'whole' } as const;

export const MESSAGE_TYPES = [
  { name: 'ADVERTISE', code: 0x01, ...broadcast },
  { name: 'DISCOVER', code: 0x02, ...broadcast },
  { name: 'PROPOSE', code: 0x03, ...told },
  { name: 'COUNTER', code: 0x04, ...told },
  { name: 'ACCEPT', code: 0x05, ...told },
  { name: 'REJECT', code: 0x06, ...told },
  { name: 'DELIVER', code: 0x07, ...told },
  { name: 'NOTARIZE_BID', code: 0x08, ...notary },
  { name: 'NOTARIZE_ASSIGN', code: 0x09, ...shown },
  { name: 'VERDICT', code: 0x0a, ...shown },
  { name: 'FEEDBACK', code: 0x0b, ...reputation },
  { name: 'DISPUTE', code: 0x0c, ...shown },
  { name: 'BEACON', code: 0x0d, ...broadcast },
  { name: 'BROADCAST', code: 0x0e, ...named },
  { name: 'BOUNTY', code: 0x0f, ...broadcast },
  { name: 'MESSAGE', code: 0x10, ...told, since: 2 },
] as const satisfies readonly MessageType[];

export type MessageName = (typeof MESSAGE_TYPES)[number]['name'];

const byName = new Map<string, MessageType>(MESSAGE_TYPES.map((type) => [type.name, type]));
const byCode = new Map<number, MessageType & { readonly name: MessageName }>(
  MESSAGE_TYPES.map((type) => [type.code, type]),
);

export function messageType(name: MessageName): MessageType {
  return byName.get(name)!;
}

export function messageTypeOfCode(code: number): (MessageType & { readonly name: MessageName }) | undefined {
  return byCode.get(code);
}

/** The name in upper case, as a client may write it in either; undefined when there is no such type. */
export function parseMessageName(text: string): MessageName | undefined {
  const name = text.length > 32 ? '' : text.toUpperCase();
  return byName.has(name) ? (name as MessageName) : undefined;
}

/** Whether envelopes of this version can be of this type. */
export function isSpoken(name: MessageName, version: EnvelopeVersion): boolean {
  return (messageType(name).since ?? 1) <= version;
}

/** Whether it is between two agents: aggregators get a receipt of it, and it may be sealed. */
export function isPrivate(name: MessageName): boolean {
  return messageType(name).report === 'receipt';
}

export function isBroadcast(name: MessageName): boolean {
  return messageType(name).route === 'broadcast';
}

import { invalidField, type MeshError } from '../contracts/errors.ts';
import type { RateLimiter } from '../http/limits.ts';
import type { Messages as AgentMessages, Sent } from '../messaging/messages.ts';
import type { Draft } from '../messaging/outgoing.ts';
import { outbox } from '../messaging/records.ts';
import type { Random } from '../platform/clock.ts';
import { isBroadcast, isSpoken } from '../protocol/envelopes/message-types.ts';
import { formatConversationId, parseConversationId } from '../protocol/identity/ids.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { AgentIdentity } from '../protocol/signer/identity.ts';
import type { Messages, Sayings, SendOptions, SentMessage } from '../services.ts';
import type { Space } from '../storage/space.ts';
import { agentOf, conversationOf, conversationOfMessage } from './requests/addresses.ts';
import { checkTopic, parsePayload } from './requests/payloads.ts';

const OPERATION = /^[\x20-\x7e]{1,64}$/;
const ID = /^[0-9a-f]{64}$/i;
const SAYINGS: Readonly<Record<keyof Sayings, true>> = {
  ...{ MESSAGE: true, ADVERTISE: true, DISCOVER: true, BROADCAST: true, BOUNTY: true },
  ...{ NOTARIZE_BID: true, NOTARIZE_ASSIGN: true },
};

/** An agent that says something, with its outbox. */
export interface SayingAgent {
  readonly messages: AgentMessages;
  readonly space: Space;
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly random: Random;
}

/** Sends for plugins what is no step of a deal, through the same outbox as everything else; of each plugin as many as `limiter` allows. */
export function sayingsOf(
  { messages, space, identity, network, random }: SayingAgent,
  limiter: RateLimiter,
): (plugin: string) => Messages {
  async function send<N extends keyof Sayings>(
    plugin: string,
    type: N,
    said: Sayings[N],
    { recipient, conversationId: named, sealed, operationId }: SendOptions = {},
  ): Promise<SentMessage> {
    if (!Object.hasOwn(SAYINGS, type) || !isSpoken(type, network.version)) throw unsendable(type);
    const operation = operationOf(plugin, operationId);
    if (named !== undefined && !parseConversationId(named))
      throw invalidField('/conversationId', 'is no conversation id: 32 hex digits');
    limiter.take(plugin);
    const fresh = formatConversationId(conversationOf(named, random));
    const whole = type === 'BOUNTY' ? { ...said, conversation_id: fresh } : said;
    const { bytes, typed } = parsePayload(type, network.version, whole, identity.key);
    checkTopic(typed);
    const conversationId = conversationOfMessage(type === 'BOUNTY' ? fresh : named, typed, random);
    const head: Draft = { msgType: type, conversationId, body: bytes, sealed };
    const draft = recipient === undefined ? head : { ...head, recipient: recipientOf(type, recipient) };
    return sentMessage(await messages.send(draft, undefined, operation));
  }

  return (plugin) => ({
    send: (...given) => send(plugin, ...given),
    status: async (id) => (ID.test(id) ? (await space.get(outbox.ref(id.toLowerCase())))?.status : undefined),
  });
}

/** The operation of core that a plugin's own one is. */
export function operationOf(plugin: string, operationId: string | undefined): string | undefined {
  if (operationId === undefined) return undefined;
  if (!OPERATION.test(operationId)) throw invalidField('/operationId', 'must have 1 to 64 printable characters');
  return `plugin/${plugin}/${operationId}`;
}

/** A sent envelope as plugins read it. */
export function sentMessage({ envelope_id, conversation_id, nonce, payload_hash, status }: Sent): SentMessage {
  return { id: envelope_id, conversationId: conversation_id, nonce, payloadHash: payload_hash, status };
}

function recipientOf(type: keyof Sayings, recipient: string): Uint8Array {
  if (isBroadcast(type)) throw invalidField('/recipient', `cannot be given: a ${type} goes to everybody`);
  return agentOf(recipient, '/recipient');
}

function unsendable(type: string): MeshError {
  const types = Object.keys(SAYINGS).join(', ');
  return invalidField('/type', `is nothing that a plugin sends: ${type.slice(0, 32)}. It is one of ${types}`);
}

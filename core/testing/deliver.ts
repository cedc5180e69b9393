import { setTimeout } from 'node:timers/promises';
import { Ingest, SPACE } from '../aggregator/providers.ts';
import { unhandled } from '../aggregator/store/logs.ts';
import { EnvelopeHandlers, Identity, MeshInbound, Network, Store } from '../internal-services.ts';
import { bodyToSign } from '../messaging/seal-rule.ts';
import { deals } from '../node/deals/deal-document.ts';
import { publicPart, publicPartFor } from '../node/deals/public-part.ts';
import { conversationOfMessage } from '../node/requests/addresses.ts';
import { InboxService } from '../node/services/inbox.ts';
import { NodeSpace } from '../node/services/messaging.ts';
import type { MessageName, Payloads, Profile, Token } from '../plugin.ts';
import type { AckReason } from '../protocol/envelopes/ack.ts';
import { buildEnvelope } from '../protocol/envelopes/build.ts';
import { encodeEnvelope } from '../protocol/envelopes/codec.ts';
import { SALT_LENGTH } from '../protocol/envelopes/envelope.ts';
import { epochOf, nonceOf } from '../protocol/envelopes/epochs.ts';
import { envelopeId } from '../protocol/envelopes/header.ts';
import { isBroadcast } from '../protocol/envelopes/message-types.ts';
import { codecOf } from '../protocol/envelopes/payloads/codecs.ts';
import type { TypedPayload } from '../protocol/envelopes/payloads/payloads.ts';
import { hasPublicPart, type PublicPart } from '../protocol/envelopes/public-part.ts';
import { topicOf } from '../protocol/envelopes/topics.ts';
import { formatConversationId, formatEnvelopeId } from '../protocol/identity/ids.ts';
import { Clock, Random } from '../services.ts';
import type { TestAgent } from './test-agent.ts';

export interface DeliverOptions {
  /** 32 hex digits; the one that the payload names, else a fresh one, unless given. */
  readonly conversationId?: string;
  /** Encrypted to the node; private types only. */
  readonly sealed?: boolean;
}

export interface Delivered {
  readonly id: string;
  readonly conversationId: string;
  /** The answer of the node: `accepted`, or the reason why it takes nothing. */
  readonly status: AckReason;
}

type Get = <T>(token: Token<T>) => T;

const REMOTE = '127.0.0.1';
const LOOK = 5;
/** Real milliseconds; handlers are given up earlier. */
const MOST_WAIT = 35_000;

let sequence = 0;

/** Signs an envelope of the agent and hands it to the node as the mesh, or for what goes to others a report, would. */
export async function deliver<N extends MessageName>(
  get: Get,
  profile: Profile,
  agent: TestAgent,
  type: N,
  payload: Payloads[N],
  { conversationId: named, sealed = false }: DeliverOptions = {},
): Promise<Delivered> {
  const [network, random] = [get(Network), get(Random)];
  const { identity } = agent;
  const typed = { msgType: type, value: payload } as TypedPayload;
  const conversation = conversationOfMessage(named, typed, random);
  const conversationId = formatConversationId(conversation);
  const timestamp = get(Clock).now() * 1_000;
  sequence += 1;
  const to = isBroadcast(type) ? {} : { recipient: get(Identity).key };
  const body = codecOf(type, network.version).encode(payload, identity.key);
  const shown = hasPublicPart({ version: network.version, msgType: type });
  const envelope = buildEnvelope(
    {
      ...to,
      msgType: type,
      timestamp,
      blockRef: 0,
      nonce: nonceOf(epochOf(timestamp, network.epochSecs), sequence),
      conversationId: conversation,
      body: bodyToSign({ msgType: type, conversationId: conversation, body, sealed, ...to }, identity.key, random),
      sealed,
      salt: random.bytes(SALT_LENGTH),
      ...(shown && { publicPart: await shownOf(get, profile, typed, conversationId, identity) }),
    },
    identity,
    network,
  );
  const id = formatEnvelopeId(envelopeId(envelope));
  const status = await taken();
  if (status === 'accepted' && get(EnvelopeHandlers).handles(type)) await handled(get, profile);
  return { id, conversationId, status };

  async function taken(): Promise<AckReason> {
    const bytes = encodeEnvelope(envelope);
    if (profile === 'aggregator' && !isBroadcast(type)) {
      const [result] = await get(Ingest)([{ kind: 'envelope', bytes }], { ip: REMOTE });
      return result!.status;
    }
    const topic = topicOf(envelope);
    const from = { key: identity.key, remote: REMOTE, ...(topic !== undefined && { topic }) };
    const answer = await get(MeshInbound).receive(bytes, from, isBroadcast(type) ? 'broadcast' : 'direct');
    return typeof answer === 'string' ? answer : answer.reason;
  }
}

/** The public part of a deal message, by the deal of the node; on an aggregator its sender pays, and answers nothing. */
async function shownOf(
  get: Get,
  profile: Profile,
  payload: TypedPayload,
  conversation: string,
  { key, address }: Identity,
): Promise<PublicPart> {
  if (profile === 'aggregator') return publicPart(address, undefined);
  const { value } = await get(NodeSpace).tx([deals.ref(conversation)], publicPartFor(payload, conversation, key));
  return value;
}

/** Waits until the handlers are done with everything that is kept for them. */
async function handled(get: Get, profile: Profile): Promise<void> {
  const isDone = profile === 'node' ? nodeIsDone(get(InboxService)) : aggregatorIsDone(get(Store));
  for (const end = performance.now() + MOST_WAIT; performance.now() < end; await setTimeout(LOOK))
    if (await isDone()) return;
}

function nodeIsDone(inbox: InboxService): () => boolean {
  const { newest } = inbox;
  return () => (inbox.handled ?? newest) >= newest;
}

function aggregatorIsDone(store: Store): () => Promise<boolean> {
  return async () => (await store.space(SPACE).page(unhandled, { limit: 1 })).length === 0;
}

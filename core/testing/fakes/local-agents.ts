import { createHash } from 'node:crypto';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import { payloadJson } from '../../protocol/envelopes/payloads/codec.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { agentSigner } from '../../protocol/signer/agent-signer.ts';
import type { InboxMessage, LocalAgent, LocalAgents } from '../../services.ts';
import { type FakeDeals, fakeDeals } from './deals.ts';
import { FakeInbox } from './inbox.ts';
import { FakeMessages } from './messages.ts';

type InboxFrame = SchemaTypes['inbox-frame'];

const AGREES: readonly string[] = ['PROPOSE', 'COUNTER', 'ACCEPT'];

/** One agent that the plugin under test has added, with what it said and what a test has it hear. */
export interface FakeLocalAgent {
  readonly agent: LocalAgent;
  readonly messages: FakeMessages;
  readonly inbox: FakeInbox;
  readonly deals: FakeDeals;
  /** The requests that `envelope` was called with, and up to where the inbox was acknowledged. */
  readonly requests: object[];
  acknowledged: number;
}

/** Agents that speak to nobody: `services: [value(LocalAgents, fake.service)]`. */
export interface FakeLocalAgents {
  readonly service: LocalAgents;
  /** The hands of a test on an agent; undefined when it was not added, or was removed. */
  of(id: string): FakeLocalAgent | undefined;
}

export function fakeLocalAgents(): FakeLocalAgents {
  const all = new Map<string, FakeLocalAgent>();
  const service: LocalAgents = {
    signerOf: agentSigner,
    async add({ signer, name }) {
      const id = formatAgentId(signer.key);
      const fake = all.get(id) ?? fakeAgent(id, name ?? id.slice(0, 8));
      all.set(id, fake);
      return fake.agent;
    },
    remove: async (id) => all.delete(id),
    get: (id) => all.get(id)?.agent,
    *[Symbol.iterator]() {
      for (const { agent } of all.values()) yield agent;
    },
    signHeartbeat: (body, time) => createHash('sha512').update(body).update(` ${time}`).digest(),
  };
  return { service, of: (id) => all.get(id) };
}

function fakeAgent(id: string, name: string): FakeLocalAgent {
  const [messages, inbox, deals] = [new FakeMessages(), new FakeInbox(), fakeDeals()];
  const { escrow: _, ...steps } = deals.service;
  const agent: LocalAgent = {
    id,
    name,
    send: (...given) => messages.send(...given),
    status: (envelope) => messages.status(envelope),
    async envelope(request, { before } = {}) {
      if (request.msg_type === 'BEACON') throw new MeshError('invalid_request', 'An agent sends no BEACON.');
      await before?.(AGREES.includes(request.msg_type) ? amountIn(request.payload) : 0n);
      const number = fake.requests.push(request);
      const hex = (digits: number) => number.toString(16).padStart(digits, '0');
      const conversation_id = request.conversation_id ?? hex(32);
      return { envelope_id: hex(64), conversation_id, nonce: number, payload_hash: hex(64), status: 'queued' };
    },
    inbox: {
      page: (query) => inbox.page({ ...query, after: Math.max(query?.after ?? 0, fake.acknowledged) }),
      follow: (...given) => inbox.follow(...given),
      async acknowledge(cursor) {
        fake.acknowledged = Math.max(fake.acknowledged, cursor);
      },
      async *frames({ since, unacked }, signal) {
        const all = (await inbox.page({ limit: 200 })).messages;
        const replays = since !== undefined || unacked === '1' || unacked === 'true';
        if (!replays) yield { type: 'inbox', cursor: all.length, waiting: all.length - fake.acknowledged };
        const from = replays ? Math.max(since ?? 0, fake.acknowledged) : all.length;
        for await (const message of inbox.follow(signal, from)) yield frameOf(message);
      },
      async framesPage({ since = 0, limit }) {
        const page = await inbox.page({ after: Math.max(since, fake.acknowledged), ...(limit && { limit }) });
        return { frames: page.messages.map(frameOf), next: page.messages.at(-1)?.cursor ?? since };
      },
    },
    deals: { ...steps, delivery: () => Promise.reject(new MeshError('not_found', 'A fake agent gets no deliveries.')) },
    wallet: {
      balances: () => Promise.reject(new MeshError('ledger_unavailable', 'A fake agent has no ledger.')),
      holdsUsdc: async () => false,
      sweep: () => Promise.reject(new MeshError('ledger_unavailable', 'A fake agent has no ledger.')),
      history: async () => ({ events: [], next: null }),
    },
    successor: undefined,
    pendingSuccessors: [],
    predecessor: undefined,
    nameSuccessor: () => Promise.reject(new MeshError('conflict', 'A fake agent does not move.')),
    takeOver: () => Promise.reject(new MeshError('conflict', 'A fake agent takes over nobody.')),
  };
  const fake: FakeLocalAgent = { agent, messages, inbox, deals, requests: [], acknowledged: 0 };
  return fake;
}

function amountIn(payload: object | undefined): bigint {
  return BigInt((payload as { amount_usdc_micro?: number | string } | undefined)?.amount_usdc_micro ?? 0);
}

/** As a WebSocket shows it; its bytes are not made up. */
function frameOf({ id, type, sentAt, conversationId, payload, ...message }: InboxMessage): InboxFrame {
  const timestamp = new Date(sentAt).toISOString();
  const head = { envelope_id: id, msg_type: type, conversation_id: conversationId, timestamp };
  return { ...message, ...head, payload: payloadJson(payload) as InboxFrame['payload'], payload_b64: '' };
}

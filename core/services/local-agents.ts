import type { SchemaTypes } from '../../schemas/types.ts';
import { guardedToken } from '../platform/token.ts';
import type { AgentSigner } from '../protocol/signer/agent-signer.ts';
import type { Deals, StepOptions } from './deals.ts';
import type { Inbox } from './inbox.ts';
import type { MessageStatus, Sayings, SendOptions, SentMessage } from './messages.ts';

export interface NewLocalAgent {
  readonly signer: AgentSigner;
  /** Shown to the mesh; up to 64 printable ASCII characters. */
  readonly name?: string | undefined;
  /**
   * The key, base58, with which the agent's owner can name a successor should this key be lost. It stands in the first claim that is published, and
   * none after it counts. Unless given it is the agent's own key, with which this node names one when it is asked to.
   */
  readonly recoveryKey?: string | undefined;
}

/** The inbox of a local agent, which its owner acknowledges here. */
export interface LocalInbox extends Inbox {
  /** The agent is done with everything up to this cursor: it is gone from the inbox, and makes room. */
  acknowledge(cursor: number): Promise<void>;
  /**
   * The frames of a WebSocket as `WS /ws/inbox` gives them, of this agent's inbox, until the signal is aborted. The names in `ignored`, parameters
   * that nobody knows, stand in the first frame.
   */
  frames(
    query: SchemaTypes['inbox-query'],
    signal: AbortSignal,
    ignored?: readonly string[],
  ): AsyncGenerator<SchemaTypes['inbox-stream-frame'], void>;
  /** As `GET /inbox`. */
  framesPage(query: SchemaTypes['inbox-page-query']): Promise<SchemaTypes['inbox-page']>;
}

/** The key that an agent goes on under. */
export interface NamedSuccessor {
  readonly successor: string;
  /** Unix seconds; now unless given. */
  readonly time?: number | undefined;
  /** Of the recovery key, over succession/1. Only an agent that is its own recovery key needs none: this node signs for it. */
  readonly signature_b64?: string | undefined;
}

/** A key that was named and has not accepted. */
export interface PendingSuccessor {
  readonly successor: string;
  /** Unix milliseconds: until then it can accept, whatever was named after it. */
  readonly until: number;
}

/** All that another host needs to take an agent over. */
export type MoveNotice = SchemaTypes['move-notice'];

export interface EnvelopeOptions {
  /** As of `SendOptions`. */
  readonly operationId?: string | undefined;
  /**
   * Called before the message is signed, with the minor units of USDC that it offers or accepts: 0 for all but PROPOSE, COUNTER and ACCEPT. A throw
   * refuses it. An envelope that was sent under this `operationId` before is not asked about again.
   */
  readonly before?: ((amount: bigint) => void | Promise<void>) | undefined;
}

/**
 * The deals of a local agent: as `Deals`, without the steps on escrows. An offer or an ACCEPT that would bind the agent to lock or to be paid by
 * escrow is refused, since a hosted key signs no transactions of the settlement program.
 */
export interface LocalDeals extends Omit<Deals, 'escrow'> {
  /**
   * The bytes of a delivery above 48 KiB, as at `GET /deals/{conversation_id}/delivery`: fetched from its provider where they are not here yet. Rejects with
   * `not_found` when none came or it is not kept any more, and with `upstream_failed` while it cannot be had.
   */
  delivery(conversationId: string): Promise<Uint8Array>;
}

/**
 * The ledger account of a local agent, whose key is its address. The node has it pay nobody by itself. What it sends costs SOL of its own. Calls reject
 * with `ledger_unavailable` where the ledger does not answer or there is none, and with `rate_limited` when all agents together ask it more than 120 times in a minute.
 */
export interface LocalWallet {
  /** As `GET /portfolio/balances`. */
  balances(): Promise<SchemaTypes['portfolio-balances']>;
  /** Whether USDC would be lost with the key; false on a node without a ledger, where nobody can tell. */
  holdsUsdc(): Promise<boolean>;
  /**
   * As `POST /wallet/sweep`: sends its USDC to a wallet, for a key that was replaced too. Resolves when the ledger has confirmed it. Rejects with
   * `insufficient_funds` for too little USDC, or too little SOL for the fee, and with `conflict` while another sweep of this agent is under way.
   */
  sweep(request: SchemaTypes['sweep-request'], options?: StepOptions): Promise<SchemaTypes['sweep']>;
  /** As `GET /portfolio/history`: its sweeps, each once it is final. */
  history(query?: SchemaTypes['history-query']): Promise<SchemaTypes['history-page']>;
}

/**
 * An agent that lives on this node beside the node's own. It has a key, nonces, an outbox, an inbox and deals of its own, and owes
 * no stake, lease or batch. Every call of a handle whose agent was removed rejects with `not_found`.
 *
 * An agent that nobody uses and for which nothing waits is not in memory: a call, or an envelope for it, reads it from the store
 * again. A `follow` of its inbox keeps it in memory until it ends.
 */
export interface LocalAgent {
  /** The agent's key in base58. */
  readonly id: string;
  readonly name: string;
  /** As `Messages.send`, signed by this agent. The node's own agent hears what goes to everybody, too. */
  send<N extends keyof Sayings>(type: N, payload: Sayings[N], options?: SendOptions): Promise<SentMessage>;
  /** As `POST /envelopes/send`: any type that an agent may send, with its payload as JSON or as bytes. */
  envelope(request: SchemaTypes['send-request'], options?: EnvelopeOptions): Promise<SchemaTypes['sent']>;
  /** As `Messages.status`. */
  status(id: string): Promise<MessageStatus | undefined>;
  readonly inbox: LocalInbox;
  readonly deals: LocalDeals;
  readonly wallet: LocalWallet;
  /** The key that it goes on under, once that key has accepted: nothing is signed for it any more. */
  readonly successor: string | undefined;
  /** Keys that were named and can still accept, the one that was named last first, up to 8. */
  readonly pendingSuccessors: readonly PendingSuccessor[];
  /** The key whose name and history it took over. */
  readonly predecessor: string | undefined;
  /**
   * Names the key under which the agent shall go on. It stays here until that key has accepted and the mesh has shown it; from then on every message
   * rejects with `agent_moved`. The same successor again gives the same notice. Another one may be named while none has accepted: the first that accepts counts,
   * since what was signed before cannot be taken back. Then it rejects with `conflict`.
   */
  nameSuccessor(named: NamedSuccessor): Promise<MoveNotice>;
  /** Takes over the name and history of another key, and tells the mesh. Rejects with `conflict` for an agent that has a deal or took over another key. */
  takeOver(notice: MoveNotice): Promise<SchemaTypes['succession']>;
}

/**
 * The agents that live on this node beside its own. A plugin sees and removes those that it added itself. They are gone when the node stops: their plugin adds them
 * again at the next start, in `setup` or `ready`, and each goes on where it was.
 */
export interface LocalAgents {
  /** The signer of a seed of 32 bytes, which it keeps in memory. */
  signerOf(seed: Uint8Array): AgentSigner;
  /**
   * Takes an agent in. From then on its envelopes are delivered here, and the mesh is told within seconds where it lives. Gives the same handle
   * for a key that this plugin has added already. Rejects with `invalid_request` for a signer whose signatures do not verify, with `conflict` for
   * the node's own key and for one that another plugin has added, and with `rate_limited` beyond 10,000 agents.
   */
  add(agent: NewLocalAgent): Promise<LocalAgent>;
  /**
   * Ends with an agent: calls that run are waited for, its outbox is not sent any more, and envelopes for it are refused. What it wrote
   * stays in the store and counts again when the agent is added again. False when there is no such agent.
   */
  remove(id: string): Promise<boolean>;
  get(id: string): LocalAgent | undefined;
  /**
   * The node's own signature, 64 bytes, over a heartbeat: the bytes of a body and a moment (Unix seconds) in the domain heartbeat/1, which
   * `Signatures.heartbeat` checks.
   */
  signHeartbeat(body: Uint8Array, time: number): Uint8Array;
  /** In the order in which they were added. */
  [Symbol.iterator](): IterableIterator<LocalAgent>;
}

/** Needs the permission `agents:host`. */
export const LocalAgents = guardedToken<LocalAgents>('local-agents', 'agents:host');

export type { AgentSigner } from '../protocol/signer/agent-signer.ts';

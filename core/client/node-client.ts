import type { SchemaTypes } from '../../schemas/types.ts';
import type { NodeState } from '../platform/node-state.ts';
import type { InboxFrame, InboxPage } from './generated/frames.ts';
import {
  type NodeApi,
  nodeOperations,
  type PushSleepAnswer,
  type PushWakeAnswer,
  type SkillsListSkillsAnswer,
} from './generated/node.ts';
import { type ClientOptions, HttpCaller } from './http-caller.ts';
import { operationsOf } from './operations.ts';

export interface InboxOptions {
  /** Resume behind this cursor; from the oldest frame that was not acknowledged when absent. */
  readonly since?: number;
  readonly msg_type?: string;
  readonly conversation_id?: string;
  readonly signal?: AbortSignal;
}

/** The answer of a node or aggregator to `/ready`. */
export type ReadyState = NodeState & { readonly status: string };

export type EscrowStepName = 'approve' | 'deliver' | 'refund' | 'reclaim' | 'claim' | 'split';

/**
 * A node's local API, typed. Every method is one HTTP call and rejects with a ClientError. `api` holds every operation of
 * `mesh openapi` by the plugin that declares it, with options for a single call; the methods are those that an
 * agent needs every day, in fewer words.
 *
 *     const node = new NodeClient({ url: 'http://127.0.0.1:9090', secret });
 *     const { conversation_id } = await node.propose({ recipient, amount_usdc: '1.5', message: 'Count these words.' });
 *     for await (const frame of node.inbox({ conversation_id })) console.log(frame.msg_type);
 */
export class NodeClient {
  readonly api: NodeApi;

  constructor(options: ClientOptions) {
    this.api = operationsOf<NodeApi>(nodeOperations, new HttpCaller(options));
  }

  /** How this node or aggregator is, with what helps; also while it cannot serve. */
  ready(): Promise<ReadyState> {
    return this.api.operations.ready();
  }

  identity(): Promise<SchemaTypes['identity']> {
    return this.api.identity.identity();
  }

  /** This agent's owner, or the wallet that it has proposed. */
  owner(): Promise<SchemaTypes['owner-view']> {
    return this.api.ownership.owner();
  }

  /** Proposes the wallet that owns this agent; the answer has the text that wallet must sign, and where to claim. */
  proposeOwner(wish: SchemaTypes['owner-wish']): Promise<SchemaTypes['owner-view']> {
    return this.api.ownership.propose(wish);
  }

  /** The agents that this node hosts for clients elsewhere. */
  hostedAgents(query: { limit?: number; after?: string } = {}): Promise<SchemaTypes['hosted-agents']> {
    return this.api.hosting.hostedAgents(query);
  }

  /** Has this node host another agent; the answer has its token, which is shown this once. */
  registerHosted(wish: SchemaTypes['hosted-registration'] = {}): Promise<SchemaTypes['hosted-registered']> {
    return this.api.hosting.hostedRegister(wish);
  }

  removeHosted(agent: string, query: SchemaTypes['hosted-removal-query'] = {}): Promise<SchemaTypes['done']> {
    return this.api.hosting.removeHostedAgent(agent, query);
  }

  renewHostedToken(agent: string): Promise<SchemaTypes['hosted-token']> {
    return this.api.hosting.renewHostedToken(agent);
  }

  /** Puts USDC that its client has paid into the prepaid account of a hosted agent. */
  creditHosted(agent: string, movement: SchemaTypes['hosted-movement']): Promise<SchemaTypes['hosted-line']> {
    return this.api.hosting.creditHostedAgent(agent, movement);
  }

  /** Tells the aggregators that this agent sleeps: they hold its messages, and wake its device. */
  sleep(): Promise<PushSleepAnswer> {
    return this.api.push.sleep({ sleeping: true });
  }

  /** Takes what waited for this agent into its inbox, and tells the aggregators that it is awake. */
  wake(): Promise<PushWakeAnswer> {
    return this.api.push.wake();
  }

  /** The skills in the workspace of this agent. */
  skills(): Promise<SkillsListSkillsAnswer> {
    return this.api.skills.listSkills();
  }

  peers(): Promise<SchemaTypes['peers']> {
    return this.api.peers.peers();
  }

  /** The aggregators this node reports to, and how it finds them. */
  aggregators(): Promise<SchemaTypes['aggregators']> {
    return this.api.aggregators.list();
  }

  send(request: SchemaTypes['send-request']): Promise<SchemaTypes['sent']> {
    return this.api.envelopes.send(request);
  }

  /** Sends a plain text to one agent. */
  message(request: SchemaTypes['message-request']): Promise<SchemaTypes['sent']> {
    return this.api.envelopes.message(request);
  }

  /** Says what this agent can do, where and for how much; an empty request says it all again. */
  advertise(request: SchemaTypes['advertise-request'] = {}): Promise<SchemaTypes['sent']> {
    return this.api.market.advertise(request);
  }

  /** Offers work to whoever can do it. */
  bounty(request: SchemaTypes['bounty-request']): Promise<SchemaTypes['sent']> {
    return this.api.market.bounty(request);
  }

  /** The topics whose broadcasts this node hears. */
  topics(): Promise<SchemaTypes['topics']> {
    return this.api.topics.list();
  }

  trace(envelopeId: string): Promise<SchemaTypes['envelope-trace']> {
    return this.api.envelopes.trace(envelopeId);
  }

  propose(request: SchemaTypes['propose-request']): Promise<SchemaTypes['deal-step']> {
    return this.api.negotiation.propose(request);
  }

  counter(request: SchemaTypes['counter-request']): Promise<SchemaTypes['deal-step']> {
    return this.api.negotiation.counter(request);
  }

  accept(request: SchemaTypes['accept-request']): Promise<SchemaTypes['deal-step']> {
    return this.api.negotiation.accept(request);
  }

  reject(request: SchemaTypes['reject-request']): Promise<SchemaTypes['deal-step']> {
    return this.api.negotiation.reject(request);
  }

  deliver(request: SchemaTypes['deliver-request']): Promise<SchemaTypes['deal-step']> {
    return this.api.negotiation.deliver(request);
  }

  feedback(request: SchemaTypes['feedback-request']): Promise<SchemaTypes['sent']> {
    return this.api.feedback.feedback(request);
  }

  deals(query: SchemaTypes['deals-query'] = {}): Promise<SchemaTypes['deals-page']> {
    return this.api.deals.list(query);
  }

  deal(conversationId: string): Promise<SchemaTypes['deal-view']> {
    return this.api.deals.get(conversationId);
  }

  /** The bytes of a delivery above 48 KiB, fetched from its provider and compared with their hash. */
  delivery(conversationId: string): Promise<Uint8Array> {
    return this.api.deliveries.read(conversationId);
  }

  /** Pays a delivered deal in USDC; resolves when the ledger has confirmed it. Repeating it pays once. */
  pay(conversationId: string): Promise<SchemaTypes['deal-view']> {
    return this.api.deals.pay(conversationId);
  }

  /** Locks the agreed amount of an accepted deal on the ledger. Repeating it locks once. */
  lock(conversationId: string): Promise<SchemaTypes['escrow-step']> {
    return this.api.escrow.lock({ conversation_id: conversationId });
  }

  /** Takes another step of an escrow, such as `approve`, which releases what is locked. */
  escrow(step: EscrowStepName, request: SchemaTypes['escrow-request']): Promise<SchemaTypes['escrow-step']> {
    return this.api.escrow[step](request);
  }

  /** Objects to a delivery on the ledger, and offers the provider a share; again while disputed raises it. */
  dispute(request: SchemaTypes['escrow-dispute-request']): Promise<SchemaTypes['escrow-step']> {
    return this.api.escrow.dispute(request);
  }

  /** Refuses the offer of a dispute: the notary decides, or what is in dispute burns. */
  contest(request: SchemaTypes['escrow-contest-request']): Promise<SchemaTypes['escrow-step']> {
    return this.api.escrow.contest(request);
  }

  /** Has the release of an escrow paid to the USDC account of another wallet; the provider's. */
  setPayee(request: SchemaTypes['escrow-payee-request']): Promise<SchemaTypes['escrow-step']> {
    return this.api.escrow.setPayee(request);
  }

  /** The escrow of a deal as finalised on the ledger; rejects with `escrow_not_found` when there is none. */
  locked(conversationId: string): Promise<SchemaTypes['escrow-view']> {
    return this.api.escrow.get(conversationId);
  }

  /** This agent's stake, and the duties that come with it. */
  stake(): Promise<SchemaTypes['stake-view']> {
    return this.api.stake.stake();
  }

  addStake(request: SchemaTypes['stake-request']): Promise<SchemaTypes['stake-done']> {
    return this.api.stake.add(request);
  }

  stakeStep(step: 'unlock' | 'resume' | 'withdraw'): Promise<SchemaTypes['stake-done']> {
    return this.api.stake[step]();
  }

  lease(): Promise<SchemaTypes['lease-view']> {
    return this.api.lease.lease();
  }

  payLease(request: SchemaTypes['lease-pay-request'] = {}): Promise<SchemaTypes['lease-view']> {
    return this.api.lease.pay(request);
  }

  /** The behavior batch of an agent and epoch. */
  batch(agentId: string, epoch: number): Promise<SchemaTypes['batch-summary']> {
    return this.api.batches.summary(agentId, epoch);
  }

  /** The deals this node is the notary of. */
  notaryCases(query: SchemaTypes['notary-cases-query'] = {}): Promise<SchemaTypes['notary-cases']> {
    return this.api.notary.cases(query);
  }

  /** Decides a contested escrow on the ledger, as its notary. */
  decide(request: SchemaTypes['notarize-decide-request']): Promise<SchemaTypes['notary-case-view']> {
    return this.api.notary.decide(request);
  }

  /** Gives one's word on a delivery as its notary; the requester's node follows it. */
  verdict(request: SchemaTypes['verdict-request']): Promise<SchemaTypes['notary-case-view']> {
    return this.api.notary.verdict(request);
  }

  balances(): Promise<SchemaTypes['portfolio-balances']> {
    return this.api.portfolio.balances();
  }

  /** Inbound envelopes, oldest first and without end; a lost connection resumes where it was. */
  async *inbox({ since, signal, ...filter }: InboxOptions = {}): AsyncGenerator<InboxFrame> {
    const from = since === undefined ? { unacked: '1' as const } : { since };
    for await (const frame of this.api.inbox.frames({ ...filter, ...from }, { signal })) {
      if (!('type' in frame)) yield frame;
    }
  }

  /** One page of inbound envelopes, for programs that look now and then. */
  inboxPage(query: SchemaTypes['inbox-page-query'] = {}): Promise<InboxPage> {
    return this.api.inbox.page(query);
  }

  /** Lets the node forget the frames up to this cursor. */
  acknowledge(cursor: number): Promise<void> {
    return this.api.inbox.acknowledge({ cursor });
  }

  /** The node's events from now on. The node keeps none, so those of a time without a connection are lost. */
  events(signal?: AbortSignal): AsyncGenerator<SchemaTypes['node-event']> {
    return this.api.events.events({ signal });
  }
}

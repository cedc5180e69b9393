import type { SchemaTypes } from '../../schemas/types.ts';
import type { NodeState } from '../platform/node-state.ts';
import { frames } from './frames.ts';
import { type ClientOptions, HttpCaller } from './http-caller.ts';

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
 * A node's local API, typed. Every method is one HTTP call and rejects with a ClientError.
 *
 *     const node = new NodeClient({ url: 'http://127.0.0.1:9090', secret });
 *     const { conversation_id } = await node.propose({ recipient, amount_usdc: '1.5', message: 'Count these words.' });
 *     for await (const frame of node.inbox({ conversation_id })) console.log(frame.msg_type);
 */
export class NodeClient {
  readonly #http: HttpCaller;

  constructor(options: ClientOptions) {
    this.#http = new HttpCaller(options);
  }

  /** How this node or aggregator is, with what helps; also while it cannot serve. */
  ready(): Promise<ReadyState> {
    return this.#http.state('/ready');
  }

  identity(): Promise<SchemaTypes['identity']> {
    return this.#http.get('/identity');
  }

  /** This agent's owner, or the wallet that it has proposed. */
  owner(): Promise<SchemaTypes['owner-view']> {
    return this.#http.get('/owner');
  }

  /** Proposes the wallet that owns this agent; the answer has the text that wallet must sign, and where to claim. */
  proposeOwner(wish: SchemaTypes['owner-wish']): Promise<SchemaTypes['owner-view']> {
    return this.#http.post('/owner/propose', wish);
  }

  peers(): Promise<SchemaTypes['peers']> {
    return this.#http.get('/peers');
  }

  /** The aggregators this node reports to, and how it finds them. */
  aggregators(): Promise<SchemaTypes['aggregators']> {
    return this.#http.get('/aggregators');
  }

  send(request: SchemaTypes['send-request']): Promise<SchemaTypes['sent']> {
    return this.#http.post('/envelopes/send', request);
  }

  /** Sends a plain text to one agent. */
  message(request: SchemaTypes['message-request']): Promise<SchemaTypes['sent']> {
    return this.#http.post('/message', request);
  }

  /** Says what this agent can do, where and for how much; an empty request says it all again. */
  advertise(request: SchemaTypes['advertise-request'] = {}): Promise<SchemaTypes['sent']> {
    return this.#http.post('/advertise', request);
  }

  /** Offers work to whoever can do it. */
  bounty(request: SchemaTypes['bounty-request']): Promise<SchemaTypes['sent']> {
    return this.#http.post('/bounty', request);
  }

  /** The topics whose broadcasts this node hears. */
  topics(): Promise<SchemaTypes['topics']> {
    return this.#http.get('/topics');
  }

  trace(envelopeId: string): Promise<SchemaTypes['envelope-trace']> {
    return this.#http.get(`/envelopes/${encodeURIComponent(envelopeId)}`);
  }

  propose(request: SchemaTypes['propose-request']): Promise<SchemaTypes['deal-step']> {
    return this.#http.post('/negotiate/propose', request);
  }

  counter(request: SchemaTypes['counter-request']): Promise<SchemaTypes['deal-step']> {
    return this.#http.post('/negotiate/counter', request);
  }

  accept(request: SchemaTypes['accept-request']): Promise<SchemaTypes['deal-step']> {
    return this.#http.post('/negotiate/accept', request);
  }

  reject(request: SchemaTypes['reject-request']): Promise<SchemaTypes['deal-step']> {
    return this.#http.post('/negotiate/reject', request);
  }

  deliver(request: SchemaTypes['deliver-request']): Promise<SchemaTypes['deal-step']> {
    return this.#http.post('/deliver', request);
  }

  feedback(request: SchemaTypes['feedback-request']): Promise<SchemaTypes['sent']> {
    return this.#http.post('/feedback', request);
  }

  deals(query: SchemaTypes['deals-query'] = {}): Promise<SchemaTypes['deals-page']> {
    return this.#http.get('/deals', { ...query });
  }

  deal(conversationId: string): Promise<SchemaTypes['deal-view']> {
    return this.#http.get(`/deals/${encodeURIComponent(conversationId)}`);
  }

  /** The bytes of a delivery above 48 KiB, fetched from its provider and compared with their hash. */
  delivery(conversationId: string): Promise<Uint8Array> {
    return this.#http.bytes(`/deals/${encodeURIComponent(conversationId)}/delivery`);
  }

  /** Pays a delivered deal in USDC; resolves when the ledger has confirmed it. Repeating it pays once. */
  pay(conversationId: string): Promise<SchemaTypes['deal-view']> {
    return this.#http.post(`/deals/${encodeURIComponent(conversationId)}/pay`, {});
  }

  /** Locks the agreed amount of an accepted deal on the ledger. Repeating it locks once. */
  lock(conversationId: string): Promise<SchemaTypes['escrow-step']> {
    return this.#http.post('/escrow/lock', { conversation_id: conversationId });
  }

  /** Takes another step of an escrow, such as `approve`, which releases what is locked. */
  escrow(step: EscrowStepName, request: SchemaTypes['escrow-request']): Promise<SchemaTypes['escrow-step']> {
    return this.#http.post(`/escrow/${step}`, request);
  }

  /** Objects to a delivery on the ledger, and offers the provider a share; again while disputed raises it. */
  dispute(request: SchemaTypes['escrow-dispute-request']): Promise<SchemaTypes['escrow-step']> {
    return this.#http.post('/escrow/dispute', request);
  }

  /** Refuses the offer of a dispute: the notary decides, or what is in dispute burns. */
  contest(request: SchemaTypes['escrow-contest-request']): Promise<SchemaTypes['escrow-step']> {
    return this.#http.post('/escrow/contest', request);
  }

  /** The escrow of a deal as finalised on the ledger; rejects with `escrow_not_found` when there is none. */
  locked(conversationId: string): Promise<SchemaTypes['escrow-view']> {
    return this.#http.get(`/escrow/${encodeURIComponent(conversationId)}`);
  }

  /** This agent's stake, and the duties that come with it. */
  stake(): Promise<SchemaTypes['stake-view']> {
    return this.#http.get('/stake');
  }

  addStake(request: SchemaTypes['stake-request']): Promise<SchemaTypes['stake-done']> {
    return this.#http.post('/stake/add', request);
  }

  stakeStep(step: 'unlock' | 'resume' | 'withdraw'): Promise<SchemaTypes['stake-done']> {
    return this.#http.post(`/stake/${step}`, undefined);
  }

  lease(): Promise<SchemaTypes['lease-view']> {
    return this.#http.get('/lease');
  }

  payLease(request: SchemaTypes['lease-pay-request'] = {}): Promise<SchemaTypes['lease-view']> {
    return this.#http.post('/lease/pay', request);
  }

  /** The behavior batch of an agent and epoch. */
  batch(agentId: string, epoch: number): Promise<SchemaTypes['batch-summary']> {
    return this.#http.get(`/batch/${encodeURIComponent(agentId)}/${epoch}`);
  }

  /** The deals this node is the notary of. */
  notaryCases(): Promise<SchemaTypes['notary-cases']> {
    return this.#http.get('/notarize/cases');
  }

  /** Decides a contested escrow on the ledger, as its notary. */
  decide(request: SchemaTypes['notarize-decide-request']): Promise<SchemaTypes['notary-case-view']> {
    return this.#http.post('/notarize/decide', request);
  }

  /** Gives one's word on a delivery as its notary; the requester's node follows it. */
  verdict(request: SchemaTypes['verdict-request']): Promise<SchemaTypes['notary-case-view']> {
    return this.#http.post('/verdict', request);
  }

  balances(): Promise<SchemaTypes['portfolio-balances']> {
    return this.#http.get('/portfolio/balances');
  }

  /** Inbound envelopes, oldest first and without end; a lost connection resumes where it was. */
  inbox({ since, signal, ...filter }: InboxOptions = {}): AsyncGenerator<SchemaTypes['inbox-frame']> {
    return frames(this.#http.options, '/ws/inbox', {
      signal,
      resume(last: SchemaTypes['inbox-frame'] | undefined) {
        const from = last?.cursor ?? since;
        return { ...filter, ...(from === undefined ? { unacked: '1' } : { since: from }) };
      },
    });
  }

  /** One page of inbound envelopes, for programs that look now and then. */
  inboxPage(query: SchemaTypes['inbox-page-query'] = {}): Promise<SchemaTypes['inbox-page']> {
    return this.#http.get('/inbox', { ...query });
  }

  /** Lets the node forget the frames up to this cursor. */
  acknowledge(cursor: number): Promise<void> {
    return this.#http.post('/inbox/ack', { cursor });
  }

  /** The node's events from now on. The node keeps none, so those of a time without a connection are lost. */
  events(signal?: AbortSignal): AsyncGenerator<SchemaTypes['node-event']> {
    return frames(this.#http.options, '/ws/events', { signal, resume: () => ({}) });
  }
}

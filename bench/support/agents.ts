import { randomBytes } from 'node:crypto';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { encodeHeader } from '../../core/protocol/envelopes/header.ts';
import { envelopeSigningBytes } from '../../core/protocol/envelopes/signing.ts';
import { network, type SignedDeal, signDeal, TestAgent, type Wire } from '../../test/aggregator/support/agent.ts';
import { encodeReceipt, receiptOf } from '../../test/support/receipt.ts';

export { network };

/** What a node reports, and what has to be verified of it. */
export interface Report {
  readonly kind: 'envelope' | 'receipt';
  readonly bytes: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
  readonly key: Uint8Array;
}

/** Deals that are under way at the same time. */
const SIDE_BY_SIDE = 64;
/** With how many others an agent deals, time and again. */
const PARTNERS = 8;

export function agentsOf(count: number, now?: () => number): TestAgent[] {
  return Array.from({ length: count }, (_, n) => new TestAgent(`bench ${n}`, now));
}

/** Nobody verifies it. */
const SIGNATURE = new Uint8Array(randomBytes(64));

/** The identity of an agent without the work of signing. */
export function unsigned({ identity }: TestAgent): TestAgent['identity'] {
  return { ...identity, signEnvelope: () => SIGNATURE };
}

/** A BEACON of each agent. */
export function* beaconsOf(agents: readonly TestAgent[]): Generator<Report, void, undefined> {
  for (const [n, agent] of agents.entries()) {
    yield whole(agent.beacon(`Agent ${n}`, { url: 'wss://agents.example/mesh' }));
  }
}

/** A deal that ran its whole course, with all that was signed of it. */
export interface WholeDeal extends SignedDeal {
  readonly requester: TestAgent;
  readonly provider: TestAgent;
  /** FEEDBACK of the requester, then of the provider. */
  readonly ratings: readonly [Wire, Wire];
}

/** What both sides say of each other: the requester, then the provider. */
export const SCORES = [80, 60] as const;

/** So many deals that are under way at the same time, from the nth. */
export function dealsFrom(agents: readonly TestAgent[], first: number, count: number): WholeDeal[] {
  return Array.from({ length: count }, (_, n) => {
    const [requester, provider] = pairOf(agents, first + n);
    const deal = signDeal(requester, provider);
    const rate = (by: TestAgent, of: TestAgent, score: number) => by.feedback(of, deal.conversation, score);
    const ratings = [rate(requester, provider, SCORES[0]), rate(provider, requester, SCORES[1])] as const;
    return { requester, provider, ...deal, ratings };
  });
}

/** Each as the receipts of PROPOSE, ACCEPT and DELIVER and the FEEDBACK of both sides: five reports, four activity events. */
export function* reportsOf(deals: readonly WholeDeal[]): Generator<Report, void, undefined> {
  for (const { propose } of deals) yield receipt(propose);
  for (const { accept } of deals) yield receipt(accept);
  for (const { deliver } of deals) yield receipt(deliver);
  for (const { ratings } of deals) yield whole(ratings[0]);
  for (const { ratings } of deals) yield whole(ratings[1]);
}

/** Reports of deals without end. Nothing is told twice. */
export function* dealsOf(agents: readonly TestAgent[]): Generator<Report, void, undefined> {
  for (let first = 0; ; first += SIDE_BY_SIDE) yield* reportsOf(dealsFrom(agents, first, SIDE_BY_SIDE));
}

/** Who deals in the nth deal. */
export function pairOf<A>(agents: readonly A[], n: number): readonly [requester: A, provider: A] {
  const step = 1 + (Math.floor(n / agents.length) % PARTNERS);
  return [agents[n % agents.length]!, agents[(n + step) % agents.length]!];
}

function whole(wire: Wire): Report {
  return { kind: 'envelope', bytes: encodeEnvelope(wire.envelope), ...proofOf(wire) };
}

function receipt(wire: Wire): Report {
  return { kind: 'receipt', bytes: encodeReceipt(receiptOf(wire.envelope)), ...proofOf(wire) };
}

function proofOf({ envelope }: Wire): Pick<Report, 'message' | 'signature' | 'key'> {
  const message = envelopeSigningBytes(network, encodeHeader(envelope), envelope.payload);
  return { message, signature: envelope.signature, key: envelope.sender };
}

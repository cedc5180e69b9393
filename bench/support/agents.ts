import { encodeEnvelope } from '../../core/envelopes/codec.ts';
import { encodeHeader } from '../../core/envelopes/header.ts';
import { encodeReceipt, receiptOf } from '../../core/envelopes/receipt.ts';
import { envelopeSigningBytes } from '../../core/envelopes/signing.ts';
import { network, signDeal, TestAgent, type Wire } from '../../test/aggregator/support/agent.ts';

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

/**
 * What `count` agents' nodes report: a BEACON of each, then deals between them without end, each as the receipts of
 * PROPOSE, ACCEPT and DELIVER and the FEEDBACK of both sides. Every report becomes news: nothing is told twice.
 */
export function* reportsOf(count: number): Generator<Report, void, undefined> {
  const agents = Array.from({ length: count }, (_, n) => new TestAgent(`bench ${n}`));
  for (const [n, agent] of agents.entries())
    yield whole(agent.beacon(`agent ${n}`, { url: 'wss://agents.example/mesh' }));
  for (let first = 0; ; first += SIDE_BY_SIDE) {
    const deals = Array.from({ length: SIDE_BY_SIDE }, (_, n) => {
      const requester = agents[(first + n) % count]!;
      const provider = agents[((first + n) * 7 + 1 + Math.floor((first + n) / count)) % count]!;
      const other = provider === requester ? agents[(first + n + 1) % count]! : provider;
      return { requester, provider: other, ...signDeal(requester, other) };
    });
    for (const { propose } of deals) yield receipt(propose);
    for (const { accept } of deals) yield receipt(accept);
    for (const { deliver } of deals) yield receipt(deliver);
    for (const { requester, provider, conversation } of deals)
      yield whole(requester.feedback(provider, conversation, 80));
    for (const { requester, provider, conversation } of deals)
      yield whole(provider.feedback(requester, conversation, 60));
  }
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

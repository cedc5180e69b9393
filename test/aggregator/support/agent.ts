import { createHash, randomBytes } from 'node:crypto';
import { toBase64 } from '../../../core/platform/bytes.ts';
import { buildEnvelope } from '../../../core/protocol/envelopes/build.ts';
import { encodeEnvelope } from '../../../core/protocol/envelopes/codec.ts';
import { bodyOf, type Envelope } from '../../../core/protocol/envelopes/envelope.ts';
import { epochOf, nonceOf } from '../../../core/protocol/envelopes/epochs.ts';
import { envelopeId } from '../../../core/protocol/envelopes/header.ts';
import type { MessageName } from '../../../core/protocol/envelopes/message-types.ts';
import { codecOf } from '../../../core/protocol/envelopes/payloads/codecs.ts';
import type { Payloads } from '../../../core/protocol/envelopes/payloads/payloads.ts';
import type { PublicPart } from '../../../core/protocol/envelopes/public-part.ts';
import { formatEnvelopeId } from '../../../core/protocol/identity/ids.ts';
import { defineNetwork, type Network } from '../../../core/protocol/identity/network.ts';
import { type Identity, identityFromSeed } from '../../../core/protocol/signer/identity.ts';
import { encodeReceipt, receiptOf } from '../../support/receipt.ts';
import { noteIn, publicPartIn } from './conversations.ts';

export const network: Network = defineNetwork({ name: 'aggregator-tests' });

export interface Wire {
  readonly id: string;
  readonly envelope: Envelope;
  readonly whole: { readonly envelope_b64: string };
  readonly receipt: { readonly receipt_b64: string };
}

export interface Letter<N extends MessageName> {
  readonly to?: TestAgent;
  readonly conversation?: string;
  readonly payload: Payloads[N];
  /** Milliseconds; now unless given. */
  readonly at?: number;
  readonly nonce?: number;
  /** What an honest agent would show of it unless given. */
  readonly shows?: PublicPart;
}

/** An agent that really signs. */
export class TestAgent {
  readonly identity: Identity;
  readonly network: Network;
  readonly #now: () => number;
  readonly #seq = new Map<number, number>();

  constructor(name: string, now: () => number = Date.now, on: Network = network, seed = seedOf(name)) {
    this.identity = identityFromSeed(seed);
    this.network = on;
    this.#now = now;
  }

  get id(): string {
    return this.identity.address;
  }

  sign<N extends MessageName>(msgType: N, letter: Letter<N>): Wire {
    const timestamp = (letter.at ?? this.#now()) * 1000;
    const epoch = epochOf(timestamp, this.network.epochSecs);
    const seq = (this.#seq.get(epoch) ?? 0) + 1;
    if (letter.nonce === undefined) this.#seq.set(epoch, seq);
    const offer = (letter.payload as { offer_id?: string }).offer_id;
    const publicPart = letter.shows ?? publicPartIn(letter.conversation, msgType, this.identity.key, offer);
    const envelope = buildEnvelope(
      {
        msgType,
        timestamp,
        blockRef: 250_000_000,
        nonce: letter.nonce ?? nonceOf(epoch, seq),
        body: codecOf(msgType, this.network.version).encode(letter.payload, this.identity.key),
        salt: new Uint8Array(randomBytes(16)),
        publicPart,
        ...(letter.to && { recipient: letter.to.identity.key }),
        ...(letter.conversation !== undefined && { conversationId: bytesOf(letter.conversation) }),
      },
      this.identity,
      this.network,
    );
    const wire = wireOf(envelope);
    if (letter.conversation !== undefined) noteIn(letter.conversation, msgType, wire.id, this.identity.key);
    return wire;
  }

  beacon(name: string, more: Partial<Payloads['BEACON']> = {}, at?: number): Wire {
    return this.sign('BEACON', { payload: { name, hubs: [], ...more }, ...(at !== undefined && { at }) });
  }

  feedback(
    target: TestAgent,
    conversation: string,
    score: number,
    more: { at?: number; outcome?: 0 | 1 | 2; role?: 0 | 1 } = {},
  ): Wire {
    const { outcome = score > 0 ? 2 : score < 0 ? 0 : 1, at, role = 0 } = more;
    const rating = { target_agent: target.id, score, outcome, is_dispute: false, role } as const;
    const payload = { conversation_id: conversation, ...rating };
    return this.sign('FEEDBACK', { conversation, payload, ...(at !== undefined && { at }) });
  }
}

function seedOf(name: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`test agent ${name}`).digest());
}

export function wireOf(envelope: Envelope): Wire {
  return {
    id: formatEnvelopeId(envelopeId(envelope)),
    envelope,
    whole: { envelope_b64: toBase64(encodeEnvelope(envelope)) },
    get receipt() {
      return { receipt_b64: toBase64(encodeReceipt(receiptOf(envelope))) };
    },
  };
}

export function newConversation(): string {
  return randomBytes(16).toString('hex');
}

export interface SignedDeal {
  readonly conversation: string;
  readonly propose: Wire;
  readonly accept: Wire;
  readonly deliver: Wire;
}

/** A deal of two agents up to its delivery; `at` is when it was proposed. */
export function signDeal(
  requester: TestAgent,
  provider: TestAgent,
  at?: number,
  terms: Partial<Payloads['PROPOSE']> = {},
): SignedDeal {
  const conversation = newConversation();
  const when = (later: number) => (at === undefined ? {} : { at: at + later });
  const offer = { amount_usdc_micro: 1_500_000n, message: 'Count the words.', max_rounds: 2, ...terms };
  const propose = requester.sign('PROPOSE', { to: provider, conversation, payload: offer, ...when(0) });
  const agreed = { amount_usdc_micro: offer.amount_usdc_micro, offer_id: propose.id };
  const accept = provider.sign('ACCEPT', { to: requester, conversation, payload: agreed, ...when(1) });
  const content = { content_type: 'text/plain', inline_b64: toBase64(Buffer.from('1200')) };
  const payload = { conversation_id: conversation, ...content } as Payloads['DELIVER'];
  const deliver = provider.sign('DELIVER', { to: requester, conversation, payload, ...when(2) });
  return { conversation, propose, accept, deliver };
}

export function bodyText({ envelope }: Wire): string {
  return Buffer.from(bodyOf(envelope)).toString('utf8');
}

function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

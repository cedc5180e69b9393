import { toHex } from '../platform/bytes.ts';
import type { Random } from '../platform/clock.ts';
import { buildEnvelope } from '../protocol/envelopes/build.ts';
import { type Envelope, SALT_LENGTH } from '../protocol/envelopes/envelope.ts';
import { epochOf } from '../protocol/envelopes/epochs.ts';
import { envelopeId } from '../protocol/envelopes/header.ts';
import type { MessageName } from '../protocol/envelopes/message-types.ts';
import { codecOf } from '../protocol/envelopes/payloads/codecs.ts';
import { hasPublicPart, type PublicPart } from '../protocol/envelopes/public-part.ts';
import { formatAgentId, formatConversationId } from '../protocol/identity/ids.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { AgentIdentity } from '../protocol/signer/identity.ts';
import type { Ref } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import type { Tx } from '../storage/transaction.ts';
import type { Guests, SendingEnvelope } from './extension-points.ts';
import { nextNonce } from './nonces.ts';
import { lifeOf, queuedEntry } from './outbox-entry.ts';
import { nonces, outbox, reports } from './records.ts';
import { type ReportRule, reportOf } from './reports.ts';
import { bodyToSign, canBeSealed, isSealed } from './seal-rule.ts';

/** An envelope before it is signed; without a recipient it is a broadcast. */
export interface Draft {
  readonly msgType: MessageName;
  readonly recipient?: Uint8Array;
  readonly conversationId: Uint8Array;
  /** The encoded payload. */
  readonly body: Uint8Array;
  /**
   * The payer and the answered id of a deal message of version 2. The transaction that signs calls this, so that they
   * are true at that moment; it may read the refs that the purpose reads.
   */
  readonly publicPart?: ((tx: Tx) => PublicPart) | undefined;
  /** Whether only the recipient shall be able to read it; see `isSealed` for what holds when this is not said. */
  readonly sealed?: boolean | undefined;
}

/** The change that an envelope makes to this node's store, in the transaction that signs it: both happen or neither. */
export interface SendHook {
  readonly reads: readonly Ref<any>[];
  /** Pure. A throw leaves nothing signed and nothing changed. */
  apply(tx: Tx, envelope: Envelope, id: string): void;
}

export interface Issued {
  readonly envelope_id: string;
  readonly conversation_id: string;
  readonly nonce: number;
  readonly payload_hash: string;
}

export interface OutgoingOptions {
  readonly space: Space;
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly random: Random;
  /** Receipts unless it says otherwise. */
  readonly report?: ReportRule | undefined;
  /** The newest ledger slot known. */
  readonly slot: () => number;
  /** Rejects when nothing may be signed now. */
  permit(): Promise<void>;
  /** Whether what is said to this agent now would wait elsewhere; nothing does without it. */
  waits?: ((recipient: Uint8Array) => Promise<boolean>) | undefined;
  /** The parts that plugins take in signing a message. */
  readonly sending?: ((type: MessageName, draft: () => SendingEnvelope) => Guests | undefined) | undefined;
}

/**
 * Gives an envelope its nonce and signature and journals it, in one transaction: before it is durable not a byte
 * leaves, and a nonce is never signed twice.
 */
export class Outgoing {
  readonly #options: OutgoingOptions;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  /** `operationId` makes a repeated call give the first one's result. */
  async issue(draft: Draft, purpose?: SendHook, operationId?: string): Promise<Issued> {
    const { space, identity, network, random, slot } = this.#options;
    await this.#options.permit();
    const state = nonces.ref(identity.address);
    const salt = random.bytes(SALT_LENGTH);
    const { publicPart, ...open } = await this.#withSeal(draft);
    const content = { ...open, sealed: isSealed(open), body: bodyToSign(open, identity.key, random) };
    const shown = hasPublicPart({ version: network.version, msgType: draft.msgType }) ? publicPart : undefined;
    const ttl = lifeOf(network.epochSecs);
    const guests = this.#options.sending?.(draft.msgType, () => sendingOf(draft, identity, network));
    const issued = space.txBeside(
      [state, ...(purpose?.reads ?? [])],
      guests?.beside ?? [],
      (tx, others): Issued => {
        const timestamp = tx.now * 1_000;
        const next = nextNonce(tx.get(state), epochOf(timestamp, network.epochSecs));
        const fields = {
          ...content,
          timestamp,
          blockRef: slot(),
          nonce: next.nonce,
          salt,
          ...(shown && { publicPart: shown(tx) }),
        };
        const envelope = buildEnvelope(fields, identity, network);
        const id = toHex(envelopeId(envelope));
        tx.put(state, { ...next.state, epoch_secs: network.epochSecs });
        tx.put(outbox.ref(id), queuedEntry(envelope, tx.now), { ttl });
        tx.append(reports, reportOf(envelope, this.#options.report));
        purpose?.apply(tx, envelope, id);
        guests?.apply(others, { id });
        return {
          envelope_id: id,
          conversation_id: formatConversationId(envelope.conversationId),
          nonce: envelope.nonce,
          payload_hash: toHex(envelope.payloadHash),
        };
      },
      { opId: operationId },
    );
    return (await issued.finally(() => guests?.over())).value;
  }

  /** An envelope that will wait with somebody else is sealed unless its sender says otherwise. */
  async #withSeal(draft: Draft): Promise<Draft> {
    const { network, waits } = this.#options;
    const { sealed, recipient } = draft;
    if (sealed !== undefined || !recipient || !waits || !canBeSealed(draft, network)) return draft;
    return (await waits(recipient)) ? { ...draft, sealed: true } : draft;
  }
}

/** A draft as plugins read it. */
function sendingOf(
  { msgType: type, recipient, conversationId, body }: Draft,
  { key }: AgentIdentity,
  { version }: Network,
): SendingEnvelope {
  const payload = codecOf<MessageName>(type, version).decode(body, key);
  if (!payload.ok) throw new TypeError(`the payload of a ${type} cannot be read: ${payload.reason}`);
  return {
    ...{ type, payload: payload.value, conversationId: formatConversationId(conversationId) },
    recipient: recipient ? formatAgentId(recipient) : null,
  } as SendingEnvelope;
}

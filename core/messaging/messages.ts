import { invalidField, MeshError } from '../contracts/errors.ts';
import type { Clock, Random } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { MessageName } from '../protocol/envelopes/message-types.ts';
import { isBroadcast } from '../protocol/envelopes/message-types.ts';
import { proofBytesOf } from '../protocol/envelopes/receipt.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import type { Network } from '../protocol/identity/network.ts';
import type { AgentIdentity } from '../protocol/signer/identity.ts';
import type { Space } from '../storage/space.ts';
import { Delivery, type EnvelopeSender } from './delivery.ts';
import type { Inbound } from './inbound.ts';
import type { Inbox } from './inbox.ts';
import { Incoming, type IncomingOptions, type ReceiveHook } from './incoming.ts';
import { EVERYBODY, type OutboxEntry } from './outbox-entry.ts';
import { type Draft, type Issued, Outgoing, type OutgoingOptions, type SendHook } from './outgoing.ts';
import { outbox } from './records.ts';
import type { ReportRule } from './reports.ts';
import { checkSeal } from './seal-rule.ts';
import type { SenderRates } from './sender-rates.ts';
import type { Strangers } from './strangers.ts';
import type { Verifier } from './verification/verifier.ts';

export interface MessagesOptions {
  readonly space: Space;
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly verifier: Verifier;
  readonly envelopeSender: EnvelopeSender;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly rates: SenderRates;
  readonly textRates?: SenderRates | undefined;
  readonly inbox: Inbox;
  readonly strangers?: Strangers | undefined;
  readonly slot: () => number;
  /** Receipts unless it says otherwise. */
  readonly report?: ReportRule | undefined;
  /** Rejects when nothing may be signed now. */
  permit(): Promise<void>;
  readonly receiveHooks: Partial<Record<MessageName, ReceiveHook>>;
  readonly guests?: IncomingOptions['guests'];
  readonly sending?: OutgoingOptions['sending'];
  gate(sender: Uint8Array, msgType: MessageName, signedAt: number): Promise<'accepted' | 'restricted' | 'blocked'>;
  /** The key under which an agent goes on; an agent goes on under its own without it. */
  readonly heirOf?: ((key: Uint8Array) => Promise<Uint8Array>) | undefined;
  /** Whether a conversation is that of a deal of this agent; none is without it. */
  readonly hasDeal?: ((conversation: Uint8Array) => Promise<boolean>) | undefined;
  readonly listener: MessagesListener;
}

export interface MessagesListener {
  /** An envelope was taken; with a cursor when it stands in the inbox. */
  taken(message: Inbound, cursor: number | undefined): void;
  refused(reason: string, detail: string): void;
  /** Somebody (the sentence's first words say who) holds a header and signature that are said to be ours. */
  foreignReceipt(receipt: Uint8Array, from: string): void;
  /** True when a broadcast needs no place in the inbox. */
  overhear(message: Inbound): boolean;
  /** The status of an envelope of our own changed. */
  outbox(id: string, entry: OutboxEntry): void;
}

export interface Sent extends Issued {
  readonly status: OutboxEntry['status'];
}

/** Milliseconds that a send waits for the first attempt, so that most answers can name its final status. */
const FIRST_ATTEMPT = 2_000;
/** Envelopes that may wait for their recipients; beyond, the agent has to wait too. */
const MOST_WAITING = 100_000;

const BEGINNINGS: ReadonlySet<MessageName> = new Set<MessageName>(['MESSAGE', 'PROPOSE']);

/** Everything an agent says and hears: signing and journaling, the outbox, and the gate to the inbox. */
export class Messages {
  readonly #options: MessagesOptions;
  readonly #outgoing: Outgoing;
  readonly #delivery: Delivery;
  readonly #incoming: Incoming;

  constructor(options: MessagesOptions) {
    const { listener, identity } = options;
    this.#options = options;
    const { envelopeSender } = options;
    this.#outgoing = new Outgoing({ ...options, waits: envelopeSender.waits?.bind(envelopeSender) });
    this.#delivery = new Delivery({
      ...options,
      epochSecs: options.network.epochSecs,
      changed: listener.outbox,
      conflict: (evidence, recipient) => listener.foreignReceipt(evidence, `agent ${recipient}`),
    });
    this.#incoming = new Incoming({
      ...options,
      unseal: identity.unseal,
      isLocal: (key) => formatAgentId(key) === identity.address,
      echo: (envelope) => {
        if (envelope.version === 2) listener.foreignReceipt(proofBytesOf(envelope), 'the mesh');
      },
      taken: listener.taken,
      refused: listener.refused,
      overhear: listener.overhear,
    });
  }

  start(): Promise<void> {
    return this.#delivery.start();
  }

  /** Signs, journals and sends. `purpose` happens together with it; `operationId` makes a repeated call harmless. */
  async send(given: Draft, purpose?: SendHook, operationId?: string): Promise<Sent> {
    const draft = await this.#toHeir(given);
    const recipient = draft.recipient ? formatAgentId(draft.recipient) : EVERYBODY;
    if (isBroadcast(draft.msgType) !== (recipient === EVERYBODY)) {
      const message =
        recipient === EVERYBODY ? `${draft.msgType} needs a recipient` : `${draft.msgType} has no recipient`;
      throw new MeshError('invalid_request', { detail: message, fields: [{ pointer: '/recipient', message }] });
    }
    if (recipient === this.#options.identity.address) {
      throw invalidField('/recipient', 'is the sender itself');
    }
    checkSeal(draft, this.#options.network);
    if ((await this.#options.space.count(outbox, 'waiting')) >= MOST_WAITING) {
      throw new MeshError('rate_limited', {
        detail: `${MOST_WAITING} envelopes wait to be delivered.`,
        retryAfter: 60,
      });
    }
    const issued = await this.#outgoing.issue(draft, purpose, operationId);
    const entry = await this.#delivery.attempted(issued.envelope_id, recipient, FIRST_ATTEMPT);
    return { ...issued, status: entry.status };
  }

  /** A message that begins something with an agent goes to the key that it goes on under; deals belong to keys. */
  async #toHeir(draft: Draft): Promise<Draft> {
    const { heirOf, hasDeal } = this.#options;
    if (!draft.recipient || !heirOf || !BEGINNINGS.has(draft.msgType)) return draft;
    const heir = await heirOf(draft.recipient);
    // Words about a deal are for the key of the deal.
    const isOfDeal = heir !== draft.recipient && draft.msgType === 'MESSAGE' && (await hasDeal?.(draft.conversationId));
    return isOfDeal ? draft : { ...draft, recipient: heir };
  }

  /**
   * The envelope that an earlier call of this operation has sent within 24 hours. A sender with checks of its own asks this
   * first: the checks would hold the call against what it has changed itself.
   */
  async sentBefore(operationId: string | undefined): Promise<Sent | undefined> {
    if (operationId === undefined) return undefined;
    const { space } = this.#options;
    const issued = (await space.committed<Issued>(operationId))?.value;
    const entry = issued && (await space.get(outbox.ref(issued.envelope_id)));
    if (!entry) return undefined;
    const { status } = await this.#delivery.attempted(issued.envelope_id, entry.recipient, FIRST_ATTEMPT);
    return { ...issued, status };
  }

  /** Takes an envelope from the mesh. */
  receive(...given: Parameters<Incoming['receive']>): ReturnType<Incoming['receive']> {
    return this.#incoming.receive(...given);
  }

  /** A peer can be reached again: what waits for it goes now. */
  reachable(peer: string): void {
    this.#delivery.appeared(peer);
  }

  /** A hub can be reached: broadcasts go now. */
  hubReachable(): void {
    this.#delivery.appeared(EVERYBODY);
  }

  close(): void {
    this.#delivery.close();
  }
}

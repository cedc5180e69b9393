import type { MessageName } from '../protocol/envelopes/message-types.ts';
import type { Payloads } from '../protocol/envelopes/payloads/payloads.ts';
import type { HistoryGap, SettlementEvent } from '../protocol/settlement/events.ts';
import type { Beside, Read } from '../storage/batch.ts';
import type { OtherSpaces, Tx } from '../storage/transaction.ts';
import type { ReceivedEnvelope } from './received-envelope.ts';

/**
 * Handles one verified envelope: on a node what reached its agent, on an aggregator the public ones that it heard or that
 * were reported whole. Several faces may handle one type; they run in boot order after core's own. Delivery is at least
 * once, in the order of arrival: be idempotent by `id`. BEACONs, and broadcasts that the node does not keep, come once or
 * not at all. A throw and more than 30 seconds are logged and counted, and stop nobody else.
 */
export type EnvelopeHandler<N extends MessageName = any> = (envelope: ReceivedEnvelope<N>) => void | Promise<void>;

/** `restricted`: the sender lacks something, and its node tries again later. `blocked`: this node wants nothing of it. */
export type GateVerdict = 'accepted' | 'restricted' | 'blocked';

/** A verified envelope at the gate: its signature is its sender's, its content is not shown. */
export interface GateQuestion {
  /** The key that signed it, base58. */
  readonly sender: string;
  readonly type: MessageName;
  /** The agent whose node acts for the sender, base58: every gate has let that one in. Absent when it acts for itself. */
  readonly host?: string;
  /** Aborted when the answer comes too late to count. */
  readonly signal: AbortSignal;
}

/**
 * Says whether an envelope is let in, within 2 seconds. A gate that throws, answers anything else or takes longer is closed:
 * the envelope is refused with `restricted`, and its sender's node tries again later. Answer from memory where you can.
 */
export type InboundGate = (question: GateQuestion) => GateVerdict | Promise<GateVerdict>;

/** Why a message is not taken. Its sender's node tries again after `restricted` and `rate-limited`. */
export type Refusal = 'invalid' | 'blocked' | 'rate-limited' | 'restricted';

/** A plugin's part of a transaction of core. It works on the plugin's own space only. */
export interface TransactionPart<I, R> {
  /** The documents that it works on, at most 64; `tx.pull` reads further ones. */
  readonly reads?: (input: I) => readonly Read[];
  /** Pure and synchronous: it may run several times, touches nothing but `tx`, and takes the time from `tx.now`. */
  readonly apply: (tx: Tx, input: I) => R;
}

/** Takes part in the transaction that journals a message. After any answer but `accepted` nothing has changed. */
export type ReceivePart<N extends MessageName = any> = TransactionPart<ReceivedEnvelope<N>, 'accepted' | Refusal>;

/** A message that this agent is about to sign. */
interface SendingHead {
  /** The agent it goes to, base58; null when it goes to everybody. */
  readonly recipient: string | null;
  /** 32 hex digits. */
  readonly conversationId: string;
}
export type SendingEnvelope<N extends MessageName = MessageName> = N extends MessageName
  ? SendingHead & { readonly type: N; readonly payload: Payloads[N] }
  : never;
/** The same once it is signed. */
export type SentEnvelope<N extends MessageName = MessageName> = N extends MessageName
  ? SendingEnvelope<N> & {
      /** The envelope's id, 64 hex digits. */
      readonly id: string;
    }
  : never;

/**
 * Takes part in the transaction that signs a message of this agent, whoever asked for it: both happen or neither. A `MeshError` that `apply`
 * throws refuses the message to its caller, and nothing is signed; any other throw refuses it with `internal`.
 */
export interface SendPart<N extends MessageName = any> {
  /** The documents that it works on, at most 64; `tx.pull` reads further ones. */
  readonly reads?: (draft: SendingEnvelope<N>) => readonly Read[];
  /** Pure and synchronous: it may run several times, touches nothing but `tx`, and takes the time from `tx.now`. */
  readonly apply: (tx: Tx, sent: SentEnvelope<N>) => void;
}

/** A verified envelope or receipt of the public record. */
export interface PublicRecord<N extends MessageName = MessageName> {
  /** The envelope's id, 64 hex digits. */
  readonly id: string;
  readonly type: N;
  /** The key that signed it, base58. */
  readonly sender: string;
  /** Base58; null when it was sent to everybody. */
  readonly recipient: string | null;
  /** 32 hex digits; null outside of conversations. */
  readonly conversationId: string | null;
  /** When its sender says it was signed, Unix milliseconds. */
  readonly sentAt: number;
  /** The newest ledger slot that its sender knew; 0 if none. */
  readonly slot: number;
  readonly nonce: number;
  /** Absent in a receipt, and of an envelope that is sealed. */
  readonly payload?: Payloads[N];
  /** False when its receipt was recorded before, so that only the payload is new. */
  readonly isNew: boolean;
}

/** Notes what a verified envelope or receipt means, in the transaction that records it. */
export type IndexPart<N extends MessageName = any> = TransactionPart<PublicRecord<N>, void>;

/** One finalised event of the settlement program, or a gap in its history. */
export type LedgerEvent<N extends LedgerEventName = LedgerEventName> = N extends LedgerEventName
  ? Named<SettlementEvent | HistoryGap, N>
  : never;
/** Some events share their facts, so that one type stands for several names. */
type Named<E extends { readonly name: string }, N extends string> = E extends unknown
  ? N extends E['name']
    ? E & { readonly name: N }
    : never
  : never;
export type LedgerEventName = (SettlementEvent | HistoryGap)['name'];

/** Notes what an event of the ledger means, in the transaction that takes it. */
export type LedgerEventPart<N extends LedgerEventName = any> = TransactionPart<LedgerEvent<N>, void>;

/** The parts that plugins have in one transaction. */
export interface Guests {
  /** The documents they read, for the transaction to declare. */
  readonly beside: readonly Beside[];
  /**
   * Runs them within the transaction's function. Gives the answer of the first that refuses, and then the function has to throw; a part that
   * fails refuses a message with `rate-limited`, and has otherwise changed nothing. `known` is what only the transaction knows of their input.
   * Throws where a message that is being sent is refused.
   */
  apply(others: OtherSpaces, known?: object): Refusal | undefined;
  /** Must be called when the transaction is over: only now are failures told. */
  over(): void;
}

/** Functions that the faces bound for core to call; filled once the faces stand, so core asks each time. */
export interface ExtensionPoints {
  /** The first verdict that keeps the sender out, in boot order; never rejects. */
  admit(sender: string, type: MessageName, host?: string): Promise<GateVerdict>;
  /** Undefined when no plugin takes part. */
  receiving(envelope: ReceivedEnvelope): Guests | undefined;
  sending(type: MessageName, draft: () => SendingEnvelope): Guests | undefined;
  recording(type: MessageName, record: () => PublicRecord): Guests | undefined;
  reading(event: LedgerEvent): Guests | undefined;
  /** The plugins that take part in recording. */
  readonly plugins: readonly string[];
  /** Whether a plugin follows the events of the ledger. */
  readonly followsLedger: boolean;
}

/** Thrown by the function of a transaction in which a guest refused, so that nothing of it is written. */
export class RefusedByPlugin extends Error {
  override name = 'RefusedByPlugin';
  readonly reason: Refusal;

  constructor(reason: Refusal) {
    super(`a plugin refused it: ${reason}`);
    this.reason = reason;
  }
}

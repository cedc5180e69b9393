import { fromBase64, fromHex } from '../platform/bytes.ts';
import type { Clock, Random } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { AckReason } from '../protocol/envelopes/ack.ts';
import { decodeEnvelope } from '../protocol/envelopes/codec.ts';
import { topicOf } from '../protocol/envelopes/topics.ts';
import { parseAgentId } from '../protocol/identity/ids.ts';
import type { Found } from '../storage/pages.ts';
import type { Space } from '../storage/space.ts';
import type { Left, StrandedLetter } from './fallback.ts';
import {
  dueAt,
  EVERYBODY,
  ended,
  expiryOf,
  isAwaited,
  isKeptHere,
  isPutOff,
  isReadable,
  KEPT_HERE,
  left,
  lifeOf,
  NOT_DELIVERED,
  type OutboxEntry,
  PUT_OFF,
  postponed,
} from './outbox-entry.ts';
import { RecipientQueues } from './recipient-queues.ts';
import { outbox, waitingRecipients } from './records.ts';
import { SendWindow } from './send-window.ts';
import { Sleepers } from './sleepers.ts';

/** The end of one attempt on the mesh: `sent` for a broadcast, `acked` with the recipient's ACK, or the failure. */
export type Attempt =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'acked'; readonly reason: AckReason; readonly evidence?: Uint8Array }
  | { readonly outcome: 'unreachable' | 'busy' | 'unknown' };

/** The part of the mesh the outbox needs. */
export interface EnvelopeSender {
  deliver(recipient: Uint8Array, envelope: Uint8Array, id: Uint8Array): Promise<Attempt>;
  broadcast(envelope: Uint8Array, id: Uint8Array, topic: string): Promise<Attempt>;
  /** Whether what is said to this agent now would wait elsewhere. */
  waits?(recipient: Uint8Array): Promise<boolean>;
  /** Leaves an envelope with somebody who keeps it for its recipient, who cannot be reached. */
  leave?(letter: StrandedLetter): Promise<Left>;
}

export interface DeliveryOptions {
  readonly space: Space;
  readonly envelopeSender: EnvelopeSender;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly epochSecs: number;
  /** A recipient holds another envelope with a nonce of ours: its header and signature. */
  readonly conflict?: (evidence: Uint8Array, recipient: string) => void;
  /** Told of every change of an envelope's status. */
  readonly changed?: (id: string, entry: OutboxEntry) => void;
}

const BATCH = 64;
/** Characters of a hop's detail. */
const MOST_DETAIL = 200;
/** Messages a recipient may put off in one flush before it is sent no more. */
const MOST_REFUSALS = 3;
/** Answers that may be different later. */
const RETRIED: ReadonlySet<AckReason> = new Set(['rate-limited', 'restricted']);

/** One time through a queue. */
interface Flush {
  readonly eager: boolean;
  readonly window: SendWindow;
  /** Conversations that wait because the recipient put one of their messages off. */
  readonly held: Set<string>;
  /** When to flush again. */
  again: number;
  refusals: number;
  /** The recipient was not reached: what follows is left elsewhere without another try. */
  away: boolean;
  /** It is not tried, since it was not reached a moment ago and its letters were left elsewhere. */
  readonly asleep: boolean;
  /** Nobody takes letters for it any more: it is tried itself, with what waits before the one that was refused. */
  woke: boolean;
  /** Nothing more is sent in this flush. */
  over: boolean;
}

/**
 * Delivers the outbox. Every recipient has a queue of its own, in the order of signing, and a recipient that cannot be
 * reached holds up nobody else. In a queue the messages of one conversation go one after the other, because none may
 * overtake the message it answers; those of different conversations do not wait for each other's acknowledgement, so
 * that both sides write down many of them at once.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #queues: RecipientQueues;
  readonly #sleepers: Sleepers;
  #closed = false;

  constructor(options: DeliveryOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#sleepers = new Sleepers(clock);
    const flush = (recipient: string, eager: boolean) => this.#flush(recipient, eager);
    const failed = (error: unknown) => void (this.#closed || log.error({ error }, 'the outbox could not be served'));
    this.#queues = new RecipientQueues({ clock, flush, failed });
  }

  /** Starts a queue for every recipient of an envelope that an earlier process left queued. */
  async start(): Promise<void> {
    this.#queues.start(await waitingRecipients(this.#options.space));
  }

  /** The entry after its first attempt, or as it is after `ms`. */
  async attempted(id: string, recipient: string, ms: number): Promise<OutboxEntry> {
    const { space, clock } = this.#options;
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(ms, resolve);
    });
    await Promise.race([this.#queues.serve(recipient), late]);
    cancel();
    return (await space.get(outbox.ref(id)))!;
  }

  /** A recipient has appeared: what waits for it goes now. */
  appeared(recipient: string): void {
    this.#sleepers.woke(recipient);
    this.#queues.appeared(recipient);
  }

  close(): void {
    this.#closed = true;
    this.#queues.close();
  }

  /**
   * Goes through a recipient's queue once and says when to flush again; undefined when no envelope waits any more. An
   * envelope that the recipient put off is not sent before it is due, unless `eager`.
   */
  async #flush(recipient: string, eager: boolean): Promise<number | undefined> {
    const until = eager ? undefined : this.#sleepers.until(recipient);
    const asleep = until !== undefined;
    const flush: Flush = {
      ...{ eager, asleep, away: asleep, woke: false },
      window: new SendWindow(),
      held: new Set(),
      again: until ?? Number.POSITIVE_INFINITY,
      refusals: 0,
      over: false,
    };
    for (let after: Found<OutboxEntry> | undefined; ; ) {
      const query = { index: 'waiting', prefix: [recipient], limit: BATCH, after } as const;
      const rows = await this.#options.space.page(outbox, query);
      await this.#serve(rows, flush);
      if (flush.woke) return this.#flush(recipient, eager);
      if (flush.over) return flush.again;
      if (rows.length < BATCH) return Number.isFinite(flush.again) ? flush.again : undefined;
      after = rows.at(-1);
    }
  }

  async #serve(rows: readonly Found<OutboxEntry>[], flush: Flush): Promise<void> {
    const conversations = new Map<string, Promise<void>>();
    for (const row of rows) {
      await flush.window.enter();
      const { conversation_id: conversation } = row.value;
      const before = conversations.get(conversation) ?? Promise.resolve();
      const turn = before.then(() => this.#serveOne(row, flush));
      const end = turn.then(
        (taken) => flush.window.leave(taken),
        (error: unknown) => {
          flush.over = true;
          flush.window.leave(false);
          throw error;
        },
      );
      // Looked at below, when all have ended.
      end.catch(() => {});
      conversations.set(conversation, end);
    }
    const ends = await Promise.allSettled(conversations.values());
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** Whether the recipient has taken it; undefined when it was not sent. */
  async #serveOne(row: Found<OutboxEntry>, flush: Flush): Promise<boolean | undefined> {
    const { conversation_id: conversation } = row.value;
    if (flush.over || flush.held.has(conversation)) return undefined;
    const waits = !flush.eager && isPutOff(row.value) && dueAt(row.value) > this.#options.clock.now();
    const entry = waits ? row.value : await this.#attempt(row, flush);
    if (entry.status !== 'queued') return true;
    // It goes with the letter before it, whose try says when.
    if (flush.away && entry === row.value && entry.held_by !== undefined) return false;
    flush.again = Math.min(flush.again, this.#pause(entry));
    if (isPutOff(entry) && !this.#closed) {
      flush.held.add(conversation);
      if (waits) return undefined;
      flush.refusals += 1;
      flush.over ||= flush.refusals >= MOST_REFUSALS;
    } else if (isKeptHere(entry)) {
      flush.held.add(conversation);
      return undefined;
    } else flush.over ||= entry.held_by === undefined;
    return false;
  }

  #pause(entry: OutboxEntry): number {
    return dueAt(entry, this.#options.random.fraction());
  }

  async #attempt({ id, value: entry }: Found<OutboxEntry>, flush: Flush): Promise<OutboxEntry> {
    const { clock, epochSecs } = this.#options;
    if (clock.now() > expiryOf(entry, epochSecs)) {
      return this.#keep(id, ended(entry, 'expired', { at: clock.now(), event: 'expired' }));
    }
    if (flush.away && entry.held_by !== undefined) return entry;
    const attempt: Attempt = flush.away ? { outcome: 'unreachable' } : await this.#send(id, entry);
    const at = clock.now();
    if (attempt.outcome === 'sent') return this.#keep(id, ended(entry, 'broadcast', { at, event: 'broadcast' }));
    if (attempt.outcome !== 'acked') {
      const stranded = await this.#strand(id, entry, attempt.outcome, flush);
      return stranded === entry ? entry : this.#keep(id, stranded);
    }
    const { reason: detail, evidence } = attempt;
    if (evidence) this.#options.conflict?.(evidence, entry.recipient);
    if (RETRIED.has(detail)) return this.#keep(id, postponed(entry, { at, event: PUT_OFF, detail }));
    const taken = detail === 'accepted' || detail === 'duplicate';
    const hop = { at, event: taken ? 'acknowledged' : 'refused', detail };
    return this.#keep(id, ended(entry, taken ? 'delivered' : 'refused', hop));
  }

  /** The entry after its recipient did not answer: left with somebody who keeps it, or to be tried again from here. */
  async #strand(id: string, entry: OutboxEntry, outcome: string, flush: Flush): Promise<OutboxEntry> {
    const { envelopeSender, clock } = this.#options;
    const { recipient, held_by } = entry;
    let detail = outcome;
    if (recipient !== EVERYBODY && outcome !== 'busy') {
      flush.away = true;
      const letter = { id, recipient, envelope: fromBase64(entry.bytes)!, readable: isReadable(entry) };
      const answer = held_by === undefined ? await envelopeSender.leave?.(letter) : undefined;
      if (answer?.held) {
        if (!flush.asleep) this.#sleepers.found(recipient);
        return left(entry, clock.now(), answer.by);
      }
      if (flush.asleep && !answer?.alone) {
        this.#sleepers.woke(recipient);
        flush.woke = flush.over = true;
        return entry;
      }
      if (answer?.alone) return postponed(entry, { at: clock.now(), event: KEPT_HERE, ...detailOf(answer.reason) });
      if (answer?.reason !== undefined) detail = `${outcome}; ${answer.reason}`;
    }
    // Each new message brings an attempt: a caller who writes quickly must not make the pause grow as quickly.
    if (held_by === undefined && isAwaited(entry) && dueAt(entry) > clock.now()) return entry;
    // Its recipient was heard of just now, so it is likely to be reached soon.
    const tried = held_by !== undefined && flush.eager ? { ...entry, attempts: 0 } : entry;
    return postponed(tried, { at: clock.now(), event: NOT_DELIVERED, ...detailOf(detail) });
  }

  #send(id: string, entry: OutboxEntry): Promise<Attempt> {
    const { envelopeSender } = this.#options;
    const bytes = fromBase64(entry.bytes)!;
    const key = fromHex(id, 32)!;
    if (entry.recipient !== EVERYBODY) return envelopeSender.deliver(parseAgentId(entry.recipient)!, bytes, key);
    const envelope = decodeEnvelope(bytes);
    const topic = envelope.ok ? topicOf(envelope.value) : undefined;
    // An older release could queue a broadcast without a topic that the mesh can carry: it stays queued and expires.
    return topic === undefined
      ? Promise.resolve({ outcome: 'unreachable' })
      : envelopeSender.broadcast(bytes, key, topic);
  }

  async #keep(id: string, entry: OutboxEntry): Promise<OutboxEntry> {
    await this.#options.space.put(outbox.ref(id), entry, { ttl: lifeOf(this.#options.epochSecs) });
    this.#options.changed?.(id, entry);
    return entry;
  }
}

function detailOf(text: string | undefined): { readonly detail?: string } {
  return text === undefined ? {} : { detail: text.slice(0, MOST_DETAIL) };
}

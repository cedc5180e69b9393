import type { AckReason } from '../ack.ts';
import { fromBase64, fromHex } from '../bytes.ts';
import type { Clock, Random } from '../clock.ts';
import { type MessageName, messageType } from '../envelopes/message-types.ts';
import { parseAgentId } from '../identity/ids.ts';
import type { Log } from '../log.ts';
import type { Found } from '../storage/pages.ts';
import type { Space } from '../storage/space.ts';
import { EVERYBODY, ended, expiryOf, type OutboxEntry, postponed } from './outbox-entry.ts';
import { outbox } from './records.ts';

/** What the mesh says of one attempt: `sent` for broadcasts, `acked` with the recipient's answer, or why it did not get there. */
export type Attempt =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'acked'; readonly reason: AckReason }
  | { readonly outcome: 'unreachable' | 'busy' | 'unknown' };

/** The part of the mesh the outbox needs. */
export interface Courier {
  deliver(recipient: Uint8Array, envelope: Uint8Array, id: Uint8Array): Promise<Attempt>;
  broadcast(envelope: Uint8Array, id: Uint8Array, topic: string): Promise<Attempt>;
}

export interface DeliveryOptions {
  readonly space: Space;
  readonly courier: Courier;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly epochSecs: number;
  /** Told of every change of an envelope's status. */
  readonly changed?: (id: string, entry: OutboxEntry) => void;
}

/** Envelopes looked at in one go for one recipient. */
const BATCH = 64;
/** How often the outbox is searched for envelopes that are due. */
const SWEEP = 1_000;

/**
 * Delivers what the outbox holds. Envelopes to one recipient go in the order they were signed, one after the other; a
 * recipient that cannot be reached holds up nobody else.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  /** Recipients being served now, and whether to look again when done. */
  readonly #serving = new Map<string, { again: boolean }>();
  /** Envelopes whose first attempt somebody waits for. */
  readonly #waiting = new Map<string, { readonly recipient: string; readonly wake: () => void }>();
  #stopSweep: (() => void) | undefined;
  #closed = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopSweep = this.#options.clock.every(SWEEP, () => void this.#sweep());
  }

  /** Serves a recipient now; `everything` also what was put off, for a recipient that has just appeared. */
  serve(recipient: string, everything = false): void {
    if (this.#closed) return;
    const running = this.#serving.get(recipient);
    if (running) {
      running.again = true;
      return;
    }
    const state = { again: false };
    this.#serving.set(recipient, state);
    void this.#run(recipient, everything)
      .catch((error: unknown) => this.#options.log.error({ error, recipient }, 'delivery failed'))
      .finally(() => {
        this.#serving.delete(recipient);
        if (state.again) this.serve(recipient);
        else this.#wakeAll(recipient);
      });
  }

  /** The entry after its first attempt, or as it is once its recipient has been left alone, or after `ms`. */
  async attempted(id: string, recipient: string, ms: number): Promise<OutboxEntry> {
    const { space, clock } = this.#options;
    let cancel = () => {};
    const attempt = new Promise<void>((wake) => {
      this.#waiting.set(id, { recipient, wake });
      cancel = clock.after(ms, wake);
    });
    this.serve(recipient);
    const entry = await space.get(outbox.ref(id));
    if (entry!.attempts === 0) await attempt;
    cancel();
    this.#waiting.delete(id);
    return (await space.get(outbox.ref(id)))!;
  }

  /** Nothing more is tried for this recipient now: behind envelopes that wait, a new one waits too. */
  #wakeAll(recipient: string): void {
    for (const waiting of this.#waiting.values()) if (waiting.recipient === recipient) waiting.wake();
  }

  close(): void {
    this.#closed = true;
    this.#stopSweep?.();
  }

  async #sweep(): Promise<void> {
    const { space, clock, log } = this.#options;
    try {
      const due = await space.page(outbox, { index: 'due', to: [clock.now()], limit: BATCH });
      for (const recipient of new Set(due.map(({ value }) => value.recipient))) this.serve(recipient);
    } catch (error) {
      if (!this.#closed) log.error({ error }, 'the outbox could not be read');
    }
  }

  async #run(recipient: string, everything: boolean): Promise<void> {
    const { space, clock } = this.#options;
    for (;;) {
      const found = await space.page(outbox, { index: 'waiting', prefix: [recipient], limit: BATCH });
      const due = found.filter(({ value }) => everything || value.next_at! <= clock.now());
      for (const [index, row] of due.entries()) {
        if (this.#closed) return;
        if (!(await this.#attempt(row))) return this.#putOff(due.slice(index + 1));
      }
      if (due.length < BATCH) return;
    }
  }

  /** One attempt; false when the recipient is better left alone for a while. */
  async #attempt({ id, value: entry }: Found<OutboxEntry>): Promise<boolean> {
    const { clock, epochSecs, random } = this.#options;
    if (clock.now() > expiryOf(entry, epochSecs)) {
      await this.#keep(id, ended(entry, 'expired', { at: clock.now(), event: 'expired' }));
      return true;
    }
    const attempt = await this.#send(id, entry);
    const at = clock.now();
    if (attempt.outcome === 'sent') {
      await this.#keep(id, ended(entry, 'broadcast', { at, event: 'broadcast' }));
      return true;
    }
    if (attempt.outcome === 'acked' && !RETRIED.has(attempt.reason)) {
      const taken = attempt.reason === 'accepted' || attempt.reason === 'duplicate';
      const event = taken ? 'acknowledged' : 'refused';
      await this.#keep(id, ended(entry, taken ? 'delivered' : 'refused', { at, event, detail: attempt.reason }));
      return true;
    }
    const detail = attempt.outcome === 'acked' ? attempt.reason : attempt.outcome;
    await this.#keep(id, postponed(entry, { at, event: 'not delivered', detail }, random.fraction()));
    return false;
  }

  #send(id: string, entry: OutboxEntry): Promise<Attempt> {
    const { courier } = this.#options;
    const bytes = fromBase64(entry.bytes)!;
    const key = fromHex(id, 32)!;
    if (entry.recipient !== EVERYBODY) return courier.deliver(parseAgentId(entry.recipient)!, bytes, key);
    const type = messageType(entry.msg_type as MessageName);
    return courier.broadcast(bytes, key, type.route === 'broadcast' ? type.topic : 'broadcast');
  }

  async #keep(id: string, entry: OutboxEntry): Promise<void> {
    await this.#options.space.put(outbox.ref(id), entry);
    this.#options.changed?.(id, entry);
    this.#waiting.get(id)?.wake();
  }

  /** What stands behind an envelope that could not be delivered waits as long as it does. */
  async #putOff(rows: readonly Found<OutboxEntry>[]): Promise<void> {
    if (rows.length === 0) return;
    const { space, clock, random } = this.#options;
    const pause = postponed(rows[0]!.value, { at: clock.now(), event: '' }, random.fraction()).next_at!;
    await space.tx([], (tx) => {
      for (const { id, value } of rows) tx.put(outbox.ref(id), { ...value, next_at: pause });
    });
  }
}

/** Answers that may be different later. */
const RETRIED: ReadonlySet<AckReason> = new Set(['rate-limited', 'restricted']);

import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { within } from '../platform/scope.ts';
import type { EnvelopeHandlers } from './envelope-handlers.ts';
import { type Inbound, readInbound } from './inbound.ts';
import type { Inbox } from './inbox.ts';
import type { InboxRecord } from './inbox-records.ts';

export interface DispatcherOptions {
  readonly inbox: Inbox;
  readonly handlers: EnvelopeHandlers;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long the handlers of one envelope may take before the next one's turn. */
const DEADLINE = 30_000;
/** Records passed over before that is written down. */
const STRIDE = 256;
/** Overheard envelopes being handled at the same time; further ones are passed over. */
const MOST_OVERHEARD = 64;

/**
 * Hands envelopes of the inbox to the plugins' handlers, in order and at least once: the place is stored when the
 * handlers are done, so a crash before that repeats the envelope. Nothing runs where no plugin handles envelopes.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #stop = new AbortController();
  #types: ReadonlySet<string> = new Set();
  #done: Promise<void> = Promise.resolve();
  #overheard = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Goes on where the last process stopped; with the first handler ever, at what comes from now on. */
  async start(): Promise<void> {
    const { inbox, handlers, log } = this.#options;
    this.#types = new Set(handlers.types());
    if (this.#types.size === 0) {
      if (inbox.handled !== null) await inbox.handledUpTo(null);
      return;
    }
    if (inbox.handled === null) await inbox.handledUpTo(inbox.newest);
    this.#done = this.#run(inbox.handled ?? inbox.newest).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) log.error({ error }, 'envelopes are not handed to plugins any more');
    });
  }

  /** An envelope that is not kept: handed over once, now, or not at all. */
  overheard(message: Inbound): void {
    if (!this.#types.has(message.envelope.msgType) || this.#overheard >= MOST_OVERHEARD) return;
    this.#overheard += 1;
    void this.#hand(message).finally(() => {
      this.#overheard -= 1;
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(from: number): Promise<void> {
    const { inbox } = this.#options;
    let stored = from;
    for await (const record of inbox.everything(from, this.#stop.signal)) {
      const handled = await this.#take(record);
      if (this.#stop.signal.aborted) return;
      if (!handled && record.cursor - stored < STRIDE) continue;
      await inbox.handledUpTo(record.cursor);
      stored = record.cursor;
    }
  }

  async #take(record: InboxRecord): Promise<boolean> {
    if (!this.#types.has(record.msg_type)) return false;
    const message = readInbound(record);
    if (message.ok) await this.#hand(message.value);
    else this.#options.log.error({ id: record.envelope_id, reason: message.reason }, 'an envelope cannot be read');
    return true;
  }

  async #hand(message: Inbound): Promise<void> {
    const { handlers, clock, log } = this.#options;
    const { msgType } = message.envelope;
    try {
      await within(clock, DEADLINE, () => handlers.deliver(msgType, message));
    } catch (error) {
      log.error({ error, type: msgType, id: message.id }, 'the handlers of an envelope take too long');
    }
  }
}

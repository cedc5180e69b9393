import type { Log } from '../platform/log.ts';
import type { EnvelopeHandlers } from './envelope-handlers.ts';
import { type Inbound, readInbound } from './inbound.ts';
import type { Inbox } from './inbox.ts';
import type { InboxRecord } from './inbox-records.ts';
import { receivedInbound } from './received-envelope.ts';

export interface DispatcherOptions {
  readonly inbox: Inbox;
  readonly handlers: EnvelopeHandlers;
  readonly log: Log;
  /** Aborted when the node begins to stop: what is not handled by then is handled after the next start. */
  readonly signal: AbortSignal;
}

/** Records passed over before that is written down. */
const STRIDE = 256;

/**
 * Hands envelopes of the inbox to the plugins' handlers, in order and at least once: the place is stored when the
 * handlers are done, so a crash before that repeats the envelope. Nothing runs where no plugin handles envelopes.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  #done: Promise<void> = Promise.resolve();

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Goes on where the last process stopped; with the first handler ever, at what comes from now on. */
  async start(): Promise<void> {
    const { inbox, handlers, log, signal } = this.#options;
    if (handlers.isEmpty) {
      if (inbox.handled !== null) await inbox.handledUpTo(null);
      return;
    }
    if (inbox.handled === null) await inbox.handledUpTo(inbox.newest);
    this.#done = this.#run(inbox.handled ?? inbox.newest).catch((error: unknown) => {
      if (!signal.aborted) log.error({ error }, 'envelopes are not handed to plugins any more');
    });
  }

  /** An envelope that is not kept: handed over once, now, or not at all. */
  unstored(message: Inbound): void {
    const { handlers, signal } = this.#options;
    if (handlers.handles(message.envelope.msgType) && !signal.aborted)
      handlers.deliverUnstored(receivedInbound(message));
  }

  /** Waits for the handlers that are running. */
  close(): Promise<void> {
    return this.#done;
  }

  async #run(from: number): Promise<void> {
    const { inbox, signal } = this.#options;
    let stored = from;
    for await (const record of inbox.everything(from, signal)) {
      const handled = await this.#take(record);
      if (signal.aborted) return;
      if (!handled && record.cursor - stored < STRIDE) continue;
      await inbox.handledUpTo(record.cursor);
      stored = record.cursor;
    }
  }

  async #take(record: InboxRecord): Promise<boolean> {
    const { handlers, log } = this.#options;
    if (!handlers.handles(record.msg_type)) return false;
    const message = readInbound(record);
    if (message.ok) await handlers.deliver(receivedInbound(message.value));
    else log.error({ id: record.envelope_id, reason: message.reason }, 'an envelope cannot be read');
    return true;
  }
}

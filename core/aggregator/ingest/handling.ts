import type { EnvelopeHandlers } from '../../messaging/envelope-handlers.ts';
import { receivedEnvelope } from '../../messaging/received-envelope.ts';
import { fromBase64, toBase64 } from '../../platform/bytes.ts';
import type { Log } from '../../platform/log.ts';
import { ONLY_PROCESS, type Writership } from '../../platform/writership.ts';
import { decodeEnvelope } from '../../protocol/envelopes/codec.ts';
import { envelopeId } from '../../protocol/envelopes/header.ts';
import { isPrivate } from '../../protocol/envelopes/message-types.ts';
import { decodePayload } from '../../protocol/envelopes/payloads/codecs.ts';
import type { TypedPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatEnvelopeId } from '../../protocol/identity/ids.ts';
import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import type { Tx } from '../../storage/transaction.ts';
import { unhandled } from '../store/logs.ts';
import type { Signed } from './signed.ts';

export interface HandlingOptions {
  readonly space: Space;
  readonly handlers: Omit<EnvelopeHandlers, 'plugins'>;
  readonly log: Log;
  /** Aborted when the aggregator begins to stop: what is not handled by then is handled after the next start. */
  readonly signal: AbortSignal;
  /** Of several processes on the store, the writer hands over. */
  readonly writership?: Writership;
  /** Envelopes kept for handlers that are slower than what comes; beyond, the oldest are lost to them. */
  readonly most?: number;
}

const MOST = 10_000;
/** Handled envelopes that a crash may repeat, beside the last one. */
const STRIDE = 64;

/**
 * Hands the public envelopes that ingest records whole to the handlers of plugins, in order and at least once: they are
 * kept in the transaction that records them, and trimmed when the handlers are done. BEACONs, of which every agent sends one
 * every few minutes, are handed over once or not at all. Nothing is kept where no plugin handles the type.
 */
export class Handling {
  readonly #options: HandlingOptions;
  readonly #most: number;
  readonly #writership: Writership;
  /** The newest that was kept, and how many wait for their handlers. */
  #newest = 0;
  #waiting = 0;
  #done: Promise<void> = Promise.resolve();

  private constructor(options: HandlingOptions) {
    this.#options = options;
    this.#most = options.most ?? MOST;
    this.#writership = options.writership ?? ONLY_PROCESS;
  }

  static async open(options: HandlingOptions): Promise<Handling> {
    const handling = new Handling(options);
    await handling.#count();
    return handling;
  }

  /** Goes on where the last process stopped, once every handler is known. Envelopes left for plugins that are gone are removed. */
  async start(): Promise<void> {
    const { handlers, log, signal } = this.#options;
    if (handlers.isEmpty) {
      if (this.#newest > 0) await this.#trim(this.#newest);
      return;
    }
    this.#done = this.#follow().catch((error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, 'envelopes are not handed to plugins any more');
    });
  }

  /** Waits for the handlers that are running. */
  close(): Promise<void> {
    return this.#done;
  }

  /** Whether an envelope is kept until it is handled. */
  keeps({ msgType, envelope }: Signed): boolean {
    if (!envelope || msgType === 'BEACON' || isPrivate(msgType)) return false;
    return this.#options.handlers.handles(msgType);
  }

  /** In the transaction that records it; it must be the last that is appended there. */
  keep(tx: Tx, { bytes }: Signed): void {
    tx.append(unhandled, { bytes: toBase64(bytes) });
  }

  /** It is recorded, and `kept` under this id if it was kept. */
  recorded({ id, msgType, envelope }: Signed, payload: TypedPayload, kept: number | undefined): void {
    const { handlers, log, signal } = this.#options;
    if (kept === undefined) {
      if (msgType === 'BEACON' && envelope && handlers.handles(msgType) && !signal.aborted)
        handlers.deliverUnstored(receivedEnvelope(id, envelope, payload));
      return;
    }
    if (!this.#writership.isWriter) return;
    this.#newest = Math.max(this.#newest, kept);
    this.#waiting += 1;
    // A tenth more than the limit is kept, so that not every envelope costs a trim.
    if (this.#waiting <= this.#most * 1.1) return;
    const lost = this.#waiting - this.#most;
    this.#waiting = this.#most;
    log.error({ lost }, 'the handlers of plugins are too slow: the oldest envelopes are lost to them');
    this.#trim(kept - this.#most).catch((error: unknown) => log.error({ err: error }, 'envelopes were not trimmed'));
  }

  async #follow(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      const term = await this.#writership.term(signal);
      await this.#count();
      await this.#run(term === signal ? signal : AbortSignal.any([signal, term]));
    }
  }

  /** Others may have kept and handled some meanwhile. */
  async #count(): Promise<void> {
    const { space } = this.#options;
    const [oldest] = await space.page(unhandled, { after: 0, limit: 1 });
    const [newest] = await space.page(unhandled, { limit: 1 });
    this.#newest = newest?.id ?? 0;
    this.#waiting = oldest && newest ? newest.id - oldest.id + 1 : 0;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { space } = this.#options;
    let trimmed = 0;
    for await (const row of space.tail(unhandled, 0, signal)) {
      await this.#take(row);
      if (signal.aborted) return;
      this.#waiting = Math.max(0, this.#waiting - 1);
      if (row.id < this.#newest && row.id - trimmed < STRIDE) continue;
      await this.#trim(row.id);
      trimmed = row.id;
    }
  }

  async #take({ id, record }: Logged<{ readonly bytes: string }>): Promise<void> {
    const { handlers, log } = this.#options;
    const envelope = decodeEnvelope(fromBase64(record.bytes)!);
    const payload = envelope.ok ? decodePayload(envelope.value) : envelope;
    if (!envelope.ok || !payload.ok) {
      log.error({ id, reason: payload.ok ? undefined : payload.reason }, 'an envelope cannot be read');
      return;
    }
    await handlers.deliver(
      receivedEnvelope(formatEnvelopeId(envelopeId(envelope.value)), envelope.value, payload.value),
    );
  }

  async #trim(upTo: number): Promise<void> {
    await this.#options.space.tx([], (tx) => tx.trim(unhandled, upTo));
  }
}

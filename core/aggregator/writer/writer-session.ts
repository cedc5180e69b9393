import { once } from 'node:events';
import { connect } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { StorageError } from '../../storage/adapter.ts';
import type { ItemResult } from '../ingest/item.ts';
import type { StoredWriter } from '../store/writer.ts';
import { type HandedItem, messageIn, partsOf } from './hand-over.ts';
import { SealedLink } from './sealed-link.ts';

interface Handed {
  readonly bytes: number;
  readonly count: number;
  /** With nothing when the writer was lost first. */
  answered(results: readonly ItemResult[] | undefined): void;
  refused(error: StorageError): void;
}

/** Items and bytes that one process hands over at once; more is refused, and its caller tries again. */
const MOST_ITEMS = 8_192;
const MOST_BYTES = 24 * 1024 * 1024;
const CONNECT_MS = 2_000;

/** The connection of an aggregator to the writer of its store. */
export class WriterSession {
  readonly writer: StoredWriter;
  readonly #handed = new Map<number, Handed>();
  readonly #ended: () => void;
  #link: SealedLink | undefined;
  #isOpen = true;
  #next = 0;
  #items = 0;
  #bytes = 0;

  private constructor(writer: StoredWriter, ended: () => void) {
    this.writer = writer;
    this.#ended = ended;
  }

  /** `ended` is told once, when nothing more can be handed over. Rejects with the reason when there is no way to the writer. */
  static async open(writer: StoredWriter, clock: Clock, ended: () => void): Promise<WriterSession> {
    const border = writer.address.lastIndexOf(':');
    const host = writer.address.slice(0, border).replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(writer.address.slice(border + 1)) });
    const cancel = clock.after(CONNECT_MS, () => socket.destroy(new Error('it does not answer')));
    await once(socket, 'connect').finally(cancel);
    const session = new WriterSession(writer, ended);
    const events = { frame: (content: Buffer) => session.#frame(content), lost: () => session.#lost() };
    session.#link = await SealedLink.open(socket, 'asker', writer.secret, events, clock);
    return session;
  }

  /** Whether it takes more. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * The writer's results, once they are durable; undefined when it was lost before it answered, and then nobody knows what it has
   * written. Rejects with the writer's StorageError, and with `full` when too much is under way.
   */
  hand(items: readonly HandedItem[]): Promise<readonly ItemResult[] | undefined> {
    if (!this.#isOpen) return Promise.resolve(undefined);
    const count = items.length;
    const bytes = items.reduce((sum, item) => sum + item.bytes.length, 0);
    if (this.#items > 0 && (this.#items + count > MOST_ITEMS || this.#bytes + bytes > MOST_BYTES))
      return Promise.reject(new StorageError('full', `${this.#items} items already wait for the writer`));
    const id = this.#next;
    this.#next = (id + 1) % 2 ** 32;
    this.#items += count;
    this.#bytes += bytes;
    return new Promise((answered, refused) => {
      this.#handed.set(id, { bytes, count, answered, refused });
      this.#link!.send(partsOf({ kind: 'items', id, items }));
    });
  }

  /** Hands over nothing more; ends when everything is answered. */
  leave(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ended();
    if (this.#handed.size === 0) this.#link!.end('it is not needed any more');
  }

  #frame(content: Buffer): void {
    const message = messageIn(content);
    const handed = 'id' in message ? this.#handed.get(message.id) : undefined;
    if (message.kind === 'leaving') this.leave();
    if (!handed || message.kind === 'leaving' || message.kind === 'items') return;
    this.#handed.delete(message.id);
    this.#items -= handed.count;
    this.#bytes -= handed.bytes;
    if (message.kind === 'results') handed.answered(message.results);
    else handed.refused(message.error);
    if (!this.#isOpen && this.#handed.size === 0) this.#link!.end('it is not needed any more');
  }

  #lost(): void {
    for (const { answered } of this.#handed.values()) answered(undefined);
    this.#handed.clear();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#ended();
  }
}

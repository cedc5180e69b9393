import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import type { ListenAddress } from '../../platform/listen.ts';
import type { Log } from '../../platform/log.ts';
import { StorageError } from '../../storage/adapter.ts';
import { type HandedItem, type Message, messageIn, partsOf, type WriteHanded } from './hand-over.ts';
import { SealedLink } from './sealed-link.ts';

export interface WriterListenerParts {
  readonly at: ListenAddress;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly write: WriteHanded;
}

/** Connections that have proved themselves, and others. */
const MOST = 64;
/** Bytes of one asker that are being written; beyond, nothing more is read of it. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Where other aggregators on the store hand over what they have verified. */
export class WriterListener {
  readonly #parts: WriterListenerParts;
  readonly #server: Server;
  readonly #links = new Set<SealedLink>();
  readonly #writing = new Set<Promise<void>>();
  readonly #sockets = new Set<Socket>();

  private constructor(parts: WriterListenerParts) {
    this.#parts = parts;
    this.#server = createServer((socket) => this.#adopt(socket));
    this.#server.maxConnections = MOST;
  }

  /** Rejects with the system's error. */
  static async open(parts: WriterListenerParts): Promise<WriterListener> {
    const listener = new WriterListener(parts);
    listener.#server.listen(parts.at.port, parts.at.host);
    await once(listener.#server, 'listening');
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Aggregators that hand over here. */
  get askers(): number {
    return this.#links.size;
  }

  /** Tells them that the writer will be another one. */
  leave(): void {
    for (const link of this.#links) link.send(partsOf({ kind: 'leaving' }));
  }

  /** Answers what was handed over, then ends every connection. */
  async close(): Promise<void> {
    this.#server.close();
    this.leave();
    while (this.#writing.size > 0) await Promise.all(this.#writing);
    // Those who were told leave by themselves; an answer on its way is not cut off.
    const { clock } = this.#parts;
    for (let waited = 0; this.#links.size > 0 && waited < 2_000; waited += 20) await clock.sleep(20);
    for (const socket of this.#sockets) socket.destroy();
  }

  #adopt(socket: Socket): void {
    const { secret, clock, log } = this.#parts;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    let bytes = 0;
    const frame = (content: Buffer) => {
      bytes += content.length;
      if (bytes > MOST_BYTES) link?.pause();
      const written = this.#answer(content)
        .then((answer) => link?.send(partsOf(answer)))
        .catch((error: unknown) => {
          log.error({ err: error }, 'another aggregator handed over what cannot be read');
          link?.end('it sent what cannot be read');
        })
        .finally(() => {
          this.#writing.delete(written);
          if (bytes > MOST_BYTES && bytes - content.length <= MOST_BYTES) link?.resume();
          bytes -= content.length;
        });
      this.#writing.add(written);
    };
    let link: SealedLink | undefined;
    const lost = () => link && this.#links.delete(link);
    SealedLink.open(socket, 'writer', secret, { frame, lost }, clock).then(
      (opened) => {
        link = opened;
        this.#links.add(opened);
      },
      (error: unknown) => log.warn({ reason: String(error) }, 'somebody without the secret asked the writer'),
    );
  }

  async #answer(content: Buffer): Promise<Message> {
    const message = messageIn(content);
    if (message.kind !== 'items') throw new Error(`an asker sent ${message.kind}`);
    const { id, items } = message;
    try {
      return { kind: 'results', id, results: await this.#write(items) };
    } catch (error) {
      if (error instanceof StorageError) return { kind: 'refused', id, error };
      this.#parts.log.error({ err: error }, 'what another aggregator handed over could not be written');
      return { kind: 'refused', id, error: new StorageError('unavailable', 'the writer failed') };
    }
  }

  #write(items: readonly HandedItem[]) {
    return this.#parts.write(items);
  }
}

import type { Duplex } from 'node:stream';

/** One who does not read what a stream has for it. */
export interface SlowReader {
  readonly connection: Duplex;
  /** The address, or IPv6 network, that it is counted under. */
  readonly network: string;
  /** Tells it that it is too slow, and cuts it when it does not listen. */
  end(): void;
  /** Cuts it at once. */
  destroy(): void;
}

interface Waiting {
  readonly reader: SlowReader;
  bytes: number;
  ended: boolean;
}

/**
 * The bytes of all streams that wait in this process for clients to read them. Each client alone is bounded by the
 * stream that writes to it; this bounds all of them. Above half of the bound the network with the most waiting loses the
 * client that has waited longest, which is told so. At the bound those that were told are cut without waiting.
 */
export class UnsentBytes {
  readonly #most: number;
  /** Those who have waited longest first. */
  readonly #waiting = new Map<Duplex, Waiting>();
  /** Bytes that wait for readers of each network who were not told to go. */
  readonly #networks = new Map<string, number>();
  #bytes = 0;
  #ended = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Something was written to the connection of a reader, and some of it has not left. */
  note(reader: SlowReader): void {
    const { connection } = reader;
    const known = this.#waiting.get(connection);
    const waiting = known ?? { reader, bytes: 0, ended: false };
    if (!known) this.#watch(connection, waiting);
    this.#count(waiting, connection.writableLength - waiting.bytes);
    this.#relieve();
  }

  #watch(connection: Duplex, waiting: Waiting): void {
    this.#waiting.set(connection, waiting);
    const forget = () => {
      connection.off('drain', forget);
      connection.off('close', forget);
      this.#forget(connection);
    };
    connection.on('drain', forget);
    connection.on('close', forget);
  }

  #forget(connection: Duplex): void {
    const waiting = this.#waiting.get(connection);
    if (!waiting) return;
    this.#count(waiting, -waiting.bytes);
    this.#waiting.delete(connection);
  }

  #count(waiting: Waiting, by: number): void {
    waiting.bytes += by;
    this.#bytes += by;
    if (waiting.ended) this.#ended += by;
    else this.#share(waiting.reader.network, by);
  }

  #share(network: string, by: number): void {
    const bytes = (this.#networks.get(network) ?? 0) + by;
    if (bytes > 0) this.#networks.set(network, bytes);
    else this.#networks.delete(network);
  }

  #relieve(): void {
    while (this.#bytes - this.#ended > this.#most / 2) {
      const waiting = this.#slowest();
      if (!waiting) break;
      this.#share(waiting.reader.network, -waiting.bytes);
      this.#ended += waiting.bytes;
      waiting.ended = true;
      waiting.reader.end();
    }
    if (this.#bytes <= this.#most) return;
    for (const { reader, ended } of [...this.#waiting.values()]) {
      if (!ended) continue;
      this.#forget(reader.connection);
      reader.destroy();
      if (this.#bytes <= this.#most) return;
    }
  }

  /** Of the network with the most bytes, whoever has waited longest. */
  #slowest(): Waiting | undefined {
    let [largest, most] = ['', 0];
    for (const [network, bytes] of this.#networks) if (bytes > most) [largest, most] = [network, bytes];
    for (const waiting of this.#waiting.values()) {
      if (!waiting.ended && waiting.reader.network === largest) return waiting;
    }
    return undefined;
  }
}

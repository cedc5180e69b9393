import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Clock } from '../../platform/clock.ts';

const HEAD = 4;
const MAC = 16;
/** A body of reports has 4 MiB at the most. */
const MAX_FRAME = 8 * 1024 * 1024;
/** Milliseconds: a pulse is sent so often, and whoever was silent for so long is gone. */
const PULSE_MS = 1_000;
const SILENCE_MS = 4_000;
const HANDSHAKE_MS = 2_000;
const PULSE = Buffer.alloc(0);

export type Side = 'asker' | 'writer';

export interface LinkEvents {
  frame(content: Buffer): void;
  /** Once, however it ends. */
  lost(why: string): void;
}

/**
 * A connection between two aggregators on one store: frames of up to 8 MiB, each with a code that nobody can make who does not
 * know the secret, in the order in which they were sent. They are not hidden: the link belongs on a private network.
 */
export class SealedLink {
  readonly #socket: Socket;
  readonly #keys: Readonly<Record<'sent' | 'got', Buffer>>;
  readonly #counts = { sent: 0n, got: 0n };
  readonly #events: LinkEvents;
  readonly #clock: Clock;
  readonly #stopPulse: () => void;
  #heard: number;
  #chunks: Buffer[] = [];
  #length = 0;
  #why: string | undefined;

  private constructor(socket: Socket, keys: Record<'sent' | 'got', Buffer>, events: LinkEvents, clock: Clock) {
    this.#socket = socket;
    this.#keys = keys;
    this.#events = events;
    this.#clock = clock;
    this.#heard = clock.now();
    this.#stopPulse = clock.every(PULSE_MS, () => {
      if (clock.now() - this.#heard > SILENCE_MS) this.end(`it was silent for ${SILENCE_MS / 1_000} seconds`);
      else this.send([PULSE]);
    });
    socket.on('error', (error) => this.end(error.message));
    socket.on('close', () => this.end('it closed the connection'));
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  /** Both sides prove to each other that they know the secret; rejects when that takes 2 seconds or the other one does not. */
  static async open(socket: Socket, side: Side, secret: string, events: LinkEvents, clock: Clock): Promise<SealedLink> {
    const failed = (error: Error) => socket.destroy(error);
    const cancel = clock.after(HANDSHAKE_MS, () => failed(new Error('it did not prove itself in time')));
    try {
      const mine = randomBytes(32);
      socket.setNoDelay(true);
      socket.write(mine);
      const theirs = await read(socket, 32);
      const [asker, writer] = side === 'asker' ? [mine, theirs] : [theirs, mine];
      const codeOf = (purpose: string) =>
        createHmac('sha256', secret).update(purpose).update(asker).update(writer).digest();
      const other = side === 'asker' ? 'writer' : 'asker';
      socket.write(codeOf(`proof ${side}`));
      if (!timingSafeEqual(await read(socket, 32), codeOf(`proof ${other}`))) throw new Error('it has another secret');
      const keys = { sent: codeOf(`frames ${side}`), got: codeOf(`frames ${other}`) };
      return new SealedLink(socket, keys, events, clock);
    } catch (error) {
      socket.on('error', () => {});
      socket.destroy();
      throw error;
    } finally {
      cancel();
    }
  }

  /** Bytes that the other side has not taken yet. */
  get unsent(): number {
    return this.#socket.writableLength;
  }

  send(parts: readonly Uint8Array[]): void {
    if (this.#why !== undefined) return;
    const length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const head = Buffer.allocUnsafe(HEAD + MAC);
    head.writeUInt32BE(length);
    codeOf(this.#keys.sent, this.#counts.sent++, parts).copy(head, HEAD);
    this.#socket.cork();
    this.#socket.write(head);
    for (const part of parts) if (part.byteLength > 0) this.#socket.write(part);
    this.#socket.uncork();
  }

  /** Reads no further until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#heard = this.#clock.now();
    this.#socket.resume();
  }

  end(why: string): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    this.#stopPulse();
    this.#socket.destroy();
    this.#events.lost(why);
  }

  #receive(chunk: Buffer): void {
    this.#heard = this.#clock.now();
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (let content = this.#next(); content; content = this.#next()) {
      if (content.length > 0) this.#events.frame(content);
    }
  }

  #next(): Buffer | undefined {
    if (this.#why !== undefined || this.#length < HEAD + MAC) return undefined;
    const head = this.#joined(HEAD + MAC);
    const length = head.readUInt32BE();
    if (length > MAX_FRAME) return this.#broken('it sent a frame that is too long');
    const whole = HEAD + MAC + length;
    if (this.#length < whole) return undefined;
    const all = this.#joined(whole);
    const content = all.subarray(HEAD + MAC, whole);
    const code = codeOf(this.#keys.got, this.#counts.got++, [content]);
    if (!timingSafeEqual(code, all.subarray(HEAD, HEAD + MAC)))
      return this.#broken('it sent a frame with a wrong code');
    this.#chunks = all.length > whole ? [all.subarray(whole), ...this.#chunks.slice(1)] : this.#chunks.slice(1);
    this.#length -= whole;
    return content;
  }

  #broken(why: string): undefined {
    this.end(why);
  }

  /** The first chunk, once it has at least so many bytes; there are as many. */
  #joined(least: number): Buffer {
    if (this.#chunks[0]!.length < least) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }
}

function codeOf(key: Buffer, count: bigint, parts: readonly Uint8Array[]): Buffer {
  const number = Buffer.allocUnsafe(8);
  number.writeBigUInt64BE(count);
  const code = createHmac('sha256', key).update(number);
  for (const part of parts) code.update(part);
  return code.digest().subarray(0, MAC);
}

/** So many bytes, of a socket that nobody else reads yet. */
async function read(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const found = socket.read(length) as Buffer | null;
    if (found?.length === length) return found;
    if (found || socket.readableEnded || socket.destroyed)
      throw socket.errored ?? new Error('it closed the connection');
    const over = new AbortController();
    try {
      await Promise.race([
        once(socket, 'readable', { signal: over.signal }),
        once(socket, 'close', { signal: over.signal }),
      ]);
    } finally {
      over.abort();
    }
  }
}

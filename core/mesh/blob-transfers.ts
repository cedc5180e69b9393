import { toHex } from '../platform/bytes.ts';
import type { Clock } from '../platform/clock.ts';
import { TokenBucket } from '../platform/token-bucket.ts';
import { writeFrame } from './frames/frame-writer.ts';
import { MAX_PART } from './frames/frames.ts';
import type { BlobFrame } from './frames/relay-frames.ts';
import type { MeshLimits } from './limits.ts';
import type { MeshOptions } from './mesh-contract.ts';
import type { Session } from './session/session.ts';

export interface BlobTransferOptions {
  readonly clock: Clock;
  readonly limits: MeshLimits;
  readonly blobFor: MeshOptions['blobFor'];
}

/** Parts that are asked for at the same time. */
const WINDOW = 4;
/** The share of the other side's patience with frames that questions may use up. */
const SHARE = 0.25;
/** Requests for one part before the other side counts as silent. */
const TRIES = 3;

type Answer = (BlobFrame & { type: 'blob-part' }) | undefined;

interface Held {
  content: Promise<Uint8Array | undefined>;
  /** 0 until it is read. */
  bytes: number;
  cancel(): void;
}

/**
 * Blobs between the two ends of a session. The reader asks for part after part, so a slow reader makes nothing pile up.
 * The keeper holds the blobs that are being fetched in memory, within one bound for all peers together.
 */
export class BlobTransfers {
  readonly #options: BlobTransferOptions;
  /** Blobs that peers fetch from this node, by peer and CID; the one asked for longest ago makes room for another. */
  readonly #held = new Map<string, Held>();
  #heldBytes = 0;
  /** The last blob to be read for each peer. */
  readonly #reading = new Map<string, Promise<unknown>>();
  readonly #asked = new Map<Session, Map<number, (answer: Answer) => void>>();
  #request = 0;

  constructor(options: BlobTransferOptions) {
    this.#options = options;
  }

  /** False when it was of no use. */
  frame(frame: BlobFrame, session: Session): boolean {
    if (frame.type === 'blob-ask') {
      void this.#answer(frame, session);
      return true;
    }
    const answered = this.#asked.get(session)?.get(frame.request);
    answered?.(frame.type === 'blob-part' ? frame : undefined);
    return answered !== undefined;
  }

  ended(session: Session): void {
    for (const answered of this.#asked.get(session)?.values() ?? []) answered(undefined);
    this.#asked.delete(session);
  }

  /** Rejects when the other side falls silent; undefined when it keeps nothing of that name, or not of that size. */
  async fetch(session: Session, cid: Uint8Array, size: number): Promise<Uint8Array | undefined> {
    const { clock, limits } = this.#options;
    const rate = new TokenBucket(clock, limits.controlRate * SHARE, limits.controlRate * SHARE);
    const bytes = new Uint8Array(size);
    const offsets = Array.from({ length: Math.max(1, Math.ceil(size / MAX_PART)) }, (_, index) => index * MAX_PART);
    let isThere = true;
    const work = async () => {
      for (let offset = offsets.shift(); offset !== undefined && isThere; offset = offsets.shift()) {
        while (!rate.take()) await clock.sleep(Math.ceil(rate.secondsUntil(1) * 1_000));
        const part = await this.#part(session, cid, offset);
        const wanted = Math.min(MAX_PART, size - offset);
        isThere &&= part !== undefined && part.total === size && part.bytes.length === wanted;
        if (isThere) bytes.set(part!.bytes, offset);
      }
    };
    await Promise.all(Array.from({ length: WINDOW }, work));
    return isThere ? bytes : undefined;
  }

  async #part(session: Session, cid: Uint8Array, offset: number): Promise<Answer> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const answer = await this.#ask(session, cid, offset);
      if (answer !== 'silent') return answer;
      if (!session.open) break;
    }
    throw new Error('The peer does not answer.');
  }

  #ask(session: Session, cid: Uint8Array, offset: number): Promise<Answer | 'silent'> {
    const { clock, limits } = this.#options;
    if (!session.open) return Promise.resolve('silent');
    this.#request = (this.#request + 1) >>> 0;
    const request = this.#request;
    const waiting = this.#asked.get(session) ?? new Map<number, (answer: Answer) => void>();
    this.#asked.set(session, waiting);
    return new Promise((resolve) => {
      const settle = (answer: Answer | 'silent') => {
        cancel();
        waiting.delete(request);
        if (waiting.size === 0) this.#asked.delete(session);
        resolve(answer);
      };
      const cancel = clock.after(limits.blobMs, () => settle('silent'));
      waiting.set(request, (answer) => settle(session.open ? answer : 'silent'));
      session.offer(writeFrame({ type: 'blob-ask', request, cid, offset }), false);
    });
  }

  async #answer({ request, cid, offset }: BlobFrame & { type: 'blob-ask' }, session: Session): Promise<void> {
    const content = await this.#hold(session.peer!.key, cid);
    if (!content || offset > content.length) {
      session.offer(writeFrame({ type: 'blob-none', request }), false);
      return;
    }
    const bytes = content.subarray(offset, offset + MAX_PART);
    // A peer that does not read is sent no more; it asks again.
    session.offer(writeFrame({ type: 'blob-part', request, total: content.length, bytes }));
  }

  /** Read once for all its parts, and let go when nobody has asked for some time. */
  #hold(peer: Uint8Array, cid: Uint8Array): Promise<Uint8Array | undefined> {
    const { clock, limits, blobFor } = this.#options;
    const from = toHex(peer);
    const name = `${from}:${toHex(cid)}`;
    const known = this.#held.get(name);
    const held: Held = known ?? { content: Promise.resolve(undefined), bytes: 0, cancel() {} };
    held.cancel();
    held.cancel = clock.after(limits.blobMs, () => this.#release(name));
    this.#held.delete(name);
    this.#held.set(name, held);
    if (!known) held.content = this.#inTurn(from, () => this.#read(name, held, () => blobFor?.(cid, peer)));
    return held.content;
  }

  /** One blob of a peer is read after the other: what is being read is in memory, and not counted yet. */
  #inTurn<T>(peer: string, read: () => Promise<T>): Promise<T> {
    const turn = (this.#reading.get(peer) ?? Promise.resolve()).then(read);
    this.#reading.set(peer, turn);
    return turn.finally(() => this.#reading.get(peer) === turn && this.#reading.delete(peer));
  }

  async #read(name: string, held: Held, read: () => Promise<Uint8Array | undefined> | undefined) {
    if (this.#held.get(name) !== held) return undefined;
    const content = await Promise.resolve(read()).catch(() => undefined);
    if (this.#held.get(name) !== held) return content;
    if (!content) this.#release(name);
    held.bytes = content?.length ?? 0;
    this.#heldBytes += held.bytes;
    for (const other of [...this.#held.keys()]) {
      if (this.#heldBytes <= this.#options.limits.blobBytes) break;
      if (other !== name) this.#release(other);
    }
    return content;
  }

  #release(name: string): void {
    const held = this.#held.get(name);
    if (!held) return;
    this.#held.delete(name);
    held.cancel();
    this.#heldBytes -= held.bytes;
  }
}

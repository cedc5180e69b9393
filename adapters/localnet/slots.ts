import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import type { Clock } from '../../core/platform/clock.ts';

/** How many blocks a blockhash stays valid, as on every Solana cluster. */
export const BLOCKHASH_BLOCKS = 150;
export const SLOTS_PER_EPOCH = 432_000;
const SLOT_HASHES = 64;
const MAX_JUMPS = 256;
/** More than are valid: a node that lags behind still takes older ones. */
const KNOWN_BLOCKHASHES = 1_000;

/** A slot and its time. `wall` is when the slot began on this machine, `offset` the seconds warped so far. */
export interface Stamp {
  readonly slot: number;
  readonly height: number;
  /** Chain time in Unix seconds. */
  readonly unix: number;
  readonly wall: number;
  readonly offset: number;
}

/**
 * Slots follow from the clock instead of being counted: nothing runs while nobody asks, and a chain that was down
 * continues where the wall clock is, as if it had run. Blockhashes follow from the height, so none are stored.
 */
export class Slots {
  readonly #clock: Clock;
  readonly #slotMs: number;
  readonly #genesis: Buffer;
  #anchor: Stamp;
  readonly #jumps: { readonly from: Stamp; readonly to: Stamp }[] = [];
  readonly #known = new Map<string, number>();
  #newest = -1;

  /** With `slotMs` 0 the slots stand still until they are warped. */
  constructor(clock: Clock, slotMs: number, genesisHash: string, last?: Stamp) {
    this.#clock = clock;
    this.#slotMs = slotMs;
    this.#genesis = Buffer.from(bs58.decode(genesisHash));
    const wall = clock.now();
    this.#anchor = last ?? { slot: 1, height: 1, unix: Math.floor(wall / 1000), wall, offset: 0 };
  }

  now(): Stamp {
    const { slot, height, unix, wall, offset } = this.#anchor;
    const now = this.#clock.now();
    const passed = this.#slotMs > 0 ? Math.floor((now - wall) / this.#slotMs) : 0;
    if (passed <= 0) return this.#anchor;
    this.#anchor = {
      slot: slot + passed,
      height: height + passed,
      unix: Math.max(unix, Math.floor(now / 1000) + offset),
      wall: wall + passed * this.#slotMs,
      offset,
    };
    return this.#anchor;
  }

  /** A slot of the past: its height and time, as far as they are known. Slots that were jumped over share the jump. */
  at(slot: number): Stamp {
    let later = this.now();
    for (const { from, to } of this.#jumps.toReversed()) {
      if (slot >= to.slot) break;
      if (slot >= from.slot) return between(from, to, slot);
      later = from;
    }
    const back = Math.max(0, later.slot - slot);
    const ms = back * this.#slotMs;
    return {
      slot: later.slot - back,
      height: Math.max(0, later.height - back),
      unix: later.unix - Math.floor(ms / 1000),
      wall: later.wall - ms,
      offset: later.offset,
    };
  }

  /** Continues behind a moment of the chain read from disk. */
  resume(stamp: Stamp): void {
    this.#anchor = stamp;
  }

  /** Jumps ahead. Blocks are counted apart, as skipped slots have none and blockhashes expire by block. */
  warp(slots: number, blocks: number, seconds: number): Stamp {
    const from = this.now();
    const to = {
      ...from,
      slot: from.slot + slots,
      height: from.height + blocks,
      unix: from.unix + seconds,
      offset: from.offset + seconds,
    };
    this.#anchor = to;
    this.#jumps.push({ from, to });
    if (this.#jumps.length > MAX_JUMPS) this.#jumps.shift();
    return to;
  }

  latestBlockhash({ height }: Stamp = this.now()): {
    readonly blockhash: string;
    readonly lastValidBlockHeight: number;
  } {
    return { blockhash: this.#hash('block', height), lastValidBlockHeight: height + BLOCKHASH_BLOCKS };
  }

  /** Whether a blockhash is among the last 150, for a node that has come as far as `until`. */
  isValid(blockhash: string, { height }: Stamp = this.now()): boolean {
    const of = this.#heightOf(blockhash);
    return of !== undefined && of <= height && of >= height - BLOCKHASH_BLOCKS;
  }

  slotHashes(slot: number): { slot: bigint; hash: string }[] {
    const newest = Math.min(SLOT_HASHES, slot + 1);
    return Array.from({ length: newest }, (_, back) => ({
      slot: BigInt(slot - back),
      hash: this.#hash('slot', slot - back),
    }));
  }

  /** Undefined for text that is no blockhash, or has long ceased to be one. */
  #heightOf(blockhash: string): number | undefined {
    const { height } = this.now();
    const oldest = Math.max(0, height - KNOWN_BLOCKHASHES);
    for (const [hash, of] of this.#known) {
      if (of >= oldest) break;
      this.#known.delete(hash);
    }
    for (let next = Math.max(this.#newest + 1, oldest); next <= height; next++) {
      this.#known.set(this.#hash('block', next), next);
      this.#newest = next;
    }
    return this.#known.get(blockhash);
  }

  #hash(kind: string, number: number): string {
    return bs58.encode(createHash('sha256').update(this.#genesis).update(`${kind} ${number}`).digest());
  }
}

function between(from: Stamp, to: Stamp, slot: number): Stamp {
  const share = (slot - from.slot) / (to.slot - from.slot);
  const on = (start: number, end: number) => Math.floor(start + (end - start) * share);
  return { ...from, slot, height: on(from.height, to.height), unix: on(from.unix, to.unix) };
}

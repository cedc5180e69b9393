import type { SchemaTypes } from '../../../schemas/types.ts';
import { MeshError } from '../../contracts/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { cidOf, inSteps } from '../../storage/blob-hash.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { type CounterRef, collection, counter } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';
import type { DeliveriesConfig } from './config.ts';

type KeptBlob = SchemaTypes['kept-blob'];

const kept = collection<KeptBlob, 'until'>('kept-blobs', {
  schema: 'kept-blob',
  indexes: { until: ({ until }) => [until] },
});
const bytesKept = counter('kept-blob-bytes');

const MIB = 1024 * 1024;
const DAY = 86_400_000;
/** The part of the room that hosted agents have together, and the part of that which one of them has. */
const [OF_HOSTED, OF_ONE] = [2, 16];
const HOSTED = 'hosted';
/** The part that one provider has of the room which the others leave: so there is always some for the next one. */
const OF_PROVIDER = 2;
/** The agents that may fetch one content; a provider that delivers the same to more keeps the latest. */
const MOST_READERS = 64;
const PAGE = 100;

/** The share of the room that a blob takes up: of a hosted agent, or of the provider from whom the node's own agent has it. */
export interface BlobShare {
  readonly hosted?: string | undefined;
  readonly from?: string | undefined;
}

export interface KeptBlobsOptions {
  readonly space: Space;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly config: DeliveriesConfig;
}

/**
 * Deliveries that are too large for an envelope, those of this node and those it has fetched: for how long, and who may have
 * them. What is written down first is the record, so that no file is left that nobody knows of.
 */
export class KeptBlobs {
  readonly #options: KeptBlobsOptions;

  constructor(options: KeptBlobsOptions) {
    this.#options = options;
  }

  get mostBytes(): number {
    return this.#options.config.maxMiB * MIB;
  }

  /** Keeps a content, for a peer to fetch when it is given. Throws `payload_too_large` when there is no room for it in the share. */
  async keep(
    bytes: Uint8Array,
    reader?: string,
    share: BlobShare = {},
  ): Promise<{ readonly cid: string; readonly size: number }> {
    const { space, blobs, clock, config } = this.#options;
    const size = bytes.length;
    if (size > this.mostBytes)
      throw new MeshError('payload_too_large', `A delivery has at most ${this.mostBytes} bytes; this has ${size}.`);
    const cid = await cidOf(bytes);
    const ref = kept.ref(cid);
    await this.requireRoom(cid, size, share);
    const until = clock.now() + config.keepDays * DAY;
    await space.tx([ref], (tx) => {
      const before = tx.get(ref);
      const readers = [...new Set([...(reader === undefined ? [] : [reader]), ...(before?.readers ?? [])])];
      const { hosted, from } = before ?? share;
      tx.put(ref, {
        size,
        until,
        readers: readers.slice(0, MOST_READERS),
        ...(hosted !== undefined && { hosted }),
        ...(from !== undefined && { from }),
      });
      if (!before) for (const of of countersOf(share)) tx.add(of, size);
    });
    await blobs.put(inSteps(bytes), size);
    return { cid, size };
  }

  /** Keeps what was fetched under this name; says why not, when the bytes are others. A hosted agent may read what was fetched for it. */
  async keepAs(cid: string, bytes: Uint8Array, share: BlobShare): Promise<string | undefined> {
    if ((await cidOf(bytes)) !== cid) return 'its provider sent other bytes than those it delivered.';
    await this.keep(bytes, share.hosted, share);
    return undefined;
  }

  /** The content, when this peer may have it, or acts for an agent that may. */
  async readFor(
    cid: string,
    peer: string,
    actsFor: (peer: string, reader: string) => Promise<boolean>,
  ): Promise<Uint8Array | undefined> {
    const record = await this.#options.space.get(kept.ref(cid));
    if (record?.readers.includes(peer)) return this.read(cid);
    for (const reader of record?.readers ?? []) if (await actsFor(peer, reader)) return this.read(cid);
    return undefined;
  }

  /** Undefined when it is not here; rejects when it is damaged. */
  async read(cid: string): Promise<Uint8Array | undefined> {
    const found = await this.#options.blobs.get(cid);
    if (!found) return undefined;
    const parts: Uint8Array[] = [];
    for await (const part of found.content) parts.push(part);
    return Buffer.concat(parts);
  }

  /** Removes what has been kept for long enough. */
  async sweep(signal: AbortSignal): Promise<void> {
    const { space, blobs, clock } = this.#options;
    for (let more = true; more && !signal.aborted; ) {
      const rows = await space.page(kept, { index: 'until', limit: PAGE });
      const over = rows.filter(({ value }) => value.until <= clock.now());
      for (const { id } of over) {
        await blobs.delete(id);
        await space.tx([kept.ref(id)], (tx) => {
          const record = tx.get(kept.ref(id));
          // It may have been delivered again meanwhile; then its file is there again, or about to be.
          if (!record || record.until > clock.now()) return;
          tx.del(kept.ref(id));
          for (const of of countersOf(record)) tx.add(of, -record.size);
        });
      }
      more = over.length === PAGE;
    }
  }

  /** Throws `payload_too_large` when this blob is none of those that are counted, and would be too much for the share it counts in. */
  async requireRoom(cid: string, size: number, { hosted, from }: BlobShare): Promise<void> {
    const { space, config } = this.#options;
    if (await space.get(kept.ref(cid))) return;
    const room = config.totalMiB * MIB;
    const bounds = [
      ['Large deliveries take', room],
      ['Those of hosted agents take', room / OF_HOSTED],
      ['Those of this agent take', room / OF_HOSTED / OF_ONE],
    ] as const;
    for (const [place, of] of countersOf({ hosted }).entries()) {
      const [whose, most] = bounds[place]!;
      const taken = Number(await space.total(of));
      if (taken + size > most) throw full(whose, taken, most);
    }
    if (from === undefined) return;
    const [all, taken] = await Promise.all([bytesKept.ref(), providersRef(from)].map((of) => space.total(of)));
    const most = (room - Number(all! - taken!)) / OF_PROVIDER;
    if (Number(taken) + size > most) throw full(`Those of ${from} take`, Number(taken), most);
  }
}

function full(whose: string, taken: number, most: number): MeshError {
  const detail = `${whose} up ${taken} bytes here and may take ${Math.floor(most / MIB)} MiB: raise core.deliveries.totalMiB.`;
  return new MeshError('payload_too_large', detail);
}

/** The sums that a blob counts in. */
function countersOf({ hosted, from }: BlobShare): CounterRef[] {
  const shares = hosted === undefined ? [] : [bytesKept.ref(HOSTED), bytesKept.ref(hosted)];
  return [bytesKept.ref(), ...shares, ...(from === undefined ? [] : [providersRef(from)])];
}

function providersRef(from: string): CounterRef {
  return bytesKept.ref(`<${from}`);
}

import { StorageError, type StorageFault } from '../../storage/adapter.ts';
import type { IngestItem, ItemResult } from '../ingest/item.ts';

/** An item whose signature another aggregator has verified. */
export interface HandedItem extends IngestItem {
  /** See `IngestSource`. */
  readonly live: boolean;
  /** Of a key that was not known before: the network that told of it, whose new keys the writer counts for all. */
  readonly newcomerFrom: string | undefined;
}

/** Writes items that are verified, and gives their results in the same order. Rejects with a StorageError. */
export type WriteHanded = (items: readonly HandedItem[]) => Promise<readonly ItemResult[]>;

/** A message between two aggregators on one store. */
export type Message =
  | { readonly kind: 'items'; readonly id: number; readonly items: readonly HandedItem[] }
  | { readonly kind: 'results'; readonly id: number; readonly results: readonly ItemResult[] }
  | { readonly kind: 'refused'; readonly id: number; readonly error: StorageError }
  /** The writer will be another one; what was handed over is answered still. */
  | { readonly kind: 'leaving' };

const KINDS = ['items', 'results', 'refused', 'leaving'] as const;
const HEAD = 5;
const ITEM_HEAD = 5;
const FLAGS = { receipt: 1, live: 2, newcomer: 4 } as const;

/** The bytes of a message, in parts that need not be copied together. */
export function partsOf(message: Message): Uint8Array[] {
  const head = Buffer.allocUnsafe(HEAD);
  head.writeUInt8(KINDS.indexOf(message.kind));
  head.writeUInt32BE('id' in message ? message.id : 0, 1);
  if (message.kind === 'items') return [head, Buffer.concat(message.items.flatMap(itemParts))];
  if (message.kind === 'results') return [head, Buffer.from(JSON.stringify(message.results))];
  if (message.kind === 'leaving') return [head];
  const { fault, message: detail } = message.error;
  return [head, Buffer.from(JSON.stringify({ fault, detail }))];
}

/** Throws for bytes that are no message, which the other side's code has ruled out. */
export function messageIn(bytes: Buffer): Message {
  const kind = KINDS[bytes.readUInt8()];
  const id = bytes.readUInt32BE(1);
  const rest = bytes.subarray(HEAD);
  if (kind === 'items') return { kind, id, items: itemsIn(rest) };
  if (kind === 'leaving') return { kind };
  const said = JSON.parse(rest.toString());
  if (kind === 'results') return { kind, id, results: said };
  if (kind === 'refused') return { kind, id, error: new StorageError(said.fault as StorageFault, said.detail) };
  throw new Error('a message of no known kind');
}

function itemParts({ kind, live, newcomerFrom, bytes }: HandedItem): Uint8Array[] {
  const head = Buffer.allocUnsafe(ITEM_HEAD);
  const isNew = newcomerFrom !== undefined;
  const flags = [kind === 'receipt' && FLAGS.receipt, live && FLAGS.live, isNew && FLAGS.newcomer];
  head.writeUInt8(flags.reduce<number>((sum, flag) => sum + Number(flag), 0));
  head.writeUInt32BE(bytes.length, 1);
  if (!isNew) return [head, bytes];
  const network = Buffer.from(newcomerFrom);
  return [head, Buffer.of(network.length), network, bytes];
}

function itemsIn(bytes: Buffer): HandedItem[] {
  const items: HandedItem[] = [];
  for (let at = 0; at < bytes.length; ) {
    const flags = bytes.readUInt8(at);
    const length = bytes.readUInt32BE(at + 1);
    let from = at + ITEM_HEAD;
    let newcomerFrom: string | undefined;
    if (flags & FLAGS.newcomer) {
      const border = from + 1 + bytes.readUInt8(from);
      newcomerFrom = bytes.toString('utf8', from + 1, border);
      from = border;
    }
    const end = from + length;
    if (end > bytes.length) throw new RangeError('an item that was cut short');
    items.push({
      kind: flags & FLAGS.receipt ? 'receipt' : 'envelope',
      live: (flags & FLAGS.live) !== 0,
      newcomerFrom,
      bytes: bytes.subarray(from, end),
    });
    at = end;
  }
  return items;
}

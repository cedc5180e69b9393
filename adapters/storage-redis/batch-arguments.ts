import { type CommitBatch, type Effect, type IndexEntry, StorageError } from '../../core/storage/adapter.ts';
import { packedRow } from './packed-value.ts';

/** An argument of a script. */
export type Operand = string | Buffer;

/** The largest commit, in bytes: while its script runs, nobody else is served. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Bytes that an operand takes beside its own, about. */
const AROUND = 16;

/**
 * A commit that is expected to get this number, as the operands of its script, behind the time, the run and the latest moment. Documents
 * that live for a while do so from the commit on by the server's time, unless `isTimed`: then by that of who commits.
 */
export function batchArguments({ checks, effects }: CommitBatch, number: number, isTimed: boolean): Operand[] {
  const out: Operand[] = [String(number), String(checks.length)];
  for (const { collection, id, version } of checks) out.push(collection, id, String(version));
  const first = out.length;
  let units = 0;
  for (const effect of effects)
    for (const operand of effectArguments(effect, number, isTimed)) {
      units += operand.length;
      out.push(operand);
    }
  // UTF-8 takes at most three bytes for one unit of a string; a buffer takes one.
  if (3 * units + AROUND * (out.length - first) > MAX_BYTES) refuseLarger(out.slice(first));
  return out;
}

function refuseLarger(operands: readonly Operand[]): void {
  const bytes = operands.reduce((sum, operand) => sum + Buffer.byteLength(operand) + AROUND, 0);
  if (bytes > MAX_BYTES) throw new StorageError('too_large', `a commit writes at most ${MAX_BYTES} bytes`);
}

function effectArguments(effect: Effect, number: number, isTimed: boolean): Operand[] {
  switch (effect.kind) {
    case 'put': {
      const { collection, id, value, entries, expires, lives } = effect;
      const pairs = closedTexts(entries.flatMap(pairOf));
      const until = expiryOf(expires);
      const head = ` ${Buffer.byteLength(pairs)} ${pairs.length} ${pairs}`;
      if (!isTimed && lives !== undefined && until !== '0')
        return ['put', collection, id, packedRow(head, value), `+${Math.max(1, Math.ceil(lives))}`, pairs];
      return ['put', collection, id, packedRow(`${number} ${until}${head}`, value), until, pairs];
    }
    case 'delete':
      return ['delete', effect.collection, effect.id];
    case 'append':
      return ['append', effect.log, effect.value, closedTexts([...new Set(effect.postings)])];
    case 'trim':
      return ['trim', effect.log, String(Math.max(0, Math.floor(effect.upTo)))];
    case 'add':
      return ['add', effect.counter, effect.amount.toString()];
  }
}

/** The first whole millisecond at which it is invisible; 0 for never. */
export function expiryOf(expires: number | undefined): string {
  if (expires === undefined || expires > Number.MAX_SAFE_INTEGER) return '0';
  return String(Math.max(1, Math.ceil(expires)));
}

function pairOf({ index, key }: IndexEntry): string[] {
  return [index, key];
}

/** Texts without NUL, each closed by one. */
export function closedTexts(texts: readonly string[]): string {
  return texts.map((text) => `${text}\0`).join('');
}

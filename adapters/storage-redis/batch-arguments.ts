import { type CommitBatch, type Effect, type IndexEntry, StorageError } from '../../core/storage/adapter.ts';

/** The largest commit, in bytes: while its script runs, nobody else is served. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Bytes that an operand takes beside its own, about. */
const AROUND = 16;

/** A commit that is expected to get this number, as the operands of its script, behind the time and the run. */
export function batchArguments({ checks, effects }: CommitBatch, number: number): string[] {
  const out = [String(number), String(checks.length)];
  for (const { collection, id, version } of checks) out.push(collection, id, String(version));
  const first = out.length;
  let units = 0;
  for (const effect of effects)
    for (const operand of effectArguments(effect, number)) {
      units += operand.length;
      out.push(operand);
    }
  // UTF-8 takes at most three bytes for one unit of a string.
  if (3 * units + AROUND * (out.length - first) > MAX_BYTES) refuseLarger(out.slice(first));
  return out;
}

function refuseLarger(operands: readonly string[]): void {
  const bytes = operands.reduce((sum, operand) => sum + Buffer.byteLength(operand) + AROUND, 0);
  if (bytes > MAX_BYTES) throw new StorageError('too_large', `a commit writes at most ${MAX_BYTES} bytes`);
}

function effectArguments(effect: Effect, number: number): string[] {
  switch (effect.kind) {
    case 'put': {
      const { collection, id, value, entries, expires } = effect;
      const pairs = closedTexts(entries.flatMap(pairOf));
      const until = expiryOf(expires);
      const row = `${number} ${until} ${Buffer.byteLength(pairs)} ${pairs.length} ${pairs}${value}`;
      return ['put', collection, id, row, until, pairs];
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

import { BASE64_MARK } from '../../core/storage/adapter.ts';

/** Begins a run that is kept as its bytes; no text in UTF-8 has this byte. */
const RUN = 0xff;
/** Bytes of the head of a run: `RUN`, then how many groups of four characters it has. */
const HEAD = 3;
const MOST_GROUPS = 0xffff;
/** Shorter ones save nothing worth the search. */
const RUNS = /[A-Za-z0-9+/]{24,}/g;
const MARKED = `["${BASE64_MARK}",`;

/**
 * A row, with the long runs of base64 of its value as their bytes where the value is marked as one that has such; text otherwise. Rows with and without them lie
 * beside each other in a store: the byte that begins a run tells them apart.
 */
export function packedRow(head: string, value: string): string | Buffer {
  if (!value.startsWith(MARKED)) return head + value;
  const bytes = Buffer.allocUnsafe(Buffer.byteLength(head) + Buffer.byteLength(value));
  let at = bytes.write(head, 'utf8');
  let from = 0;
  for (const { index, 0: run } of value.matchAll(RUNS)) {
    at += bytes.write(value.slice(from, index), at, 'utf8');
    from = index;
    for (let left = Math.floor(run.length / 4); left > 0; ) {
      const groups = Math.min(left, MOST_GROUPS);
      bytes[at] = RUN;
      bytes.writeUInt16BE(groups, at + 1);
      at += HEAD + bytes.write(value.slice(from, from + 4 * groups), at + HEAD, 'base64');
      from += 4 * groups;
      left -= groups;
    }
  }
  at += bytes.write(value.slice(from), at, 'utf8');
  return bytes.subarray(0, at);
}

/** The text of a row, or of a part of one. */
export function unpackedRow(row: Buffer): string {
  let next = row.indexOf(RUN);
  if (next < 0) return row.toString('utf8');
  let text = '';
  let from = 0;
  for (; next >= 0; next = row.indexOf(RUN, from)) {
    const end = next + HEAD + 3 * row.readUInt16BE(next + 1);
    text += row.toString('utf8', from, next) + row.toString('base64', next + HEAD, end);
    from = end;
  }
  return text + row.toString('utf8', from);
}

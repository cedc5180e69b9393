/** Bytes `from` up to, not including, `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * The one range that a Range header asks for; undefined when the whole is to be sent, because it asks for none, for several or
 * in another form; `none` when it begins behind the end.
 */
export function rangeOf(header: string | undefined, size: number): Range | 'none' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return Number(last) === 0 ? 'none' : { from: Math.max(0, size - Number(last)), to: size };
  const from = Number(first);
  const to = last === '' ? size : Math.min(size, Number(last) + 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from >= size ? 'none' : { from, to };
}

/** A part of a content, whose last piece is held back until all of the content has proved right. */
export async function* partOf(
  content: AsyncIterable<Uint8Array>,
  { from, to }: Range,
): AsyncGenerator<Uint8Array, void> {
  let at = 0;
  let held: Uint8Array | undefined;
  for await (const piece of content) {
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, Math.min(piece.length, to - at)));
    at += piece.length;
    if (part.length === 0) continue;
    if (held) yield held;
    held = part;
  }
  if (held) yield held;
}

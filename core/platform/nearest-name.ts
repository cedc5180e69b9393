const SHORTEST = 4;

/**
 * The known name that a given one probably means: the same but for its spelling of capitals and separators, or one or two
 * slips of the finger away; undefined when it is like none of them.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const name = plain(given);
  if (name.length > 64) return undefined;
  const slips = name.length > 6 ? 2 : name.length > 3 ? 1 : 0;
  let best: { readonly one: string; readonly far: number } | undefined;
  for (const one of known) {
    const far = editDistance(name, plain(one));
    if (far <= slips && (!best || far < best.far)) best = { one, far };
  }
  return best?.one;
}

/** `; did you mean agent?`, or nothing; the end of a sentence about a name that is not known. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Insertions, deletions, changes and swaps of neighbours between two short texts. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line[column] = Math.min(
        above[column]! + 1,
        line[column - 1]! + 1,
        above[column - 1]! + (same ? 0 : 1),
        swapped ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = above;
    above = line;
  }
  return above[b.length]!;
}

/**
 * Which of the known names a given one probably means: one or two slips of the finger away, or its first words, as
 * `amount` of `amount_usdc`. A longer name that begins with a known one says something else: `notary_fee` is no `notary`.
 */
export function misspelt(given: string, known: readonly string[]): string | undefined {
  const name = folded(given);
  if (name.length < SHORTEST || name.length > 64) return undefined;
  const slips = name.length > 6 ? 2 : 1;
  return known.find((one) => {
    const other = folded(one);
    return editDistance(name, other) <= slips || (other.startsWith(name) && one.toLowerCase()[given.length] === '_');
  });
}

/** A name as it is compared: `conversationId`, `Conversation-Id` and `conversation_id` are one. */
export function folded(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
}

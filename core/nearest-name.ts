/**
 * The known name that a given one probably means: the same but for its spelling of capitals and separators, or one or two
 * slips of the finger away; undefined when it is like none of them.
 */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  const name = folded(given);
  if (name.length > 64) return undefined;
  const slips = name.length > 6 ? 2 : name.length > 3 ? 1 : 0;
  let best: { readonly one: string; readonly far: number } | undefined;
  for (const one of known) {
    const far = distance(name, folded(one));
    if (far <= slips && (!best || far < best.far)) best = { one, far };
  }
  return best?.one;
}

/** `; did you mean agent?`, or nothing; the end of a sentence about a name that is not known. */
export function didYouMean(given: string, known: Iterable<string>): string {
  const nearest = nearestName(given, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Insertions, deletions, changes and swaps of neighbours between two short texts. */
function distance(a: string, b: string): number {
  const lines = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const [line, above, before] = [[row], lines[row - 1]!, lines[row - 2]];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = before && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      line.push(
        Math.min(
          above[column]! + 1,
          line[column - 1]! + 1,
          above[column - 1]! + (same ? 0 : 1),
          swapped ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    lines.push(line);
  }
  return lines[a.length]![b.length]!;
}

import { editDistance } from './edit-distance.ts';

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
    const far = editDistance(name, folded(one));
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

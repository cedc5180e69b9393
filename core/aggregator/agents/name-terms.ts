/** The longest name kept, in characters. */
export const MAX_NAME = 64;
const MAX_TERMS = 16;

const INVISIBLE = /[\p{Cc}\p{Bidi_Control}\p{Noncharacter_Code_Point}]/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * A name as it is kept and shown: whole characters, nothing that hides or reorders text, single spaces, bounded.
 * Everything else an agent writes is kept as it is.
 */
export function cleanName(text: string): string {
  const shown = text.replace(/\p{Surrogate}/gu, '\ufffd').replace(INVISIBLE, ' ');
  return [...shown.replace(/\s+/g, ' ').trim()].slice(0, MAX_NAME).join('').trim();
}

/** The form in which names are compared. */
export function foldName(text: string): string {
  return cleanName(text.normalize('NFKC').toLowerCase());
}

/**
 * The terms that find a name: the folded name from its start, and from the start of each of its words. A search is a
 * range over these terms, so `ada l` finds `Countess Ada Lovelace` without reading any other name.
 */
export function nameTerms(name: string): string[] {
  const folded = foldName(name);
  if (folded === '') return [];
  const starts = [0, ...[...folded.matchAll(WORD)].map((match) => match.index)];
  return [...new Set(starts)].slice(0, MAX_TERMS).map((start) => folded.slice(start));
}

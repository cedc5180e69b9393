/** The counts of a text, which the demo's worker sells. */
export interface TextStatistics {
  readonly lines: number;
  readonly words: number;
  readonly most_frequent_word: { readonly word: string; readonly count: number } | null;
}

const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;

/** Lines as editors count them (a last line needs no newline), words of letters and digits, ties broken alphabetically. */
export function textStatistics(text: string): TextStatistics {
  const counts = new Map<string, number>();
  let words = 0;
  for (const [match] of text.matchAll(WORD)) {
    const word = match.toLowerCase();
    counts.set(word, (counts.get(word) ?? 0) + 1);
    words += 1;
  }
  let best: { word: string; count: number } | null = null;
  for (const [word, count] of counts) {
    if (!best || count > best.count || (count === best.count && word < best.word)) best = { word, count };
  }
  return { lines: text === '' ? 0 : text.replace(/\n$/, '').split('\n').length, words, most_frequent_word: best };
}

/** The counts as words: `12 lines, 80 words, most often "the" (7 times)`. */
export function describeStatistics({ lines, words, most_frequent_word: most }: TextStatistics): string {
  const often = most ? `, most often "${most.word}" (${count(most.count, 'time')})` : '';
  return `${count(lines, 'line')}, ${count(words, 'word')}${often}`;
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

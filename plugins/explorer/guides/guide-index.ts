import { readdir, readFile } from 'node:fs/promises';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { type Section, sectionsOf } from './sections.ts';

const MOST_WORDS = 8;
const EXCERPT = 160;
/** A word in a heading says more of a section than one in its text, and a guide more than a record of a decision. */
const WEIGHTS = { heading: 12, title: 4, text: 1, mostOfText: 8, decision: 0.25 };

interface Indexed extends Section {
  readonly weights: ReadonlyMap<string, number>;
}

/** Finds sections of the guides by the beginnings of words. Read once, one guide at a time. */
export class GuideIndex {
  /** Every word with the sections that have it, in the order of the alphabet. */
  readonly #words: readonly (readonly [word: string, sections: readonly Indexed[]])[];

  private constructor(sections: readonly Indexed[]) {
    const found = new Map<string, Indexed[]>();
    for (const section of sections)
      for (const word of section.weights.keys()) {
        const list = found.get(word);
        if (list) list.push(section);
        else found.set(word, [section]);
      }
    this.#words = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  static async read(folder: URL): Promise<GuideIndex> {
    const sections: Indexed[] = [];
    for (const [prefix, place] of [
      ['', folder],
      ['decision-', new URL('decisions/', folder)],
    ] as const)
      for (const name of (await readdir(place).catch(() => [])).sort()) {
        if (!/^[\w-]+\.md$/.test(name) || name === 'README.md') continue;
        const guide = `${prefix}${name.slice(0, -'.md'.length)}`;
        const text = await readFile(new URL(name, place), 'utf8').catch(() => '');
        sections.push(...sectionsOf(guide, text).map(indexed));
      }
    return new GuideIndex(sections);
  }

  /** The sections that have every word, the best first. */
  find(query: string, limit: number): SchemaTypes['guide-sections'] {
    const words = [...new Set(wordsOf(query))].slice(0, MOST_WORDS);
    if (words.length === 0) return { sections: [], found: 0 };
    const found = words
      .map((word) => this.#having(word))
      .reduce((all, own) => {
        const both = new Map<Indexed, number>();
        for (const [section, weight] of all) if (own.has(section)) both.set(section, weight + own.get(section)!);
        return both;
      });
    const best = [...found].sort(([, one], [, other]) => other - one);
    return {
      sections: best.slice(0, limit).map(([{ guide, title, heading, text }]) => ({
        ...{ guide, title, heading },
        excerpt: excerptOf(text, words),
      })),
      found: found.size,
    };
  }

  #having(beginning: string): Map<Indexed, number> {
    const found = new Map<Indexed, number>();
    for (let at = this.#firstFrom(beginning); this.#words[at]?.[0].startsWith(beginning); at += 1) {
      const [word, sections] = this.#words[at]!;
      const worth = word === beginning ? 1 : 0.5;
      for (const section of sections)
        found.set(section, Math.max(found.get(section) ?? 0, worth * section.weights.get(word)!));
    }
    return found;
  }

  #firstFrom(word: string): number {
    let [low, high] = [0, this.#words.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#words[middle]![0] < word) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function indexed(section: Section): Indexed {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number, most: number) => {
    const own = new Map<string, number>();
    for (const word of wordsOf(text)) own.set(word, Math.min(most, (own.get(word) ?? 0) + weight));
    for (const [word, sum] of own) weights.set(word, (weights.get(word) ?? 0) + sum);
  };
  add(section.text, WEIGHTS.text, WEIGHTS.mostOfText);
  add(section.heading, WEIGHTS.heading, WEIGHTS.heading);
  add(section.title, WEIGHTS.title, WEIGHTS.title);
  if (section.guide.startsWith('decision-'))
    for (const [word, weight] of weights) weights.set(word, weight * WEIGHTS.decision);
  return { ...section, weights };
}

/** `max_escrow` and `maxEscrow` are found as they stand and by their parts. */
function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_$]{2,64}/gu) ?? []).flatMap((word) => {
    const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => part.length > 1);
    return [word, ...(parts.length > 1 ? parts : [])].map((one) => one.toLowerCase());
  });
}

/** Some of the text, around the first of the words. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - EXCERPT / 3);
  const from = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const cut = text.slice(from, from + EXCERPT);
  const end = from + EXCERPT < text.length ? cut.replace(/\s\S*$/, ' \u2026') : cut;
  return `${from > 0 ? '\u2026 ' : ''}${end}`;
}

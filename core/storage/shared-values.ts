import { BoundedMap } from '../bounded-map.ts';

/**
 * Parsed values of documents or records that are read often, frozen, by name. What is known of one counts only while its
 * text is the same, so whoever writes it, here or in another process, never has to say so.
 */
export class SharedValues {
  readonly #known: BoundedMap<string, { readonly text: string; readonly value: unknown }>;

  constructor(limit: number) {
    this.#known = new BoundedMap(limit);
  }

  /** The value of this text: the same object for as long as it is known. */
  of(name: string, text: string): any {
    const known = this.#known.get(name);
    if (known?.text === text) return known.value;
    const value = frozen(JSON.parse(text));
    this.keep(name, text, value);
    return value;
  }

  /** What a frozen value looks like as text. */
  keep(name: string, text: string, value: unknown): void {
    this.#known.set(name, { text, value });
  }
}

function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const name of Object.keys(value)) frozen((value as Record<string, unknown>)[name]);
  return Object.freeze(value);
}

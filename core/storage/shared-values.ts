import type { Ref, StoredForm } from './declarations.ts';

interface Known {
  readonly text: string;
  readonly value: unknown;
}

/** The known values of one collection or log, in two generations, so that looking something up moves nothing. */
interface Table {
  young: Map<string | number, Known>;
  old: Map<string | number, Known>;
}

/**
 * Parsed values of documents or records that are read often, frozen. A known value counts only while its text is the
 * same, so a writer, here or in another process, never has to announce a change. Bounded: of each collection at most
 * `limit` are known, and those not asked for are forgotten first.
 */
export class SharedValues {
  readonly #tables = new Map<string, Table>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value of a document's text, in passing where `ref` is; of a collection that shares none, the reader's own. */
  document({ of, id, once }: Ref<any>, table: string, text: string): any {
    if (!of.shared) return JSON.parse(text);
    return once ? this.once(table, id, text, of.form) : this.of(table, id, text, of.form);
  }

  /** The value of this text: the same object for as long as it is known. */
  of(table: string, id: string | number, text: string, form?: StoredForm<any>): any {
    const { young, old } = this.#table(table);
    const known = young.get(id);
    if (known?.text === text) return known.value;
    const before = old.get(id);
    const value = before?.text === text ? before.value : frozen(readOf(text, id, form));
    this.#keep(table, id, { text, value });
    return value;
  }

  /**
   * The same for a reader that goes through all of them: nothing is kept for later, and nothing is forgotten for it. A value that was
   * not known is the reader's own, so it is not frozen, which takes as long as to parse it.
   */
  once(table: string, id: string | number, text: string, form?: StoredForm<any>): any {
    const { young, old } = this.#table(table);
    const known = young.get(id) ?? old.get(id);
    return known?.text === text ? known.value : readOf(text, id, form);
  }

  /**
   * Notes that a frozen value was put as this text. A value that nobody has read yet is not kept: most are never
   * read.
   */
  renew(table: string, id: string | number, text: string, value: unknown): void {
    const { young, old } = this.#table(table);
    if (young.has(id) || old.has(id)) this.#keep(table, id, { text, value });
  }

  #keep(table: string, id: string | number, one: Known): void {
    const known = this.#table(table);
    known.young.set(id, one);
    if (known.young.size < this.#limit / 2) return;
    known.old = known.young;
    known.young = new Map();
  }

  #table(name: string): Table {
    const known = this.#tables.get(name);
    if (known) return known;
    const made = { young: new Map(), old: new Map() };
    this.#tables.set(name, made);
    return made;
  }
}

function readOf(text: string, id: string | number, form: StoredForm<any> | undefined): unknown {
  const stored = JSON.parse(text);
  return form ? form.unpack(stored, String(id)) : stored;
}

function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const name of Object.keys(value)) frozen((value as Record<string, unknown>)[name]);
  return Object.freeze(value);
}

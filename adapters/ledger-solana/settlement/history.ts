import { MeshError } from '../../../core/contracts/errors.ts';
import type { Answer } from '../answers.ts';
import { accountsOf } from '../executed-instructions.ts';
import type { Witnesses } from '../witnesses.ts';

/** 20 million transactions behind one cursor. */
const MAX_PAGES = 20_000;

export interface HistoryEntry {
  readonly signature: string;
  readonly slot: number;
  readonly failed: boolean;
}

/** The way back to the cursor, as far as it was walked. */
interface Way {
  readonly marks: (string | undefined)[];
  oldest: HistoryEntry[];
  before: string | undefined;
}

/**
 * The finalised transactions that name an address, oldest first. The ledger gives them newest first only, so the way
 * back to the cursor is walked once, keeping one signature per page of a thousand; then every page is fetched again,
 * the oldest first. Memory is one page and those marks, however long the history is.
 */
export class History {
  readonly #witnesses: Witnesses;
  readonly #address: string;
  readonly #pageSize: number;
  /** Where each page that was passed on the way back began: the newest first, undefined for the newest of all. */
  #marks: (string | undefined)[] = [];
  #ahead: HistoryEntry[] = [];
  #way: Way | undefined;
  #after: string | undefined;

  constructor(witnesses: Witnesses, address: string, after: string | undefined, pageSize = 1_000) {
    this.#witnesses = witnesses;
    this.#address = address;
    this.#after = after;
    this.#pageSize = pageSize;
  }

  get address(): string {
    return this.#address;
  }

  /** The signature this stands behind. */
  get after(): string | undefined {
    return this.#after;
  }

  /** The next entries, at most a page; none at the end. */
  async ahead(): Promise<readonly HistoryEntry[]> {
    const entries = await this.within(MAX_PAGES);
    if (!entries) throw tooFar();
    return entries;
  }

  /** The same; undefined while the way back is longer than so many pages, which the next call goes on from. */
  async within(pages: number): Promise<readonly HistoryEntry[] | undefined> {
    if (this.#ahead.length > 0) return this.#ahead;
    // The newest page grows while the older ones are read, so it is walked afresh.
    if (this.#marks.length > 1) {
      this.#ahead = (await this.#fetch(this.#marks.at(-1))).reverse();
      this.#marks.pop();
    }
    if (this.#ahead.length > 0) return this.#ahead;
    this.#marks = [];
    return (await this.#walk(pages)) ? this.#ahead : undefined;
  }

  /** Goes on behind the next `count` entries. */
  pass(count: number): void {
    this.#after = this.#ahead.splice(0, count).at(-1)?.signature ?? this.#after;
  }

  /**
   * Decodes a transaction that this history lists. One that does not name the address shows that the node answered with the history of
   * another: all of it is asked for again, since a place in another history leaves out what is older than it.
   */
  decoding<T>(decode: (transaction: Answer) => T): (transaction: Answer) => T {
    return (transaction) => {
      if (accountsOf(transaction).includes(this.#address)) return decode(transaction);
      [this.#marks, this.#ahead, this.#way] = [[], [], undefined];
      throw transaction.at('transaction').wrong(`one that names ${this.#address}, whose history it was listed in`);
    };
  }

  /** Back from the newest entry to where this stands, at most so many pages; the oldest one stays in hand. */
  async #walk(pages: number): Promise<boolean> {
    this.#way ??= { marks: [], oldest: [], before: undefined };
    const way = this.#way;
    for (let walked = 0; walked < pages; walked++) {
      if (way.marks.length >= MAX_PAGES) throw tooFar();
      const older = await this.#fetch(way.before);
      if (older.length > 0) {
        way.oldest = older;
        way.marks.push(way.before);
        way.before = older.at(-1)!.signature;
      }
      if (older.length === this.#pageSize) continue;
      way.marks.pop();
      this.#marks = way.marks;
      this.#ahead = way.oldest.reverse();
      this.#way = undefined;
      return true;
    }
    return false;
  }

  async #fetch(before: string | undefined): Promise<HistoryEntry[]> {
    const { first: rpc, newest } = this.#witnesses;
    // A node that lags would show an end where there is none.
    const minContextSlot = newest > 0 ? { minContextSlot: newest } : {};
    const options = { limit: this.#pageSize, commitment: 'finalized', before, until: this.#after, ...minContextSlot };
    const list = (await rpc.ask('getSignaturesForAddress', [this.#address, options])).list();
    const entries = list.map(entryOf);
    const [oldest, signatures] = [list.at(-1), new Set(entries.map(({ signature }) => signature))];
    const ordered = entries.every(({ slot }, index) => index === 0 || slot <= entries[index - 1]!.slot);
    if (!ordered || list.length > this.#pageSize || signatures.size < list.length)
      throw oldest!.wrong('the end of a page of transactions, newest first');
    return entries;
  }
}

function entryOf(entry: Answer): HistoryEntry {
  const signature = entry.at('signature');
  signature.base58(64);
  return { signature: signature.text(), slot: entry.at('slot').natural(), failed: !entry.at('err').isNull };
}

function tooFar(): MeshError {
  return new MeshError('ledger_unavailable', `More than ${MAX_PAGES} pages of transactions wait behind the cursor.`);
}

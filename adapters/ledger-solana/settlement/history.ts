import { MeshError } from '../../../core/errors.ts';
import { Answer } from '../answers.ts';
import type { JsonRpc } from '../json-rpc.ts';

/** 20 million transactions behind one cursor. */
const MAX_PAGES = 20_000;

export interface HistoryEntry {
  readonly signature: string;
  readonly slot: number;
  readonly failed: boolean;
}

/**
 * The finalised transactions that name an address, oldest first. The ledger gives them newest first only, so the way
 * back to the cursor is walked once, keeping one signature per page of a thousand; then every page is fetched again,
 * the oldest first. Memory is one page and those marks, however long the history is.
 */
export class History {
  readonly #rpc: JsonRpc;
  readonly #address: string;
  readonly #pageSize: number;
  /** Where each page that was passed on the way back began: the newest first, undefined for the newest of all. */
  #marks: (string | undefined)[] = [];
  #ahead: HistoryEntry[] = [];
  #after: string | undefined;

  constructor(rpc: JsonRpc, address: string, after: string | undefined, pageSize = 1_000) {
    this.#rpc = rpc;
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
    if (this.#ahead.length > 0) return this.#ahead;
    // The newest page grows while the older ones are read, so it is walked afresh.
    if (this.#marks.length > 1) this.#ahead = (await this.#fetch(this.#marks.pop())).reverse();
    if (this.#ahead.length === 0) await this.#walk();
    return this.#ahead;
  }

  /** Goes on behind the next `count` entries. */
  pass(count: number): void {
    this.#after = this.#ahead.splice(0, count).at(-1)?.signature ?? this.#after;
  }

  /** Back from the newest entry to where this stands; the oldest page stays in hand. */
  async #walk(): Promise<void> {
    this.#marks = [];
    let page: HistoryEntry[] = [];
    let before: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const older = await this.#fetch(before);
      if (older.length === 0) break;
      page = older;
      this.#marks.push(before);
      if (older.length < this.#pageSize) break;
      if (pages === MAX_PAGES - 1)
        throw new MeshError(
          'ledger_unavailable',
          `More than ${MAX_PAGES} pages of transactions wait behind the cursor.`,
        );
      before = older.at(-1)!.signature;
    }
    this.#marks.pop();
    this.#ahead = page.reverse();
  }

  async #fetch(before: string | undefined): Promise<HistoryEntry[]> {
    const options = { limit: this.#pageSize, commitment: 'finalized', before, until: this.#after };
    const answer = await this.#rpc.call('getSignaturesForAddress', [this.#address, options]);
    return new Answer(answer, 'getSignaturesForAddress').list().map((entry) => ({
      signature: entry.at('signature').text(),
      slot: entry.at('slot').integer(),
      failed: !entry.at('err').isNull,
    }));
  }
}

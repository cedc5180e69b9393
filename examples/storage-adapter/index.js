import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MAX_OFFSET, MAX_PAGE, StorageError } from 'agent-mesh/storage';

/** Everything in memory, and one JSON file. It sorts at every query: good for thousands of rows, not for millions. */
class JsonFileStorage {
  guarantees = { name: 'example', durability: 'relaxed', processes: 'one', warnings: ['written at the end only'] };
  #documents = new Map(); // by JSON of [collection, id]: { collection, id, value, version, entries, expires }
  #logs = new Map(); // by name: { next, rows: [{ id, value, postings }] }
  #totals = new Map(); // by counter: decimal text
  #commits = 0;
  #waiting = [];
  #closed = false;

  constructor(file, clock) {
    this.file = file;
    this.clock = clock;
  }

  async open() {
    if (!existsSync(this.file)) return;
    const { commits, documents, logs, totals } = JSON.parse(readFileSync(this.file, 'utf8'));
    [this.#documents, this.#logs, this.#totals] = [documents, logs, totals].map((rows) => new Map(rows));
    this.#commits = commits;
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    const [documents, logs, totals] = [this.#documents, this.#logs, this.#totals].map((map) => [...map]);
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(`${this.file}.new`, JSON.stringify({ commits: this.#commits, documents, logs, totals }));
    renameSync(`${this.file}.new`, this.file);
  }

  async read(refs) {
    this.#checkOpen();
    return refs.map((ref) => this.#live(ref)).map((row) => row && { value: row.value, version: row.version });
  }

  async range({ collection, index, from, to, reverse = false, after, offset = 0, limit }) {
    checkPage(limit, offset);
    const direction = reverse ? -1 : 1;
    return this.#entries(collection, index, direction)
      .filter(({ key }) => from === undefined || bytewise(key, from) >= 0)
      .filter(({ key }) => to === undefined || bytewise(key, to) < 0)
      .filter((row) => !after || direction * byKey(row, after) > 0)
      .slice(offset, offset + limit);
  }

  async rank(collection, index, key, id) {
    const at = this.#entries(collection, index).findIndex((entry) => entry.key === key && entry.id === id);
    return at === -1 ? undefined : at;
  }

  async count(collection, index) {
    return this.#entries(collection, index).length;
  }

  async page({ log, posting, before = Infinity, after, limit }) {
    this.#checkOpen();
    checkPage(limit);
    const rows = this.#log(log)
      .rows.filter(({ id }) => id < before && id > (after ?? 0))
      .filter(({ postings }) => posting === undefined || postings.includes(posting));
    if (before !== Infinity || after === undefined) rows.reverse();
    return rows.slice(0, limit).map(({ id, value }) => ({ id, value }));
  }

  async counters(names) {
    this.#checkOpen();
    return names.map((name) => BigInt(this.#totals.get(name) ?? 0));
  }

  /** Awaits nothing, so no other commit can come between its checks and its effects. */
  async commit({ checks, effects }) {
    this.#checkOpen();
    const stale = checks.filter((check) => check.version !== (this.#live(check)?.version ?? 0));
    // One that is refused counts too: so others can tell that somebody else is here.
    this.#commits += 1;
    if (stale.length > 0) return { ok: false, stale: stale.map(({ collection, id }) => ({ collection, id })) };
    const ids = effects.map((effect) => this.#apply(effect)).filter((id) => id !== undefined);
    for (const wake of this.#waiting.splice(0)) wake();
    return { ok: true, ids, version: this.#commits };
  }

  async changed(log, after, signal) {
    while (!this.#closed && !signal.aborted && this.#log(log).next - 1 <= after) {
      await new Promise((wake) => {
        this.#waiting.push(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
  }

  /** Changes one thing; gives the id of a record it appended. */
  #apply({ kind, log, counter, ...effect }) {
    if (kind === 'put') this.#documents.set(keyOf(effect), { ...effect, version: this.#commits });
    if (kind === 'delete') this.#documents.delete(keyOf(effect));
    if (kind === 'add') this.#totals.set(counter, String(BigInt(this.#totals.get(counter) ?? 0) + effect.amount));
    if (kind === 'trim') this.#log(log).rows = this.#log(log).rows.filter(({ id }) => id > effect.upTo);
    if (kind !== 'append') return undefined;
    const { next, rows } = this.#log(log);
    rows.push({ id: next, ...effect });
    this.#logs.set(log, { next: next + 1, rows });
    return next;
  }

  #log(name) {
    return this.#logs.get(name) ?? { next: 1, rows: [] };
  }

  #live(ref) {
    const row = this.#documents.get(keyOf(ref));
    return (row?.expires ?? Infinity) > this.clock.now() ? row : undefined;
  }

  /** The live entries of an index, or of the collection by id, in order. */
  #entries(collection, index, direction = 1) {
    this.#checkOpen();
    const rows = [...this.#documents.values()].filter((row) => row.collection === collection && this.#live(row));
    return rows
      .flatMap(({ id, value, version, entries }) => {
        const own = index === undefined ? [id] : entries.filter((one) => one.index === index).map(({ key }) => key);
        return [...new Set(own)].map((key) => ({ id, key, value, version }));
      })
      .sort((a, b) => direction * byKey(a, b));
  }

  #checkOpen() {
    if (this.#closed) throw new StorageError('closed', 'the store is closed');
  }
}

const keyOf = ({ collection, id }) => JSON.stringify([collection, id]);
const bytewise = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const byKey = (a, b) => bytewise(a.key, b.key) || bytewise(a.id, b.id);

function checkPage(limit, offset = 0) {
  const fits = Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE && offset <= MAX_OFFSET;
  if (!fits) throw new RangeError(`a page has 1 to ${MAX_PAGE} rows, at most ${MAX_OFFSET} behind its start`);
}

/**
 * What `"storage": { "use": "mesh-storage-example" }` in plugins.json loads; `folder` is the adapter's own.
 * @type {(options: { folder: string, clock: { now(): number } }) => import('agent-mesh/storage').StorageAdapter}
 */
export default ({ folder, clock }) => new JsonFileStorage(join(folder, 'store.json'), clock);

import { createHash } from 'node:crypto';
import type { Rows } from '../../../core/storage/rows.ts';

/** SHA-256 of everything that stores hold now, by name: documents with their index entries, logs, counters. */
export function stateHash(stores: ReadonlyMap<string, Rows>, without: ReadonlySet<string> = new Set()): string {
  const hash = createHash('sha256');
  for (const [name, rows] of [...stores].sort(([one], [other]) => (one < other ? -1 : 1))) {
    hash.update(`store ${name}\n`);
    for (const line of linesOf(rows)) if (!without.has(String(line[0]))) hash.update(`${JSON.stringify(line)}\n`);
  }
  return hash.digest('hex');
}

export function* linesOf(rows: Rows): Generator<unknown[]> {
  rows.expire();
  const tables = [...rows.tables.keys()].sort();
  const lines = new Map<string, unknown[][]>(tables.map((table) => [table, []]));
  for (const { collection, id, value, version, entries } of rows.documents()) {
    lines.get(collection)!.push([collection, id, version, value, entries.map(({ index, key }) => [index, key])]);
  }
  for (const table of lines.values()) yield* table;
  for (const [name, log] of [...rows.logs].sort(([one], [other]) => (one < other ? -1 : 1))) {
    yield ['log', name, log.next, log.trimmed];
    for (let id = log.hotFirst; id < log.next; id++) yield [name, id, log.hot(id)?.value];
  }
  for (const [name, total] of [...rows.totals].sort(([one], [other]) => (one < other ? -1 : 1))) {
    yield ['counter', name, String(total)];
  }
}

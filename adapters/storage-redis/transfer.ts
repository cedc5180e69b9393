import { randomUUID } from 'node:crypto';
import { StorageError } from '../../core/storage/adapter.ts';
import type { StoredEntry } from '../../core/storage/changes.ts';
import { type DumpRow, sortedEntries } from '../../core/storage/dump.ts';
import { compareText } from '../../core/storage/ordered-entries.ts';
import { closedTexts, expiryOf, type Operand } from './batch-arguments.ts';
import { packedRow, unpackedRow } from './packed-value.ts';
import type { Script } from './scripts.ts';
import { BEGIN, CLEAR, DOCUMENTS, END, FILL, GIVE_UP, NAMES, RECORDS, SUMMARY, SUMS } from './transfer-scripts.ts';

/** Answers are texts, or buffers where rows are asked for. */
type Ask = (script: Script, operands: Operand[], rows?: boolean) => Promise<unknown>;

const PAGE = 200;

/** Everything a store holds, without the documents that have expired by `now`. */
export async function* dumpRedis(ask: Ask, now: number): AsyncGenerator<DumpRow> {
  const before = await summaryOf(ask);
  yield ['store', { commits: before.commits, floor: before.floor }];
  for (const collection of (await namesOf(ask)).sort(compareText)) yield* documentsOf(ask, collection, now);
  for (const { name, last, trimmed } of before.logs) {
    yield ['log', name, { next: Math.max(last, before.floor) + 1, trimmed }];
    yield* recordsOf(ask, name);
  }
  for (const [name, digits] of await sumsOf(ask)) yield ['total', name, digits];
  const { commits } = await summaryOf(ask);
  if (commits !== before.commits) {
    throw new StorageError('conflict', 'the store was written to while it was exported; stop all that use it');
  }
}

/** Fills an empty store. It first removes the rest of an earlier attempt; when it fails, it removes its own rows. */
export async function fillRedis(ask: Ask, rows: AsyncIterable<DumpRow>): Promise<void> {
  const name = randomUUID();
  if ((await ask(BEGIN, [name])) === 0) {
    throw new StorageError(
      'conflict',
      'this Redis holds a store of that prefix already; an import goes into an empty one: give another storage.prefix',
    );
  }
  const askOurs: Ask = async (script, operands) => {
    const reply = await ask(script, [name, ...operands]);
    if (reply !== -1) return reply;
    throw new StorageError('conflict', 'another import into this store began meanwhile; let one of them end alone');
  };
  try {
    await clear(askOurs);
    const { commits, floor } = await fill(askOurs, rows);
    await askOurs(END, [String(commits), String(floor)]);
  } catch (error) {
    // When Redis is away, the store says that it is unfinished.
    await clear(askOurs)
      .then(() => askOurs(GIVE_UP, []))
      .catch(() => {});
    throw error;
  }
}

async function clear(ask: Ask): Promise<void> {
  let cursor = '0';
  do cursor = String(await ask(CLEAR, [cursor]));
  while (cursor !== '0');
}

/** Writes all rows but the store's own, and gives that one's content. */
async function fill(ask: Ask, rows: AsyncIterable<DumpRow>): Promise<{ commits: number; floor: number }> {
  let store = { commits: 0, floor: 0 };
  let operands: Operand[] = [];
  let bytes = 0;
  for await (const row of rows) {
    if (row[0] === 'store') {
      store = row[1];
      continue;
    }
    const own = operandsOf(row);
    operands.push(...own);
    bytes += own.reduce((sum, { length }) => sum + length, 0);
    if (operands.length < MAX_OPERANDS && bytes < MAX_BYTES) continue;
    await ask(FILL, operands);
    operands = [];
    bytes = 0;
  }
  if (operands.length > 0) await ask(FILL, operands);
  return store;
}

/** Rejects when a store is only half there. */
export async function refuseUnfinished(ask: Ask): Promise<void> {
  const { importing } = await summaryOf(ask);
  if (importing) throw unfinished();
}

export function unfinished(): StorageError {
  return new StorageError(
    'corrupt',
    'an import into this store was not finished; run "mesh import" again, or give another storage.prefix',
  );
}

/** Far below the number that Lua unpacks at once, and few enough that other clients do not wait for the script. */
const MAX_OPERANDS = 2_000;
const MAX_BYTES = 512 * 1024;

function operandsOf(row: DumpRow): Operand[] {
  switch (row[0]) {
    case 'document': {
      const [, collection, id, version, value, entries, expires] = row;
      const pairs = closedTexts(entries.flat());
      const characters = String(pairs.length);
      const stored = packedRow('', value);
      return ['document', collection, id, String(version), stored, expiryOf(expires ?? undefined), characters, pairs];
    }
    case 'log':
      return ['log', row[1], String(row[2].next - 1), String(row[2].trimmed)];
    case 'record':
      return ['record', row[1], String(row[2]), row[3], closedTexts(row[4])];
    case 'total':
      return ['total', row[1], row[2]];
    default:
      throw new StorageError('corrupt', `no store holds ${JSON.stringify(row[0])}`);
  }
}

async function summaryOf(ask: Ask) {
  const [commits, floor, importing, ...rest] = (await ask(SUMMARY, [])) as string[];
  const logs = [];
  for (let i = 0; i < rest.length; i += 3) {
    logs.push({ name: rest[i]!, last: Number(rest[i + 1]), trimmed: Number(rest[i + 2]) });
  }
  logs.sort((a, b) => compareText(a.name, b.name));
  return { commits: Number(commits), floor: Number(floor), importing: importing !== '0', logs };
}

async function namesOf(ask: Ask): Promise<string[]> {
  const names = new Set<string>();
  let cursor = '0';
  do {
    const [next, ...found] = (await ask(NAMES, ['i', cursor])) as string[];
    for (const name of found) names.add(name);
    cursor = next!;
  } while (cursor !== '0');
  return [...names];
}

async function* documentsOf(ask: Ask, collection: string, now: number): AsyncGenerator<DumpRow> {
  for (let low = '-'; ; ) {
    const [members, rows] = (await ask(DOCUMENTS, [collection, low, String(PAGE)], true)) as [Buffer[], Buffer[]];
    const ids = members.map((member) => member.toString());
    for (const [i, id] of ids.entries()) {
      const { version, expires, entries, value } = parseStored(unpackedRow(rows[i]!));
      if (expires !== null && expires <= now) continue;
      yield ['document', collection, id, version, value, sortedEntries(entries), expires];
    }
    if (ids.length < PAGE) return;
    low = `(${ids.at(-1)!}`;
  }
}

async function* recordsOf(ask: Ask, log: string): AsyncGenerator<DumpRow> {
  for (let low = 1; ; ) {
    const found = (await ask(RECORDS, [log, String(low), String(PAGE)])) as string[];
    for (let i = 0; i < found.length; i += 3) {
      yield ['record', log, Number(found[i]), found[i + 1]!, found[i + 2]!.split('\0').slice(0, -1)];
    }
    if (found.length < 3 * PAGE) return;
    low = Number(found.at(-3)) + 1;
  }
}

async function sumsOf(ask: Ask): Promise<[string, string][]> {
  const sums = new Map<string, string>();
  let cursor = '0';
  do {
    const [next, ...found] = (await ask(SUMS, [cursor])) as string[];
    for (let i = 0; i < found.length; i += 2) sums.set(found[i]!, found[i + 1]!);
    cursor = next!;
  } while (cursor !== '0');
  return [...sums].sort(([a], [b]) => compareText(a, b));
}

/** `<version> <expires> <bytes of entries> <characters of entries> <entries><value>` */
function parseStored(row: string) {
  const [, version, expires, characters] = /^(\d+) (\d+) \d+ (\d+) /.exec(row)!;
  const head = row.split(' ', 4).join(' ').length + 1;
  const end = head + Number(characters);
  const texts = row.slice(head, end).split('\0').slice(0, -1);
  const entries: StoredEntry[] = [];
  for (let i = 0; i < texts.length; i += 2) entries.push([texts[i]!, texts[i + 1]!]);
  return {
    version: Number(version),
    expires: expires === '0' ? null : Number(expires),
    entries,
    value: row.slice(end),
  };
}

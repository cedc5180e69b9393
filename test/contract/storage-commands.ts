import fc from 'fast-check';
import type { CommitBatch, CommitResult, DocumentRef, Effect, StorageAdapter } from '../../core/storage/adapter.ts';

/**
 * One step of a run: a commit whose checks are told by what the store showed, not by numbers, because versions are the
 * adapter's own; time that passes; or the store closed and opened again.
 */
export type Command =
  | { readonly kind: 'commit'; readonly checks: readonly Check[]; readonly effects: readonly Effect[] }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'reopen' };

type Check = DocumentRef & { readonly expect: 'present state' | 'absence' | 'an earlier state' };

export const NAMES = ['a', 'ab', 'a:b', '__proto__', '🦊', '\u{fffd}', '%'];
const KEYS = ['k', 'k0', 'k1', 'l'];

/** Mostly the same two, so that commands meet. */
const name = fc.oneof({ weight: 2, arbitrary: fc.constantFrom('a', 'ab') }, fc.constantFrom(...NAMES));
const digits = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(BigInt),
  fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
);

/** Effects as of a time: what expires does so near it, before or after. */
function effect(start: number): fc.Arbitrary<Effect> {
  const entry = fc.record({ index: name, key: fc.constantFrom(...KEYS) });
  const expires = fc.option(fc.integer({ min: start - 100, max: start + 2_000 }), { nil: undefined });
  const put = fc
    .record({ collection: name, id: name, value: fc.string(), entries: fc.array(entry, { maxLength: 3 }), expires })
    .map(({ expires: at, ...rest }): Effect => ({ kind: 'put', ...rest, ...(at !== undefined && { expires: at }) }));
  return fc.oneof(
    { weight: 6, arbitrary: put },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), collection: name, id: name }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('append' as const),
        log: name,
        value: fc.string(),
        postings: fc.array(name, { maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('trim' as const), log: name, upTo: fc.integer({ min: 0, max: 20 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), counter: name, amount: digits }) },
  );
}

export function commands(start: number): fc.Arbitrary<Command[]> {
  const expect = fc.constantFrom('present state' as const, 'absence' as const, 'an earlier state' as const);
  const commit = fc.record({
    kind: fc.constant('commit' as const),
    checks: fc.array(fc.record({ collection: name, id: name, expect }), { maxLength: 2 }),
    effects: fc.array(effect(start), { maxLength: 8 }),
  });
  const wait = fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 900 }) });
  const reopen = fc.constant({ kind: 'reopen' as const });
  const step = fc.oneof(
    { weight: 12, arbitrary: commit },
    { weight: 2, arbitrary: wait },
    { weight: 1, arbitrary: reopen },
  );
  return fc.array(step, { maxLength: 40 });
}

/** What a run needs of the world around the store. */
export interface Surroundings {
  pass(ms: number): void;
  /** Closes the store and opens it again; absent when it keeps nothing. */
  reopen?(): Promise<StorageAdapter>;
}

/**
 * Runs commands and gives everything that can be seen: the result of each, and what the store holds at the end. The
 * numbers of refused commits are forgotten with the process, so versions count until the store is first opened again.
 */
export async function outcomes(opened: StorageAdapter, run: readonly Command[], { pass, reopen }: Surroundings) {
  let adapter = opened;
  let isFirst = true;
  const first = new Map<string, number>();
  const results: (CommitResult | { readonly ids: readonly number[] })[] = [];
  for (const command of run) {
    if (command.kind === 'wait') {
      pass(command.ms);
      continue;
    }
    if (command.kind === 'reopen') {
      adapter = (await reopen?.()) ?? adapter;
      isFirst = false;
      continue;
    }
    const { checks, effects } = command;
    const rows = await adapter.read(checks);
    const numbered: CommitBatch['checks'] = checks.map(({ collection, id, expect }, i) => {
      const present = rows[i]?.version ?? 0;
      const earlier = first.get(JSON.stringify([collection, id])) ?? present;
      first.set(JSON.stringify([collection, id]), earlier);
      return { collection, id, version: { 'present state': present, absence: 0, 'an earlier state': earlier }[expect] };
    });
    const result = await adapter.commit({ checks: numbered, effects });
    results.push(isFirst || !result.ok ? result : { ids: result.ids });
  }
  return { results, state: await everything(adapter) };
}

async function everything(adapter: StorageAdapter) {
  const tables = [];
  const logs = [];
  for (const of of NAMES) {
    const rows = await adapter.read(NAMES.map((id) => ({ collection: of, id })));
    tables.push(rows.map((row) => row?.value));
    for (const index of [undefined, ...NAMES]) {
      const query = { collection: of, ...(index !== undefined && { index }), limit: 100 };
      const found = await adapter.range(query);
      const behind = found[1] && { after: { key: found[1].key, id: found[1].id } };
      const parts = [
        found,
        await adapter.range({ ...query, reverse: true, offset: 1, limit: 2 }),
        await adapter.range({ ...query, ...behind, from: 'k', to: 'k1' }),
        await adapter.range({ ...query, ...behind, from: 'k', to: 'l', reverse: true }),
      ];
      tables.push(parts.map((part) => part.map(({ id, key, value }) => [key, id, value])));
      tables.push(await adapter.count(of, index));
      if (index !== undefined && found[1]) tables.push(await adapter.rank(of, index, found[1].key, found[1].id));
    }
    for (const posting of [undefined, ...NAMES]) {
      const query = { log: of, ...(posting !== undefined && { posting }) };
      logs.push(await adapter.page({ ...query, limit: 100 }), await adapter.page({ ...query, after: 3, limit: 4 }));
    }
  }
  return { tables, logs, totals: await adapter.counters(NAMES) };
}

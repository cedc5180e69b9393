import assert from 'node:assert/strict';
import type { Effect, StorageAdapter } from '../storage/adapter.ts';
import { idsOf } from './storage-adapter.ts';
import { bench, type CreateStorage, type Runner } from './storage-contract.ts';

const NAMES = ['a', 'b', 'ab', '*', '__proto__', '🦊'];
const STEPS = 400;

interface Doc {
  value: string;
  entries: { index: string; key: string }[];
  expires: number;
}

/** The contract in its plainest form: everything is looked up by going through everything. */
class Oracle {
  readonly docs = new Map<string, Map<string, Doc>>();
  readonly logs = new Map<string, { id: number; value: string; postings: readonly string[] }[]>();
  readonly nextIds = new Map<string, number>();
  readonly totals = new Map<string, bigint>();

  apply(effect: Effect): void {
    if (effect.kind === 'put') {
      const { value, entries, expires = Number.POSITIVE_INFINITY } = effect;
      if (!this.docs.has(effect.collection)) this.docs.set(effect.collection, new Map());
      this.docs.get(effect.collection)!.set(effect.id, { value, entries: [...entries], expires });
    } else if (effect.kind === 'delete') this.docs.get(effect.collection)?.delete(effect.id);
    else if (effect.kind === 'add')
      this.totals.set(effect.counter, (this.totals.get(effect.counter) ?? 0n) + effect.amount);
    else if (effect.kind === 'trim')
      this.logs.set(
        effect.log,
        this.#log(effect.log).filter(({ id }) => id > effect.upTo),
      );
    else {
      const id = this.nextIds.get(effect.log) ?? 1;
      this.nextIds.set(effect.log, id + 1);
      this.logs.set(effect.log, [...this.#log(effect.log), { id, value: effect.value, postings: effect.postings }]);
    }
  }

  live(collection: string, now: number): [string, Doc][] {
    return [...(this.docs.get(collection) ?? [])].filter(([, { expires }]) => expires > now);
  }

  index(collection: string, index: string, now: number): { key: string; id: string }[] {
    const entries = this.live(collection, now).flatMap(([id, doc]) =>
      doc.entries.filter((entry) => entry.index === index).map(({ key }) => ({ key, id })),
    );
    return entries.sort((a, b) => Buffer.compare(Buffer.from(`${a.key}\0${a.id}`), Buffer.from(`${b.key}\0${b.id}`)));
  }

  page(log: string, posting: string | undefined): { id: number; value: string }[] {
    const records = this.#log(log).filter(({ postings }) => posting === undefined || postings.includes(posting));
    return records.map(({ id, value }) => ({ id, value }));
  }

  #log(name: string) {
    return this.logs.get(name) ?? [];
  }
}

export function modelContract(create: CreateStorage, runner: Runner): void {
  const { describe, it } = runner;
  describe('random commands against a plain model (C15)', () => {
    const at = bench(create, runner);

    for (const seed of [1, 2, 3, 4]) {
      it(`seed ${seed}`, async () => {
        const oracle = new Oracle();
        const random = mulberry32(seed);
        for (let step = 0; step < STEPS; step++) {
          const effects = Array.from({ length: 1 + Math.floor(random() * 6) }, () => randomEffect(random, at.now));
          const expected = effects
            .filter(({ kind }) => kind === 'append')
            .map((effect) => {
              const { log } = effect as { log: string };
              const before = effects
                .slice(0, effects.indexOf(effect))
                .filter((e) => e.kind === 'append' && e.log === log);
              return (oracle.nextIds.get(log) ?? 1) + before.length;
            });
          const stale = random() < 0.1;
          const checks = stale ? [{ collection: 'a', id: 'a', version: Number.MAX_SAFE_INTEGER }] : [];
          const result = await at.adapter.commit({ checks, effects });
          if (!stale) for (const effect of effects) oracle.apply(effect);
          if (stale) assert.deepEqual(result, { ok: false, stale: [{ collection: 'a', id: 'a' }] });
          else assert.deepEqual(idsOf(result), expected);
          if (random() < 0.1) at.now += Math.floor(random() * 1_000);
          if (at.reopen && random() < 0.02) await at.reopen();
          if (step % 20 === 19) await compare(at.adapter, oracle, at.now, random);
        }
      });
    }
  });
}

function randomEffect(random: () => number, now: number): Effect {
  const pick = () => NAMES[Math.floor(random() * NAMES.length)]!;
  const value = JSON.stringify(`${random()}${'x'.repeat(random() * 50)}`);
  const kind = random();
  if (kind < 0.4) {
    const entries = Array.from({ length: random() * 3 }, () => ({
      index: pick(),
      key: `k${Math.floor(random() * 5)}`,
    }));
    const unique = entries.filter((a, i) => entries.findIndex((b) => a.index === b.index && a.key === b.key) === i);
    const expires = random() < 0.3 ? { expires: now + Math.floor(random() * 3_000) } : {};
    return { kind: 'put', collection: pick(), id: pick(), value, entries: unique, ...expires };
  }
  if (kind < 0.5) return { kind: 'delete', collection: pick(), id: pick() };
  if (kind < 0.85) return { kind: 'append', log: pick(), value, postings: [...new Set([pick(), pick()])] };
  if (kind < 0.88) return { kind: 'trim', log: pick(), upTo: Math.floor(random() * 60) };
  return { kind: 'add', counter: pick(), amount: BigInt(Math.floor((random() - 0.3) * 2 ** 50)) };
}

async function compare(adapter: StorageAdapter, oracle: Oracle, now: number, random: () => number): Promise<void> {
  for (const name of NAMES) {
    const refs = NAMES.map((id) => ({ collection: name, id }));
    const live = new Map(oracle.live(name, now));
    assert.deepEqual(
      (await adapter.read(refs)).map((row) => row?.value),
      NAMES.map((id) => live.get(id)?.value),
    );
    assert.equal(await adapter.count(name), live.size);
    for (const index of NAMES) {
      const entries = oracle.index(name, index, now);
      const rows = await adapter.range({ collection: name, index, limit: 100, reverse: true });
      assert.deepEqual(rows.map(({ key, id }) => ({ key, id })).reverse(), entries);
      const place = Math.floor(random() * entries.length);
      const entry = entries[place];
      if (!entry) continue;
      assert.equal(await adapter.rank(name, index, entry.key, entry.id), place);
      const behind = await adapter.range({ collection: name, index, after: entry, limit: 3 });
      assert.deepEqual(
        behind.map(({ key, id }) => ({ key, id })),
        entries.slice(place + 1, place + 4),
      );
    }
    for (const posting of [undefined, ...NAMES]) {
      const all = oracle.page(name, posting);
      const border = Math.floor(random() * (oracle.nextIds.get(name) ?? 1));
      const query = { log: name, limit: 7, ...(posting !== undefined && { posting }) };
      const older = all
        .filter(({ id }) => id < border)
        .reverse()
        .slice(0, 7);
      assert.deepEqual(await adapter.page({ ...query, before: border }), older);
      assert.deepEqual(
        await adapter.page({ ...query, after: border }),
        all.filter(({ id }) => id > border).slice(0, 7),
      );
    }
  }
  assert.deepEqual(
    await adapter.counters(NAMES),
    NAMES.map((name) => oracle.totals.get(name) ?? 0n),
  );
}

/** A small seeded generator: the same commands in every run. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

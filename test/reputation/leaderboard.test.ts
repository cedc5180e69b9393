import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Cursor, cursorOf, type Head, mergedPage, type Row } from '../../core/reputation/leaderboard.ts';
import { rate } from '../../core/reputation/opinion.ts';
import {
  keyOfRank,
  type Placement,
  placementOf,
  type Ranked,
  rankAt,
  rankedOf,
} from '../../core/reputation/ranking.ts';
import { lowerBoundAt } from '../../core/reputation/score.ts';
import { newStanding } from '../../core/reputation/standing.ts';

/** The two indexes as a store would keep them: sorted by key, moved by a job that may lag. */
class Store {
  readonly agents = new Map<string, { ranked: Ranked; placement: Placement }>();

  put(ranked: Ranked, now: number) {
    this.agents.set(ranked.id, { ranked, placement: placementOf(ranked, now) });
  }

  move(now: number) {
    for (const { ranked, placement } of this.agents.values())
      if (placement.moves_at !== null && placement.moves_at <= now) this.put(ranked, now);
  }

  head(index: Placement['index'], length: number, from: number | undefined = Number.POSITIVE_INFINITY): Head {
    const rows = [...this.agents.values()]
      .filter(({ placement }) => placement.index === index && placement.key <= from)
      .sort((one, other) => other.placement.key - one.placement.key || (one.ranked.id < other.ranked.id ? -1 : 1))
      .map(({ ranked, placement }) => ({ ...ranked, key: placement.key }));
    return { rows: rows.slice(0, length), complete: rows.length <= length };
  }

  page(now: number, limit: number, after?: Cursor): { rows: readonly Row[]; reads: number } {
    for (let length = limit + 1, reads = 1; ; length *= 2, reads += 1) {
      const steady = this.head('steady', length, after && keyOfRank('steady', after.rank, now));
      const start = after && keyOfRank('fading', after.rank, now);
      const fading =
        after && start === undefined ? { rows: [], complete: true } : this.head('fading', length, start ?? undefined);
      const page = mergedPage(steady, fading, now, limit, after);
      if (!page.short) return { rows: page.rows, reads };
    }
  }

  byHand(now: number): string[] {
    return [...this.agents.values()]
      .map(({ ranked }) => ({ id: ranked.id, rank: rankAt(ranked, now) }))
      .sort((one, other) => other.rank - one.rank || (one.id < other.id ? -1 : 1))
      .map(({ id }) => id);
  }
}

const agent = fc.record({
  bound: fc.oneof(fc.double({ min: -60, max: 95, noNaN: true }), fc.constantFrom(0, 12.5, 40)),
  active: fc.integer({ min: 20_000, max: 20_080 }),
  gap: fc.nat(20),
});

describe('the leaderboard', () => {
  it('pages exactly as a full sort, in any epoch; its top also while agents wait to be moved', () => {
    fc.assert(
      fc.property(
        fc.array(agent, { maxLength: 60 }),
        fc.nat(260),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        (agents, later, moved, limit) => {
          const store = new Store();
          agents.forEach(({ bound, active, gap }, i) => {
            const epoch = active + gap;
            store.put({ id: `agent-${String(i).padStart(3, '0')}`, bound, active, epoch }, epoch);
          });
          const now = 20_100 + later;
          if (moved) store.move(now);
          const first = store.page(now, limit).rows.map((row) => row.id);
          assert.deepEqual(first, store.byHand(now).slice(0, limit));
          if (!moved) return;
          const seen: string[] = [];
          for (let after: Cursor | undefined; ; ) {
            const { rows } = store.page(now, limit, after);
            seen.push(...rows.map((row) => row.id));
            if (rows.length < limit) break;
            after = cursorOf(rows[rows.length - 1]!, now);
          }
          assert.deepEqual(seen, store.byHand(now));
        },
      ),
      { numRuns: 500, seed: 2026 },
    );
  });

  it('reads each index once for a page when nobody waits to be moved', () => {
    const store = new Store();
    for (let i = 0; i < 2_000; i += 1)
      store.put(
        { id: `a${i}`, bound: ((i * 37) % 140) - 50, active: 20_000 + (i % 50), epoch: 20_000 + (i % 50) },
        20_049,
      );
    store.move(20_060);
    assert.equal(store.page(20_060, 50).reads, 1);
  });

  it('never writes to an agent while it fades: its key holds for every epoch', () => {
    const ranked = { id: 'a', bound: 40, epoch: 20_000, active: 20_000 };
    const first = placementOf(ranked, 20_007);
    assert.equal(first.index, 'fading');
    for (const now of [20_008, 20_100, first.moves_at! - 1]) assert.deepEqual(placementOf(ranked, now), first);
    assert.deepEqual(placementOf(ranked, first.moves_at!), { index: 'steady', key: 0, moves_at: null });
  });

  it('keeps apart what a plain power would overflow: epochs of a second', () => {
    const now = 1_770_000_000;
    const [one, other] = [41, 40].map((bound, i) => ({ id: `a${i}`, bound, epoch: now, active: now }));
    assert.ok(placementOf(one!, now + 99).key > placementOf(other!, now + 99).key);
  });

  it('ranks an agent seen in the last six epochs within two points of its exact lower bound', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            score: fc.integer({ min: -100, max: 100 }),
            weight: fc.double({ min: 0.01, max: 4, noNaN: true }),
          }),
          { minLength: 1, maxLength: 30 },
        ),
        fc.nat(6),
        (ratings, later) => {
          let standing = newStanding(100);
          for (const rating of ratings)
            standing = rate(standing, undefined, { ...rating, outcome: 'neutral', epoch: 100 }, 100).standing;
          const exact = lowerBoundAt(standing, 100 + later);
          assert.ok(Math.abs(rankAt(rankedOf('a', standing), 100 + later) - exact) < 2);
        },
      ),
      { numRuns: 300, seed: 2026 },
    );
  });
});

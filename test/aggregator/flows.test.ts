import assert from 'node:assert/strict';
import fc from 'fast-check';
import { clustersOf, coordination } from '../../core/aggregator/flows/clusters.ts';
import { Digest } from '../../core/aggregator/flows/digest.ts';
import {
  FLOW_WINDOWS,
  type FlowFact,
  type FlowSum,
  type FlowWindow,
  isFlow,
  mutualFlow,
  NO_FLOW,
} from '../../core/aggregator/flows/sums.ts';
import { rangeOf } from '../../core/aggregator/series/listing.ts';
import {
  flowAgents,
  flowClusters,
  flowMemberRef,
  flows,
  series,
  settlements,
} from '../../core/aggregator/store/flows.ts';
import { activity } from '../../core/aggregator/store/logs.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { TestAgent } from './support/agent.ts';
import { DAY, type Domain, NOON, openDomain } from './support/domain.ts';

const HOUR = 3_600_000;
const never = new AbortController().signal;
const ids = Array.from({ length: 4 }, (_, index) => new TestAgent(`flow ${index}`).id);

describe('flows between agents', () => {
  it('are mutual when both are of one kind and the smaller is more than half of the larger', () => {
    const paid = (usdc: number): FlowSum => ({ ...NO_FLOW, usdc: String(usdc), payments: 1 });
    const praised = (positive: number): FlowSum => ({ ...NO_FLOW, ratings: 1, positive });
    const cases: [FlowSum, FlowSum, number | undefined][] = [
      [paid(100), paid(51), 151],
      [paid(51), paid(100), 151],
      [paid(100), paid(50), undefined],
      [praised(90), praised(60), 150],
      [praised(90), praised(45), undefined],
      [praised(0), praised(0), undefined],
      [paid(100), praised(100), undefined],
      [{ ...paid(100), ratings: 1, positive: 5 }, { ...paid(80), ratings: 1, positive: 100 }, 180],
    ];
    for (const [one, other, expected] of cases) assert.equal(mutualFlow(one, other)?.flow, expected);
    assert.equal(mutualFlow(paid(100), paid(51))?.isSettled, true);
    assert.equal(mutualFlow(praised(90), praised(60))?.isSettled, false);
  });

  it('make clusters whose ids and order do not hang on the order of the links', () => {
    const links = [
      { one: 'c', other: 'd', flow: 5, isSettled: false },
      { one: 'b', other: 'c', flow: 10, isSettled: true },
      { one: 'e', other: 'f', flow: 90, isSettled: true },
      { one: 'g', other: 'h', flow: 100, isSettled: false },
    ];
    const expected = [
      { cluster_id: 'b', agents: ['b', 'c', 'd'], links: 2, flow: 15, usdc: 10, praise: 5 },
      { cluster_id: 'g', agents: ['g', 'h'], links: 1, flow: 100, usdc: 0, praise: 100 },
      { cluster_id: 'e', agents: ['e', 'f'], links: 1, flow: 90, usdc: 90, praise: 0 },
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(links, { minLength: 4 }), (some) => {
        assert.deepEqual(clustersOf(some), expected);
      }),
    );
    assert.deepEqual([1, 2, 3, 11, 40].map(coordination), [0, 0.1, 0.2, 1, 1]);
  });
});

describe('the range of a series', () => {
  const now = NOON + 1;
  it('ends with the bucket of now, and has as many as were asked for', () => {
    const length = (query: object) => {
      const { unit, first, end } = rangeOf(query, now);
      return [unit, end - first];
    };
    assert.deepEqual(length({}), ['hour', 24]);
    assert.deepEqual(length({ window: '1h' }), ['hour', 1]);
    assert.deepEqual(length({ window: '24h' }), ['hour', 24]);
    assert.deepEqual(length({ window: '7d' }), ['hour', 168]);
    assert.deepEqual(length({ window: '30d' }), ['day', 30]);
    assert.deepEqual(length({ window: '1h', bucket: 'day' }), ['day', 1]);
    assert.deepEqual(length({ from: '2026-01-01T10:30:00Z', to: '2026-01-01T12:00:00Z' }), ['hour', 2]);
  });
  const refused: [object, string][] = [
    [{ window: '24h', from: '2026-01-01T00:00:00Z' }, '/window'],
    [{ to: '2026-01-01T00:00:00Z' }, '/from'],
    [{ from: '2027-01-01T00:00:00Z' }, '/from'],
    [{ from: '1969-01-01T00:00:00Z' }, '/from'],
    [{ from: '2026-01-01T10:00:00Z', to: '2026-01-01T10:00:00Z' }, '/to'],
    [{ from: '2020-01-01T00:00:00Z', bucket: 'hour' }, '/from'],
  ];
  for (const [query, pointer] of refused)
    it(`is refused at ${pointer} for ${JSON.stringify(query)}`, () => {
      assert.throws(
        () => rangeOf(query, now),
        (error: any) => error.code === 'invalid_request' && error.details.detail.startsWith(`${pointer} `),
      );
    });
});

type Told = FlowFact & { readonly from: string; readonly to: string };

function scratch(facts: readonly Told[], window: FlowWindow, now: number): FlowSum {
  const [hour, day] = [Math.floor(now / HOUR), Math.floor(now / DAY)];
  const isIn = ({ at }: Told) => {
    if (window === '24h') return Math.floor(at / HOUR) > hour - 24;
    if (window === 'all') return true;
    return Math.floor(at / DAY) > day - (window === '7d' ? 7 : 30);
  };
  let sum = NO_FLOW;
  for (const fact of facts.filter(isIn)) {
    if ('usdc' in fact) sum = { ...sum, usdc: (BigInt(sum.usdc) + fact.usdc).toString(), payments: sum.payments + 1 };
    else
      sum = {
        ...sum,
        ratings: sum.ratings + 1,
        score: sum.score + fact.score,
        positive: sum.positive + Math.max(0, fact.score),
        absolute: sum.absolute + Math.abs(fact.score),
      };
  }
  return sum;
}

describe('the digest of flows', function () {
  this.timeout(60_000);
  const place = fc.integer({ min: 0, max: 3 });
  const step = fc.oneof(
    fc.record({ from: place, to: place, score: fc.integer({ min: -100, max: 100 }) }),
    fc.record({ from: place, to: place, usdc: fc.integer({ min: 1, max: 1_000 }), ago: fc.integer({ max: 40 * DAY }) }),
    fc.record({ wait: fc.oneof(fc.integer({ min: 1, max: 2 * HOUR }), fc.integer({ min: HOUR, max: 20 * DAY })) }),
    fc.record({ digest: fc.constantFrom('once', 'anew', 'twice') }),
  );

  async function tell(domain: Domain, told: Told[], one: any): Promise<void> {
    const now = domain.clock.time;
    const [from, to] = [ids[one.from]!, ids[one.to]!];
    if (from === to) return;
    if ('score' in one) {
      const { score } = one;
      told.push({ from, to, score, at: now });
      const event = { event_type: 'FEEDBACK', agent_id: from, target_agent_id: to, score, outcome: 'neutral' } as const;
      await domain.space.append(activity, { ...event, slot: 1, at: now });
      return;
    }
    const at = now - Math.max(0, one.ago);
    told.push({ from, to, usdc: BigInt(one.usdc), at });
    await domain.space.append(settlements, { from, to, amount: String(one.usdc), at });
  }

  async function finish(digest: Digest): Promise<void> {
    while (await digest.run(never));
  }

  it('leaves a turn to others between any two transactions, also where the store answers at once', async () => {
    const domain = await openDomain();
    const [from, to] = [ids[0]!, ids[1]!];
    const at = domain.clock.time;
    const event = { event_type: 'FEEDBACK', agent_id: from, target_agent_id: to, score: 7, slot: 1, at } as const;
    await domain.space.tx([], (tx) => {
      for (let one = 0; one < 500; one++) tx.append(activity, event);
    });
    let turns = 0;
    let isOver = false;
    const look = () => {
      turns += 1;
      if (!isOver) setImmediate(look);
    };
    const before = domain.space.changes!;
    setImmediate(look);
    await new Digest({ space: domain.space, clock: domain.clock, random: systemRandom }).run(never);
    isOver = true;
    const commits = (domain.space.changes! - before) / 2;
    assert.ok(commits >= 20 && turns >= commits, `${turns} turns in ${commits} transactions`);
    await domain.store.close();
  });

  it('keeps the sums that the same facts make from scratch, after any waits, crashes and races', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const domain = await openDomain();
        const { space, clock } = domain;
        const parts = { space, clock, random: systemRandom };
        let digest = new Digest(parts);
        const told: Told[] = [];
        for (const one of steps as any[]) {
          if ('wait' in one) clock.time += one.wait;
          else if (!('digest' in one)) await tell(domain, told, one);
          else if (one.digest === 'once') await finish(digest);
          else if (one.digest === 'anew') {
            digest = new Digest(parts);
            await finish(digest);
          } else await Promise.all([finish(digest), finish(new Digest(parts))]);
        }
        await finish(new Digest(parts));
        const now = clock.time;
        const standing = new Map((await space.page(flowAgents, { limit: 200 })).map(({ id, value }) => [id, value]));
        const rows = new Map((await space.page(flows, { limit: 200 })).map(({ id, value }) => [id, value]));
        for (const window of FLOW_WINDOWS) {
          for (const from of ids) {
            const given = told.filter((fact) => fact.from === from);
            const partners = ids.filter((to) =>
              isFlow(
                scratch(
                  given.filter((fact) => fact.to === to),
                  window,
                  now,
                ),
              ),
            );
            const kept = standing.get(from)?.windows[window].given;
            const expected = { ...scratch(given, window, now), counterparties: partners.length };
            assert.deepEqual(kept ?? { ...NO_FLOW, counterparties: 0 }, expected);
            for (const to of ids) {
              const of = scratch(
                given.filter((fact) => fact.to === to),
                window,
                now,
              );
              const row = rows.get(`${from}>${to}`);
              assert.deepEqual((window === 'all' ? row?.all : row?.moving[window]) ?? NO_FLOW, of);
            }
          }
          const links = ids.flatMap((one) =>
            ids.flatMap((other) => {
              if (one >= other) return [];
              const sum = (from: string, to: string) =>
                scratch(
                  told.filter((fact) => fact.from === from && fact.to === to),
                  window,
                  now,
                );
              const mutual = mutualFlow(sum(one, other), sum(other, one));
              return mutual ? [{ one, other, ...mutual }] : [];
            }),
          );
          const found = await space.page(flowClusters, { index: 'large', prefix: [window], limit: 50 });
          assert.deepEqual(
            found.map(({ value: { cluster_id, agents, links, flow, usdc, praise } }) => ({
              ...{ cluster_id, agents, links, flow, usdc, praise },
            })),
            clustersOf(links),
          );
          for (const agent of ids) {
            const member = (await space.get(flowMemberRef(window, agent)))?.cluster_id;
            assert.equal(member, clustersOf(links).find(({ agents }) => agents.includes(agent))?.cluster_id);
          }
        }
        const days = await space.page(series, { idPrefix: 'day/', limit: 2_000 });
        const counted = days.reduce((sum, { value }) => sum + value.feedback + value.payments, 0);
        assert.equal(counted, told.length);
        assert.equal((await space.page(settlements, { limit: 1 })).length, 0, 'settlements are trimmed once read');
        await domain.store.close();
      }),
      { numRuns: 25 },
    );
  });
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { fakeAggregatorCalls, fakeDeals, fakePayments, testNode, value } from '../../../adapters/testing.ts';
import { formatAgentId } from '../../../core/protocol/identity/ids.ts';
import { AggregatorCalls, type AggregatorRead, Deals, Payments } from '../../../core/services.ts';
import { cameNew } from '../../../plugins/probe/budget.ts';
import { probePlugin } from '../../../plugins/probe/index.ts';
import { holds, questionOf } from '../../../plugins/probe/judgement.ts';
import { Dice } from '../../money/dice.ts';

const DAY = 86_400_000;
/** The most that praise and money without ground give a key (docs/reputation.md). */
const HAD_FOR_NOTHING = [0, 5, 9, 14];

const keys = (count: number) => Array.from({ length: count }, () => formatAgentId(new Uint8Array(randomBytes(32))));

describe('a flood of keys at the probe buyer', function () {
  this.timeout(60_000);

  /** A node with 2 USDC a day whose aggregator lists these, and how often it hires whom until it hires nobody. */
  async function hires(honest: readonly string[], flood: readonly string[]) {
    const rows = [
      ...honest.map((agent_id) => ({ agent_id, score: 60 })),
      ...flood.map((agent_id, place) => ({ agent_id, score: HAD_FOR_NOTHING[place % HAD_FOR_NOTHING.length]! })),
    ];
    const lists: Record<string, readonly object[]> = { reputation: rows, recent: [...rows].reverse() };
    const calls = fakeAggregatorCalls((call) =>
      lists[(call as AggregatorRead).query!['sort'] as string]!.slice(0, 200),
    );
    const dice = new Dice(7);
    const node = await testNode(probePlugin, {
      config: { maxPerDay: '2', amount: '0.1', every: 604_800 },
      services: [
        value(AggregatorCalls, calls.service),
        value(Deals, fakeDeals().service),
        value(Payments, fakePayments().service),
      ],
      random: { bytes: (count) => new Uint8Array(randomBytes(count)), fraction: () => dice.fraction() },
    });
    try {
      const hired: string[] = [];
      for (;;) {
        const { status, body } = await node.call('POST /probe/hire');
        if (status !== 201) return { hired, refused: body, left: (await node.call('GET /probe')).body };
        hired.push(body.agent_id);
      }
    } finally {
      await node.stop();
    }
  }

  it('has a quarter of its budget, though it fills both lists', async () => {
    const [honest, flood] = [keys(30), keys(1_000)];
    const { hired, refused } = await hires(honest, flood);
    assert.equal(refused.limit, 'plugins.probe.maxPerDay');
    assert.equal(hired.length, 20);
    const taken = hired.filter((one) => flood.includes(one)).length;
    assert.ok(taken > 0 && taken <= 5, `${taken} of 20`);
  });

  it('has no more where there is nobody else', async () => {
    const { hired, refused, left } = await hires([], keys(1_000));
    assert.deepEqual([hired.length, refused.code, refused.limit], [5, 'probe_budget', 'plugins.probe.newPart']);
    assert.deepEqual([left.left_usdc, left.left_new_usdc], ['1.5', '0']);
  });

  it('gets no standing by being hired: a key that had none counts so for 30 days', () => {
    const spent = [{ at: 40 * DAY, of: '00', amount: '100000', fresh: true }];
    assert.deepEqual([cameNew({ spent }, 69 * DAY), cameNew({ spent }, 71 * DAY)], [true, false]);
    assert.equal(cameNew({ spent: [{ at: 40 * DAY, of: '00', amount: '100000' }] }, 41 * DAY), false);
  });
});

describe('the judgement of a probe', () => {
  const random = { bytes: () => Uint8Array.of(0x1f, 0x6e, 0x3f, 0x0e), fraction: () => 0.25 };

  it('follows from the message, and is not had by sending that back', () => {
    const table = [
      ['sum', '32500 + 32500', '65000'],
      ['sha256', '1f6e3f0e', '5cdf3314c0a753e0b64ac1be747fcacdbced033d0baca377e47cf09330020c62'],
    ] as const;
    for (const [kind, asked, expected] of table) {
      const found = questionOf(kind, random);
      assert.equal(found.asked, asked);
      assert.equal(found.expected, expected);
      assert.equal(holds(`Work out ${found.asked}.`, found.expected), false);
      assert.equal(holds(`It is ${found.expected.toUpperCase()}.`, found.expected), true);
    }
    assert.deepEqual(questionOf('word', random), { asked: '1f6e3f0e', expected: '1f6e3f0e' });
  });

  it('takes the answer as a word of its own, however its digits are grouped', () => {
    for (const text of ['65000', 'The sum is 65,000.', "65'000", '32500 + 32500 = 65000'])
      assert.ok(holds(text, '65000'), text);
    for (const text of ['165000', '650001', '65', '', '65000x']) assert.ok(!holds(text, '65000'), text);
  });
});

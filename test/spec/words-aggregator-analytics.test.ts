import assert from 'node:assert/strict';
import { signDeal, TestAgent } from '../aggregator/support/agent.ts';
import { bootAggregator, type TestAggregator } from '../aggregator/support/aggregator.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { hasMembers } from './support/words.ts';

const DAY = 86_400_000;

/** The specification's rows of analytics, over HTTP: two agents that only trade with each other, and eleven that do not. */
describe("the aggregator's analytics, in the specification's words", function () {
  this.timeout(60_000);
  const clock = new BriskClock();
  const agent = (name: string) => new TestAgent(`analytics ${name}`, () => clock.now());
  const ring = [agent('ring 1'), agent('ring 2')] as const;
  const honest = Array.from({ length: 11 }, (_, place) => agent(`honest ${place}`));
  const [first, second] = ring;
  let aggregator: TestAggregator;

  /** A deal with its rating, each message at a moment of its own. */
  async function trade(requester: TestAgent, provider: TestAgent, gaps: readonly number[]): Promise<void> {
    const { propose, accept, deliver, conversation } = signDeal(requester, provider, clock.now());
    const wires = [propose, accept, deliver, requester.feedback(provider, conversation, 50)];
    for (const [place, wire] of wires.entries()) {
      clock.shift(gaps[place]!);
      const [result] = await aggregator.ingest(wire.whole);
      assert.equal(result!.status, 'accepted', result!.detail);
    }
  }

  before(async () => {
    // The next epoch begins behind everything that follows.
    clock.shift(DAY - (clock.now() % DAY) + 3_600_000);
    aggregator = await bootAggregator({ clock });
    for (let round = 0; round < 5; round++) {
      await trade(first, second, [900_000, 10_000, 10_000, 10_000]);
      await trade(second, first, [900_000, 10_000, 10_000, 10_000]);
    }
    for (const [place, one] of honest.entries())
      for (const step of [1, 2, 3, 4])
        await trade(one, honest[(place + step) % honest.length]!, [
          2_000 << step,
          500 << (place % 7),
          40_000,
          3_000 * step,
        ]);
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  it('GET /entropy/:agent_id: Entropy measure for an agent, of the open epoch until one is closed', async () => {
    const entropy = await happens('all is counted', async () => {
      const found = await aggregator.read(`/entropy/${honest[10]!.id}`);
      return found.n_hs === 8 ? found : undefined;
    });
    hasMembers(entropy, {
      agent_id: [honest[10]!.id],
      complete: [false],
      hs: 'number',
      ht: 'number',
      n_hb: [0],
      hb: [null],
    });
    assert.deepEqual(await aggregator.read('/leaderboard/anomaly'), []);
    hasMembers(await aggregator.read('/system/sri'), { sri: [0], active_agents: [0], sufficient: [false] });
  });

  it('GET /leaderboard/anomaly: Anomaly leaderboard, when the epoch is closed', async () => {
    clock.shift(DAY);
    await aggregator.ingest(agent('late').beacon('late').whole, first.beacon('ring').whole);
    const rows = await happens('the epoch is closed', async () => {
      const found = await aggregator.read<any[]>('/leaderboard/anomaly?limit=50');
      return found.length === 13 ? found : undefined;
    });
    assert.deepEqual(
      rows
        .slice(0, 2)
        .map(({ agent_id }) => agent_id)
        .sort(),
      [first.id, second.id].sort(),
    );
    hasMembers(rows[0], {
      epoch: 'integer',
      anomaly: 'number',
      hs: [0],
      n_hs: [10],
      flagged: [true],
      complete: [true],
    });
    assert.ok(
      rows.slice(2).every(({ flagged }) => !flagged),
      JSON.stringify(rows),
    );
    const places = rows.map(({ anomaly, agent_id }) => [-anomaly, agent_id]);
    assert.deepEqual(
      places,
      [...places].sort((one, other) => one[0] - other[0] || (one[1] < other[1] ? -1 : 1)),
    );
    assert.deepEqual(await aggregator.read('/leaderboard/anomaly?limit=1&offset=1'), [rows[1]]);
  });

  it('GET /leaderboard/verifier-concentration: Concentration of verifier power', async () => {
    assert.deepEqual(await aggregator.read('/leaderboard/verifier-concentration'), []);
  });

  it('GET /leaderboard/ownership-clusters: Ownership clustering', async () => {
    const found = await happens('the ring is found', async () => {
      const clusters = await aggregator.read('/leaderboard/ownership-clusters');
      return clusters.length > 0 ? clusters : undefined;
    });
    assert.deepEqual(
      found.map(({ by, agents }: any) => [by, agents]),
      [['behaviour', [first.id, second.id].sort()]],
    );
    hasMembers(found[0], { cluster_id: 'string', mean_anomaly_mad: 'number', c_coefficient: [0.1] });
    assert.deepEqual(await aggregator.read('/leaderboard/ownership-clusters?by=owner'), []);
  });

  it('GET /entropy/:agent_id/history: Entropy history', async () => {
    const history = await aggregator.read(`/entropy/${first.id}/history`);
    hasMembers(history[0], { agent_id: [first.id], epoch: 'integer', anomaly: 'number', complete: [true] });
    assert.deepEqual(await aggregator.read(`/entropy/${first.id}`), history[0]);
    assert.deepEqual(await aggregator.read(`/entropy/${first.id}/history?before=${history[0].epoch}`), []);
  });

  it('GET /entropy/:agent_id/rolling: Rolling entropy', async () => {
    const { anomaly } = await aggregator.read(`/entropy/${first.id}`);
    hasMembers(await aggregator.read(`/entropy/${first.id}/rolling`), {
      agent_id: [first.id],
      window_epochs: [10],
      epochs_found: [1],
      mean_anomaly: [anomaly],
      anomaly_variance: [0],
      low_variance_flag: [false],
      high_anomaly_flag: [true],
    });
    hasMembers(await aggregator.read(`/entropy/${first.id}/rolling?window=1000`), { window_epochs: [100] });
  });

  it('GET /params/calibrated: Calibrated system parameters', async () => {
    const found = await aggregator.read('/params/calibrated');
    hasMembers(found, {
      sample_agents: [13],
      flagged_agents: [2],
      source: ['measured'],
      calibrated_at: 'integer',
      as_of: 'time',
    });
    const { anomaly } = await aggregator.read(`/entropy/${first.id}`);
    assert.ok(Math.abs(found.beta_1_anomaly - anomaly / (anomaly + 0.15)) < 0.05, JSON.stringify(found));
    assert.equal(Math.round(1e6 * (found.beta_1_anomaly + found.beta_2_rep_decay)), 1e6);
  });

  it('GET /system/sri: System reputation index status', async () => {
    hasMembers(await aggregator.read('/system/sri'), {
      sri: [0.153846],
      circuit_breaker_active: [false],
      active_agents: [13],
      flagged_agents: [2],
      sufficient: [true],
      computed_at: 'integer',
      as_of: 'time',
      version: [1],
    });
  });

  it('GET /stake/required/:agent_id: Required stake for an agent, by its anomaly and its cluster', async () => {
    const { anomaly } = await aggregator.read(`/entropy/${first.id}`);
    const required = Math.floor(1e6 * 10 * (1 + 0.87 * anomaly + 0.3 * 0.1)) / 1e6;
    const found = await aggregator.read(`/stake/required/${first.id}`);
    hasMembers(found, {
      base_stake_usdc: [10],
      current_anomaly: [anomaly],
      c_coefficient: [0.1],
      beta_1: [0.87],
      beta_3: [0.3],
    });
    assert.ok(Math.abs(found.required_stake_usdc - required) < 0.00002, `${found.required_stake_usdc} ${required}`);
    assert.equal(found.deficit_usdc, found.required_stake_usdc);
    hasMembers(await aggregator.read(`/stake/required/${honest[0]!.id}`), { required_stake_usdc: [10] });
  });

  it('answers 404 of agents it never heard of, and 400 with the field of what makes no sense', async () => {
    const stranger = agent('stranger').id;
    for (const path of ['', '/history', '/rolling']) {
      assert.equal((await aggregator.fetch(`/entropy/${stranger}${path}`)).status, 404);
      assert.equal((await aggregator.fetch(`/entropy/nobody${path}`)).status, 400);
    }
    for (const [path, pointer] of [
      [`/entropy/${first.id}/rolling?window=2`, '/window'],
      [`/entropy/${first.id}/rolling?window=many`, '/window'],
      [`/entropy/${first.id}/history?limit=0`, '/limit'],
      [`/entropy/${first.id}/history?before=-1`, '/before'],
      ['/leaderboard/anomaly?limit=-1', '/limit'],
      ['/leaderboard/verifier-concentration?offset=-1', '/offset'],
      ['/leaderboard/ownership-clusters?by=host', '/by'],
    ] as const) {
      const { status, body } = await aggregator.fetch(path);
      assert.deepEqual([status, body.fields?.[0]?.pointer], [400, pointer], path);
    }
  });
});

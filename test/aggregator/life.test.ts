import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signDeal, TestAgent } from './support/agent.ts';
import { bootAggregator, statuses, type TestAggregator } from './support/aggregator.ts';

const requester = new TestAgent('requester');
const provider = new TestAgent('provider');

for (const storage of ['memory', 'lowdb']) {
  describe(`the life of a deal at an aggregator on ${storage}`, () => {
    let dir: string;
    let aggregator: TestAggregator;

    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'aggregator-'));
      aggregator = await bootAggregator(storage === 'lowdb' ? { dir } : {});
    });
    after(async () => {
      await aggregator.stop();
      await rm(dir, { recursive: true, force: true });
    });

    it('starts empty', async () => {
      assert.deepEqual(await aggregator.read('/agents'), []);
      assert.deepEqual(await aggregator.read('/activity'), []);
      assert.deepEqual(await aggregator.read('/leaderboard'), []);
      const stats = await aggregator.read('/stats/network');
      assert.equal(stats.agent_count, 0);
      assert.equal(stats.interaction_count, 0);
    });

    it('lists agents that beacon, and says JOIN once for each', async () => {
      const url = 'ws://127.0.0.1:9091/mesh';
      const reports = [
        requester.beacon('asker'),
        provider.beacon('word-counter', { url }),
        provider.beacon('word-counter', { url }),
      ];
      assert.deepEqual(
        statuses(await aggregator.ingest(...reports.map(({ whole }) => whole))),
        Array(3).fill('accepted'),
      );
      const registry = await aggregator.read('/registry');
      assert.deepEqual(
        registry.map((one: any) => [one.agent_id, one.name, one.url]).sort(),
        [
          [requester.id, 'asker', undefined],
          [provider.id, 'word-counter', url],
        ].sort(),
      );
      const activity = await aggregator.read('/activity');
      assert.deepEqual(
        activity.map((event: any) => event.event_type),
        ['JOIN', 'JOIN'],
      );
      assert.deepEqual(Object.keys(activity[0]).sort(), [
        ...['agent_id', 'created_at', 'envelope_id', 'event_type', 'id', 'name', 'slot', 'ts'],
      ]);
    });

    it('shows what an agent advertises', async () => {
      const advert = provider.sign('ADVERTISE', {
        payload: { capabilities: ['Text-Statistics', 'not a word'], geo: { country: 'no', city: 'Oslo' } },
      });
      assert.deepEqual(statuses(await aggregator.ingest(advert.whole)), ['accepted']);
      const profile = await aggregator.read(`/agents/${provider.id}/profile`);
      assert.deepEqual([profile.capabilities, profile.country, profile.city], [['text-statistics'], 'NO', 'Oslo']);
      for (const path of [
        '/agents?country=no',
        '/agents?capability=text-statistics',
        '/agents?capability=TEXT-STATISTICS&country=NO&sort=recent',
      ]) {
        assert.deepEqual(
          (await aggregator.read(path)).map((agent: any) => agent.name),
          ['word-counter'],
          path,
        );
      }
      assert.deepEqual(await aggregator.read('/agents?country=SE'), []);
    });

    it('makes of the receipts of a deal and its feedback a score, a leader and activity', async () => {
      const { conversation, propose, accept, deliver } = signDeal(requester, provider);
      const feedback = requester.feedback(provider, conversation, 80);
      const items = [propose.receipt, accept.receipt, deliver.receipt, feedback.whole];
      assert.deepEqual(statuses(await aggregator.ingest(...items)), Array(4).fill('accepted'));

      const reputation = await aggregator.scored(`/reputation/${provider.id}`, ({ rater_count }) => rater_count === 1);
      assert.deepEqual([reputation.score, reputation.version], [1, 2]);
      assert.ok(Math.abs(Date.parse(reputation.as_of) - Date.now()) < 60_000, reputation.as_of);
      assert.equal(reputation.feedback_count, 1);
      const points = { grounded: 0, raw: 0, free: 0.7937, blame: 0, abandoned: 0, disputes: 0 };
      assert.deepEqual(reputation.points, points);
      const [leader, ...others] = await aggregator.read('/leaderboard?limit=50');
      assert.deepEqual([leader.rank, leader.agent_id, leader.score, others], [1, provider.id, 1, []]);
      const profile = await aggregator.read(`/agents/${provider.id}/profile`);
      assert.deepEqual(
        [profile.score, profile.stake_lamports, profile.lease_status, profile.latency],
        [1, 0, 'none', {}],
      );

      const [rated, delivered, accepted] = await aggregator.read('/activity?limit=3');
      assert.deepEqual(
        { ...rated, id: 0, created_at: '', ts: 0 },
        {
          id: 0,
          event_type: 'FEEDBACK',
          agent_id: requester.id,
          name: 'asker',
          target_agent_id: provider.id,
          target_id: provider.id,
          target_name: 'word-counter',
          score: 80,
          outcome: 'positive',
          conversation_id: conversation,
          envelope_id: feedback.id,
          slot: 250_000_000,
          created_at: '',
          ts: 0,
        },
      );
      assert.deepEqual(
        [delivered.event_type, delivered.agent_id, delivered.target_agent_id],
        ['DELIVER', provider.id, requester.id],
      );
      assert.deepEqual(
        [accepted.event_type, accepted.agent_id, accepted.conversation_id],
        ['ACCEPT', provider.id, conversation],
      );
      assert.equal((await aggregator.read('/stats/network')).interaction_count, 1);
      const [interaction] = await aggregator.read(`/interactions?to=${provider.id}`);
      assert.deepEqual([interaction.sender, interaction.score, interaction.role], [requester.id, 80, 'participant']);
      assert.equal((await aggregator.read(`/interactions/by/${provider.id}`)).length, 1);
    });

    it('counts a second deal for nothing of the same rater as part of one opinion', async () => {
      const { conversation, propose, accept, deliver } = signDeal(requester, provider);
      const feedback = requester.feedback(provider, conversation, 60);
      await aggregator.ingest(propose.receipt, accept.receipt, deliver.receipt, feedback.whole);
      const reputation = await aggregator.read(`/reputation/${provider.id}`);
      assert.deepEqual([reputation.feedback_count, reputation.score], [2, 1]);
      assert.deepEqual(reputation.recent_scores, [60, 80]);
    });

    if (storage === 'lowdb') {
      it('keeps feedback that waits for its deal over a restart', async () => {
        const { conversation, propose, accept, deliver } = signDeal(requester, provider);
        await aggregator.ingest(requester.feedback(provider, conversation, 10).whole, accept.receipt, propose.receipt);
        await aggregator.stop();
        aggregator = await bootAggregator({ dir });
        await aggregator.ingest(deliver.receipt);
        assert.equal((await aggregator.read(`/reputation/${provider.id}`)).recent_scores[0], 10);
      });

      it('keeps everything over a restart', async () => {
        const paths = [
          '/agents',
          '/activity',
          '/leaderboard',
          '/registry',
          '/stats/network',
          '/interactions',
          `/reputation/${provider.id}`,
        ];
        // After a start everybody is scored anew, to the same scores, and a new minute begins.
        const passing = ['as_of', 'beacon_bpm'];
        const all = async () => {
          const answers = await Promise.all(paths.map((path) => aggregator.read(path)));
          return JSON.parse(JSON.stringify(answers, (key, value) => (passing.includes(key) ? 'some time' : value)));
        };
        await aggregator.scored(`/reputation/${provider.id}`, ({ score }) => score === 0);
        const before = await all();
        await aggregator.stop();
        aggregator = await bootAggregator({ dir });
        assert.deepEqual(await all(), before);
      });
    }
  });
}

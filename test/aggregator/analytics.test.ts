import assert from 'node:assert/strict';
import { AnalyticsJob } from '../../core/aggregator/analytics/analytics-job.ts';
import { countPage } from '../../core/aggregator/analytics/counting.ts';
import { entropyIn } from '../../core/aggregator/analytics/reading.ts';
import { epochsOf } from '../../core/aggregator/epochs.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { epochId, tallies } from '../../core/aggregator/store/analytics.ts';
import { activity } from '../../core/aggregator/store/logs.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { settlementBench } from '../ledger/settlement-bench.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { openTestStore } from '../support/space.ts';
import { network, signDeal, TestAgent } from './support/agent.ts';
import { bootAggregator } from './support/aggregator.ts';
import { agentIds } from './support/analytics-history.ts';
import { NOON } from './support/domain.ts';
import { LedgerDomain, never } from './support/ledger-domain.ts';

const DAY = 86_400_000;

describe('the analytics', function () {
  this.timeout(120_000);

  it('show who gives most VERDICTs on the work of an agent, from its third epoch on', async () => {
    const clock = new BriskClock();
    clock.shift(DAY - (clock.now() % DAY) + 3_600_000);
    const [payer, worker, other] = ['payer', 'worker', 'other'].map(
      (name) => new TestAgent(`verified ${name}`, () => clock.now()),
    ) as [TestAgent, TestAgent, TestAgent];
    const aggregator = await bootAggregator({ clock });
    const listed = () => aggregator.read<any[]>('/leaderboard/verifier-concentration');
    for (const epoch of [1, 2, 3]) {
      assert.deepEqual(await listed(), []);
      for (const by of epoch === 3 ? [payer, payer, payer, other] : [payer, payer, payer, payer]) {
        const { conversation, propose, accept, deliver } = signDeal(by, worker, clock.now());
        const verdict = by.sign('VERDICT', { to: worker, conversation, payload: { outcome: 'approve' } });
        await aggregator.ingest(...[propose, accept, deliver, verdict].map(({ whole }) => whole));
      }
      clock.shift(DAY);
      await aggregator.ingest(payer.beacon(`day ${epoch}`).whole);
    }
    const rows = await happens('three epochs are closed', async () => {
      const found = await listed();
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual(rows, [
      {
        agent_id: worker.id,
        epochs_sampled: 3,
        mean_hv: 0.270426,
        epochs_below_threshold: 3,
        concentration_score: 0.729574,
        top_verifier: payer.id,
        top_share: 0.75,
      },
    ]);
    const hex = ({ identity }: TestAgent) => Buffer.from(identity.key).toString('hex');
    const [row] = await aggregator.read<any[]>('/leaderboard/verifier-concentration?ids=hex');
    assert.deepEqual([row.agent_id, row.top_verifier], [hex(worker), hex(payer)]);
    const { n_ht, ht } = await aggregator.read(`/entropy/${worker.id}`);
    assert.ok(n_ht < 4 && ht === null, 'what is reported at once is one moment');
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });

  it('count what the settlement program paid, of both sides, and not what was offered', async () => {
    const bench = await settlementBench();
    const at = await LedgerDomain.open(bench);
    const { space, epochs, clock } = at.domain;
    const deal = await at.deliveredDeal();
    await at.report(deal);
    await at.follow();
    const job = new AnalyticsJob({ space, epochs, clock, random: systemRandom });
    const seen = async (agent: TestAgent) => {
      await job.update(never);
      const { n_hb, n_hs } = await entropyIn(space, agent.id, epochs.at(clock.now()));
      return [n_hb, n_hs];
    };
    assert.deepEqual(await seen(deal.worker), [0, 1]);
    await bench.take({ type: 'approve', ...deal.name }, at.by(deal.payer));
    await at.follow();
    for (const agent of [deal.worker, deal.payer]) assert.deepEqual(await seen(agent), [1, 1]);
    await at.close();
    await bench.close();
  });

  it('are counted a page at a time, and what is less than a page is the end', async () => {
    const store = await openTestStore();
    const space = store.space(SPACE);
    const epochs = epochsOf(network);
    const [one, other] = agentIds;
    const told = (count: number) =>
      space.tx([], (tx) => {
        for (let nr = 0; nr < count; nr += 1)
          tx.append(activity, { event_type: 'FEEDBACK', agent_id: one!, target_agent_id: other!, slot: 0, at: NOON });
      });
    // Otherwise a job would write a tally for each event that comes while it counts.
    await told(3);
    assert.equal(await countPage(space, epochs), false);
    await told(130);
    assert.deepEqual([await countPage(space, epochs), await countPage(space, epochs)], [true, false]);
    const tally = await space.get(tallies.ref(epochId(one!, epochs.at(NOON))));
    assert.equal(tally?.types['FEEDBACK'], 133);
    // Of two at the same time one has counted, and the other has to look again.
    await told(3);
    const both = await Promise.all([countPage(space, epochs), countPage(space, epochs)]);
    assert.deepEqual(both.toSorted(), [false, true]);
    assert.equal(await countPage(space, epochs), false);
    assert.equal((await space.get(tallies.ref(epochId(one!, epochs.at(NOON)))))?.types['FEEDBACK'], 136);
    await store.close();
  });
});

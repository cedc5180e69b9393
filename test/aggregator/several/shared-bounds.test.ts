import assert from 'node:assert/strict';
import { agentCount } from '../../../core/aggregator/store/logs.ts';
import { describeRedis } from '../../support/redis-server.ts';
import { TestAgent } from '../support/agent.ts';
import { counted, Fleet } from './fleet.ts';

const BOUND = 6;

describeRedis('the bound of new keys of one address, at two aggregators on one Redis', function () {
  this.timeout(120_000);
  let fleet: Fleet;

  before(async () => {
    fleet = await Fleet.open();
  });
  after(() => fleet?.close());

  it('holds for both together: it is counted where they are written', async () => {
    const more = {
      core: { ingest: { newKeysPerHour: BOUND, newKeysPerHourInAll: 1_000, itemsPerKeyPerMinute: 1_000 } },
    };
    const writer = await fleet.start('left', more);
    const other = await fleet.start('right', more);
    assert.equal(await fleet.settled(), writer);
    const statuses: string[] = [];
    for (let n = 0; n < 2 * BOUND; n++) {
      const { url } = n % 2 === 0 ? other : writer;
      const agent = new TestAgent(`newcomer ${n} of both`);
      // A key that is known takes nothing more, whoever is told.
      for (const item of [agent.beacon('one'), agent.beacon('two')]) statuses.push(await told(url, item.whole));
    }
    const accepted = statuses.filter((status) => status === 'accepted').length;
    assert.deepEqual([accepted, Number(await fleet.space.total(agentCount))], [2 * BOUND, BOUND]);
    assert.deepEqual(new Set(statuses), new Set(['accepted', 'rate-limited']));
    assert.ok((await counted(writer, 'mesh_ingest_put_off_total', '"address"')) > 0);
  });
});

async function told(url: string, item: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ items: [item] });
  const answer = await fetch(`${url}/ingest/envelopes`, { method: 'POST', headers, body });
  return ((await answer.json()) as any).results[0].status;
}

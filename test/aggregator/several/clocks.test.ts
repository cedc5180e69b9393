import assert from 'node:assert/strict';
import { happens } from '../../support/happens.ts';
import { describeRedis } from '../../support/redis-server.ts';
import { TestAgent } from '../support/agent.ts';
import { Fleet, type Member } from './fleet.ts';

const DAYS = 3 * 86_400_000;

describeRedis('an aggregator whose clock is days from that of the store', function () {
  this.timeout(120_000);
  let fleet: Fleet;

  before(async () => {
    fleet = await Fleet.open();
  });
  after(() => fleet?.close());

  for (const [side, ahead] of [
    ['ahead of', DAYS],
    ['behind', -DAYS],
  ] as const)
    it(`does not start when it is ${side} it, and says by how much and what helps`, async () => {
      const fault = new RegExp(
        `The clock here is 2(59199|59200|59201) seconds ${side} the one of the store.* time server`,
      );
      await assert.rejects(fleet.start('wrong', {}, {}, ahead), fault);
      assert.equal(await fleet.lease(), undefined);
    });

  it('is the writer no more when its clock goes wrong, takes no reports, and is whole again when it is right', async () => {
    const first = await fleet.start('first');
    const second = await fleet.start('second');
    assert.equal(await fleet.settled(), first);
    first.child.send({ shift: DAYS });
    await happens('the other one is the writer', async () => ((await fleet.writer()) === second ? true : undefined));
    const ready = await fetch(`${first.url}/ready`);
    assert.equal(ready.status, 503);
    const { services } = (await ready.json()) as any;
    assert.match(services.writer.detail, /seconds ahead of the one of the store.* Reports are refused/);
    assert.match(services.writer.remedy, /Set the clock/);
    const beacon = new TestAgent('of two clocks').beacon('of two clocks').whole;
    const refused = await told(first, beacon);
    assert.equal(refused.status, 503);
    assert.equal((await told(second, beacon)).status, 200);
    first.child.send({ shift: -DAYS });
    await happens('it is ready', async () => (await fetch(`${first.url}/ready`)).ok || undefined);
    assert.equal((await told(first, beacon)).status, 200);
    assert.equal(await fleet.settled(), second);
  });
});

function told({ url }: Member, item: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}/ingest/envelopes`, { method: 'POST', headers, body: JSON.stringify({ items: [item] }) });
}

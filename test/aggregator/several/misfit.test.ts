import assert from 'node:assert/strict';
import { describeRedis } from '../../support/redis-server.ts';
import { Fleet } from './fleet.ts';

describeRedis('an aggregator that does not fit to the writer of its store', function () {
  this.timeout(120_000);
  let fleet: Fleet;

  before(async () => {
    fleet = await Fleet.open();
    await fleet.start('first');
    await fleet.writer();
  });
  after(() => fleet?.close());

  it('does not start with other plugins that take part in recording, and says which', async () => {
    const { agent_id } = (await fleet.lease())!;
    await assert.rejects(fleet.start('second', {}, { ownership: false }), ({ message }: Error) => {
      assert.match(message, new RegExp(`Another aggregator, ${agent_id}, writes to this store with other plugins`));
      assert.match(message, /ownership.* there, /);
      return true;
    });
    await fleet.start('third');
    await fleet.settled();
  });

  it('writes itself where it cannot reach the writer, and says so', async () => {
    await Promise.all([...fleet.members].map((member) => member.end('SIGKILL')));
    await fleet.start('away', { writer: { address: '127.0.0.1:1' } });
    const away = await fleet.writer();
    const other = await fleet.start('other');
    const { services, status } = (await (await fetch(`${other.url}/ready`)).json()) as any;
    assert.equal(status, 'degraded');
    assert.match(services.writer.detail, /cannot be reached: .*ECONNREFUSED/);
    assert.match(services.writer.remedy, /writer\.address/);
    assert.notEqual(away, other);
  });

  it('does not start on an address that is none, or is taken', async () => {
    await assert.rejects(fleet.start('fourth', { writer: { listen: 'nowhere' } }), /writer\.listen is \\"nowhere\\"/);
    const { port } = fleet.redis;
    const taken = fleet.start('fifth', { writer: { listen: `127.0.0.1:${port}` } });
    await assert.rejects(taken, /writer\.listen 127\.0\.0\.1:\d+ cannot be listened on: .*EADDRINUSE/);
  });
});

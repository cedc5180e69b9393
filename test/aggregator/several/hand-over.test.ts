import assert from 'node:assert/strict';
import { activity } from '../../../core/aggregator/store/logs.ts';
import { happens } from '../../support/happens.ts';
import { describeRedis } from '../../support/redis-server.ts';
import { signDeal, TestAgent } from '../support/agent.ts';
import { counted, Fleet, type Member, metricsOf } from './fleet.ts';

async function ingest({ url }: Pick<Member, 'url'>, items: readonly object[]): Promise<string[]> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/ingest/envelopes`, { method: 'POST', headers, body: JSON.stringify({ items }) });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as any).results.map(({ status }: any) => status);
}

const read = async ({ url }: Member, path: string) => (await fetch(url + path)).json() as any;

describeRedis('two aggregators on one Redis', function () {
  this.timeout(120_000);
  let fleet: Fleet;
  let first: Member;
  let second: Member;

  before(async () => {
    fleet = await Fleet.open();
    first = await fleet.start('first');
    second = await fleet.start('second');
    assert.equal(await fleet.settled(), first);
  });
  after(() => fleet?.close());

  it('what the one verifies, the writer commits before it is acknowledged, and both show it', async () => {
    const [asker, worker] = [new TestAgent('asker of two'), new TestAgent('worker of two')];
    const { propose, accept, deliver, conversation } = signDeal(asker, worker);
    const deal = [propose.receipt, accept.receipt, deliver.receipt, asker.feedback(worker, conversation, 100).whole];
    assert.deepEqual(await ingest(second, deal), Array(4).fill('accepted'));
    assert.equal(await counted(second, 'mesh_handed_items_total', 'answered'), 4);
    const rows = await fleet.space.page(activity, { limit: 100 });
    assert.ok(rows.some(({ record }) => record.conversation_id === conversation));
    assert.deepEqual(await read(first, '/activity'), await read(second, '/activity'));
    assert.deepEqual(await ingest(first, deal), Array(4).fill('duplicate'));
    assert.deepEqual(await ingest(second, deal), Array(4).fill('duplicate'));
    assert.equal(await counted(second, 'mesh_handed_items_total'), 4, 'what is known is not handed over');
    const forged = Buffer.from(asker.beacon('forged').whole.envelope_b64, 'base64');
    forged[forged.length - 1]! ^= 1;
    assert.deepEqual(await ingest(second, [{ envelope_b64: forged.toString('base64') }]), ['invalid']);
  });

  it('a conflict, a bound and a broken item are told as the writer tells them', async () => {
    const agent = new TestAgent('twice');
    const one = agent.beacon('one');
    assert.deepEqual(await ingest(first, [one.whole]), ['accepted']);
    const same = agent.sign('BEACON', { payload: { name: 'same', hubs: [] }, nonce: Number(one.envelope.nonce) });
    const said: any = await (
      await fetch(`${second.url}/ingest/envelopes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ items: [same.whole] }),
      })
    ).json();
    assert.equal(said.results[0].status, 'conflict');
    assert.equal(typeof said.results[0].held_b64, 'string');
  });

  it('/ready and the metrics say which is the writer', async () => {
    const [ready, other] = [await read(first, '/ready'), await read(second, '/ready')];
    const { agent_id, secret } = (await fleet.lease())!;
    assert.deepEqual(ready.services.writer, { state: 'ok', detail: 'This aggregator is the writer of its store.' });
    assert.deepEqual(other.services.writer, {
      state: 'ok',
      detail: `The writer of the store is the aggregator ${agent_id}.`,
    });
    assert.match(await metricsOf(first), /^mesh_writer 1$/m);
    assert.match(await metricsOf(second), /^mesh_writer 0$/m);
    assert.ok(!JSON.stringify([ready, other]).includes(secret));
  });

  it('what is to run once runs at the writer alone', async () => {
    const [writer, other] = await roles();
    await happens(
      'a job has run',
      async () => (await counted(writer, 'mesh_job_runs_total', '"flows"')) > 0 || undefined,
    );
    const before = await counted(other, 'mesh_job_runs_total', '"flows"');
    const runs = await counted(writer, 'mesh_job_runs_total', '"flows"');
    await happens(
      'and again',
      async () => (await counted(writer, 'mesh_job_runs_total', '"flows"')) > runs || undefined,
    );
    assert.equal(await counted(other, 'mesh_job_runs_total', '"flows"'), before);
  });

  it('a writer that hangs keeps nobody waiting for long, and the lease passes on', async () => {
    const [writer, other] = await roles();
    const held = (await fleet.lease())!.by;
    writer.child.kill('SIGSTOP');
    try {
      const began = performance.now();
      const agent = new TestAgent(`patient ${held}`);
      assert.deepEqual(await ingest(other, [agent.beacon('patient').whole]), ['accepted']);
      assert.ok(performance.now() - began < 20_000, `${performance.now() - began} ms`);
      await happens('another one is the writer', async () => ((await fleet.lease())?.by ?? held) !== held || undefined);
    } finally {
      writer.child.kill('SIGCONT');
    }
    const [now, asks] = await roles();
    const before = await counted(asks, 'mesh_handed_items_total', 'answered');
    assert.deepEqual(await ingest(asks, [new TestAgent(`after ${held}`).beacon('after').whole]), ['accepted']);
    assert.equal(await counted(asks, 'mesh_handed_items_total', 'answered'), before + 1);
    assert.notEqual(now, asks);
  });

  it('a writer that is stopped hands over at once', async () => {
    const [writer, other] = await roles();
    const held = (await fleet.lease())!.by;
    const [code] = await Promise.all([
      writer.end('SIGTERM'),
      happens('the lease is free or taken', async () => (await fleet.lease())?.by !== held || undefined, 5_000),
    ]);
    assert.equal(code, 0);
    assert.equal(await fleet.writer(), other);
    assert.deepEqual(await ingest(other, [new TestAgent(`alone ${held}`).beacon('alone').whole]), ['accepted']);
  });

  /** The writer and the other one, which changes when a busy machine holds the writer up. */
  async function roles(): Promise<[Member, Member]> {
    const writer = await fleet.settled();
    return [writer, writer === first ? second : first];
  }
});

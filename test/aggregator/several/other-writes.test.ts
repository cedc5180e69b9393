import assert from 'node:assert/strict';
import { systemClock } from '../../../core/platform/system-clock.ts';
import { tokenOf } from '../../plugins/support/aggregator.ts';
import { describeRedis } from '../../support/redis-server.ts';
import { newConversation, TestAgent } from '../support/agent.ts';
import { Fleet, type Member } from './fleet.ts';

/** As many of one sender as a mailbox takes of somebody whom nobody has rated. */
const OF_ONE = 5;
const SENDERS = 5;

describeRedis('writes other than reports, at two aggregators on one Redis', function () {
  this.timeout(120_000);
  let fleet: Fleet;
  let members: Member[];

  before(async () => {
    fleet = await Fleet.open();
    members = [await fleet.start('left'), await fleet.start('right')];
    await fleet.settled();
  });
  after(() => fleet?.close());

  async function call(member: Member, line: string, { body, as }: { body?: unknown; as?: TestAgent } = {}) {
    const [method, path] = line.split(' ') as [string, string];
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const token = as && tokenOf(as, { audience: member.url, method, target: path, body: bytes }, systemClock);
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(member.url + path, { method, headers, ...(body !== undefined && { body: bytes }) });
    const said = (await answer.json()) as any;
    assert.ok(answer.ok, `${line}: ${answer.status} ${JSON.stringify(said)}`);
    return said;
  }

  const of = (n: number) => members[n % 2]!;

  it('one mailbox, filled by both at the same time, has each message once, whoever is asked', async () => {
    const marks = newConversation();
    const ann = new TestAgent(`ann ${marks}`);
    const senders = Array.from({ length: SENDERS }, (_, n) => new TestAgent(`sender ${n} ${marks}`));
    const items = [ann, ...senders].map((agent) => agent.beacon('someone').whole);
    await call(of(0), 'POST /ingest/envelopes', { body: { items } });
    await call(of(1), 'POST /push/sleep', { body: { agent_id: ann.id, sleeping: true }, as: ann });
    const letters = Array.from({ length: SENDERS * OF_ONE }, (_, n) =>
      senders[n % SENDERS]!.sign('MESSAGE', {
        to: ann,
        conversation: newConversation(),
        payload: { text: `letter ${n}` } as never,
      }),
    );
    await Promise.all(letters.map(({ whole }, n) => call(of(n), `POST /agents/${ann.id}/pending`, { body: whole })));
    const held = await call(of(0), `GET /agents/${ann.id}/pending?lease=60&limit=100`, { as: ann });
    assert.deepEqual(held.map(({ id }: any) => id).sort(), letters.map(({ id }) => id).sort());
    const { cursor } = held.at(-1);
    assert.deepEqual(await call(of(1), `GET /agents/${ann.id}/pending?ack=${cursor}`, { as: ann }), []);
    const { pending } = await call(of(0), 'POST /push/sleep', { body: { agent_id: ann.id, sleeping: false }, as: ann });
    assert.equal(pending, 0);
    for (const member of members) assert.equal((await call(member, `GET /agents/${ann.id}/sleeping`)).sleeping, false);
  });

  it('a name that both are told is the last one at both', async () => {
    const agent = new TestAgent(`named ${newConversation()}`);
    const beacons = Array.from({ length: 16 }, (_, n) => agent.beacon(`name ${n}`, {}, Date.now() - 16 + n));
    await Promise.all(
      beacons.map(({ whole }, n) => call(of(n), 'POST /ingest/envelopes', { body: { items: [whole] } })),
    );
    for (const member of members) assert.equal((await call(member, `GET /agents/${agent.id}`)).name, 'name 15');
  });
});

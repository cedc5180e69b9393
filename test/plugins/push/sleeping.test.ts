import assert from 'node:assert/strict';
import { Network } from '../../../core/internal-services.ts';
import { newConversation, signDeal, TestAgent } from '../../aggregator/support/agent.ts';
import { happens } from '../../support/happens.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { startWebhook } from '../../upstreams/push/services.ts';
import type { Upstream } from '../../upstreams/push/upstream.ts';
import { PluginAggregator, tokenOf } from '../support/aggregator.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];

for (const use of STORES)
  describe(`sleeping agents, on ${use}`, function () {
    this.timeout(20_000);
    let aggregator: PluginAggregator;
    let redis: RedisServer | undefined;
    let webhook: Upstream;
    let ann: TestAgent;
    let bob: TestAgent;
    let count = 0;

    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      webhook = await startWebhook();
      aggregator = await PluginAggregator.start({
        storage: redis ? { use, url: redis.url } : { use },
        plugins: { push: { webhook: { allowHttp: true } } },
        settings: { core: { ingest: { newKeysPerHour: 10_000 } } },
      });
      bob = aggregator.agent('bob');
      await aggregator.introduce(bob);
    });
    beforeEach(async () => {
      ann = aggregator.agent(`ann ${count++}`);
      await aggregator.introduce(ann);
      webhook.requests.length = 0;
      webhook.fault = undefined;
    });
    after(async () => {
      assert.deepEqual(aggregator.errors, []);
      assert.deepEqual(webhook.complaints, []);
      await aggregator.stop();
      webhook.stop();
      await redis?.stop();
    });

    const pushes = () => webhook.requests.filter(({ path }) => path === `/${ann.id}`);
    const sleep = (sleeping = true) =>
      aggregator.call('POST /push/sleep', { body: { agent_id: ann.id, sleeping }, as: ann });
    const register = (push_token = `${webhook.url}/${ann.id}`) =>
      aggregator.call('POST /push/register', { body: { agent_id: ann.id, push_token }, as: ann });
    const letter = (from: TestAgent, text = 'hello') =>
      from.sign('MESSAGE', { to: ann, conversation: newConversation(), payload: { text } as never });
    const leave = (wire: { whole: { envelope_b64: string } }, to = ann) =>
      aggregator.call(`POST /agents/${to.id}/pending`, { body: wire.whole });
    const take = (query = '', as = ann) => aggregator.call(`GET /agents/${ann.id}/pending${query}`, { as });
    const texts = async (query = '') => (await take(query)).body.map(({ id }: any) => id);

    it('holds a message for a sleeper and gives it once, as it was signed', async () => {
      await sleep();
      const sent = letter(bob);
      const { status, body } = await leave(sent);
      assert.deepEqual([status, body], [202, { envelope_id: sent.id, status: 'held', pending: 1 }]);
      const { body: found } = await take();
      assert.equal(found.length, 1);
      const { ts, cursor, ...message } = found[0];
      assert.deepEqual(message, { id: sent.id, from: bob.id, msg_type: 'MESSAGE', payload: sent.whole.envelope_b64 });
      assert.ok(Math.abs(ts - aggregator.clock.now() / 1000) < 10 && cursor === 1);
      await happens('it is removed', async () => ((await texts()).length === 0 ? true : undefined));
      assert.deepEqual(await aggregator.read(`/agents/${ann.id}/sleeping`), { sleeping: true });
    });

    it('takes the members that older clients send', async () => {
      await sleep();
      const { whole, id } = letter(bob);
      const body = { from: bob.id, msg_type: 'MESSAGE', payload: whole.envelope_b64 };
      assert.equal((await aggregator.call(`POST /agents/${ann.id}/pending`, { body })).status, 202);
      assert.deepEqual(await texts(), [id]);
    });

    it('lends messages until they are acknowledged', async () => {
      await sleep();
      const [first, second] = [letter(bob, 'one'), letter(bob, 'two')];
      for (const one of [first, second]) await leave(one);
      const { body: lent } = await take('?lease=60&limit=1');
      assert.deepEqual([lent.length, lent[0].id], [1, first.id]);
      assert.deepEqual(await texts('?lease=60'), [second.id], 'what is lent is shown to nobody else');
      assert.deepEqual(await texts(), []);
      aggregator.clock.shift(61_000);
      assert.deepEqual(await texts('?lease=60'), [first.id, second.id], 'what was not acknowledged comes again');
      const { body: rest } = await take(`?lease=60&ack=${lent[0].cursor}`);
      assert.deepEqual(rest, []);
      aggregator.clock.shift(61_000);
      assert.deepEqual(await texts('?lease=1'), [second.id]);
    });

    it('refuse to acknowledge what nobody has left yet', async () => {
      await sleep();
      const sent = letter(bob);
      assert.equal((await take('?ack=1')).body.fields[0].pointer, '/ack');
      await leave(sent);
      const { status, body } = await take('?ack=999&lease=5');
      assert.deepEqual([status, body.fields[0].pointer], [400, '/ack']);
      assert.match(body.detail, /newest message, whose cursor is 1/);
      assert.deepEqual(await texts('?ack=0'), [sent.id], 'it waits still');
    });

    it('is nobody else’s to take, and a token takes once', async () => {
      await sleep();
      await leave(letter(bob));
      assert.equal((await take('', bob)).status, 403);
      assert.equal((await aggregator.call(`GET /agents/${ann.id}/pending`)).status, 401);
      const target = `/agents/${ann.id}/pending?lease=1`;
      const request = { audience: aggregator.node.publicUrl, method: 'GET', target, body: new Uint8Array(0) };
      const headers = { authorization: `Bearer ${tokenOf(ann, request, aggregator.clock)}` };
      assert.equal((await aggregator.call(`GET ${target}`, { headers })).status, 200);
      assert.equal((await aggregator.call(`GET ${target}`, { headers })).status, 401);
    });

    it('holds nothing for one who is awake, and nothing that does not hold', async () => {
      assert.equal((await leave(letter(bob))).status, 409);
      await sleep();
      const stranger = aggregator.agent(`nobody knows ${count}`);
      assert.equal((await leave(letter(stranger))).status, 403);
      const { whole } = letter(bob);
      const bytes = Buffer.from(whole.envelope_b64, 'base64');
      bytes[bytes.length - 1]! ^= 1;
      for (const envelope_b64 of [bytes.toString('base64'), 'AAAA', whole.envelope_b64.slice(0, 100)]) {
        const { status, body } = await leave({ whole: { envelope_b64 } });
        assert.deepEqual([status, body.fields[0].pointer], [400, '/envelope_b64'], JSON.stringify(body));
      }
      const elsewhere = bob.sign('MESSAGE', {
        to: bob,
        conversation: newConversation(),
        payload: { text: 'x' } as never,
      });
      assert.equal((await leave(elsewhere)).status, 400);
      const foreign = new TestAgent('bob', () => aggregator.clock.now());
      assert.notDeepEqual(foreign.network.id, aggregator.node.get(Network).id);
      assert.equal((await leave(letter(foreign))).status, 400);
      const large = await aggregator.call(`POST /agents/${ann.id}/pending`, {
        body: { envelope_b64: 'A'.repeat(100_000) },
      });
      assert.equal(large.status, 413);
      assert.deepEqual(await texts(), []);
    });

    it('holds one message once', async () => {
      await sleep();
      const sent = letter(bob);
      await leave(sent);
      const { status, body } = await leave(sent);
      assert.deepEqual([status, body.status, body.pending], [202, 'duplicate', 1]);
    });

    it('tells the sender when its share, or the queue, is full', async () => {
      await sleep();
      const statuses: number[] = [];
      for (let n = 0; n < 6; n++) statuses.push((await leave(letter(bob, `${n}`))).status);
      assert.deepEqual(statuses, [202, 202, 202, 202, 202, 429]);
      const { body, headers } = await leave(letter(bob, 'more'));
      assert.equal(body.code, 'pending_full');
      assert.match(body.detail, /5 messages of this sender/);
      assert.ok(Number(headers.get('retry-after')) > 0);
      const others = Array.from({ length: 11 }, (_, n) => aggregator.agent(`crowd ${count} ${n}`));
      await aggregator.introduce(...others);
      const crowd: number[] = [];
      for (const other of others) for (let n = 0; n < 5; n++) crowd.push((await leave(letter(other, `${n}`))).status);
      assert.equal(crowd.filter((status) => status === 202).length, 45, 'strangers have half of the queue together');
      assert.equal((await texts('?lease=1')).length, 50);
    });

    it('counts a sender as a stranger whom only a deal about nothing speaks for', async () => {
      await sleep();
      const [payer, worker] = [aggregator.agent(`own payer ${count}`), aggregator.agent(`own worker ${count}`)];
      await aggregator.introduce(payer, worker);
      const terms = { amount_usdc_micro: 0n, escrow: false } as object;
      const deal = signDeal(payer, worker, aggregator.clock.now() - 5, terms);
      const receipts = [deal.propose, deal.accept, deal.deliver].map(({ receipt }) => receipt);
      const ratings = [payer.feedback(worker, deal.conversation, 100), worker.feedback(payer, deal.conversation, 100)];
      const items = [...receipts, ...ratings.map(({ whole }) => whole)];
      await aggregator.call('POST /ingest/envelopes', { body: { items } });
      await happens('it is rated', async () =>
        (await aggregator.read(`/reputation/${worker.id}`)).feedback_count === 1 ? true : undefined,
      );
      const statuses: number[] = [];
      for (let n = 0; n < 6; n++) statuses.push((await leave(letter(worker, `${n}`))).status);
      assert.deepEqual(statuses, [202, 202, 202, 202, 202, 429]);
    });

    it('pushes once, without content, however many messages come', async () => {
      assert.deepEqual((await register()).body, { agent_id: ann.id, registered: true, provider: 'webhook' });
      assert.equal((await sleep()).body.pushes, true);
      for (const n of [1, 2, 3]) await leave(letter(bob, `secret ${n}`));
      await happens('the push', async () => (pushes().length > 0 ? true : undefined));
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(pushes().length, 1);
      const [{ path, body }] = pushes() as [any];
      assert.equal(path, `/${ann.id}`);
      assert.deepEqual(JSON.parse(body), { type: 'wake', agent_id: ann.id });
      assert.equal((await texts()).length, 3);
      await happens('it is empty', async () => ((await texts()).length === 0 ? true : undefined));
      await leave(letter(bob, 'later'));
      await happens('the next push', async () => (pushes().length === 2 ? true : undefined));
    });

    it('pushes again when nobody came, counts it, and stops after some', async () => {
      const missed = async () => {
        const { text } = await aggregator.node.get((await import('../../../core/services.ts')).Operations).metrics();
        return Number(/mesh_push_missed_wakes_total\{[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
      };
      const before = await missed();
      await register();
      await sleep();
      await leave(letter(bob));
      for (const nth of [1, 2, 3, 4]) {
        await happens(`push ${nth}`, async () => (pushes().length >= nth ? true : undefined));
        await new Promise((resolve) => setTimeout(resolve, 100));
        aggregator.clock.shift(16 * 60_000);
      }
      await happens('four misses', async () => ((await missed()) >= before + 4 ? true : undefined));
      assert.equal(pushes().length, 4);
    });

    it('pushes nothing to one who is awake or has no device', async () => {
      await sleep();
      await leave(letter(bob));
      assert.equal((await register('')).body.registered, false);
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(pushes().length, 0);
      await register();
      await happens('the waiting message wakes a new device', async () => (pushes().length === 1 ? true : undefined));
      const { body } = await sleep(false);
      assert.deepEqual([body.sleeping, body.holds_messages, body.pending], [false, false, 1]);
      assert.equal((await texts()).length, 1);
    });

    if (use === 'lowdb')
      it('keeps state, device and messages over a restart', async () => {
        await register();
        await sleep();
        webhook.fault = { status: 503 };
        const sent = letter(bob);
        await leave(sent);
        await happens('a push that failed', async () => (pushes().length === 1 ? true : undefined));
        await aggregator.halt();
        webhook.fault = undefined;
        await aggregator.begin();
        assert.deepEqual(await aggregator.read(`/agents/${ann.id}/sleeping`), { sleeping: true });
        aggregator.clock.shift(61_000);
        await happens('the push of the new process', async () => (pushes().length === 2 ? true : undefined));
        assert.deepEqual(await texts(), [sent.id]);
      });
  });

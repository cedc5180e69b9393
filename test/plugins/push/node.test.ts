import assert from 'node:assert/strict';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { startWebhook } from '../../upstreams/push/services.ts';
import type { Upstream } from '../../upstreams/push/upstream.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];

for (const use of STORES)
  describe(`a node that sleeps, on ${use}`, function () {
    this.timeout(60_000);
    let mesh: Mesh<'alice' | 'phone' | 'plain'>;
    let alice: Member;
    let phone: Member;
    let plain: Member;
    let webhook: Upstream;
    let redis: RedisServer | undefined;

    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      const stored = (prefix: string) => redis && { storage: { use, url: redis.url, prefix } };
      webhook = await startWebhook();
      mesh = await startMesh({
        nodes: ['alice', 'phone', 'plain'],
        storage: 'lowdb',
        own: {
          aggregator: { plugins: { push: { webhook: { allowHttp: true } } }, ...stored('aggregator') },
          alice: { ...stored('alice') },
          plain: { ...stored('plain') },
          phone: { plugins: { push: { token: `${webhook.url}/phone` } }, ...stored('phone') },
        },
      });
      ({ alice, phone, plain } = mesh.nodes);
      await knows(phone, false);
    });
    after(async () => {
      await mesh.stop();
      assert.deepEqual(webhook.complaints, []);
      webhook.stop();
      await redis?.stop();
    });

    const state = async (member: Member) => (await member.get('/push')).body;
    const knows = (member: Member, sleeping: boolean) =>
      happens(`the aggregator knows: sleeping ${sleeping}`, async () => {
        const { aggregators } = await state(member);
        const [one] = aggregators;
        return one.sleeping === sleeping && one.problem === null && (sleeping || one.pending === 0) ? one : undefined;
      });
    const sleepsThere = async (id: string) => (await mesh.aggregator.isSleeping(id)).sleeping;
    const say = async (text: string, more: object = {}, to = phone) => {
      const { status, body } = await alice.post('/message', { recipient: to.id, text, ...more });
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    const trace = async (id: string) => (await alice.get(`/envelopes/${id}`)).body;
    const hops = async (id: string) => (await trace(id)).hops.map(({ event }: any) => event);
    const left = (id: string) =>
      happens('it is left', async () => ((await hops(id)).includes('left in a pending queue') ? true : undefined));
    const deliveredTo = (id: string) =>
      happens('it is delivered', async () => ((await trace(id)).status === 'delivered' ? true : undefined));
    /** The letters of the inbox. */
    async function texts(member: Member): Promise<string[]> {
      const { frames } = await member.client.inboxPage({ limit: 200 });
      return frames.filter(({ msg_type }) => msg_type === 'MESSAGE').map(({ payload }: any) => payload.text);
    }
    const pushes = () => webhook.requests.filter(({ path }) => path === '/phone');

    it('registers its device with its aggregators when it starts, and tells nobody anything without one', async () => {
      const { sleeping, device, aggregators } = await state(phone);
      assert.deepEqual([sleeping, device, aggregators.length], [false, true, 1]);
      assert.deepEqual([aggregators[0].registered, aggregators[0].sleeping], [true, false]);
      const bare = await state(plain);
      assert.deepEqual(
        [bare.device, bare.aggregators[0].sleeping, bare.aggregators[0].registered],
        [false, null, false],
      );
    });

    it('says that it sleeps when it stops; what is sent meanwhile waits sealed, one push wakes it, and it comes once', async () => {
      await phone.stop();
      assert.equal(await sleepsThere(phone.id), true);
      webhook.requests.length = 0;
      const first = await say('one');
      await left(first.envelope_id);
      const second = await say('two');
      await left(second.envelope_id);
      for (const { envelope_id } of [first, second]) {
        const { status, sealed } = await trace(envelope_id);
        assert.deepEqual([status, sealed], ['queued', true]);
      }
      await happens('a push', async () => (pushes().length > 0 ? true : undefined));
      assert.deepEqual(
        pushes().map(({ body }) => JSON.parse(body)),
        [{ type: 'wake', agent_id: phone.id }],
      );
      await phone.start();
      await knows(phone, false);
      assert.deepEqual(await texts(phone), ['one', 'two']);
      assert.equal(await sleepsThere(phone.id), false);
      for (const { envelope_id } of [first, second]) await deliveredTo(envelope_id);
      assert.deepEqual(await texts(phone), ['one', 'two'], 'the outbox sent them again, and they are there once');
      assert.equal(pushes().length, 1);
    });

    it('sleeps and wakes when it is told so, without stopping; messages come all the while, each once', async () => {
      const { status, body } = await plain.post('/push/sleep', {});
      assert.deepEqual([status, body.sleeping, body.aggregators[0].sleeping], [200, true, true]);
      await plain.stop();
      assert.equal(await sleepsThere(plain.id), true);
      const sent: string[] = [];
      let on = true;
      const talking = (async () => {
        for (let n = 0; on || n < 12; n++) {
          sent.push(`${n}`);
          await say(`${n}`, {}, plain);
        }
      })();
      await happens('five are left', async () => (sent.length > 5 ? true : undefined));
      await plain.start();
      await knows(plain, false);
      await happens('some came since', async () => (sent.length > 8 ? true : undefined));
      on = false;
      await talking;
      const all = await happens('all are there', async () => {
        const found = await texts(plain);
        return found.length >= sent.length ? found : undefined;
      });
      assert.deepEqual([...all].sort(), [...sent].sort());
      const woken = await plain.post('/push/wake', {});
      assert.deepEqual([woken.status, woken.body.sleeping, woken.body.aggregators[0].pending], [200, false, 0]);
    });
  });

import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhooks } from '../../../plugins/webhooks/index.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { ask, Guest } from './support/hosted.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];

for (const use of STORES)
  describe(`a move of a hosted agent, as others hear of it, on ${use}`, function () {
    this.timeout(90_000);
    const clock = new BriskClock();
    let redis: RedisServer | undefined;
    let mesh: Mesh<'inn' | 'manor' | 'hall' | 'far'>;
    let inn: Member;
    let manor: Member;
    let hall: Member;
    let far: Member;
    let receiver: Server;
    let hook = '';
    const told: any[] = [];
    before(async () => {
      receiver = createServer(async (request, response) => {
        const parts: Buffer[] = [];
        for await (const part of request) parts.push(part as Buffer);
        told.push(JSON.parse(Buffer.concat(parts).toString()));
        response.writeHead(204).end();
      });
      await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
      hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/key-changes`;
      if (use === 'redis') redis = await RedisServer.start();
      const host = (prefix: string) => ({
        plugins: { hosting: { hostAgents: true, registrationsPerMinute: 6_000 } },
        api: { unlimited: ['127.0.0.1'] },
        storage: redis ? { use, url: redis.url, prefix } : { use },
      });
      mesh = await startMesh({
        ...{ clock, nodes: ['inn', 'manor', 'hall', 'far'], plugins: { far: [webhooks] } },
        settings: { mesh: { beaconSecs: 3, allowPrivatePeers: true } },
        own: { inn: host('inn'), manor: host('manor'), hall: host('hall') },
      });
      ({ inn, manor, hall, far } = mesh.nodes);
      await mesh.acquainted();
    });
    after(async () => {
      await mesh?.stop();
      await redis?.stop();
      receiver.closeAllConnections();
      receiver.close();
    });

    const sessionOf = (guest: Guest) => guest.does('GET /hosted/session');
    const isKeyChange = ({ type }: any) => type === 'agent-mesh.event.key_change';
    const profile = async (id: string) => (await ask(mesh.aggregatorNode.url, `GET /agents/${id}`)).body;
    const reaches = (guest: Guest, text: string) =>
      happens(`far reaches ${guest.id}`, async () => {
        const { body } = await far.post('/message', { recipient: guest.id, text });
        return body.status === 'delivered' || undefined;
      });
    const texts = async (guest: Guest) =>
      (await guest.does('GET /hosted/inbox?limit=200')).frames.map(({ payload }: any) => payload?.text);
    const offer = (message: string) => ({ recipient: far.id, message, amount_usdc: '1', escrow: false });

    it('is told to webhooks, and mail that waited for the old key is refused and not passed on', async () => {
      const ann = await Guest.register(() => inn, { name: 'ann' });
      const next = await Guest.register(() => manor);
      await reaches(ann, 'before');
      const added = await far.post('/webhooks', { url: hook, events: ['key_change'] });
      assert.equal(added.status, 200, JSON.stringify(added.body));
      const notice = await ann.does('POST /hosted/move', { successor: next.id });
      await inn.stop();
      const waits = (await far.post('/message', { recipient: ann.id, text: 'for the old key' })).body;
      assert.equal(waits.status, 'queued');
      await next.does('POST /hosted/take-over', notice);
      const heard = await happens('far is told', async () => told.find(isKeyChange));
      assert.deepEqual([heard.data.data.agent_id, heard.data.data.successor], [ann.id, next.id]);
      await inn.start();
      await happens(
        'the old host knows',
        async () => {
          return (await sessionOf(ann)).successor === next.id || undefined;
        },
        60_000,
      );
      await happens('the mail is refused', async () => {
        const { body } = await far.get(`/envelopes/${waits.envelope_id}`);
        return body.status === 'refused' || undefined;
      });
      await reaches(ann, 'for whom it may concern');
      assert.ok((await texts(next)).includes('for whom it may concern'));
      for (const guest of [ann, next]) assert.ok(!(await texts(guest)).includes('for the old key'));
      assert.equal(told.filter(isKeyChange).length, 1);
    });

    it('counts once when two keys take the agent over at the same time', async () => {
      const ben = await Guest.register(() => inn, { name: 'ben' });
      const [one, other] = [await Guest.register(() => manor), await Guest.register(() => hall)];
      await reaches(ben, 'before');
      await happens('the aggregator knows ben', async () =>
        (await profile(ben.id)).name === 'ben' ? true : undefined,
      );
      const notices = [
        await ben.does('POST /hosted/move', { successor: one.id }),
        await ben.does('POST /hosted/move', { successor: other.id }),
      ];
      const answers = await Promise.all([
        one.call('POST /hosted/take-over', notices[0]),
        other.call('POST /hosted/take-over', notices[1]),
      ]);
      const statuses = answers.map(({ status }) => status);
      assert.ok(
        statuses.includes(200) && statuses.every((status) => status === 200 || status === 409),
        String(statuses),
      );
      const heir = await happens('the aggregator has one of them', async () => (await profile(ben.id)).successor);
      assert.ok([one.id, other.id].includes(heir));
      const loser = heir === one.id ? other : one;
      await happens('the old host signs nothing more', async () => {
        const { body } = await ben.call('POST /hosted/send', {
          ...{ msg_type: 'MESSAGE', recipient: far.id, payload: { text: 'still here' } },
        });
        return body.code === 'agent_moved' || undefined;
      });
      // Another BEACON of each host changes nothing.
      mesh.advance(600);
      await Promise.all([one, other].map((guest, place) => guest.call('POST /hosted/take-over', notices[place])));
      await new Promise((later) => setTimeout(later, 2_000));
      assert.equal((await profile(ben.id)).successor, heir);
      assert.equal((await profile(loser.id)).predecessor, undefined);
      assert.equal((await profile(heir)).predecessor, ben.id);
    });

    it('leaves no deal behind that its client has not given up: none begins until it is taken over', async () => {
      const cat = await Guest.register(() => inn, { name: 'cat' });
      const next = await Guest.register(() => manor);
      await reaches(cat, 'before');
      await cat.does('POST /hosted/move', { successor: next.id });
      const { body } = await far.post('/negotiate/propose', { ...offer('count'), recipient: cat.id });
      const { conversation_id } = body;
      await cat.dealWhen(conversation_id, 'proposed');
      const attempts: [string, object][] = [
        ['POST /hosted/negotiate/accept', { conversation_id }],
        ['POST /hosted/negotiate/counter', { conversation_id, amount_usdc: '2' }],
        ['POST /hosted/negotiate/propose', offer('draw')],
        ['POST /hosted/send', { msg_type: 'ACCEPT', recipient: far.id, conversation_id, payload: {} }],
      ];
      const all = async () => Promise.all(attempts.map(([line, given]) => cat.refused(line, given)));
      assert.deepEqual(await all(), Array(attempts.length).fill('409 conflict'));
      await inn.restart();
      assert.deepEqual(await all(), Array(attempts.length).fill('409 conflict'), 'after a restart, too');
      // Once more without deals given up: a stranger's offer is in the way, and is refused.
      assert.equal(await cat.refused('POST /hosted/move', { successor: next.id }), '409 conflict');
      await cat.does('POST /hosted/negotiate/reject', { conversation_id });
      await cat.does('POST /hosted/move', { successor: next.id });
      const notice = await cat.does('POST /hosted/move', { successor: next.id, abandon_deals: true });
      await cat.does('POST /hosted/negotiate/propose', offer('paint'));
      await next.does('POST /hosted/take-over', notice);
      await happens('the old host knows', async () => (await sessionOf(cat)).successor === next.id || undefined);
      assert.equal(await cat.refused('POST /hosted/negotiate/propose', offer('sing')), '409 agent_moved');
    });
  });

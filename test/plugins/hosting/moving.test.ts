import assert from 'node:assert/strict';
import { Network } from '../../../core/internal-services.ts';
import { toBase64 } from '../../../core/platform/bytes.ts';
import { parseAgentId } from '../../../core/protocol/identity/ids.ts';
import { identityOf } from '../../messaging/support.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { ask, Guest } from './support/hosted.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];
const HOST = {
  plugins: { hosting: { hostAgents: true, registrationsPerMinute: 6_000 } },
  api: { unlimited: ['127.0.0.1'] },
};
const EPOCH = 86_400;

for (const use of STORES)
  describe(`a hosted agent that moves to another host, on ${use}`, function () {
    this.timeout(60_000);
    const clock = new BriskClock();
    let redis: RedisServer | undefined;
    let mesh: Mesh<'inn' | 'manor' | 'far'>;
    let inn: Member;
    let manor: Member;
    let far: Member;
    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      const host = (prefix: string) => ({ ...HOST, storage: redis ? { use, url: redis.url, prefix } : { use } });
      mesh = await startMesh({
        ...{ clock, nodes: ['inn', 'manor', 'far'], own: { inn: host('inn'), manor: host('manor') } },
      });
      ({ inn, manor, far } = mesh.nodes);
      await mesh.acquainted();
    });
    after(async () => {
      await mesh?.stop();
      await redis?.stop();
    });

    const both = async (body: object = {}) =>
      [await Guest.register(() => inn, body), await Guest.register(() => manor)] as const;
    const to = (guest: Guest, text: string) => ({ recipient: guest.id, text });
    const shown = (id: string, member: string) =>
      happens(`the aggregator shows the ${member} of ${id}`, async () => {
        const { status, body } = await ask(mesh.aggregatorNode.url, `GET /agents/${id}`);
        return status === 200 && body[member] !== undefined ? body : undefined;
      });
    /** The text of the last message that a node sent to an agent, read by the one who got it. */
    const texts = async (guest: Guest) =>
      (await guest.does('GET /hosted/inbox?limit=200')).frames.map(({ payload }: any) => payload?.text);

    it('stays at its old host until it is taken over, and goes on at the new one with its name', async () => {
      const [ann, next] = await both({ name: 'ann' });
      const offer = { recipient: far.id, msg_type: 'MESSAGE', payload: { text: 'hello' } };
      await shown(ann.id, 'name');
      const events = far.watch('/ws/events');
      // Far can name the heir of an agent that it knows.
      await happens('far reaches ann', async () => {
        const { body } = await far.post('/message', to(ann, 'to the old key'));
        return body.status === 'delivered' || undefined;
      });
      const notice = await ann.does('POST /hosted/move', { successor: next.id });
      assert.deepEqual([notice.agent_id, notice.successor, notice.name], [ann.id, next.id, 'ann']);
      assert.deepEqual(await ann.does('POST /hosted/move', { successor: next.id }), notice, 'again');
      await ann.does('POST /hosted/send', offer);
      assert.equal((await ann.does('GET /hosted/session')).successor, undefined);

      const done = await next.does('POST /hosted/take-over', notice);
      assert.deepEqual(await next.does('POST /hosted/take-over', notice), done, 'again');
      const renamed = { ...notice, name: 'mallory', claim: { ...notice.claim, host: far.id } };
      assert.deepEqual(await next.does('POST /hosted/take-over', renamed), done, 'nothing else of it is read again');
      const fresh = await next.does('GET /hosted/session');
      assert.deepEqual([fresh.name, fresh.predecessor], ['ann', ann.id]);
      assert.equal((await shown(ann.id, 'successor')).successor, next.id);
      const page = await shown(next.id, 'predecessor');
      assert.deepEqual([page.name, page.predecessor], ['ann', ann.id]);
      const told = await happens('far is told', async () =>
        events.frames.find(({ type }: any) => type === 'key_change'),
      );
      assert.deepEqual([told.data.agent_id, told.data.successor], [ann.id, next.id]);
      events.socket.terminate();

      await happens('the old host signs nothing more', async () => {
        const { body } = await ann.call('POST /hosted/send', offer);
        return body.code === 'agent_moved' || undefined;
      });
      assert.equal((await ann.does('GET /hosted/session')).successor, next.id);
      await ann.does('GET /hosted/inbox');
      await happens('far reaches next', async () => {
        const { body } = await far.post('/message', to(ann, 'to the heir'));
        return body.status === 'delivered' || undefined;
      });
      assert.ok((await texts(next)).includes('to the heir'));
      assert.ok(!(await texts(ann)).includes('to the heir'));
      const deal = (
        await far.post('/negotiate/propose', { recipient: ann.id, message: 'count', amount_usdc: '0', escrow: false })
      ).body;
      assert.equal((await next.dealWhen(deal.conversation_id, 'proposed')).provider, next.id);
      await next.does('POST /hosted/send', offer);

      await inn.restart();
      await manor.restart();
      assert.equal(await ann.refused('POST /hosted/send', offer), '409 agent_moved');
      assert.equal((await next.does('GET /hosted/session')).name, 'ann');
    });

    it('refuses what the recovery key has not signed, other successors, histories, circles and open deals', async () => {
      const recovery = identityOf('recovery of ben');
      const [ben, next] = await both({ recovery_key: recovery.address });
      const [, other] = await both();
      const network = inn.node.get(Network);
      const time = Math.floor(clock.now() / 1_000);
      const signed = (by = recovery, to = next.id) => {
        const fields = { old_key: parseAgentId(ben.id)!, new_key: parseAgentId(to)!, time };
        return { successor: to, time, signature_b64: toBase64(by.signDomain('succession/1', network, fields)) };
      };
      assert.equal(
        await ben.refused('POST /hosted/move', { successor: next.id }),
        '400 invalid_request /signature_b64',
      );
      assert.equal(
        await ben.refused('POST /hosted/move', signed(identityOf('thief'))),
        '400 invalid_request /signature_b64',
      );
      assert.equal(await ben.refused('POST /hosted/move', signed(recovery, ben.id)), '400 invalid_request /successor');
      assert.equal(
        await ben.refused('POST /hosted/move', { ...signed(), time: time + 600 }),
        '400 invalid_request /time',
      );
      const offer = { recipient: far.id, message: 'count', amount_usdc: '0', escrow: false };
      await ben.does('POST /hosted/negotiate/propose', offer);
      assert.equal(await ben.refused('POST /hosted/move', signed()), '409 conflict');
      const notice = await ben.does('POST /hosted/move', { ...signed(), abandon_deals: true });
      await ben.does('POST /hosted/move', { ...signed(recovery, other.id), abandon_deals: true });

      assert.equal(await other.refused('POST /hosted/take-over', notice), '400 invalid_request /successor');
      const forged = { ...notice, claim: { ...notice.claim, recovery_key: identityOf('thief').address } };
      assert.match(await next.refused('POST /hosted/take-over', forged), /^400 invalid_request \/claim/);
      const unsigned = { ...notice, signature_b64: signed(identityOf('thief')).signature_b64 };
      assert.equal(await next.refused('POST /hosted/take-over', unsigned), '400 invalid_request /signature_b64');
      await next.does('POST /hosted/take-over', notice);
      const [second] = await both();
      const more = await second.does('POST /hosted/move', { successor: next.id });
      assert.equal(await next.refused('POST /hosted/take-over', more), '409 conflict');
      const [third, busy] = await both();
      await busy.does('POST /hosted/negotiate/propose', offer);
      const late = await third.does('POST /hosted/move', { successor: busy.id });
      assert.equal(await busy.refused('POST /hosted/take-over', late), '409 conflict');
    });

    it('shows who may still take it over, whoever named them; the first one that does counts', async () => {
      const [ann, thief] = await both();
      const [, own] = await both();
      const pending = async (): Promise<string[]> =>
        ((await ann.does('GET /hosted/session')).pending_successors ?? []).map(({ successor }: any) => successor);
      assert.deepEqual(await pending(), []);
      await happens('the mesh knows ann', async () => {
        const { body } = await far.post('/message', to(ann, 'hello'));
        return body.status === 'delivered' || undefined;
      });
      // A token that was stolen for one call, and hidden behind the owner's own move.
      const stolen = await ann.does('POST /hosted/move', { successor: thief.id });
      ann.token = (await ann.does('POST /hosted/session/rotate')).token;
      assert.deepEqual(await pending(), [thief.id]);
      const notice = await ann.does('POST /hosted/move', { successor: own.id });
      assert.deepEqual(await pending(), [own.id, thief.id]);
      const { pending_successors: named } = await ann.does('GET /hosted/session');
      assert.equal(Date.parse(named[1].until), (stolen.time + 30 * EPOCH) * 1_000);

      await own.does('POST /hosted/take-over', notice);
      await happens(
        'the old host knows it',
        async () => (await ann.does('GET /hosted/session')).successor === own.id || undefined,
      );
      assert.deepEqual(await pending(), []);
      await happens(
        'the other host knows it',
        async () => (await thief.refused('POST /hosted/take-over', stolen)) === '409 conflict' || undefined,
      );
    });

    it('expires: then nobody takes it over, and another successor can be named', async () => {
      const [old, next] = await both();
      const [, other] = await both();
      const notice = await old.does('POST /hosted/move', { successor: next.id });
      const time = notice.time - 31 * EPOCH;
      assert.equal(await next.refused('POST /hosted/take-over', { ...notice, time }), '400 invalid_request /time');
      mesh.advance(31 * EPOCH);
      const token = async (member: Member, guest: Guest) => {
        guest.token = (await member.post(`/hosted/agents/${guest.id}/token`)).body.token;
      };
      await Promise.all([token(inn, old), token(manor, next), token(manor, other)]);
      assert.equal((await old.does('GET /hosted/session')).pending_successors, undefined);
      assert.equal(await next.refused('POST /hosted/take-over', notice), '400 invalid_request /time');
      await other.does('POST /hosted/take-over', await old.does('POST /hosted/move', { successor: other.id }));
    });
  });

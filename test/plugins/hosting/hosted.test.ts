import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { normaliseAgentId } from '../../../core/plugin.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { watch } from '../../support/sockets.ts';
import { ask, Guest } from './support/hosted.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];
const HOSTING = { hostAgents: true, registrationsPerMinute: 6_000 };
const UNLIMITED = { api: { unlimited: ['127.0.0.1'] } };
const DAY = 86_400_000;

for (const use of STORES)
  describe(`agents that a node hosts, on ${use}`, function () {
    this.timeout(60_000);
    const clock = new BriskClock();
    let redis: RedisServer | undefined;
    let mesh: Mesh<'inn' | 'other' | 'far'>;
    let inn: Member;
    let other: Member;
    let far: Member;
    let ann: Guest;
    let ben: Guest;

    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      const storage = (prefix: string) => ({ storage: redis ? { use, url: redis.url, prefix } : { use } });
      const hosting = { plugins: { hosting: HOSTING }, ...UNLIMITED };
      mesh = await startMesh({
        clock,
        nodes: ['inn', 'other', 'far'],
        own: { inn: { ...hosting, ...storage('inn') }, other: hosting },
      });
      ({ inn, other, far } = mesh.nodes);
      ann = await Guest.register(() => inn, { name: 'ann' });
      ben = await Guest.register(() => inn);
    });
    after(async () => {
      await mesh?.stop();
      await redis?.stop();
    });

    it('answers a ping: with a token only while it knows the agent', async () => {
      const ping = (token?: string) => ask(inn.url, 'GET /hosted/ping', token);
      assert.deepEqual([(await ping()).status, (await ping()).body], [200, { ok: true }]);
      assert.deepEqual([(await ping(ann.token)).status, (await ping(ann.token)).body], [200, { ok: true }]);
      for (const token of [randomBytes(32).toString('hex'), 'x', `${ann.token}0`, inn.secret])
        assert.equal((await ping(token)).status, 401, token);
    });

    it('registers without a body, and gives a fresh key and a token of 32 bytes', async () => {
      const { status, body } = await ask(inn.url, 'POST /hosted/register');
      assert.equal(status, 200);
      assert.match(body.token, /^[0-9a-f]{64}$/);
      assert.equal(normaliseAgentId(body.agent_id_hex), body.agent_id);
      assert.equal(body.name, body.agent_id.slice(0, 8));
      assert.equal(body.host, inn.id);
      assert.ok(Math.abs(Date.parse(body.expires_at) - clock.now() - 30 * DAY) < 60_000);
      assert.equal(new Set([ann.id, ben.id, body.agent_id, inn.id]).size, 4);
    });

    it('keeps neither a token nor a key in the clear, and the key file for its owner only', async () => {
      const folder = join(mesh.folder, 'inn', 'plugins', 'hosting');
      assert.deepEqual(await readdir(folder), ['sub-keys.key']);
      assert.equal((await stat(join(folder, 'sub-keys.key'))).mode & 0o777, 0o600);
      if (redis) return;
      const store = join(mesh.folder, 'inn');
      let seen = 0;
      for (const entry of await readdir(store, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const text = await readFile(join(entry.parentPath, entry.name), 'latin1');
        assert.ok(!text.includes(ann.token), entry.name);
        seen += text.includes(ann.id) ? 1 : 0;
      }
      assert.ok(seen > 0);
    });

    it('sends for an agent: JSON, hex and base64, to a node far away, and hands it the answers', async () => {
      const live = ann.watch();
      await live.until(1);
      assert.deepEqual(live.frames[0], { type: 'inbox', cursor: 0, waiting: 0 });
      const text = 'hello from a guest';
      const bytes = Buffer.from(text);
      for (const payload of [
        { payload: { text } },
        { payload_hex: bytes.toString('hex') },
        { payload_b64: bytes.toString('base64') },
      ]) {
        const sent = await ann.does('POST /hosted/send', { msg_type: 'MESSAGE', recipient: far.id, ...payload });
        assert.equal(sent.status, 'delivered');
        const { frames } = await far.client.inboxPage({ conversation_id: sent.conversation_id });
        assert.deepEqual([frames[0]?.sender, frames[0]?.payload], [ann.id, { text }]);
      }
      const { body } = await far.post('/message', { recipient: ann.id, text: 'hello, guest' });
      await live.until(2);
      assert.deepEqual(
        [live.frames[1].envelope_id, live.frames[1].sender, live.frames[1].payload],
        [body.envelope_id, far.id, { text: 'hello, guest' }],
      );
      const page = await ann.does('GET /hosted/inbox');
      assert.deepEqual(page.frames, [live.frames[1]]);
      live.socket.close();
      assert.equal((await ann.call('POST /hosted/inbox/ack', { cursor: page.next })).status, 204);
      assert.deepEqual((await ann.does('GET /hosted/inbox')).frames, []);
    });

    it('says which member of a message is wrong', async () => {
      const message = { msg_type: 'MESSAGE', recipient: far.id };
      assert.equal(
        await ann.refused('POST /hosted/send', { ...message, payload_hex: 'abc' }),
        '400 invalid_request /payload_hex',
      );
      assert.equal(
        await ann.refused('POST /hosted/send', { ...message, payload_hex: 'ff00' }),
        '400 invalid_request /payload_hex',
      );
      const empty = await ann.call('POST /hosted/send', { ...message, payload_hex: '' });
      assert.deepEqual(empty.body.fields, [
        { pointer: '/payload_hex', message: 'its text must be a text of 1 to 16384 bytes' },
      ]);
      const both = { ...message, payload: { text: 'a' }, payload_hex: '7b7d' };
      assert.equal(await ann.refused('POST /hosted/send', both), '400 invalid_request /payload_hex');
      assert.equal(
        await ann.refused('POST /hosted/send', { ...message, msg_type: 'BEACON' }),
        '400 invalid_request /msg_type',
      );
      assert.match(await ann.refused('POST /hosted/send', { msg_type: 'MESSAGE', payload: { text: 'a' } }), /^400/);
    });

    it('delivers between two of its agents without the network', async () => {
      const message = { msg_type: 'MESSAGE', recipient: ben.id, payload: { text: 'at the next table' } };
      const sent = await ann.does('POST /hosted/send', message);
      assert.equal(sent.status, 'delivered');
      const [letter] = await ben.letters(1);
      assert.deepEqual([letter.sender, letter.payload], [ann.id, message.payload]);
    });

    it('is found by strangers: an aggregator names the agent, and a guest of another host reaches it', async () => {
      const found = await happens('the aggregator knows ann', async () => {
        const response = await fetch(`${mesh.aggregatorNode.url}/agents/search/name?q=ann`);
        const [agent] = (await response.json()) as any[];
        return agent?.agent_id === ann.id ? agent : undefined;
      });
      const cid = await Guest.register(() => other, { name: 'cid' });
      const before = (await ann.does('GET /hosted/inbox')).frames.length;
      const message = { msg_type: 'MESSAGE', recipient: found.agent_id, payload: { text: 'we have not met' } };
      await cid.does('POST /hosted/send', message);
      const letters = await ann.letters(before + 1);
      assert.deepEqual([letters.at(-1).sender, letters.at(-1).payload], [cid.id, message.payload]);
      await ann.does('POST /hosted/send', { msg_type: 'MESSAGE', recipient: cid.id, payload: { text: 'welcome' } });
      assert.equal((await cid.letters(1))[0].sender, ann.id);
    });

    it('takes an agent through a deal, with the same machine as the node', async () => {
      const offer = { recipient: far.id, message: 'a haiku', amount_usdc: '2', escrow: false };
      const { conversation_id } = await ann.does('POST /hosted/negotiate/propose', offer);
      await far.dealWhen(conversation_id, 'proposed');
      assert.equal(await ann.refused('POST /hosted/negotiate/accept', { conversation_id }), '409 invalid_transition');
      const counter = { conversation_id, amount_usdc: '3', message: 'in two languages' };
      assert.equal((await far.post('/negotiate/counter', counter)).status, 200);
      const deal = await ann.dealWhen(conversation_id, 'countered');
      assert.deepEqual([deal.role, deal.amount_usdc, deal.counterparty], ['requester', '3', far.id]);
      const again = await ann.does('POST /hosted/negotiate/counter', { conversation_id, amount_usdc: '2.5' });
      assert.equal(again.deal.amount_usdc, '2.5');
      await far.dealWhen(conversation_id, ({ amount_usdc }) => amount_usdc === '2.5');
      assert.equal((await far.post('/negotiate/accept', { conversation_id })).status, 200);
      await ann.dealWhen(conversation_id, 'accepted');
      const { deals } = await ann.does('GET /hosted/deals');
      assert.deepEqual(
        deals.map((one: any) => one.conversation_id),
        [conversation_id],
      );
    });

    it('lets an agent work: accept, deliver and be rated, and rate', async () => {
      const offer = { recipient: ben.id, message: 'count the words', amount_usdc: '0' };
      const { body } = await far.post('/negotiate/propose', offer);
      const { conversation_id } = body;
      await ben.dealWhen(conversation_id, 'proposed');
      const accepted = await ben.does('POST /hosted/negotiate/accept', { conversation_id });
      assert.equal(accepted.deal.state, 'accepted');
      await far.dealWhen(conversation_id, 'accepted');
      await ben.does('POST /hosted/deliver', { conversation_id, content: '1200 words' });
      await far.dealWhen(conversation_id, ({ allowed_actions }) => allowed_actions.includes('feedback'));
      const rated = await ben.does('POST /hosted/feedback', { conversation_id, score: 70 });
      assert.equal(rated.feedback.target_agent, far.id);
    });

    it('lets an agent refuse an offer', async () => {
      const { body } = await far.post('/negotiate/propose', {
        recipient: ben.id,
        message: 'no thanks',
        amount_usdc: '0',
      });
      await ben.dealWhen(body.conversation_id, 'proposed');
      const refusal = { conversation_id: body.conversation_id, reason: 'too busy' };
      assert.equal((await ben.does('POST /hosted/negotiate/reject', refusal)).deal.state, 'rejected');
      await far.dealWhen(body.conversation_id, 'rejected');
    });

    it('shows nobody the deals of others', async () => {
      const { deals } = await ann.does('GET /hosted/deals');
      const { conversation_id } = deals[0];
      assert.equal(await ben.refused(`GET /hosted/deals/${conversation_id}`), '404 not_found');
      assert.equal(
        await ben.refused('POST /hosted/negotiate/counter', { conversation_id, amount_usdc: '1' }),
        '404 not_found',
      );
      assert.equal(await ben.refused('POST /hosted/negotiate/accept', { conversation_id }), '404 not_found');
      assert.equal(await ben.refused('POST /hosted/negotiate/reject', { conversation_id }), '404 not_found');
      assert.equal(await ben.refused('POST /hosted/deliver', { conversation_id, content: 'x' }), '404 not_found');
      assert.equal(await ben.refused('POST /hosted/feedback', { conversation_id, score: 1 }), '404 not_found');
      assert.equal((await inn.get(`/deals/${conversation_id}`)).status, 404);
    });

    it('repeats an answer for an idempotency key, and sends once', async () => {
      const body = { recipient: far.id, message: 'once', amount_usdc: '0' };
      const key = { 'idempotency-key': 'the-same' };
      const first = await ann.does('POST /hosted/negotiate/propose', body, key);
      const again = await ann.does('POST /hosted/negotiate/propose', body, key);
      assert.equal(again.envelope_id, first.envelope_id);
    });

    it('asks for a token that it knows, in the header, and for the WebSocket in the address too', async () => {
      for (const token of [undefined, 'x', randomBytes(32).toString('hex'), inn.secret])
        for (const line of [
          'POST /hosted/send',
          'GET /hosted/deals',
          'POST /hosted/session/rotate',
          'DELETE /hosted/session',
        ])
          assert.equal((await ask(inn.url, line, token, line.startsWith('POST') ? {} : undefined)).status, 401, line);
      for (const query of ['', '?token=', `?token=${'0'.repeat(64)}`, `?token=${ann.token.toUpperCase()}x`]) {
        const { refused } = watch(`${inn.url}/ws/hosted/inbox${query}`);
        assert.equal((await refused).status, 401, query);
      }
      assert.equal((await ask(inn.url, `GET /hosted/deals?token=${ann.token}`)).status, 401);
      const byHeader = watch(`${inn.url}/ws/hosted/inbox`, [], { headers: { authorization: `Bearer ${ann.token}` } });
      await byHeader.until(1);
      byHeader.socket.close();
      for (const line of [
        'GET /hosted/agents',
        `DELETE /hosted/agents/${ben.id}`,
        `POST /hosted/agents/${ben.id}/token`,
      ])
        assert.equal((await ask(inn.url, line, ann.token)).status, 401, line);
    });

    it('changes a token: the one before, and the streams that it opened, hold no more', async () => {
      const live = ben.watch();
      await live.until(1);
      const before = ben.token;
      const { token, agent_id } = await ben.does('POST /hosted/session/rotate');
      assert.equal(agent_id, ben.id);
      assert.equal((await live.closed).code, 1008);
      assert.equal((await ask(inn.url, 'GET /hosted/ping', before)).status, 401);
      ben.token = token;
      assert.equal((await ben.call('GET /hosted/ping')).status, 200);
    });

    it('has the operator list agents, and give another token to a client that lost its own', async () => {
      const { body } = await inn.get('/hosted/agents?limit=2');
      assert.equal(body.agents.length, 2);
      const next = await inn.get(`/hosted/agents?limit=200&after=${body.next}`);
      const ids = [...body.agents, ...next.body.agents].map(({ agent_id }: any) => agent_id);
      assert.ok(ids.includes(ann.id) && ids.includes(ben.id));
      assert.equal(new Set(ids).size, ids.length);
      const renewed = await inn.post(`/hosted/agents/${ben.id}/token`);
      assert.equal(await ben.refused('GET /hosted/deals'), '401 unauthorized');
      ben.token = renewed.body.token;
      await ben.does('GET /hosted/deals');
    });

    it('has agents go on after a restart: same token, same key, same deals and letters', async () => {
      const deals = await ann.does('GET /hosted/deals');
      const letters = await ann.does('GET /hosted/inbox');
      await inn.restart();
      assert.equal((await ann.call('GET /hosted/ping')).status, 200);
      assert.deepEqual((await ann.does('GET /hosted/deals')).deals.length, deals.deals.length);
      assert.deepEqual((await ann.does('GET /hosted/inbox')).frames, letters.frames);
      await mesh.acquainted();
      const message = { msg_type: 'MESSAGE', recipient: far.id, payload: { text: 'still here' } };
      const { conversation_id } = await ann.does('POST /hosted/send', message);
      const letter = await happens('far hears ann again', async () => {
        const { frames } = await far.client.inboxPage({ conversation_id });
        return frames[0];
      });
      assert.equal(letter.sender, ann.id);
      await far.post('/message', { recipient: ben.id, text: 'welcome back' });
      await happens('ben hears it', async () => {
        const { frames } = await ben.does('GET /hosted/inbox?limit=200');
        return frames.some(({ payload }: any) => payload.text === 'welcome back') || undefined;
      });
    });

    it('ends with an agent for good: token, mail and key', async () => {
      const dan = await Guest.register(() => inn, { name: 'dan' });
      const live = dan.watch();
      await live.until(1);
      await dan.does('DELETE /hosted/session');
      assert.equal((await live.closed).code, 1008);
      assert.equal((await dan.call('GET /hosted/ping')).status, 401);
      const sent = await ann.does('POST /hosted/send', {
        msg_type: 'MESSAGE',
        recipient: dan.id,
        payload: { text: 'there?' },
      });
      assert.notEqual(sent.status, 'delivered');
      await inn.restart();
      assert.equal((await dan.call('GET /hosted/ping')).status, 401);
      const { body } = await inn.get('/hosted/agents?limit=200');
      assert.ok(!body.agents.some(({ agent_id }: any) => agent_id === dan.id));
      const eve = await Guest.register(() => inn);
      assert.equal((await inn.call('DELETE', `/hosted/agents/${eve.id}`)).status, 200);
      assert.equal((await inn.call('DELETE', `/hosted/agents/${eve.id}`)).status, 404);
      assert.equal(await eve.refused('GET /hosted/session'), '401 unauthorized');
    });

    it('ends tokens after 30 days, and agents that nobody asked for any more later', async () => {
      const idle = await Guest.register(() => inn, { name: 'idle' });
      const live = ann.watch();
      await live.until(1);
      clock.shift(29 * DAY);
      const { token } = await ben.does('POST /hosted/session/rotate');
      ben.token = token;
      clock.shift(DAY + 1_000);
      assert.equal(await ann.refused('GET /hosted/deals'), '401 unauthorized');
      assert.match((await ann.call('GET /hosted/ping')).body.detail, /has ended/);
      assert.equal((await ben.call('GET /hosted/ping')).status, 200);
      const renewed = await inn.post(`/hosted/agents/${ann.id}/token`);
      assert.equal((await live.closed).code, 1008);
      ann.token = renewed.body.token;
      await ann.does('GET /hosted/deals');
      await inn.restart();
      await happens('idle is removed', async () => {
        const { body } = await inn.get('/hosted/agents?limit=200');
        const ids = body.agents.map(({ agent_id }: any) => agent_id);
        return (!ids.includes(idle.id) && ids.includes(ann.id)) || undefined;
      });
    });

    it('forgets its agents with its store, and says so', async () => {
      await inn.stop();
      if (redis) await redis.tell('FLUSHALL');
      await removeStore(join(mesh.folder, 'inn'));
      await inn.start();
      assert.equal((await ann.call('GET /hosted/ping')).status, 401);
      assert.equal((await ask(inn.url, 'GET /hosted/ping')).status, 200);
      const fresh = await Guest.register(() => inn);
      assert.equal((await fresh.call('GET /hosted/ping')).status, 200);
    });

    it('hosts nobody unless it is told to', async () => {
      for (const line of ['GET /hosted/ping', 'POST /hosted/register', 'GET /hosted/session']) {
        const { status, body } = await ask(far.url, line, undefined);
        assert.deepEqual([status, body.code], [404, 'hosting_off'], line);
        assert.match(body.detail, /starts it with --hosting/);
      }
      const operator = await far.get('/hosted/agents');
      assert.deepEqual([operator.status, operator.body.code], [404, 'hosting_off']);
    });
  });

/** Everything of a node but its identity and the folders of its plugins. */
async function removeStore(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (!/^(identity|api-secret|plugins)/.test(name)) await rm(join(folder, name), { recursive: true, force: true });
}

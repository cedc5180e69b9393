import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { keccak256 } from '../../../core/protocol/envelopes/keccak.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { Guest } from './support/hosted.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];
const KIB = 1024;
const MIB = 1024 * KIB;
const HOSTING = { plugins: { hosting: { hostAgents: true, registrationsPerMinute: 6_000 } } };
const UNLIMITED = { api: { unlimited: ['127.0.0.1'] } };
/** Hosted agents have half of it together, and one of them a sixteenth of that. */
const ROOM = { core: { deliveries: { totalMiB: 96 } } };

for (const use of STORES)
  describe(`large deliveries of hosted agents, on ${use}`, function () {
    this.timeout(60_000);
    let redis: RedisServer | undefined;
    let mesh: Mesh<'inn' | 'manor' | 'far'>;
    let inn: Member;
    let manor: Member;
    let far: Member;
    let ann: Guest;
    let ben: Guest;
    let cid: Guest;
    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      const host = (prefix: string) => ({
        ...{ ...HOSTING, ...UNLIMITED, ...ROOM },
        storage: redis ? { use, url: redis.url, prefix } : { use },
      });
      mesh = await startMesh({
        nodes: ['inn', 'manor', 'far'],
        own: { inn: host('inn'), manor: host('manor'), far: UNLIMITED },
      });
      ({ inn, manor, far } = mesh.nodes);
      ann = await Guest.register(() => inn, { name: 'ann' });
      ben = await Guest.register(() => inn, { name: 'ben' });
      cid = await Guest.register(() => manor, { name: 'cid' });
    });
    after(async () => {
      await mesh?.stop();
      await redis?.stop();
    });

    const offered = (recipient: string) => ({ recipient, message: 'a picture', amount_usdc: '1', escrow: false });
    const delivery = async (guest: Guest, at: Member, conversation: string) => {
      const response = await fetch(`${at.url}/hosted/deals/${conversation}/delivery`, {
        headers: { authorization: `Bearer ${guest.token}` },
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { status: response.status, type: response.headers.get('content-type'), bytes };
    };
    /** The delivery once it was fetched; a provider that does not answer in time is asked again. */
    async function arrived(guest: Guest, at: Member, conversation: string): Promise<Uint8Array> {
      for (let tries = 1; ; tries += 1) {
        const got = await delivery(guest, at, conversation);
        if (got.status === 200) return got.bytes;
        assert.ok(got.status === 502 && tries < 30, `${got.status} ${JSON.stringify(problem(got))}`);
        await new Promise((later) => setTimeout(later, 1_000));
      }
    }
    const problem = ({ bytes }: { bytes: Uint8Array }) => JSON.parse(Buffer.from(bytes).toString());
    async function agreed(requester: Guest, provider: Guest): Promise<string> {
      const { conversation_id } = await requester.does('POST /hosted/negotiate/propose', offered(provider.id));
      await provider.dealWhen(conversation_id, 'proposed');
      await provider.does('POST /hosted/negotiate/accept', { conversation_id });
      await requester.dealWhen(conversation_id, 'accepted');
      return conversation_id;
    }
    async function agreedWithFar(requester: Guest): Promise<string> {
      const { conversation_id } = await requester.does('POST /hosted/negotiate/propose', offered(far.id));
      await far.dealWhen(conversation_id, 'proposed');
      assert.equal((await far.post('/negotiate/accept', { conversation_id })).status, 200);
      await requester.dealWhen(conversation_id, 'accepted');
      return conversation_id;
    }
    const handOver = (guest: Guest, conversation_id: string, bytes: Uint8Array, more = {}) =>
      guest.does('POST /hosted/deliver', {
        conversation_id,
        content_b64: Buffer.from(bytes).toString('base64'),
        ...more,
      });

    it('come to a hosted requester from a node, another host and its own host, as they were made', async () => {
      const bytes = randomBytes(900 * KIB);
      const content_b64 = bytes.toString('base64');
      const fromFar = await agreedWithFar(ann);
      assert.equal((await far.post('/deliver', { conversation_id: fromFar, content_b64 })).status, 200);
      const [fromCid, fromBen] = [await agreed(ann, cid), await agreed(ann, ben)];
      await handOver(cid, fromCid, bytes.subarray(1));
      await handOver(ben, fromBen, bytes.subarray(2), { sealed: true });
      for (const [conversation, expected] of [
        [fromFar, bytes],
        [fromCid, bytes.subarray(1)],
        [fromBen, bytes.subarray(2)],
      ] as const) {
        await ann.dealWhen(conversation, 'delivered');
        assert.ok(Buffer.from(await arrived(ann, inn, conversation)).equals(expected));
        assert.equal((await delivery(ann, inn, conversation)).type, 'application/octet-stream');
      }
    });

    it('go from a hosted provider to a node', async () => {
      const bytes = randomBytes(200 * KIB);
      const { body } = await far.post('/negotiate/propose', offered(ann.id));
      const { conversation_id } = body;
      await ann.dealWhen(conversation_id, 'proposed');
      await ann.does('POST /hosted/negotiate/accept', { conversation_id });
      await far.dealWhen(conversation_id, 'accepted');
      const head = { msg_type: 'DELIVER', recipient: far.id, conversation_id };
      await ann.does('POST /hosted/send', { ...head, payload_hex: bytes.toString('hex') });
      await far.dealWhen(conversation_id, 'delivered');
      const response = await fetch(`${far.url}/deals/${conversation_id}/delivery`, {
        headers: { authorization: `Bearer ${far.secret}` },
      });
      assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
    });

    it('are 404 for whom they are not, and where they were small', async () => {
      const conversation = await agreed(ann, cid);
      await handOver(cid, conversation, Buffer.from('small'));
      await ann.dealWhen(conversation, 'delivered');
      const small = await delivery(ann, inn, conversation);
      assert.deepEqual([small.status, problem(small).code], [404, 'not_found']);
      assert.equal((await delivery(ben, inn, conversation)).status, 404);
      assert.equal((await fetch(`${inn.url}/hosted/deals/${conversation}/delivery`)).status, 401);
    });

    it('give nobody what was delivered to another agent of the host, whatever hash a provider names', async () => {
      const secret = randomBytes(100 * KIB);
      const own = await agreed(ann, cid);
      await handOver(cid, own, secret);
      await ann.dealWhen(own, 'delivered');
      await arrived(ann, inn, own);
      const hash = Buffer.from(keccak256(secret)).toString('hex');
      const stolen = await agreedWithFar(ben);
      const payload = { payload_uri: `mesh://${far.id}/${hash}`, payload_size: secret.length };
      const sent = await far.post('/envelopes/send', {
        ...{ msg_type: 'DELIVER', recipient: ben.id, conversation_id: stolen },
        payload: { conversation_id: stolen, ...payload },
      });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      await ben.dealWhen(stolen, 'delivered');
      const got = await delivery(ben, inn, stolen);
      assert.deepEqual([got.status, problem(got).code], [502, 'upstream_failed']);
    });

    it('are fetched again when the provider is back, also by an agent that has left the memory', async () => {
      const bytes = randomBytes(300 * KIB);
      const conversation = await agreed(ann, cid);
      await handOver(cid, conversation, bytes);
      await ann.dealWhen(conversation, 'delivered');
      await inn.restart();
      assert.ok(Buffer.from(await arrived(ann, inn, conversation)).equals(bytes));
    });

    it('of one hosted agent take a share of the room, and none from the node itself', async () => {
      // Ben has 3 MiB, of which 0.9 are taken.
      const conversations: string[] = [];
      for (let n = 0; n < 4; n += 1) conversations.push(await agreed(cid, ben));
      const [first, second, third, fourth] = conversations as [string, string, string, string];
      await handOver(ben, first, randomBytes(MIB));
      await handOver(ben, second, randomBytes(MIB));
      const refused = await ben.call('POST /hosted/deliver', {
        conversation_id: third,
        content_b64: randomBytes(MIB).toString('base64'),
      });
      assert.deepEqual([refused.status, refused.body.code], [413, 'payload_too_large'], JSON.stringify(refused.body));
      assert.match(refused.body.detail, /Those of this agent take/);
      await handOver(ben, fourth, Buffer.from('small ones go'));
      const { body } = await far.post('/negotiate/propose', offered(inn.id));
      await inn.dealWhen(body.conversation_id, 'proposed');
      assert.equal((await inn.post('/negotiate/accept', { conversation_id: body.conversation_id })).status, 200);
      const content_b64 = randomBytes(5 * MIB).toString('base64');
      assert.equal((await inn.post('/deliver', { conversation_id: body.conversation_id, content_b64 })).status, 200);
    });

    it('are disputed by a hosted requester, for everybody to see', async () => {
      const conversation_id = await agreed(ann, cid);
      assert.equal(await ann.refused('POST /hosted/dispute', { conversation_id }), '409 invalid_transition');
      await handOver(cid, conversation_id, randomBytes(60 * KIB));
      await ann.dealWhen(conversation_id, 'delivered');
      const disputed = await ann.does('POST /hosted/dispute', { conversation_id, reason: 'half of it is missing' });
      assert.equal(disputed.deal.state, 'disputed');
      await cid.dealWhen(conversation_id, 'disputed');
      assert.equal(await ben.refused('POST /hosted/dispute', { conversation_id }), '404 not_found');
    });

    it('and broadcasts: a hosted agent advertises and offers bounties as a node does', async () => {
      const { url } = mesh.aggregatorNode;
      const said = { capabilities: ['draw-maps'], description: 'old maps', price_range_usd: [1, 5] };
      const sent = await ann.does('POST /hosted/advertise', said, { 'idempotency-key': 'ad' });
      assert.equal(sent.status, 'broadcast');
      assert.deepEqual(await ann.does('POST /hosted/advertise', said, { 'idempotency-key': 'ad' }), sent);
      await happens('the aggregator knows what ann does', async () => {
        const response = await fetch(`${url}/agents/${ann.id}`);
        const { capabilities } = (await response.json()) as any;
        return capabilities?.includes('draw-maps') || undefined;
      });
      const bounty = { required_capability: 'translate', max_budget_usd: 12.5, task_summary: '40 pages' };
      const open = await ann.does('POST /hosted/bounty', bounty);
      assert.match(open.conversation_id, /^[0-9a-f]{32}$/);
      const named = await ann.does('POST /hosted/bounty', { ...bounty, conversation_id: 'ab'.repeat(16) });
      assert.equal(named.conversation_id, 'ab'.repeat(16));
      await happens('the aggregator lists the bounties of ann', async () => {
        const response = await fetch(`${url}/bounties`);
        return JSON.stringify(await response.json()).includes(open.conversation_id) || undefined;
      });
      const topic = { msg_type: 'BROADCAST', payload: { topic: 'maps', title: 'a new map', tags: [], format: 'text' } };
      const words = await ann.call('POST /hosted/send', topic);
      assert.equal(words.status, 200, JSON.stringify(words.body));
      assert.equal(
        await ann.refused('POST /hosted/advertise', { downpayment_bps: 9_000 }),
        '400 invalid_request /downpayment_bps',
      );
      assert.match(await ann.refused('POST /hosted/bounty', { max_budget_usd: 1 }), /^400 invalid_request/);
      assert.equal(await new Guest(() => inn, ann.id, 'x').refused('POST /hosted/advertise', said), '401 unauthorized');
    });
  });

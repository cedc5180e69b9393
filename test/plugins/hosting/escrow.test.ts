import assert from 'node:assert/strict';
import { Ledger } from '../../../core/internal-services.ts';
import { accepted } from '../../support/deals.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { ask, Guest } from './support/hosted.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];

for (const use of STORES)
  describe(`a host with a ledger, on ${use}`, function () {
    this.timeout(90_000);
    let redis: RedisServer | undefined;
    let mesh: Mesh<'inn' | 'far'>;
    let inn: Member;
    let far: Member;
    let ann: Guest;
    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      mesh = await startMesh({
        nodes: ['inn', 'far'],
        usdc: { inn: '50', far: '50' },
        own: {
          inn: {
            plugins: { hosting: { hostAgents: true, registrationsPerMinute: 6_000 } },
            api: { unlimited: ['127.0.0.1'] },
            storage: redis ? { use, url: redis.url, prefix: 'inn' } : { use },
          },
        },
      });
      ({ inn, far } = mesh.nodes);
      ann = await Guest.register(() => inn, { name: 'ann' });
    });
    after(async () => {
      await mesh?.stop();
      await redis?.stop();
    });

    const refusal = async (line: string, body: object) => {
      const { status, body: problem } = await ann.call(line, body);
      return [status, problem.code, problem.allowed_actions];
    };

    it('locks and releases for its own agent, which hosting takes nothing from', async () => {
      const usdc = () => inn.node.get(Ledger).usdc(inn.id);
      const before = await usdc();
      const conversation_id = await accepted(inn, far);
      const locked = await inn.post('/escrow/lock', { conversation_id });
      assert.equal(locked.status, 200, JSON.stringify(locked.body));
      await far.dealWhen(conversation_id, ({ history }) => history.some(({ event }: any) => event === 'locked'));
      await far.client.deliver({ conversation_id, content: 'done' });
      await inn.dealWhen(conversation_id, ({ allowed_actions }) => allowed_actions.includes('approve'));
      const approved = await inn.post('/escrow/approve', { conversation_id });
      assert.equal(approved.status, 200, JSON.stringify(approved.body));
      assert.equal((await usdc()) - before, -1_500_000n);
    });

    it('agrees to no escrow for a hosted agent: neither as provider, nor as requester, in no words', async () => {
      const { body } = await far.post('/negotiate/propose', {
        ...{ recipient: ann.id, message: 'a map', amount_usdc: '2', escrow: true },
      });
      const { conversation_id } = body;
      const deal = await ann.dealWhen(conversation_id, 'proposed');
      assert.equal(deal.escrow.agreed, true);
      const expected = [409, 'invalid_transition', ['reject']];
      assert.deepEqual(await refusal('POST /hosted/negotiate/accept', { conversation_id }), expected);
      const words = { msg_type: 'ACCEPT', recipient: far.id, conversation_id, payload: {} };
      assert.deepEqual(await refusal('POST /hosted/send', words), expected);
      await ann.does('POST /hosted/negotiate/reject', { conversation_id });

      const offer = { recipient: far.id, message: 'a map', amount_usdc: '2', escrow: true };
      const [status, code] = await refusal('POST /hosted/negotiate/propose', offer);
      assert.deepEqual([status, code], [409, 'invalid_transition']);
      const said = {
        msg_type: 'PROPOSE',
        recipient: far.id,
        payload: { message: 'a map', amount_usdc_micro: 2, escrow: true },
      };
      const [sent, why] = await refusal('POST /hosted/send', said);
      assert.deepEqual([sent, why], [409, 'invalid_transition']);
    });

    it('takes a hosted agent through a deal without escrow, and names what it cannot do', async () => {
      const offer = { recipient: far.id, message: 'a map', amount_usdc: '2', escrow: false };
      const { conversation_id } = await ann.does('POST /hosted/negotiate/propose', offer);
      await far.dealWhen(conversation_id, 'proposed');
      assert.equal((await far.post('/negotiate/accept', { conversation_id })).status, 200);
      const deal = await ann.dealWhen(conversation_id, 'accepted');
      assert.equal(deal.escrow.agreed, false);
      assert.ok(!deal.allowed_actions.includes('pay') && !deal.allowed_actions.includes('lock'));
      assert.ok(JSON.stringify(deal.unavailable_actions).includes('pay'), JSON.stringify(deal));
    });

    it("lets no hosted agent near the wallet: its token opens none of the node's own routes", async () => {
      for (const [line, body] of [
        ['POST /escrow/lock', { conversation_id: 'ab'.repeat(16) }],
        ['POST /escrow/approve', { conversation_id: 'ab'.repeat(16) }],
        ['POST /wallet/sweep', { destination: ann.id }],
        ['POST /wallet/x402/pay', { url: 'https://shop.example' }],
      ] as const) {
        assert.equal(await ann.refused(line, body), '401 unauthorized', line);
        const hosted = line.replace('POST /', 'POST /hosted/');
        // The one that there is moves what is at the agent's own key, and not to itself.
        const expected = line === 'POST /wallet/sweep' ? 400 : 404;
        assert.equal((await ask(inn.url, hosted, ann.token, body)).status, expected, hosted);
      }
    });
  });

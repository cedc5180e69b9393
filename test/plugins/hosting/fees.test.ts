import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Store } from '../../../core/internal-services.ts';
import { normaliseAgentId } from '../../../core/plugin.ts';
import { accounts, holds, house } from '../../../plugins/hosting/records.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { findRedis, RedisServer } from '../../support/redis-server.ts';
import { Guest } from './support/hosted.ts';

const STORES = findRedis() ? ['lowdb', 'redis'] : ['lowdb'];
const DAY = 86_400_000;

for (const use of STORES)
  describe(`the fees of hosted messages, on ${use}`, function () {
    this.timeout(60_000);
    const clock = new BriskClock();
    let redis: RedisServer | undefined;
    let mesh: Mesh<'inn' | 'far'>;
    let inn: Member;
    let far: Member;
    let ann: Guest;

    before(async () => {
      if (use === 'redis') redis = await RedisServer.start();
      mesh = await startMesh({
        clock,
        nodes: ['inn', 'far'],
        own: {
          inn: {
            plugins: { hosting: { hostAgents: true, feeBps: 50 } },
            storage: redis ? { use, url: redis.url } : { use },
          },
        },
      });
      ({ inn, far } = mesh.nodes);
      ann = await Guest.register(() => inn, { name: 'ann' });
    });
    afterEach(async () => balanced(inn));
    after(async () => {
      await mesh?.stop();
      await redis?.stop();
    });

    const account = async () => {
      const { available_usdc, held_usdc } = await ann.does('GET /hosted/session');
      return [available_usdc, held_usdc];
    };
    const holding = (available: string, held: string) =>
      happens(`${available} are available and ${held} held`, async () => {
        const found = await account();
        return (found[0] === available && found[1] === held) || undefined;
      });
    const offer = (amount_usdc: string, more = {}) => ({
      ...{ recipient: far.id, message: 'a haiku', amount_usdc, escrow: false },
      ...more,
    });
    const credit = (body: object, headers = {}) => inn.post(`/hosted/agents/${ann.id}/credit`, body, headers);

    it('refuses an offer that the account does not cover, says what is missing, and sends nothing', async () => {
      const { status, body } = await ann.call('POST /hosted/negotiate/propose', offer('2'));
      assert.deepEqual([status, body.code], [402, 'insufficient_funds']);
      const { needed_usdc, available_usdc, missing_usdc, missing_usdc_micro } = body;
      assert.deepEqual([needed_usdc, available_usdc, missing_usdc, missing_usdc_micro], ['0.01', '0', '0.01', 10_000]);
      assert.match(body.detail, /0.01 are missing/);
      assert.deepEqual((await ann.does('GET /hosted/deals')).deals, []);
      const payload = { amount_usdc_micro: 2_000_000, message: 'a haiku', escrow: false };
      const raw = { msg_type: 'PROPOSE', recipient: far.id, payload };
      assert.equal(await ann.refused('POST /hosted/send', raw), '402 insufficient_funds');
      assert.deepEqual((await ann.does('GET /hosted/deals')).deals, []);
    });

    it('takes nothing for messages without an amount, and for amounts whose fee is less than a minor unit', async () => {
      await ann.does('POST /hosted/send', { msg_type: 'MESSAGE', recipient: far.id, payload: { text: 'free' } });
      await ann.does('POST /hosted/negotiate/propose', offer('0'));
      await ann.does('POST /hosted/negotiate/propose', offer('0.000199'));
      assert.deepEqual(await account(), ['0', '0']);
    });

    it('is credited by the operator alone, once for an idempotency key', async () => {
      const body = { amount_usdc: '1', reference: 'invoice 17' };
      const key = { 'idempotency-key': 'a' };
      const first = await credit(body, key);
      assert.deepEqual([first.status, first.body.kind, first.body.balance_usdc], [200, 'credit', '1']);
      assert.deepEqual((await credit(body, key)).body, first.body);
      assert.deepEqual(await account(), ['1', '0']);
      assert.equal((await credit({ amount_usdc_micro: 1 })).body.balance_usdc_micro, 1_000_001);
      for (const [wrong, pointer] of [
        [{}, '/amount_usdc'],
        [{ amount_usdc: '0' }, '/amount_usdc'],
        [{ amount_usdc: '-1' }, '/amount_usdc'],
        [{ amount_usdc: '1', amount_usdc_micro: 1 }, '/amount_usdc_micro'],
        [{ amount_usdc: '9223372036854.775807' }, '/amount_usdc'],
        [{ amount_usdcs: '1' }, '/amount_usdcs'],
      ] as const) {
        const answer = await credit(wrong);
        assert.deepEqual([answer.status, answer.body.fields?.[0].pointer], [400, pointer], JSON.stringify(wrong));
      }
      const nobody = normaliseAgentId(randomBytes(32).toString('hex'));
      assert.equal((await inn.post(`/hosted/agents/${nobody}/credit`, body)).status, 404);
      assert.equal(await ann.refused(`POST /hosted/agents/${ann.id}/credit`, body), '401 unauthorized');
      assert.deepEqual(await account(), ['1.000001', '0']);
    });

    it('is charged when an offer, a counter or an acceptance was delivered, rounded down', async () => {
      const proposed = await ann.does('POST /hosted/negotiate/propose', offer('2.000199'));
      await holding('0.990001', '0');
      const { conversation_id } = proposed;
      await far.dealWhen(conversation_id, 'proposed');
      await far.post('/negotiate/counter', { conversation_id, amount_usdc: '4' });
      await ann.dealWhen(conversation_id, 'countered');
      await ann.does('POST /hosted/negotiate/counter', { conversation_id, amount_usdc: '3' });
      await holding('0.975001', '0');
      const { body } = await far.post('/negotiate/propose', { ...offer('10'), recipient: ann.id });
      await ann.dealWhen(body.conversation_id, 'proposed');
      await ann.does('POST /hosted/negotiate/accept', { conversation_id: body.conversation_id });
      await holding('0.925001', '0');
      const { lines } = await ann.does('GET /hosted/statement');
      assert.deepEqual(
        lines.map(({ number, kind, amount_usdc, balance_usdc, reference }: any) => [
          ...[number, kind, amount_usdc, balance_usdc, reference],
        ]),
        [
          [5, 'fee', '0.05', '0.925001', 'ACCEPT'],
          [4, 'fee', '0.015', '0.975001', 'COUNTER'],
          [3, 'fee', '0.01', '0.990001', 'PROPOSE'],
          [2, 'credit', '0.000001', '1.000001', ''],
          [1, 'credit', '1', '1', 'invoice 17'],
        ],
      );
      assert.deepEqual([lines[2].envelope_id, lines[2].conversation_id], [proposed.envelope_id, conversation_id]);
      const page = await ann.does('GET /hosted/statement?limit=2');
      assert.equal(page.next, 4);
      const rest = await ann.does(`GET /hosted/statement?limit=200&before=${page.next}`);
      assert.deepEqual([...page.lines, ...rest.lines], lines);
      assert.equal(rest.next, null);
    });

    it('is charged for offers in any words: /hosted/send with JSON and with bytes', async () => {
      const payload = { amount_usdc_micro: 1_000_000, message: 'a haiku', escrow: false };
      const hex = Buffer.from(JSON.stringify(payload)).toString('hex');
      await ann.does('POST /hosted/send', { msg_type: 'PROPOSE', recipient: far.id, payload });
      await holding('0.920001', '0');
      const sent = await ann.does('POST /hosted/send', { msg_type: 'propose', recipient: far.id, payload_hex: hex });
      await holding('0.915001', '0');
      await far.dealWhen(sent.conversation_id, 'proposed');
    });

    it('charges a repeated call once', async () => {
      const key = { 'idempotency-key': 'b' };
      const [one, two] = await Promise.all([
        ann.call('POST /hosted/negotiate/propose', offer('1'), key),
        ann.call('POST /hosted/negotiate/propose', offer('1'), key),
      ]);
      assert.ok([one.status, two.status].includes(200));
      await ann.does('POST /hosted/negotiate/propose', offer('1'), key);
      await holding('0.910001', '0');
    });

    it('holds the fee of an offer that was not delivered yet, also over a restart, and gives it back when it never is', async () => {
      const nobody = normaliseAgentId(randomBytes(32).toString('hex'))!;
      const { status } = await ann.does('POST /hosted/negotiate/propose', offer('20', { recipient: nobody }));
      assert.equal(status, 'queued');
      await holding('0.810001', '0.1');
      assert.equal(await ann.refused('POST /hosted/negotiate/propose', offer('200')), '402 insufficient_funds');
      await inn.restart();
      assert.deepEqual(await account(), ['0.810001', '0.1']);
      const { lines } = await ann.does('GET /hosted/statement?limit=1');
      assert.equal(lines[0].balance_usdc, '0.910001');
      clock.shift(5 * DAY);
      await inn.restart();
      await holding('0.910001', '0');
      assert.deepEqual((await ann.does('GET /hosted/statement?limit=1')).lines, lines);
    });

    it('charges an offer that is delivered later', async () => {
      await far.stop();
      const { status, conversation_id } = await ann.does('POST /hosted/negotiate/propose', offer('2'));
      assert.equal(status, 'queued');
      await holding('0.900001', '0.01');
      await far.start();
      await far.dealWhen(conversation_id, 'proposed');
      clock.shift(61_000);
      await holding('0.900001', '0');
      assert.equal((await ann.does('GET /hosted/statement?limit=1')).lines[0].kind, 'fee');
    });

    it('gives a fee back when the step itself is refused', async () => {
      const same = { ...offer('2'), recipient: ann.id };
      assert.match(await ann.refused('POST /hosted/negotiate/propose', same), /^400 invalid_request \/recipient/);
      assert.match(
        await ann.refused('POST /hosted/negotiate/propose', { ...offer('2'), escrow: true }),
        /^409 invalid_transition/,
      );
      assert.deepEqual(await account(), ['0.900001', '0']);
    });

    it('is paid back by the operator, no further than it goes', async () => {
      const debit = (amount_usdc: string) => inn.post(`/hosted/agents/${ann.id}/debit`, { amount_usdc });
      const { status, body } = await debit('1');
      assert.deepEqual([status, body.code, body.missing_usdc], [402, 'insufficient_funds', '0.099999']);
      assert.deepEqual([(await debit('0.5')).body.balance_usdc, await account()], ['0.400001', ['0.400001', '0']]);
    });

    it('keeps the account of an agent that is gone, for the operator', async () => {
      const nobody = normaliseAgentId(randomBytes(32).toString('hex'))!;
      await ann.does('POST /hosted/negotiate/propose', offer('2', { recipient: nobody }));
      await holding('0.390001', '0.01');
      await ann.does('DELETE /hosted/session');
      const { body } = await inn.get(`/hosted/agents/${ann.id}/statement?limit=1`);
      assert.equal(body.lines[0].balance_usdc, '0.400001');
      const { body: paid } = await inn.post(`/hosted/agents/${ann.id}/debit`, { amount_usdc: '0.400001' });
      assert.equal(paid.balance_usdc, '0');
    });
  });

/** What was paid in is what is there, was paid back, or was earned. */
async function balanced(inn: Member): Promise<void> {
  const space = inn.node.get(Store).space('hosting');
  const all = (await space.page(accounts, { limit: 2_000 })).map(({ value }) => value);
  const open = (await space.page(holds, { index: 'agent', limit: 2_000 })).map(({ value }) => value);
  const [credited, debited, fees] = await space.totals([
    house.ref('credited'),
    house.ref('debited'),
    house.ref('fees'),
  ]);
  const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total + BigInt(amount), 0n);
  assert.equal(sum(all.map(({ held }) => held)), sum(open.map(({ fee }) => fee)));
  assert.equal(sum(all.flatMap(({ available, held }) => [available, held])), credited! - debited! - fees!);
}

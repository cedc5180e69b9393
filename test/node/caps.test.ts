import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { accepted, delivered, proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

const DAY_SECS = 24 * 3_600;
const QUARTER_SECS = 15 * 60;

describe('caps on what leaves the wallet', function () {
  this.timeout(90_000);
  type Name = 'careful' | 'plain' | 'staker' | 'hasty' | 'locker' | 'poor' | 'falling' | 'bob' | 'carol';
  let mesh: Mesh<Name>;
  let careful: Member;
  let bob: Member;
  let carol: Member;
  let rpc: RpcProxy;
  /** Of a node whose owner lowers it. */
  const limit = { core: { money: { maxEscrow: '10' } } };
  /** Of a node that pays no lease until a test wants it to, so that its day is its own until then. */
  const lease = { pay: 'never' };
  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['careful', 'plain', 'staker', 'hasty', 'locker', 'poor', 'falling', 'bob', 'carol'],
      storage: 'lowdb',
      usdc: { careful: '100', plain: '200', staker: '200', hasty: '50', locker: '50', falling: '50' },
      own: {
        careful: { core: { money: { maxEscrow: '3', maxPerDay: '5', maxPerPartnerPerDay: '4' } } },
        plain: { core: { money: {} } },
        falling: limit,
        hasty: { core: { money: { maxStake: '30', maxPerDay: '20' } } },
        locker: { core: { money: { maxEscrow: '6', maxPerDay: '10', maxPerPartnerPerDay: '9' } } },
        staker: { core: { lease, money: { maxStake: '30', maxPerDay: '35' } } },
      },
      rpcUrl(url) {
        rpc.target = url;
        return rpc.url;
      },
    });
    ({ careful, bob, carol } = mesh.nodes);
  });
  after(async () => {
    await mesh.stop();
    await rpc.stop();
  });
  afterEach(() => {
    rpc.heal();
    mesh.localnet.faults.set({});
  });

  const caps = async (member: Member, query = '') => (await member.get(`/portfolio/caps${query}`)).body;
  const used = async (member: Member) => (await caps(member)).day.used_usdc;
  const usdcOf = (member: Member) => member.node.get(Ledger).usdc(member.id);
  const pay = (member: Member, conversation: string) => member.post(`/deals/${conversation}/pay`);
  const codeOf = ({ status, body }: Answer) => [status, body.code];
  /** Everything that counts now counts no more. */
  const nextDay = () => mesh.advance(DAY_SECS + QUARTER_SECS);

  it('are small unless configured, said at start, and shown with what is used', async () => {
    const { plain } = mesh.nodes;
    assert.deepEqual(await caps(plain), {
      max_escrow_usdc: '25',
      max_stake_usdc: '100',
      day: { limit_usdc: '100', used_usdc: '0', left_usdc: '100', unused_from: null },
      x402: { limit_usdc: '25', used_usdc: '0', left_usdc: '25', unused_from: null },
      max_x402_usdc: '10',
      partner_limit_usdc: '50',
    });
    const said = plain.node.report.notes.filter((note) => note.startsWith('caps:'));
    assert.deepEqual(said, [
      'caps: 25 USDC a deal, 100 at stake, 100 in 24 hours, 50 of it to one partner, 25 by x402 (core.money); unaudited, see SECURITY.md',
    ]);
  });

  it('the requester of a deal does not agree to more than maxEscrow, bond included, by any of its messages', async () => {
    const about = { message: 'Count the words.', escrow: true };
    const refusals = [
      await careful.post('/negotiate/propose', { ...about, recipient: bob.id, amount_usdc: '2.000002' }),
      await careful.post('/negotiate/propose', {
        ...about,
        recipient: bob.id,
        amount_usdc: '2',
        bond_usdc: '1.000001',
      }),
    ];
    const conversation_id = await proposed(careful, bob, { amount_usdc: '2', max_rounds: 4 });
    await bob.client.counter({ conversation_id, amount_usdc: '2.000002' });
    await careful.dealWhen(conversation_id, 'countered');
    refusals.push(await careful.post('/negotiate/accept', { conversation_id }));
    refusals.push(await careful.post('/negotiate/counter', { conversation_id, amount_usdc: '2.000002' }));
    for (const { status, body } of refusals) {
      assert.deepEqual([status, body.code, body.cap], [403, 'spending_cap', 'core.money.maxEscrow']);
      assert.deepEqual([body.limit_usdc, body.free_from], ['3', null]);
      assert.match(body.detail, /core\.money\.maxEscrow allows 3 USDC for one deal.*--max-escrow/);
    }
    assert.deepEqual(
      refusals.map(({ body }) => body.needed_usdc),
      ['3.000003', '3.000001', '3.000003', '3.000003'],
    );
    assert.equal((await careful.client.deal(conversation_id)).state, 'countered');
    assert.equal((await careful.post('/negotiate/counter', { conversation_id, amount_usdc: '1.9' })).status, 200);
    await bob.dealWhen(conversation_id, (deal) => deal.amount_usdc === '1.9' || deal.amount_usdc_micro === 1_900_000);
    await bob.client.accept({ conversation_id });
    assert.equal((await careful.dealWhen(conversation_id, 'accepted')).state, 'accepted');
    // What others ask of it is theirs to pay.
    await accepted(mesh.nodes.plain, careful, { amount_usdc: '10' });
  });

  it('one deal may not cost more than a maxEscrow that was lowered meanwhile; nothing is recorded or counts', async () => {
    const { falling } = mesh.nodes;
    const [paid, locked] = [
      await delivered(falling, bob, { amount_usdc: '3.000001' }),
      await accepted(falling, bob, { amount_usdc: '2.000002' }),
    ];
    limit.core.money.maxEscrow = '3';
    await falling.restart();
    for (const [conversation, needed, answer] of [
      [paid, '3.000001', await pay(falling, paid)],
      [locked, '3.000003', await falling.post('/escrow/lock', { conversation_id: locked })],
    ] as const) {
      const { status, body } = answer;
      assert.deepEqual([status, body.code, body.cap], [403, 'spending_cap', 'core.money.maxEscrow']);
      assert.deepEqual([body.limit_usdc, body.needed_usdc, body.free_from], ['3', needed, null]);
      assert.match(body.detail, /core\.money\.maxEscrow allows 3 USDC for one deal.*nothing was sent.*--max-escrow/);
      assert.equal((await falling.client.deal(conversation)).payment, undefined);
    }
    assert.equal(await used(falling), '0');
  });

  it('calls at the same moment do not pass the cap of a day together, nor after a restart', async () => {
    const before = await usdcOf(careful);
    const deals = await Promise.all(
      [bob, carol, mesh.nodes.plain].map((one) => delivered(careful, one, { amount_usdc: '2' })),
    );
    const answers = await Promise.all(deals.map((conversation) => pay(careful, conversation)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 403]);
    const refused = answers.findIndex(({ status }) => status === 403);
    const { body } = answers[refused]!;
    assert.deepEqual([body.code, body.cap], ['spending_cap', 'core.money.maxPerDay']);
    assert.deepEqual([body.used_usdc, body.left_usdc, body.needed_usdc], ['4', '1', '2']);
    assert.match(body.detail, /There is room from .*--max-per-day/);
    assert.equal(before - (await usdcOf(careful)), 4_000_000n);

    await careful.restart();
    assert.equal(await used(careful), '4');
    assert.deepEqual(codeOf(await pay(careful, deals[refused]!)), [403, 'spending_cap']);
    assert.equal((await caps(careful)).day.unused_from, body.free_from);

    mesh.advance(DAY_SECS - QUARTER_SECS);
    assert.deepEqual(codeOf(await pay(careful, deals[refused]!)), [403, 'spending_cap']);
    mesh.advance(2 * QUARTER_SECS);
    assert.equal((await pay(careful, deals[refused]!)).status, 200);
    assert.equal(await used(careful), '2');
    nextDay();
  });

  it('a repeated payment counts once', async () => {
    const conversation = await delivered(careful, bob, { amount_usdc: '2' });
    const answers = await Promise.all([1, 2, 3].map(() => pay(careful, conversation)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(await used(careful), '2');
    nextDay();
  });

  it('one partner gets no more than its own cap', async () => {
    const first = await delivered(careful, bob, { amount_usdc: '2.5', escrow: false });
    const second = await delivered(careful, bob, { amount_usdc: '2' });
    const other = await delivered(careful, carol, { amount_usdc: '2' });
    assert.equal((await pay(careful, first)).status, 200);
    const { status, body } = await pay(careful, second);
    assert.deepEqual([status, body.cap, body.left_usdc], [403, 'core.money.maxPerPartnerPerDay', '1.5']);
    assert.equal((await pay(careful, other)).status, 200);
    const { partner } = await caps(careful, `?partner=${bob.id}`);
    assert.deepEqual([partner.limit_usdc, partner.used_usdc, partner.left_usdc], ['4', '2.5', '1.5']);
    nextDay();
  });

  it('what the ledger certainly did not take counts no more', async () => {
    const conversation = await delivered(careful, bob, { amount_usdc: '3', escrow: false });
    rpc.lost.add('sendTransaction');
    const unanswered = pay(careful, conversation);
    await careful.dealWhen(conversation, (deal) => deal.payment?.status === 'recorded');
    assert.equal(await used(careful), '3');
    let answer: Answer | undefined;
    unanswered.then((got) => {
      answer = got;
    });
    // Each attempt has to expire.
    await happens('the node gives up', async () => {
      mesh.localnet.warp({ seconds: 1, slots: 400, blocks: 400 });
      return answer;
    });
    assert.equal(answer?.status, 503);
    rpc.lost.clear();
    assert.equal(await used(careful), '0');
    assert.equal((await pay(careful, conversation)).status, 200);
    assert.equal(await used(careful), '3');
    nextDay();
  });

  it('a lock counts with its bond, once however often it is asked for, and what comes back is not credited', async () => {
    const { locker } = mesh.nodes;
    const lock = (conversation_id: string) => locker.post('/escrow/lock', { conversation_id });
    const before = await usdcOf(locker);
    const deals = [
      await accepted(locker, bob, { amount_usdc: '4' }),
      await accepted(locker, carol, { amount_usdc: '4' }),
    ];
    const answers = await Promise.all([...deals, ...deals].map(lock));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 403, 403]);
    assert.equal(before - (await usdcOf(locker)), 6_000_000n);
    assert.equal(await used(locker), '6');
    const refused = answers.find(({ status }) => status === 403)!;
    assert.deepEqual([refused.body.cap, refused.body.left_usdc], ['core.money.maxPerDay', '4']);

    const conversation_id = deals[answers.findIndex(({ status }) => status === 200) % 2]!;
    const provider = (await locker.client.deal(conversation_id)).provider === bob.id ? bob : carol;
    assert.equal((await provider.post('/escrow/refund', { conversation_id })).status, 200);
    await happens('the money is back', async () => (await usdcOf(locker)) === before || undefined);
    await locker.restart();
    assert.equal(await used(locker), '6');

    const paid = await delivered(locker, carol, { amount_usdc: '4.5', escrow: false });
    assert.equal((await pay(locker, paid)).body.cap, 'core.money.maxPerDay');
  });

  it('a wallet that cannot pay uses up nothing', async () => {
    const { poor } = mesh.nodes;
    const conversation = await accepted(poor, bob, { amount_usdc: '1' });
    assert.deepEqual(codeOf(await pay(poor, conversation)), [402, 'insufficient_funds']);
    assert.deepEqual(codeOf(await poor.post('/stake/add', { amount_usdc: '10' })), [402, 'insufficient_funds']);
    assert.equal(await used(poor), '0');
  });

  it('a stake that the ledger has not finalised yet is not forgotten', async () => {
    const { hasty } = mesh.nodes;
    const add = () => hasty.post('/stake/add', { amount_usdc: '20' });
    mesh.localnet.faults.set({ finality: 100 });
    // The slot that was open a moment ago was final already.
    mesh.localnet.warp({ seconds: 0, slots: 1, blocks: 1 });
    const first = await add();
    assert.equal(first.status, 200, first.body.detail);
    const { status, body } = await add();
    assert.deepEqual([status, body.code], [503, 'ledger_unavailable']);
    assert.match(body.detail, /not finalised what was paid before/);
    assert.equal(await used(hasty), '20');
    mesh.localnet.faults.set({});
    assert.equal((await add()).body.cap, 'core.money.maxStake');
    assert.equal(await usdcOf(hasty), 30_000_000n);
  });

  it('no more than maxStake can be at stake, however often it is added to, and a stake counts for the day', async () => {
    const { staker } = mesh.nodes;
    const add = (amount_usdc: string, headers?: Record<string, string>) =>
      staker.post('/stake/add', { amount_usdc }, headers);
    assert.equal((await add('30.000001')).body.cap, 'core.money.maxStake');
    const once = { 'idempotency-key': 'stake-twenty' };
    assert.equal((await add('20', once)).status, 200);
    assert.equal((await add('20', once)).status, 200);
    assert.equal(await used(staker), '20');
    await happens('the stake is final', async () =>
      (await staker.get('/stake')).body.stake_usdc === '20' ? true : undefined,
    );
    const { body } = await add('10.5');
    assert.deepEqual([body.cap, body.used_usdc, body.left_usdc], ['core.money.maxStake', '20', '10']);
    assert.equal((await add('10')).status, 200);
    assert.equal(await used(staker), '30');
  });

  it('a lease for which the day has no room is not paid by itself, and the node says why', async () => {
    const { hasty } = mesh.nodes;
    await hasty.restart();
    const warned = await happens('a warning', async () => {
      const { body } = await hasty.get('/lease');
      return JSON.stringify(body.warnings).includes('core.money.maxPerDay') ? body : undefined;
    });
    assert.deepEqual(warned.payments, []);
    assert.equal((await hasty.get('/ready')).status, 200);
    assert.equal(await used(hasty), '20');
  });

  it('a lease counts, and one that no cap allows is refused', async () => {
    const { staker } = mesh.nodes;
    lease.pay = 'staked';
    await staker.restart();
    const paid = await happens('the lease of the staked node', async () => {
      const { body } = await staker.get('/lease');
      return body.payments.length > 0 ? body : undefined;
    });
    assert.equal(paid.payments.length, 1);
    assert.equal(await used(staker), '31');
    assert.equal((await staker.post('/lease/pay', { ahead: 10 })).body.cap, 'core.money.maxPerDay');
    assert.equal((await staker.post('/lease/pay', { ahead: 3 })).status, 200);
    assert.equal(await used(staker), '34');
  });
});

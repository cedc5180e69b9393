import assert from 'node:assert/strict';
import { testNode } from '../../adapters/testing.ts';
import { Ledger } from '../../core/internal-services.ts';
import { definePlugin, type MeshError, type Permission } from '../../core/plugin.ts';
import { Payments, type Transfer } from '../../core/services.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

/** A plugin that hands out its service of payments, the newest after a restart. */
function spender(name: string, ...permissions: Permission[]) {
  const found: { payments?: Payments } = {};
  const plugin = definePlugin({
    name,
    api: '2.0',
    permissions,
    node: {
      uses: { payments: Payments },
      setup({ payments }) {
        found.payments = payments;
        return {};
      },
    },
  });
  return {
    plugin,
    get payments(): Payments {
      return found.payments!;
    },
  };
}

const refused =
  (code: string, detail = /./) =>
  (error: MeshError) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.message, detail);
    return true;
  };

describe('the service Payments', function () {
  this.timeout(60_000);
  const tips = spender('tips', 'money:spend');
  const rent = spender('rent', 'money:spend');
  let mesh: Mesh<'alice' | 'bob' | 'carol'>;
  let alice: Member;
  let bob: Member;
  let rpc: RpcProxy;
  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'carol'],
      storage: 'lowdb',
      usdc: { alice: '100' },
      plugins: { alice: [tips.plugin, rent.plugin] },
      own: { alice: { core: { money: { maxEscrow: '5', maxPerDay: '12', maxPerPartnerPerDay: '6' } } } },
      rpcUrl(url) {
        rpc.target = url;
        return rpc.url;
      },
    });
    ({ alice, bob } = mesh.nodes);
  });
  after(async () => {
    await mesh.stop();
    await rpc.stop();
  });
  afterEach(() => rpc.heal());

  const usdcOf = (member: Member) => member.node.get(Ledger).usdc(member.id);
  const used = async () => (await alice.get('/portfolio/caps')).body.day.used_usdc;
  const tip = (key: string, amount = 1_000_000n): Transfer => ({ key, to: bob.id, amount, memo: 'thank you' });

  it('shows what can be spent', async () => {
    assert.deepEqual(await tips.payments.balances(), { lamports: 1_000_000_000n, usdc: 100_000_000n });
  });

  it('pays once under a key of the plugin, however often it is asked, and says how it stands', async () => {
    const before = await usdcOf(bob);
    const [first, second] = await Promise.all([tips.payments.transfer(tip('a')), tips.payments.transfer(tip('a'))]);
    assert.match(first.status, /^(confirmed|final)$/);
    assert.equal(second.signature, first.signature);
    const final = await tips.payments.transfer(tip('a'), { until: 'final' });
    assert.deepEqual(final, { ...tip('a'), signature: first.signature, status: 'final' });
    assert.deepEqual(await tips.payments.find('a'), final);
    assert.equal((await usdcOf(bob)) - before, 1_000_000n);
    await assert.rejects(
      tips.payments.transfer(tip('a', 2n)),
      refused('idempotency_mismatch', /another transfer; nothing was sent/),
    );

    assert.equal(await rent.payments.find('a'), undefined);
    const other = await rent.payments.transfer({ key: 'a', to: bob.id, amount: 7n }, { until: 'final' });
    assert.notEqual(other.signature, first.signature);
    assert.deepEqual([other.amount, other.memo], [7n, '']);
    assert.equal((await usdcOf(bob)) - before, 1_000_007n);
  });

  it('is bound by the caps of the operator, and a refused key is free for another transfer', async () => {
    const before = await used();
    await assert.rejects(
      tips.payments.transfer(tip('big', 5_000_001n)),
      refused('spending_cap', /maxEscrow allows 5 USDC for one deal \(bond included\) or transfer/),
    );
    await assert.rejects(
      Promise.all([tips.payments.transfer(tip('b', 4_000_000n)), rent.payments.transfer(tip('b', 4_000_000n))]),
      refused('spending_cap', /maxPerPartnerPerDay/),
    );
    assert.equal(await tips.payments.find('big'), undefined);
    const small = await tips.payments.transfer(tip('big', 1n));
    assert.equal(small.amount, 1n);
    assert.equal(Number(await used()) - Number(before), 4.000001);
  });

  it('tells that it is pending while the ledger does not answer, and pays once over a restart', async () => {
    const { carol } = mesh.nodes;
    const wish = { key: 'c', to: carol.id, amount: 1_000_000n };
    const recorded = new Promise<void>((done) => {
      rpc.changed.set('sendTransaction', () => {
        done();
        return undefined;
      });
    });
    const begun = tips.payments.transfer(wish).catch((error: unknown) => error);
    await recorded;
    assert.equal((await tips.payments.find('c'))?.status, 'pending');
    await alice.stop();
    const left = (await begun) as { status?: string };
    assert.equal(left.status, 'pending');
    rpc.heal();
    await alice.start();
    const paid = await tips.payments.transfer(wish, { until: 'final' });
    assert.equal(paid.status, 'final');
    assert.equal(await usdcOf(carol), 1_000_000n);
    assert.equal((await tips.payments.find('c'))?.signature, paid.signature);
  });

  it('tells that it failed when the ledger never took it, counts nothing, and tries the same key anew', async () => {
    const counted = await used();
    const wish = tip('d', 10n);
    rpc.lost.add('sendTransaction');
    let waiting = true;
    const asked = tips.payments.transfer(wish).finally(() => {
      waiting = false;
    });
    // A block hash that is too old has no fee: time passes once the transaction is made.
    await happens('it is recorded', () => tips.payments.find('d'));
    while (waiting) {
      mesh.localnet.warp({ blocks: 200, slots: 200 });
      await new Promise((done) => setTimeout(done, 50));
    }
    const { status, reason, signature } = await asked;
    assert.deepEqual([status, reason], ['failed', 'expired']);
    assert.deepEqual(await tips.payments.find('d'), { ...wish, status, reason, signature });
    assert.equal(await used(), counted);
    rpc.heal();
    const before = await usdcOf(bob);
    assert.equal((await tips.payments.transfer(wish, { until: 'final' })).status, 'final');
    assert.equal((await usdcOf(bob)) - before, 10n);
  });

  it('refuses what is no transfer before anything is asked of the ledger', async () => {
    const bad: [Partial<Record<keyof Transfer, unknown>>, RegExp][] = [
      [{ key: '' }, /\/key/],
      [{ key: 'a b' }, /\/key/],
      [{ amount: 0n }, /\/amount/],
      [{ amount: -1n }, /\/amount/],
      [{ amount: 1 }, /\/amount/],
      [{ amount: 2n ** 63n }, /\/amount/],
      [{ to: 'nobody' }, /\/to/],
      [{ to: alice.id }, /\/to is this wallet itself/],
      [{ to: undefined }, /\/to/],
      [{ memo: 'é'.repeat(101) }, /\/memo/],
      [{ memo: '\ud800' }, /\/memo/],
      [{ memo: `agent-mesh:${'ab'.repeat(16)}` }, /\/memo is that of the payment of a deal/],
    ];
    for (const [part, detail] of bad)
      await assert.rejects(
        tips.payments.transfer({ ...tip('bad'), ...part } as Transfer),
        refused('invalid_request', detail),
      );
    await assert.rejects(tips.payments.transfer(undefined as never), refused('invalid_request'));
    await assert.rejects(tips.payments.find(''), refused('invalid_request'));
    await assert.rejects(tips.payments.pay('ab'.repeat(16)), refused('not_found'));
    await assert.rejects(tips.payments.approve({ conversation_id: 'x' }), refused('invalid_request'));
  });

  it('needs money:spend, and says on a node without a ledger what is missing', async () => {
    const poor = spender('poor', 'money:spend');
    const node = await testNode(poor.plugin);
    const { payments } = poor;
    try {
      const conversation_id = 'ab'.repeat(16);
      const calls = [
        payments.balances(),
        payments.transfer(tip('x')),
        payments.find('x'),
        payments.pay(conversation_id),
        payments.lock({ conversation_id }),
        payments.approve({ conversation_id }),
      ];
      for (const call of calls) await assert.rejects(call, refused('ledger_unavailable', /--rpc-url/));
    } finally {
      assert.deepEqual(await node.stop(), []);
    }
    await assert.rejects(testNode(spender('thief').plugin), /uses payments without the permission money:spend/);
  });
});

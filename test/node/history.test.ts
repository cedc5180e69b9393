import assert from 'node:assert/strict';
import { definePlugin, type MeshError } from '../../core/plugin.ts';
import { History, type MoneyEvent, Payments } from '../../core/services.ts';
import { accepted, delivered } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

/** A plugin that hands out its services. */
function trader() {
  const found: { history?: History; payments?: Payments } = {};
  const plugin = definePlugin({
    name: 'trader',
    api: '2.0',
    permissions: ['money:spend'],
    node: {
      uses: { history: History, payments: Payments },
      setup(services) {
        Object.assign(found, services);
        return {};
      },
    },
  });
  return { plugin, found };
}

describe('the history of the money', function () {
  this.timeout(60_000);
  const { plugin, found } = trader();
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      storage: 'lowdb',
      usdc: { alice: '100' },
      plugins: { alice: [plugin] },
    });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const events = async (member: Member, query = '') => (await member.get(`/portfolio/history${query}`)).body.events;
  const told = (member: Member, like: Record<string, unknown>) =>
    happens(`an entry ${JSON.stringify(like)}`, async () =>
      (await events(member, '?limit=200')).find((one: any) =>
        Object.entries(like).every(([name, is]) => one[name] === is),
      ),
    );

  it('is empty at first', async () => {
    assert.deepEqual((await alice.get('/portfolio/history')).body, { events: [], next: null });
  });

  it('tells both sides of a payment', async () => {
    const conversation_id = await delivered(alice, bob);
    const { payment } = await alice.client.pay(conversation_id);
    const out = await told(alice, { type: 'transfer', conversation_id });
    const { signature } = payment!;
    assert.deepEqual(
      [out.action, out.direction, out.amount_usdc, out.signature, out.counterparty],
      ['deal', 'out', '1.5', signature, bob.id],
    );
    const pay = await told(bob, { type: 'bounty', conversation_id });
    assert.deepEqual([pay.direction, pay.amount_usdc, pay.txid, pay.from_agent], ['in', '1.5', signature, alice.id]);
    assert.match(pay.timestamp, /^\d{4}-.*Z$/);
  });

  it('tells both sides of an escrow: the lock, its release, and the bond that comes back', async () => {
    const conversation_id = await accepted(alice, bob);
    const { body: lock } = await alice.post('/escrow/lock', { conversation_id });
    const locked = await told(alice, { type: 'escrow', action: 'lock', conversation_id });
    assert.deepEqual([locked.direction, locked.signature], ['out', lock.signature]);
    await alice.dealWhen(conversation_id, (deal) => deal.history.some(({ event }: any) => event === 'locked'));
    assert.equal((await alice.post('/escrow/approve', { conversation_id })).status, 200);
    const earned = await told(bob, { type: 'bounty', conversation_id });
    assert.deepEqual([earned.action, earned.amount_usdc], ['released', '1.5']);
    const bond = await told(alice, { type: 'escrow', action: 'released', conversation_id });
    assert.equal(bond.direction, 'in');
    assert.equal(Number(locked.amount_usdc) - Number(bond.amount_usdc), 1.5);
  });

  it('tells the stake, the lease and the transfers of plugins', async () => {
    assert.equal((await alice.post('/stake/add', { amount_usdc: '10' })).status, 200);
    assert.equal((await told(alice, { type: 'stake', action: 'add' })).amount_usdc, '10');
    assert.equal((await alice.post('/lease/pay', {})).status, 200);
    assert.equal((await told(alice, { type: 'lease' })).amount_usdc, '1');
    const { signature } = await found.payments!.transfer({ key: 'tip', to: bob.id, amount: 250_000n });
    const tip = await told(alice, { signature });
    assert.deepEqual([tip.type, tip.action, tip.amount_usdc, tip.source], ['transfer', 'plugin', '0.25', 'trader']);
  });

  const swap: MoneyEvent = {
    ...{ key: 'swap-1', type: 'swap', action: 'swap', direction: 'out', amount: 5_000_000n, signature: 'sig' },
    details: { input_mint: 'USDC', output_amount: '12' },
  };

  it('takes what a plugin did, once under a key', async () => {
    await found.history!.add(swap);
    await found.history!.add({ ...swap, amount: 6n });
    const entries = await events(alice, '?type=swap');
    assert.equal(entries.length, 1);
    const { type, amount_usdc, txid, input_mint, output_amount, source } = entries[0];
    assert.deepEqual(
      [type, amount_usdc, txid, input_mint, output_amount, source],
      ['swap', '5', 'sig', 'USDC', '12', 'trader'],
    );
    for (const [wrong, pointer] of [
      [{ ...swap, type: 'gift' }, '/type'],
      [{ ...swap, key: '' }, '/key'],
      [{ ...swap, amount: 5 }, '/amount'],
      [{ ...swap, amount: undefined }, '/amount'],
      [{ ...swap, details: { id: 'x' } }, '/details'],
      [{ ...swap, details: { note: 'x'.repeat(300) } }, '/details/note'],
    ] as const)
      await assert.rejects(found.history!.add(wrong as unknown as MoneyEvent), (error: MeshError) => {
        assert.deepEqual([error.code, error.details.fields?.[0]?.pointer], ['invalid_request', pointer]);
        return true;
      });
  });

  it('comes in pages that a restart does not change', async () => {
    const all = await events(alice, '?limit=200');
    await alice.restart();
    const paged: unknown[] = [];
    for (let before = ''; ; ) {
      const { body } = await alice.get(`/portfolio/history?limit=2${before}`);
      paged.push(...body.events);
      if (body.next === null) break;
      before = `&before=${body.next}`;
    }
    assert.deepEqual(paged, all);
    assert.equal(new Set(all.map(({ id }: any) => id)).size, all.length);
    const times = all.map(({ timestamp }: any) => timestamp);
    assert.deepEqual(times, [...times].sort().reverse());
    const wrong = await alice.get('/portfolio/history?before=nonsense');
    assert.deepEqual([wrong.status, wrong.body.fields[0].pointer], [400, '/before']);
    assert.equal((await alice.get('/portfolio/history?type=gift')).status, 400);
  });
});

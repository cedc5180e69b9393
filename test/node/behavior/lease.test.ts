import assert from 'node:assert/strict';
import { once } from 'node:events';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { SHORT_EPOCHS, stake } from './support.ts';

const ONE = 1_000_000n;

describe('the lease of a node', function () {
  this.timeout(90_000);
  let mesh: Mesh<'payer' | 'staked' | 'poor'>;
  before(async () => {
    mesh = await startMesh({
      nodes: ['payer', 'staked', 'poor'],
      storage: 'lowdb',
      usdc: { payer: '50', staked: '50', poor: '10' },
      numbers: SHORT_EPOCHS,
    });
  });
  after(() => mesh.stop());

  async function lease(name: 'payer' | 'staked' | 'poor') {
    return (await mesh.nodes[name].get('/lease')).body;
  }

  async function usdc(name: 'payer' | 'staked' | 'poor'): Promise<bigint> {
    const { tokens } = (await mesh.nodes[name].get('/portfolio/balances')).body;
    return BigInt(tokens.find((token: any) => token.symbol === 'USDC')?.amount_base ?? 0);
  }

  it('is none until somebody pays, and nothing is paid without a stake', async () => {
    const view = await lease('payer');
    assert.deepEqual([view.status, view.paid_through, view.automatic, view.payments], ['none', 0, false, []]);
    assert.equal(view.due.amount_usdc, '1');
    assert.equal((await mesh.nodes.payer.get('/identity')).body.lease_status, 'none');
    assert.equal(await usdc('payer'), 50n * ONE);
  });

  it('is paid by hand, bounded, and shown to others', async () => {
    const { payer, staked } = mesh.nodes;
    const dear = await payer.post('/lease/pay', { ahead: 4, max_usdc: '4.5' });
    assert.deepEqual([dear.status, dear.body.code], [409, 'conflict']);
    assert.equal(await usdc('payer'), 50n * ONE);
    const paid = await payer.post('/lease/pay', { ahead: 4, max_usdc: '5' });
    assert.deepEqual([paid.status, paid.body.payments[0].amount_usdc], [200, '5']);
    assert.equal(await usdc('payer'), 45n * ONE);
    const { body } = await payer.post('/lease/pay', {});
    assert.equal(body.due, null);
    assert.equal(await usdc('payer'), 45n * ONE);
    assert.equal((await payer.get('/identity')).body.lease_status, 'active');
    mesh.advance(SHORT_EPOCHS.epochSecs / 5);
    await payer.client.propose({ recipient: staked.id, amount_usdc: '1', message: 'Hello.' });
    await happens('a peer with a lease', async () => {
      const peers = (await staked.get('/peers')).body;
      return peers.find((peer: any) => peer.agent_id === payer.id && peer.lease_status === 'active');
    });
  });

  it('is paid by itself once there is a stake, once an epoch, also over a restart', async () => {
    const { staked } = mesh.nodes;
    await stake(staked, '20');
    for (let epoch = 1; epoch <= 3; epoch++) {
      await happens(`the lease of epoch ${epoch}`, async () =>
        (await lease('staked')).payments.length === epoch ? true : undefined,
      );
      if (epoch === 2) await staked.restart();
      mesh.advance(SHORT_EPOCHS.epochSecs);
    }
    const view = await happens('the last payment', async () => {
      const found = await lease('staked');
      return found.payments.length === 4 && found.status === 'active' ? found : undefined;
    });
    const paid = view.payments.map((payment: any) => payment.paid_through);
    assert.equal(new Set(paid).size, 4);
    assert.equal(view.spent_usdc, '4');
    assert.equal(await usdc('staked'), 26n * ONE);
  });

  it('tells in events when it changes, and when it is paid', async () => {
    const { payer } = mesh.nodes;
    const watched = payer.watch('/ws/events');
    await once(watched.socket, 'open');
    const told = (is: (data: any) => boolean) =>
      happens('an event of the lease', async () => {
        const found = watched.frames.find(({ type, data }: any) => type === 'lease' && is(data));
        return found?.data;
      });
    const { epoch, paid_through } = await lease('payer');
    mesh.advance((paid_through + 1 - epoch) * SHORT_EPOCHS.epochSecs);
    const lapsed = await told(({ lease_status }) => lease_status === 'grace');
    assert.deepEqual(lapsed, { change: 'status', lease_status: 'grace', before: 'active' });
    assert.equal((await payer.post('/lease/pay', {})).status, 200);
    assert.equal((await told(({ change }) => change === 'paid')).amount_usdc, '1');
    const again = await told(({ lease_status }) => lease_status === 'active');
    assert.deepEqual(again, { change: 'status', lease_status: 'active', before: 'grace' });
    watched.socket.close();
  });

  it('warns when the wallet cannot pay, and pays arrears when it can', async () => {
    const { poor } = mesh.nodes;
    await stake(poor, '10');
    await happens('a warning', async () =>
      (await lease('poor')).warnings.some((one: string) => one.includes('cannot pay')) ? true : undefined,
    );
    assert.equal((await poor.get('/ready')).body.plugins.batches.state, 'degraded');
    mesh.advance(2 * SHORT_EPOCHS.epochSecs);
    await mesh.localnet.faucet.usdc(poor.id, 20n * ONE);
    const view = await happens('a payment', async () => {
      const found = await lease('poor');
      return found.status === 'active' && found.warnings.length === 0 ? found : undefined;
    });
    assert.deepEqual(view.due, null);
  });
});

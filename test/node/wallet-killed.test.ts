import assert from 'node:assert/strict';
import type { Connection } from '@solana/web3.js';
import { Ledger } from '../../core/internal-services.ts';
import { connect, disconnect } from '../localnet/cluster.ts';
import { type Doom, Lives } from '../money/lives.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { newWallet } from '../support/wallet.ts';
import { X402Seller } from '../upstreams/x402-seller.ts';

const DOOMS: readonly Doom[] = [
  ...[1, 2, 3, 4, 5, 6].map((at) => ({ seam: 'commit' as const, at, after: false })),
  ...[1, 2, 3, 4, 5, 6].map((at) => ({ seam: 'commit' as const, at, after: true })),
  ...[1, 2].map((at) => ({ seam: 'ledger' as const, at, after: false })),
  ...[1, 2].map((at) => ({ seam: 'ledger' as const, at, after: true })),
];

describe('a node that is killed while its wallet moves money', function () {
  this.timeout(120_000);
  let mesh: Mesh<'alice'>;
  let alice: Member;
  let lives: Lives;
  let connection: Connection;
  let seller: X402Seller;
  before(async () => {
    const clock = new BriskClock();
    lives = new Lives(clock, () => {});
    mesh = await startMesh({
      nodes: ['alice'],
      usdc: { alice: '90' },
      clock,
      adapters: (name) => lives.begin(name),
    });
    ({ alice } = mesh.nodes);
    connection = connect(mesh.localnet.url);
    const { cluster } = alice.node.get(Ledger);
    const network = `solana:${cluster.genesisHash.slice(0, 32)}`;
    seller = await X402Seller.start(connection, network, cluster.usdcMint);
    await mesh.localnet.faucet.sol(seller.feePayer.publicKey.toBase58(), 1_000_000_000n);
    await mesh.localnet.faucet.usdc(seller.payTo, 1n);
  });
  after(async () => {
    await seller.stop();
    disconnect(connection);
    await mesh.stop();
  });

  const usdc = (address: string) => alice.node.get(Ledger).usdc(address);

  /** Calls, is killed at some step, starts again, and calls again until it is answered. */
  async function survived(doom: Doom, call: () => Promise<Answer>): Promise<Answer> {
    const life = lives.of('alice');
    life.arm(doom);
    await call().catch(() => undefined);
    life.die();
    await alice.stop().catch(() => undefined);
    // The claim of the killed process on its call has run out.
    mesh.advance(20);
    await alice.start();
    return happens('the call is answered', async () => {
      const answer = await call();
      return answer.status === 200 ? answer : undefined;
    });
  }

  it('sweeps once, whenever that is', async () => {
    let amount = 1_000n;
    for (const [index, doom] of DOOMS.entries()) {
      const { address } = newWallet();
      amount += 1n;
      const wish = { destination: address, amount: Number(amount) };
      const key = { 'idempotency-key': `sweep-${index}` };
      const { body } = await survived(doom, () => alice.post('/wallet/sweep', wish, key));
      assert.equal(await usdc(address), amount, JSON.stringify(doom));
      await happens('one entry in the history', async () => {
        const { events } = (await alice.get('/portfolio/history?limit=200')).body;
        const found = events.filter((one: any) => one.counterparty === address);
        assert.ok(found.length <= 1);
        return found[0]?.signature === body.signature || undefined;
      });
    }
  });

  it('pays once by x402, and counts it once', async () => {
    const before = await usdc(seller.payTo);
    let paid = 0n;
    for (const [index, doom] of DOOMS.entries()) {
      const price = 2_000n + BigInt(index);
      seller.behave({ price: `${price}`, offer: { maxTimeoutSeconds: 30 } });
      const key = { 'idempotency-key': `x402-${index}` };
      const ask = () => alice.post('/wallet/x402/pay', { payment_required: seller.offer() }, key);
      const { body } = await survived(doom, ask);
      const signature = await seller.settle(body.payment_signature);
      paid += price;
      mesh.advance(20);
      await happens(`it is paid: ${JSON.stringify(doom)}`, async () => {
        const { status, transaction } = (await alice.get(`/wallet/x402/${body.payment_id}`)).body;
        return (status === 'paid' && transaction === signature) || undefined;
      });
    }
    assert.equal((await usdc(seller.payTo)) - before, paid);
    assert.deepEqual(seller.problems, []);
    mesh.localnet.warp({ slots: 200, blocks: 200 });
    mesh.advance(120);
    await happens('nothing else is counted', async () => {
      const { x402 } = (await alice.get('/portfolio/caps')).body;
      return BigInt(Math.round(Number(x402.used_usdc) * 1e6)) === paid || undefined;
    });
  });

  it('buys at a URL once, though it was killed on the way', async () => {
    for (const [index, doom] of DOOMS.entries()) {
      seller.behave({ price: `${3_000 + index}`, delay: 5 });
      const before = await usdc(seller.payTo);
      const key = { 'idempotency-key': `url-${index}` };
      const { body } = await survived(doom, () => alice.post('/wallet/x402/pay', { url: seller.url }, key));
      // A payment that was served before the kill is refused by the ledger when it is presented again.
      assert.ok(body.status === 'paid' || body.response.status !== 200, JSON.stringify(body));
      assert.equal((await usdc(seller.payTo)) - before, BigInt(3_000 + index), JSON.stringify(doom));
    }
  });

  it('shows one payment until the seller serves, though it was killed while the seller was busy and while it served', async () => {
    for (const [index, doom] of DOOMS.entries()) {
      const price = `${4_000 + index}`;
      const before = await usdc(seller.payTo);
      const call = () => alice.post('/wallet/x402/pay', { url: seller.url }, { 'idempotency-key': `busy-${index}` });
      seller.behave({ price, paid: 'busy' });
      const busy = await survived(doom, call);
      assert.equal(busy.body.response.status, 503, JSON.stringify(busy.body));
      seller.behave({ price });
      const { body } = await survived(doom, call);
      // The seller had served where the kill came behind it; what it said is lost, and the payment is used.
      assert.ok([200, 409].includes(body.response.status), JSON.stringify(body));
      assert.equal(body.payment_id, busy.body.payment_id);
      assert.equal((await usdc(seller.payTo)) - before, BigInt(price), JSON.stringify(doom));
    }
  });
});

import assert from 'node:assert/strict';
import { PublicKey } from '@solana/web3.js';
import { associatedTokenAddress } from '../../adapters/ledger-solana/instructions.ts';
import { Ledger } from '../../core/internal-services.ts';
import { delivered } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { newWallet } from '../support/wallet.ts';

describe('sweeping the hot wallet', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob' | 'tied'>;
  let alice: Member;
  let rpc: RpcProxy;
  const home = newWallet().address;
  before(async () => {
    rpc = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'tied'],
      storage: 'lowdb',
      usdc: { alice: '50', tied: '5' },
      own: {
        alice: { core: { money: { maxEscrow: '3', maxPerDay: '5', maxPerPartnerPerDay: '4' } } },
        tied: { core: { wallet: { sweepTo: [home] } } },
      },
      rpcUrl(url) {
        rpc.target = url;
        return rpc.url;
      },
    });
    ({ alice } = mesh.nodes);
  });
  after(async () => {
    await mesh.stop();
    await rpc.stop();
  });
  afterEach(() => rpc.heal());

  const usdc = (address: string) => alice.node.get(Ledger).usdc(address);
  const sweep = (body: object, key?: string) =>
    alice.post('/wallet/sweep', body, key === undefined ? {} : { 'idempotency-key': key });
  const histories = async () =>
    (await alice.get('/portfolio/history?type=transfer')).body.events.filter((one: any) => one.action === 'sweep');

  it('sends a part to a wallet that never held USDC, beyond the caps, and tells it in the history', async () => {
    const { address } = newWallet();
    const { status, body } = await sweep({ destination: address, amount_usdc: '7.5' });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.amount_usdc, body.amount_usdc_micro, body.destination], [7.5, 7_500_000, address]);
    assert.equal(await usdc(address), 7_500_000n);
    assert.equal((await alice.get('/portfolio/caps')).body.day.used_usdc, '0');
    const [entry] = await happens('its entry', async () => {
      const found = await histories();
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual(
      [entry.type, entry.direction, entry.amount_usdc, entry.signature, entry.txid, entry.counterparty],
      ['transfer', 'out', '7.5', body.signature, body.signature, address],
    );
  });

  it('happens once under a key, however often it is asked for', async () => {
    const { address } = newWallet();
    const wish = { destination: address, amount: 1_000_000 };
    const answers = await Promise.all([sweep(wish, 'k1'), sweep(wish, 'k1')]);
    const last = await sweep(wish, 'k1');
    const [done] = answers.filter(({ status }) => status === 200);
    assert.equal(last.body.signature, done!.body.signature);
    assert.equal(await usdc(address), 1_000_000n);
    const other = await sweep({ ...wish, amount: 2 }, 'k1');
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
  });

  it('refuses addresses that lose the money, and names the field', async () => {
    const account = associatedTokenAddress(
      new PublicKey(alice.id),
      new PublicKey(alice.node.get(Ledger).cluster.usdcMint),
    ).toBase58();
    for (const [destination, says] of [
      ['nonsense', /destination/],
      ['1'.repeat(32), /\/destination is all zeros/],
      [alice.id, /\/destination is this wallet itself/],
      [account, /is a token account or a mint/],
      [undefined, /destination/],
    ] as const) {
      const { status, body } = await sweep({ destination });
      assert.deepEqual([status, body.code], [400, 'invalid_request'], JSON.stringify(body));
      assert.match(JSON.stringify(body), says);
      assert.equal(body.fields[0].pointer, '/destination');
    }
    const both = await sweep({ destination: home, amount_usdc: '1', amount: 1 });
    assert.deepEqual([both.status, both.body.fields[0].pointer], [400, '/amount']);
  });

  it('goes nowhere but where the operator lets it', async () => {
    const { tied } = mesh.nodes;
    const stranger = await tied.post('/wallet/sweep', { destination: newWallet().address });
    assert.deepEqual([stranger.status, stranger.body.code], [403, 'forbidden']);
    assert.match(stranger.body.detail, /core\.wallet\.sweepTo/);
    assert.equal((await tied.post('/wallet/sweep', { destination: home })).body.amount_usdc, 5);
  });

  it('leaves what a payment under way needs, and says what is missing', async () => {
    const { bob } = mesh.nodes;
    const conversation = await delivered(alice, bob);
    rpc.lost.add('sendTransaction');
    const paying = alice.post(`/deals/${conversation}/pay`);
    await alice.dealWhen(conversation, (deal) => deal.payment?.status === 'recorded');
    const held = await usdc(alice.id);
    const { status, body } = await sweep({ destination: home, amount_usdc_micro: Number(held) });
    assert.deepEqual([status, body.code, body.reserved, body.missing], [402, 'insufficient_funds', '1.5', '1.5']);
    rpc.heal();
    assert.equal((await paying).status, 200);
  });

  it('interrupted by a restart goes on with the same transaction; meanwhile no other begins', async () => {
    const { address } = newWallet();
    rpc.lost.add('sendTransaction');
    const wish = { destination: address, amount_usdc: '2' };
    const sent = rpc.passed['getLatestBlockhash'] ?? 0;
    const unanswered = sweep(wish);
    await happens('it is prepared', async () => (rpc.passed['getLatestBlockhash'] ?? 0) > sent || undefined);
    await happens('no other begins', async () => {
      const { status, body } = await sweep({ destination: home, amount_usdc: '1' });
      return (status === 409 && body.code === 'conflict') || undefined;
    });
    await alice.restart();
    await unanswered;
    const again = sweep(wish);
    rpc.heal();
    const { status, body } = await again;
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(await usdc(address), 2_000_000n);
    await happens('its entry', async () => (await histories()).find((one: any) => one.counterparty === address));
  });

  it('takes everything, and nothing of an empty wallet', async () => {
    const held = await usdc(alice.id);
    const before = await usdc(home);
    const { status, body } = await sweep({ destination: home });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(BigInt(body.amount_usdc_micro), held);
    assert.equal((await usdc(home)) - before, held);
    assert.equal(await usdc(alice.id), 0n);
    await happens(
      'it is final',
      async () => (await histories()).some((one: any) => one.signature === body.signature) || undefined,
    );
    const empty = await sweep({ destination: home });
    assert.deepEqual([empty.status, empty.body.code, empty.body.available], [402, 'insufficient_funds', '0']);
  });
});

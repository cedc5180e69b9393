import assert from 'node:assert/strict';
import { type Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { associatedTokenAddress, transferChecked } from '../../adapters/ledger-solana/instructions.ts';
import { Ledger } from '../../core/internal-services.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import { sales } from '../../core/node/x402/sales/records.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { connect, disconnect } from '../localnet/cluster.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';
import { offerOf, paymentFor } from '../support/x402-payment.ts';

const Served = typed<{ nth: number }>({
  type: 'object',
  properties: { nth: { type: 'integer' } },
  examples: [{ nth: 1 }],
});
const LOST = 100;
const ASKED = 120;
const HOUR_MS = 3_600_000;

describe('the bounds of selling by x402', function () {
  this.timeout(120_000);
  let mesh: Mesh<'seller' | 'thrifty'>;
  let seller: Member;
  let connection: Connection;
  let proxy: RpcProxy;
  let handled = 0;
  const clock = new ShiftedClock();
  const payer = Keypair.generate();
  const shop = definePlugin({
    name: 'shop',
    api: '2.2',
    node: {
      routes: {
        tide: route('GET /tide', {
          auth: 'x402',
          price: '0.01',
          reply: Served,
          limit: { per: 'ip', rate: 10_000, window: 1 },
        }),
      },
      setup: () => ({ routes: { tide: () => ({ nth: ++handled }) } }),
    },
  });
  before(async () => {
    proxy = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['seller', 'thrifty'],
      usdc: { seller: '1', thrifty: '1' },
      clocks: { seller: clock },
      plugins: { seller: [shop], thrifty: [shop] },
      own: { thrifty: { core: { wallet: { maxSaleFeesPerDay: '0.000025' } } } },
      rpcUrl(url, name) {
        proxy.target = url;
        return name === 'seller' ? proxy.url : url;
      },
    });
    ({ seller } = mesh.nodes);
    connection = connect(mesh.localnet.url);
    await mesh.localnet.faucet.usdc(payer.publicKey.toBase58(), 10_000_000n);
    await mesh.localnet.faucet.sol(payer.publicKey.toBase58(), 100_000_000n);
  });
  after(async () => {
    disconnect(connection);
    await mesh?.stop();
    await proxy?.stop();
  });
  afterEach(() => proxy.heal());
  beforeEach(() => clock.shift(61_000));

  const call = (headers: Record<string, string> = {}, of = seller) => fetch(`${of.url}/tide`, { headers });
  const pay = async (of = seller, by = payer) => paymentFor(offerOf(await call({}, of)), connection, { payer: by });
  const lamports = (of = seller) => connection.getBalance(new PublicKey(of.id));
  const codeOf = async (response: Response) => [response.status, ((await response.json()) as any).code];

  it('an address has 120 payments at once and two a second looked at by the ledger, whatever comes of them', async () => {
    const poor = Keypair.generate();
    const offer = offerOf(await call());
    const { blockhash } = await connection.getLatestBlockhash();
    const payments = await Promise.all(
      Array.from({ length: 300 }, () => paymentFor(offer, connection, { payer: poor, blockhash })),
    );
    const before = proxy.passed['simulateTransaction'] ?? 0;
    const begun = performance.now();
    const codes = await Promise.all(payments.map(async (payment) => (await codeOf(await call(payment))).join(' ')));
    const most = ASKED + 1 + ((performance.now() - begun) / 1_000) * 2;
    const looked = codes.filter((code) => code === '402 payment_required').length;
    assert.equal(codes.filter((code) => code === '429 rate_limited').length, codes.length - looked);
    assert.ok(looked >= ASKED && looked <= most, `${looked} of at most ${most}`);
    assert.equal(proxy.passed['simulateTransaction']! - before, looked);
    clock.shift(61_000);
    assert.equal((await call(await pay())).status, 200);
  });

  it('a thousand payments wait for the ledger, and no more', async () => {
    const space = seller.node.get(NodeSpace);
    const refs = Array.from({ length: 1_000 }, (_, index) => sales.ref(index.toString(16).padStart(64, '0')));
    const record = {
      line: 'GET /tide',
      price: '10000',
      payer: payer.publicKey.toBase58(),
      state: 'taken',
      tries: 0,
      at: clock.now(),
    } as const;
    await space.tx([], (tx) => {
      for (const ref of refs) tx.put(ref, record);
    });
    const before = await lamports();
    const paid = await pay();
    const refused = await call(paid);
    assert.equal(refused.headers.get('retry-after'), '10');
    assert.deepEqual(await codeOf(refused), [429, 'rate_limited']);
    assert.equal(await lamports(), before);
    await space.tx([refs[0]!], (tx) => tx.del(refs[0]!));
    assert.equal((await call(paid)).status, 200);
    await space.tx([], (tx) => {
      for (const ref of refs) tx.del(ref);
    });
  });

  it('offers are kept nowhere: a thousand of them leave nothing behind', async () => {
    const space = seller.node.get(NodeSpace);
    const before = await space.count(sales, 'at');
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 100 }, async () => assert.equal((await call()).status, 402)));
    assert.equal(await space.count(sales, 'at'), before);
  });

  it('the fees of a day are bounded, apart from what plugins spend', async () => {
    const { thrifty } = mesh.nodes;
    const before = await lamports(thrifty);
    for (const status of [200, 200, 429]) {
      const answer = await call(await pay(thrifty), thrifty);
      assert.equal(answer.status, status, await answer.clone().text());
      if (status !== 429) continue;
      assert.match(((await answer.json()) as any).detail, /0\.000025 SOL of fees .*core\.wallet\.maxSaleFeesPerDay/);
      assert.ok(Number(answer.headers.get('retry-after')) > 80_000);
    }
    assert.equal(before - (await lamports(thrifty)), 20_002);
  });

  it('payments whose payer empties its account after the rehearsal cost a fee each, and a hundred of them close the shop for an hour', async () => {
    const thief = Keypair.generate();
    await mesh.localnet.faucet.usdc(thief.publicKey.toBase58(), 10_000n);
    await mesh.localnet.faucet.sol(thief.publicKey.toBase58(), 10_000_000n);
    const [before, first] = [await lamports(), handled];
    let held = 0;
    let drained: Promise<void> | undefined;
    let release = () => {};
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.changed.set('sendTransaction', async ({ pass }) => {
      if (++held === LOST) release();
      await all;
      drained ??= drain(thief);
      await drained;
      return pass();
    });
    const payments = await Promise.all(Array.from({ length: LOST }, () => pay(seller, thief)));
    const answers = await Promise.all(payments.map((payment) => call(payment)));
    for (const answer of answers) {
      const body: any = await answer.json();
      assert.deepEqual([answer.status, body.code], [402, 'payment_required'], JSON.stringify(body));
      assert.match(body.fields[0].message, /failed on the ledger/);
    }
    assert.equal(handled, first);
    assert.equal(before - (await lamports()), LOST * 10_001);
    assert.deepEqual((await seller.get('/wallet/sales?unserved=true')).body.sales, []);
    proxy.heal();
    // The hour has room for one more every 36 seconds.
    const last = await happens('the shop is closed', async () => {
      const answer = await lose(thief);
      return answer.status === 503 ? answer : undefined;
    });
    assert.equal(((await last.json()) as any).code, 'ledger_unavailable');
    assert.ok(Number(last.headers.get('retry-after')) > 3_000);
    assert.equal((await call(await pay())).status, 503);
    clock.shift(HOUR_MS);
    assert.equal((await call(await pay())).status, 200);
  });

  async function lose(thief: Keypair): Promise<Response> {
    await mesh.localnet.faucet.usdc(thief.publicKey.toBase58(), 10_000n);
    let drained: Promise<void> | undefined;
    proxy.changed.set('sendTransaction', async ({ pass }) => {
      drained ??= drain(thief);
      await drained;
      return pass();
    });
    const answer = await call(await pay(seller, thief));
    proxy.heal();
    return answer;
  }

  /** Takes the USDC that was rehearsed away, by the localnet's own port. */
  async function drain(thief: Keypair): Promise<void> {
    const mint = new PublicKey(seller.node.get(Ledger).cluster.usdcMint);
    const transaction = new Transaction().add(
      transferChecked({
        source: associatedTokenAddress(thief.publicKey, mint),
        destination: associatedTokenAddress(payer.publicKey, mint),
        ...{ mint, owner: thief.publicKey, amount: 10_000n, decimals: 6 },
      }),
    );
    const { blockhash } = await connection.getLatestBlockhash();
    transaction.recentBlockhash = blockhash;
    transaction.feePayer = thief.publicKey;
    const signature = await connection.sendTransaction(transaction, [thief]);
    await happens('the account is empty', async () => {
      const { value } = await connection.getSignatureStatus(signature);
      return value?.confirmationStatus === 'confirmed' || value?.confirmationStatus === 'finalized' ? true : undefined;
    });
  }
});

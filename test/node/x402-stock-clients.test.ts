import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { sidePackages } from '../../bin/side-packages.js';
import { type Ended, run } from '../../conformance/provide/command.ts';
import { isInstalled, pythonEnvironment } from '../../conformance/provide/python.ts';
import { Ledger } from '../../core/internal-services.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { definePlugin, route, typed } from '../../core/plugin.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

const FOLDER = join(packageRoot, 'conformance', 'x402');
/** The suite asks no registry but that of npm unless it is told to. */
const TAKES_PYPI = process.env.MESH_TEST_PYPI === '1';
const INSTALLED_MS = 600_000;
const Tide = typed<{ city: string; payer: string }>({
  type: 'object',
  properties: { city: { type: 'string' }, payer: { type: 'string' } },
  examples: [{ city: 'Bern', payer: 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU' }],
});
const shop = definePlugin({
  name: 'shop',
  api: '2.2',
  node: {
    routes: { tide: route('GET /tide', { auth: 'x402', price: '0.01', summary: 'The tide.', reply: Tide }) },
    setup: () => ({ routes: { tide: ({ principal }) => ({ city: 'Bern', payer: principal.id }) } }),
  },
});

/** The packages of others from their registries, as their own pages show them; nothing here builds or signs a payment. */
describe('clients of others that buy by x402', function () {
  this.timeout(180_000);
  let mesh: Mesh<'seller' | 'local'>;
  const buyer = Keypair.generate();
  before(async () => {
    mesh = await startMesh({
      nodes: ['seller', 'local'],
      usdc: { seller: '1', local: '1' },
      plugins: { seller: [shop], local: [shop] },
      own: { seller: { core: { wallet: { x402As: 'devnet' } } } },
    });
    await mesh.localnet.faucet.usdc(buyer.publicKey.toBase58(), 1_000_000n);
  });
  after(() => mesh?.stop());

  const usdc = (who: string) => mesh.nodes.seller.node.get(Ledger).usdc(who);
  const input = bs58.encode(buyer.secretKey);

  async function buys(version: 1 | 2, buy: (url: string) => Promise<Ended>): Promise<void> {
    const { seller } = mesh.nodes;
    const [earned, had] = [await usdc(seller.id), await usdc(buyer.publicKey.toBase58())];
    const { code, out, err } = await buy(`${seller.url}/tide`);
    assert.equal(code, 0, err);
    const { status, body, receipt } = JSON.parse(out);
    assert.deepEqual([status, body], [200, { city: 'Bern', payer: buyer.publicKey.toBase58() }], out);
    const network = version === 2 ? 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' : 'solana-devnet';
    assert.deepEqual([receipt.success, receipt.network, receipt.payer], [true, network, body.payer]);
    assert.deepEqual([await usdc(seller.id), await usdc(body.payer)], [earned + 10_000n, had - 10_000n]);
    const [sale] = (await seller.get('/wallet/sales')).body.sales;
    assert.deepEqual([sale.state, sale.transaction, sale.payer], ['served', receipt.transaction, body.payer]);
  }

  describe('from npm', () => {
    before(async function () {
      this.timeout(INSTALLED_MS);
      await orSkip(this, 'of npm', () => sidePackages(FOLDER));
    });
    const buy = (client: string) => (url: string) =>
      run(process.execPath, [join(FOLDER, 'buy.js'), client, url, mesh.localnet.url], { input });

    it('x402-fetch, of version 1', () => buys(1, buy('x402-fetch')));
    it('@x402/fetch with @x402/svm, of version 2', () => buys(2, buy('@x402/fetch')));
    it('@x402/fetch with @x402/svm, where version 1 alone is offered', () => buys(1, buy('@x402/fetch-v1')));
    it('none of them knows a localnet by its own name', async () => {
      const url = `${mesh.nodes.local.url}/tide`;
      for (const [client, said] of [
        ['x402-fetch', /Invalid (enum value|input)|solana-localnet/],
        ['@x402/fetch', /Unsupported SVM network: solana:/],
      ] as const) {
        const { code, err } = await buy(client)(url);
        assert.equal(code, 1);
        assert.match(err, said);
      }
    });
  });

  describe('from PyPI', () => {
    let python: string;
    before(async function () {
      this.timeout(INSTALLED_MS);
      await orSkip(this, 'of PyPI', async () => {
        if (!TAKES_PYPI && !isInstalled('x402')) throw new Error('set MESH_TEST_PYPI=1 to have them installed, 108 MB');
        python = join(await pythonEnvironment('x402'), 'bin', 'python');
      });
    });
    const buy = (client: string) => (url: string) =>
      run(python, ['-B', join(FOLDER, 'buy.py'), client, url, mesh.localnet.url], { input });

    it('x402 with requests, of version 2', () => buys(2, buy('requests')));
    it('x402 with httpx, of version 2', () => buys(2, buy('httpx')));
    it('x402 with requests, where version 1 alone is offered', () => buys(1, buy('requests-v1')));
  });
});

/** Without a registry there are no packages: the suite is left out, and says so. */
async function orSkip(context: Mocha.Context, whose: string, install: () => unknown): Promise<void> {
  try {
    await install();
  } catch (error) {
    process.stderr.write(`NOT TESTED: the clients ${whose} that buy by x402: ${(error as Error).message}\n`);
    context.skip();
  }
}

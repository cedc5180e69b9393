import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { connect, disconnect } from '../localnet/cluster.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { newWallet } from '../support/wallet.ts';
import { X402Seller } from '../upstreams/x402-seller.ts';
import { mesh as command } from './terminal.ts';

describe('mesh wallet', function () {
  this.timeout(60_000);
  let mesh: Mesh<'one'>;
  let one: Member;
  let seller: X402Seller;
  let connection: ReturnType<typeof connect>;
  before(async () => {
    mesh = await startMesh({ nodes: ['one'], usdc: { one: '20' } });
    ({ one } = mesh.nodes);
    connection = connect(mesh.localnet.url);
    const { genesisHash, usdcMint } = one.node.get(Ledger).cluster;
    seller = await X402Seller.start(connection, `solana:${genesisHash.slice(0, 32)}`, usdcMint);
    await mesh.localnet.faucet.sol(seller.feePayer.publicKey.toBase58(), 1_000_000_000n);
    await mesh.localnet.faucet.usdc(seller.payTo, 1n);
  });
  after(async () => {
    await seller?.stop();
    if (connection) disconnect(connection);
    await mesh?.stop();
  });

  async function said(...args: string[]): Promise<string> {
    const { code, out, error } = await command(['wallet', ...args, '--url', one.url, '--secret', one.secret]);
    assert.equal(code, 0, error);
    return out;
  }

  it('shows what it holds, and how much may leave today', async () => {
    const text = await said();
    assert.match(text, new RegExp(`^address +${one.id}$`, 'm'));
    assert.match(text, /^USDC +20$/m);
    assert.match(text, /^today +0 USDC of \d+ have left it$/m);
    assert.equal(JSON.parse(await said('--json')).address, one.id);
  });

  it('sends USDC home, pays by x402, and lists both', async () => {
    const { address } = newWallet();
    assert.match(await said('sweep', address, '1.5'), new RegExp(`^1.5 USDC went to ${address}: `));
    assert.match(await said('pay', seller.url, '--max', '0.05'), /^(pending|paid): 0.01 USDC$/m);
    await happens('both are final', async () => {
      const text = await said('history', '--limit', '50');
      return (/transfer sweep +out +1.5 /.test(text) && /transfer x402 +out +0.01 /.test(text)) || undefined;
    });
    const refused = await command(['wallet', 'history', '--limit', '0', '--url', one.url]);
    assert.deepEqual([refused.code, /--limit/.test(refused.error)], [2, true]);
    const poor = await command(['wallet', 'sweep', address, '500', '--url', one.url, '--secret', one.secret]);
    assert.equal(poor.code, 1);
    assert.match(poor.error, /18\.\d+ USDC to sweep/);
  });
});

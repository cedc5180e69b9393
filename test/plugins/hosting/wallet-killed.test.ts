import assert from 'node:assert/strict';
import { Ledger } from '../../../core/internal-services.ts';
import { type Doom, Lives } from '../../money/lives.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { newWallet } from '../../support/wallet.ts';
import { Guest } from './support/hosted.ts';

const DOOMS: readonly Doom[] = [
  ...[1, 2, 3, 4, 5, 6].map((at) => ({ seam: 'commit' as const, at, after: false })),
  ...[1, 2, 3, 4, 5, 6].map((at) => ({ seam: 'commit' as const, at, after: true })),
  ...[1, 2].map((at) => ({ seam: 'ledger' as const, at, after: false })),
  ...[1, 2].map((at) => ({ seam: 'ledger' as const, at, after: true })),
];

describe('a host that is killed while an agent takes its USDC home', function () {
  this.timeout(120_000);
  let mesh: Mesh<'inn'>;
  let inn: Member;
  let lives: Lives;
  let ann: Guest;
  before(async () => {
    const clock = new BriskClock();
    lives = new Lives(clock, () => {});
    const plugins = { hosting: { hostAgents: true } };
    const own = { inn: { plugins, api: { unlimited: ['127.0.0.1'] } } };
    mesh = await startMesh({ nodes: ['inn'], usdc: { inn: '1' }, clock, own, adapters: (name) => lives.begin(name) });
    ({ inn } = mesh.nodes);
    ann = await Guest.register(() => inn, { name: 'ann' });
    await mesh.localnet.faucet.sol(ann.id, 1_000_000_000n);
    await mesh.localnet.faucet.usdc(ann.id, 1_000_000n);
  });
  after(() => mesh?.stop());

  it('sends it once, whenever that is', async () => {
    const usdc = (address: string) => inn.node.get(Ledger).usdc(address);
    let left = 1_000_000n;
    for (const [index, doom] of DOOMS.entries()) {
      const [{ address: destination }, amount] = [newWallet(), 1_000 + index];
      const key = { 'idempotency-key': `home-${index}` };
      const call = () => ann.call('POST /hosted/wallet/sweep', { destination, amount_usdc_micro: amount }, key);
      const life = lives.of('inn');
      life.arm(doom);
      await call().catch(() => undefined);
      life.die();
      await inn.stop().catch(() => undefined);
      // The claim of the killed process on its call has run out.
      mesh.advance(20);
      await inn.start();
      const { body } = await happens('the call is answered', async () => {
        const answer = await call();
        return answer.status === 200 ? answer : undefined;
      });
      left -= BigInt(amount);
      assert.deepEqual([await usdc(destination), await usdc(ann.id)], [BigInt(amount), left], JSON.stringify(doom));
      await happens('one entry in its history', async () => {
        const { status, body: page } = await ann.call('GET /hosted/portfolio/history?limit=200');
        if (status === 429) return void mesh.advance(20);
        const found = page.events.filter((one: any) => one.counterparty === destination);
        assert.ok(found.length <= 1);
        return found[0]?.signature === body.signature || undefined;
      });
    }
  });
});

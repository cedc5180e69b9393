import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { type Doom, Lives } from '../money/lives.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import type { Answer } from '../support/mesh.ts';
import { type LaunchpadMesh, startLaunchpadMesh, WISH } from './support/launchpad-mesh.ts';

const DOOMS: readonly Doom[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => ({ seam: 'commit' as const, at, after: at % 2 === 0 })),
  ...[false, true].map((after) => ({ seam: 'ledger' as const, at: 1, after })),
];

describe('a node that is killed while it is at the launchpad', function () {
  this.timeout(300_000);
  let at: LaunchpadMesh;
  let lives: Lives;
  before(async () => {
    const clock = new BriskClock();
    lives = new Lives(clock, () => {});
    at = await startLaunchpadMesh({}, {}, { storage: 'memory', clock, adapters: (name) => lives.begin(name) });
    await happens(
      'the aggregator has heard of alice',
      async () => (await at.mesh.aggregator.agents()).some(({ agent_id }) => agent_id === at.alice.id) || undefined,
    );
  });
  after(() => at?.stop());

  const ledger = () => at.alice.node.get(Ledger);
  const entries = async (type: string) => (await at.alice.get(`/portfolio/history?limit=200&type=${type}`)).body.events;

  /** Calls, is killed at some step, starts again, and calls again until it is answered. */
  async function survived(doom: Doom, call: () => Promise<Answer>): Promise<Answer> {
    const life = lives.of('alice');
    life.arm(doom);
    await call().catch(() => undefined);
    life.die();
    await at.alice.stop().catch(() => undefined);
    // The claim of the killed process on its call has run out.
    at.mesh.advance(20);
    await at.alice.start();
    return happens('the call is answered', async () => {
      const answer = await call();
      return answer.status === 200 ? answer : undefined;
    });
  }

  async function toldOnce(type: string, mint: string, txids: readonly string[]) {
    await happens(`the history tells it once`, async () => {
      const found = (await entries(type)).filter((one: any) => one.token_mint === mint && txids.includes(one.txid));
      assert.ok(found.length <= txids.length);
      return found.length === txids.length || undefined;
    });
  }

  it('launches once, whenever that is', async () => {
    for (const [index, doom] of DOOMS.entries()) {
      const wish = { ...WISH, symbol: `K${index}`, initial_buy_lamports: 1_000 + index };
      // Every other one without a key: the same words are the same launch.
      const headers = index % 2 === 0 ? { 'idempotency-key': `launch-${index}` } : {};
      const { body } = await survived(doom, () => at.alice.post('/launchpad/launch', wish, headers));
      const mints = at.service.tokensOf(wish.symbol);
      const launched = (await ledger().accounts.latest(mints)).filter(Boolean);
      assert.equal(launched.length, 1, JSON.stringify(doom));
      assert.ok((await ledger().accounts.latest([body.token_mint]))[0], 'it is the one that was answered');
      const { tokens } = await ledger().balances(at.alice.id);
      assert.equal(tokens.find(({ mint }) => mint === body.token_mint)?.amount, 1_000n * BigInt(1_000 + index));
      await toldOnce('launchpad', body.token_mint, [body.txid]);
    }
  });

  it('swaps, claims and pays a listing once', async () => {
    for (const [index, doom] of DOOMS.entries()) {
      if (index % 2 === 1) continue;
      const { body: token } = await at.alice.post('/launchpad/launch', { ...WISH, symbol: `M${index}` });
      const mint = token.token_mint;
      await at.service.stock(mint, 1_000_000_000_000_000n, 1_000_000_000n);
      const headers = { 'idempotency-key': `move-${index}` };
      const swap = { token_mint: mint, amount: 5_000_000, action: 'buy' };
      const { body: bought } = await survived(doom, () => at.alice.post('/launchpad/swap/execute', swap, headers));
      const { tokens } = await ledger().balances(at.alice.id);
      assert.equal(tokens.find((one) => one.mint === mint)?.amount, 5_000_000_000n, JSON.stringify(doom));
      assert.equal(bought.amount_out, 5_000_000_000);
      await toldOnce('swap', mint, [bought.txid]);

      at.service.earn(at.alice.id, mint, 8_000_000n);
      const { body: claimed } = await survived(doom, () =>
        at.alice.post('/launchpad/claim', { token_mint: mint }, headers),
      );
      assert.ok(claimed.claimed_lamports > 7_900_000 && claimed.claimed_lamports <= 8_000_000, JSON.stringify(claimed));
      // Two, or one that landed before the kill and two of what was left.
      assert.ok([2, 3].includes(claimed.txids.length), JSON.stringify(doom));
      await toldOnce('launchpad', mint, claimed.txids);

      at.service.listingUsdc = 2 - index / 100;
      const usdc = await ledger().usdc(at.alice.id);
      const wish = { token_mint: mint, image_url: WISH.image_url };
      const { body: listed } = await survived(doom, () => at.alice.post('/launchpad/chart-listing/list', wish));
      assert.equal(usdc - (await ledger().usdc(at.alice.id)), BigInt(2_000_000 - index * 10_000), JSON.stringify(doom));
      await happens('the launchpad knows', () => Promise.resolve(at.service.submitted.get(listed.order_uuid)));
    }
  });

  it('swaps and claims anew under a key that is older than a day', async () => {
    const { body: token } = await at.alice.post('/launchpad/launch', { ...WISH, symbol: 'OLD' });
    const mint = token.token_mint;
    await at.service.stock(mint, 1_000_000_000_000_000n, 1_000_000_000n);
    const headers = { 'idempotency-key': 'every-day' };
    const swap = (amount: number) =>
      at.alice.post('/launchpad/swap/execute', { token_mint: mint, amount, action: 'buy' }, headers);
    const claim = () => at.alice.post('/launchpad/claim', { token_mint: mint }, headers);
    const first = [await swap(5_000_000), await claim()];
    assert.deepEqual(
      first.map(({ status, body }) => [status, body.amount_in, body.claimed_lamports]),
      [
        [200, 5_000_000, undefined],
        [200, undefined, 0],
      ],
    );
    at.mesh.advance(24 * 3_600 + 60);
    at.service.earn(at.alice.id, mint, 8_000_000n);
    const { status, body } = await swap(6_000_000);
    assert.deepEqual([status, body.amount_in], [200, 6_000_000], JSON.stringify(body));
    assert.notEqual(body.txid, first[0]!.body.txid);
    const claimed = await claim();
    assert.ok(claimed.body.claimed_lamports > 7_900_000, JSON.stringify(claimed.body));
  });
});

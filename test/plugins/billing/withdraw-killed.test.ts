import assert from 'node:assert/strict';
import { type Doom, Lives } from '../../money/lives.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { happens } from '../../support/happens.ts';
import { BillingBench, USDC } from './support.ts';

const DOOMS: readonly Doom[] = [1, 2, 3].flatMap((at) =>
  [false, true].map((after) => ({ seam: 'commit' as const, at, after })),
);

describe('a withdrawal of the whole balance whose answer was lost', function () {
  this.timeout(120_000);
  let bench: BillingBench;
  let lives: Lives;
  before(async () => {
    const clock = new BriskClock();
    lives = new Lives(clock, () => {});
    bench = await BillingBench.start('memory', {}, { clock, adapters: () => lives.begin('aggregator') });
  });
  after(() => bench?.stop());

  it('is the same one when it is asked for again, and never said to be beyond the balance', async () => {
    for (const [index, doom] of DOOMS.entries()) {
      const agent = await bench.funded(5n * USDC);
      const headers = { 'idempotency-key': `all-of-it-${index}` };
      const life = lives.of('aggregator');
      life.arm(doom);
      await bench.withdraw(agent, {}, headers).catch(() => undefined);
      life.die();
      await bench.aggregator.halt().catch(() => undefined);
      // The claim of the killed process on its call has run out.
      bench.aggregator.clock.shift(20_000);
      await bench.aggregator.begin();
      const answer = await happens('the call is answered', async () => {
        const found = await bench.withdraw(agent, {}, headers);
        return found.status === 503 || found.body.code === 'request_in_progress' ? undefined : found;
      });
      assert.equal(answer.status, 202, `${JSON.stringify(doom)}: ${JSON.stringify(answer.body)}`);
      const history = await bench.aggregator.call('GET /billing/history', { as: agent });
      const reserved = history.body.entries.filter(({ kind }: { kind: string }) => kind === 'reserve');
      assert.deepEqual(
        reserved.map(({ ref }: { ref: string }) => ref),
        [answer.body.withdrawal_id],
      );
    }
  });
});

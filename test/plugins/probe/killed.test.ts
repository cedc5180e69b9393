import assert from 'node:assert/strict';
import { Ledger } from '../../../core/internal-services.ts';
import { type Doom, Lives } from '../../money/lives.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';
import { hireable } from './support/workers.ts';

/** Before and after commits of the whole way, and calls of the ledger. */
const DOOMS: readonly Doom[] = [
  ...[1, 2, 4, 7, 11].flatMap((at) => [false, true].map((after) => ({ seam: 'commit', at, after }) as const)),
  ...[1, 2].flatMap((at) => [false, true].map((after) => ({ seam: 'ledger', at, after }) as const)),
];
const AMOUNT = 100_000n;
/** A probe that nobody was offered costs nothing, and is over after this time. */
const ANSWER_SECS = 3_600;

describe('a probe buyer that is killed at every step', function () {
  this.timeout(240_000);
  let mesh: Mesh<'buyer' | 'good'>;
  let buyer: Member;
  let lives: Lives;
  before(async () => {
    const clock = new ShiftedClock();
    lives = new Lives(clock, () => {});
    mesh = await startMesh({
      clock,
      nodes: ['buyer', 'good'],
      usdc: { buyer: '100' },
      plugins: { good: [hireable('good', (word) => word)] },
      own: {
        buyer: {
          plugins: {
            probe: {
              ...{ maxPerDay: '50', amount: '0.1', maxPerAgent: '50', every: 604_800, answerSecs: ANSWER_SECS },
              tasks: [{ message: 'Write a sentence that ends with {word}.', answer: 'word' }],
            },
          },
        },
      },
      adapters: (name) => lives.begin(name),
    });
    ({ buyer } = mesh.nodes);
    await mesh.acquainted();
  });
  after(() => mesh.stop());

  const probes = async (): Promise<any[]> => (await buyer.get('/probe/deals?limit=200')).body.probes ?? [];
  const allEnded = () =>
    happens(
      'every probe has ended',
      async () => {
        const found = await probes();
        return found.length > 0 && found.every(({ state }) => state === 'ended') ? found : undefined;
      },
      60_000,
    );

  it('pays every agent that it hired once, and counts nothing else', async () => {
    await allEnded();
    for (const doom of DOOMS) {
      const before = (await probes()).length;
      const life = lives.of('buyer');
      life.arm(doom);
      await buyer.post('/probe/hire').catch(() => undefined);
      await happens('it dies, or is done', async () => {
        if (life.dead) return true;
        const found = await probes().catch(() => []);
        return (found.length > before && found.every(({ state }) => state === 'ended')) || undefined;
      });
      life.die();
      await buyer.stop().catch(() => undefined);
      // The claim of the killed process on its store has run out.
      mesh.advance(20);
      await buyer.start();
      const found = await allEnded();
      assert.ok(found.length - before <= 1, JSON.stringify(doom));
      const settled = found.filter(({ deal_state }) => deal_state === 'settled');
      const paid = BigInt(settled.length) * AMOUNT;
      const earned = await mesh.nodes.good.node.get(Ledger).usdc(mesh.nodes.good.id);
      assert.equal(earned, paid, `${JSON.stringify(doom)}: ${JSON.stringify(found)}`);
      const { body } = await buyer.get('/probe');
      assert.equal(body.spent_usdc, `${Number(paid) / 1_000_000}`, JSON.stringify(doom));
      for (const { score, fits } of settled) assert.deepEqual([score, fits], [90, true]);
    }
    const { feedback_count } = await happens('every rating is counted', async () => {
      const found: any = await (await fetch(`${mesh.aggregatorNode.url}/reputation/${mesh.nodes.good.id}`)).json();
      const settled = (await probes()).filter(({ deal_state }) => deal_state === 'settled');
      return found.feedback_count === settled.length ? found : undefined;
    });
    assert.ok(feedback_count > 5, `${feedback_count}`);
  });
});

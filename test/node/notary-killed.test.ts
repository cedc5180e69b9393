import assert from 'node:assert/strict';
import { type Doom, Lives } from '../money/lives.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';

/** Around the transaction: when it is recorded, sent, known to have landed, and noted with its case. */
const DOOMS: readonly Doom[] = [
  ...[1, 2, 3].map((at) => ({ seam: 'commit' as const, at, after: true })),
  { seam: 'ledger', at: 1, after: true },
];

describe('a notary that is killed while it decides', function () {
  this.timeout(120_000);
  const clock = new BriskClock();
  let mesh: Mesh<'alice' | 'bob' | 'nora'>;
  let alice: Member;
  let bob: Member;
  let nora: Member;
  let lives: Lives;
  before(async () => {
    lives = new Lives(clock, () => {});
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'nora'],
      usdc: { alice: '200' },
      clock,
      adapters: (name) => lives.begin(name),
    });
    ({ alice, bob, nora } = mesh.nodes);
  });
  after(() => mesh?.stop());

  async function ok(asked: Promise<Answer>): Promise<void> {
    const { status, body } = await asked;
    assert.equal(status, 200, JSON.stringify(body));
  }

  /** A deal whose provider contests the dispute. */
  async function contested(): Promise<string> {
    const conversation_id = await accepted(alice, bob, { amount_usdc: '2', ...{ notary: nora.id } });
    await ok(alice.post('/escrow/lock', { conversation_id }));
    const has = (event: string) => (deal: any) => deal.history.some((one: any) => one.event === event);
    await bob.dealWhen(conversation_id, has('locked'));
    await bob.client.deliver({ conversation_id, content: '{}', content_type: 'application/json' });
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, has('escrow_delivered'));
    await happens('a notary that was told', async () => {
      const cases: any[] = (await nora.get('/notarize/cases')).body;
      return cases.some((one) => one.conversation_id === conversation_id) || undefined;
    });
    await ok(alice.post('/escrow/dispute', { conversation_id }));
    await ok(bob.post('/escrow/contest', { conversation_id }));
    return conversation_id;
  }

  it('is told of its own decision when it asks again, and never that there is nothing to decide', async () => {
    for (const [index, doom] of DOOMS.entries()) {
      const conversation_id = await contested();
      const key = { 'idempotency-key': `decide-${index}` };
      const decide = (for_provider = true) => nora.post('/notarize/decide', { conversation_id, for_provider }, key);
      const life = lives.of('nora');
      life.arm(doom);
      await decide().catch(() => undefined);
      life.die();
      await nora.stop().catch(() => undefined);
      // The claim of the killed process on its call has run out.
      mesh.advance(20);
      await nora.start();
      const answer = await happens('the call is answered', async () => {
        const found = await decide();
        return found.status === 503 || found.body.code === 'request_in_progress' ? undefined : found;
      });
      assert.equal(answer.status, 200, `${JSON.stringify(doom)}: ${JSON.stringify(answer.body)}`);
      await alice.dealWhen(conversation_id, 'decided');
      const other = await nora.post('/notarize/decide', { conversation_id, for_provider: false });
      assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
    }
  });
});

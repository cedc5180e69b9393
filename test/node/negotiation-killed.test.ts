import assert from 'node:assert/strict';
import { type Doom, Lives } from '../money/lives.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { accepted, proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';

const DOOMS: readonly Doom[] = [1, 2, 3].flatMap((at) =>
  [false, true].map((after) => ({ seam: 'commit' as const, at, after })),
);
/** More than an envelope carries. */
const LARGE = 'x'.repeat(60_000);

describe('a node that is killed while it takes a step of a deal', function () {
  this.timeout(120_000);
  const clock = new BriskClock();
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  let lives: Lives;
  before(async () => {
    lives = new Lives(clock, () => {});
    mesh = await startMesh({ nodes: ['alice', 'bob'], clock, adapters: (name) => lives.begin(name) });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh?.stop());

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
      return answer.status === 503 || answer.body.code === 'request_in_progress' ? undefined : answer;
    });
  }

  const steps = async (conversation: string, event: string) =>
    (await alice.client.deal(conversation)).history
      .filter((one: any) => one.event === event && one.by === alice.id)
      .map(({ envelope_id }: any) => envelope_id);
  it('counters once, in the round that it names', async () => {
    for (const [index, doom] of DOOMS.entries()) {
      const conversation_id = await proposed(bob, alice, { amount_usdc: '2' });
      const counter = { conversation_id, amount_usdc: '3', round: 1 };
      const key = { 'idempotency-key': `counter-${index}` };
      const { status, body } = await survived(doom, () => alice.post('/negotiate/counter', counter, key));
      assert.equal(status, 200, `${JSON.stringify(doom)}: ${JSON.stringify(body)}`);
      assert.deepEqual(await steps(conversation_id, 'counter'), [body.envelope_id]);
    }
  });

  it('delivers once what no envelope carries, by both routes', async () => {
    const payload_b64 = Buffer.from(LARGE).toString('base64');
    for (const path of ['/deliver', '/envelopes/send'])
      for (const [index, doom] of DOOMS.entries()) {
        const conversation_id = await accepted(bob, alice, { amount_usdc: '0' });
        const head = path === '/deliver' ? {} : { msg_type: 'DELIVER', recipient: bob.id };
        const delivery = { ...head, conversation_id, payload_b64 };
        const key = { 'idempotency-key': `deliver-${index}` };
        const { status, body } = await survived(doom, () => alice.post(path, delivery, key));
        assert.equal(status, 200, `${path} ${JSON.stringify(doom)}: ${JSON.stringify(body)}`);
        assert.deepEqual(await steps(conversation_id, 'deliver'), [body.envelope_id]);
      }
  });

  it('never calls an offer too late that it has made', async () => {
    let late = 0;
    for (const [index, doom] of DOOMS.entries()) {
      const key = { 'idempotency-key': `offer-${index}` };
      const expires_at = new Date(clock.now() + 10_000).toISOString();
      const message = `offer ${index}`;
      const offer = { recipient: bob.id, amount_usdc: '1', message, expires_at };
      const answer = await survived(doom, () => alice.post('/negotiate/propose', offer, key));
      const { deals } = (await alice.get('/deals?limit=200')).body;
      const made = deals.filter((deal: any) => deal.message === message);
      assert.equal(
        answer.status,
        made.length === 1 ? 200 : 400,
        `${JSON.stringify(doom)}: ${JSON.stringify(answer.body)}`,
      );
      late += made.length;
    }
    assert.ok(late > 0);
  });
});

import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { newConversation } from '../aggregator/support/agent.ts';
import { accepted, proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Answer, type Member, type Mesh, startMesh } from '../support/mesh.ts';

const ROUNDS = 40;
const CROSSED = 3;
const PRICE = 1_500_000n;

type Step = readonly [path: string, body: object];

const ACCEPT: Step = ['/negotiate/accept', {}];
const REJECT: Step = ['/negotiate/reject', { reason: 'no' }];
const COUNTER: Step = ['/negotiate/counter', { amount_usdc: '2' }];
const DELIVER: Step = ['/deliver', { content: '{"words":3}', content_type: 'application/json' }];

describe('messages of a deal that cross', function () {
  this.timeout(120_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], usdc: { alice: '100' } });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const take = (member: Member, [path, body]: Step, conversation_id: string) =>
    member.post(path, { conversation_id, ...body });

  /** What both must say alike of a deal; who is asked does not matter. */
  async function told(member: Member, conversation: string) {
    const { allowed_actions: _, history, ...deal } = await member.client.deal(conversation);
    return { ...deal, events: history.map(({ event, by }) => `${by} ${event}`).sort() };
  }

  /** Both nodes' word on the deal, once every letter of it has arrived, which must be the same. */
  async function agreed(conversation: string, answers: readonly Answer[]) {
    for (const [index, { status, body }] of answers.entries()) {
      if (status !== 200 || body.envelope_id === undefined) continue;
      await happens('the letter arrives', async () => {
        const { status, msg_type, hops } = await [alice, bob][index]!.client.trace(body.envelope_id);
        assert.notEqual(status, 'refused', `${msg_type} that was sent in time: ${JSON.stringify(hops)}`);
        return status === 'delivered' || undefined;
      });
    }
    const [ours, theirs] = [await told(alice, conversation), await told(bob, conversation)];
    return { ours, theirs };
  }

  /** Lets both sides step at once until they have really crossed a few times. */
  async function cross(begin: () => Promise<string>, ofAlice: Step, ofBob: Step): Promise<Set<string>> {
    const ends = new Set<string>();
    for (let round = 0, crossed = 0; crossed < CROSSED; round += 1) {
      assert.ok(round < ROUNDS, `only ${crossed} of ${round} pairs have crossed`);
      const conversation = await begin();
      const steps = [() => take(alice, ofAlice, conversation), () => take(bob, ofBob, conversation)];
      const order = round % 2 ? [1, 0] : [0, 1];
      const answers: Answer[] = [];
      await Promise.all(
        order.map(async (index) => {
          answers[index] = await steps[index]!();
        }),
      );
      for (const { status, body } of answers) assert.ok(status === 200 || status === 409, JSON.stringify(body));
      const { ours, theirs } = await agreed(conversation, answers);
      const what = `${ofAlice[0]} and ${ofBob[0]}, answered ${answers.map(({ status }) => status)}`;
      assert.equal(ours.state, theirs.state, what);
      // Why it was rejected depends on which of the two each side sent; what was agreed does not.
      if (ours.state !== 'rejected')
        assert.deepEqual([ours.reason, ours.amount_usdc], [theirs.reason, theirs.amount_usdc]);
      if (answers.every(({ status }) => status === 200)) {
        crossed += 1;
        ends.add(ours.state);
      }
    }
    return ends;
  }

  const usdcOf = (member: Member) => member.node.get(Ledger).usdc(member.id);
  const offered = () => proposed(alice, bob);
  async function countered(): Promise<string> {
    const conversation_id = await proposed(alice, bob);
    await bob.client.counter({ conversation_id, amount_usdc: '1.5' });
    await alice.dealWhen(conversation_id, 'countered');
    return conversation_id;
  }

  it('a withdrawal and an ACCEPT: the deal stands on both sides', async () => {
    const ends = await cross(offered, REJECT, ACCEPT);
    assert.deepEqual([...ends], ['accepted']);
    assert.deepEqual([...(await cross(countered, ACCEPT, REJECT))], ['accepted']);
  });

  it('of a deal that stands after they crossed: the provider is paid once, whatever is asked again', async () => {
    const conversation = await offered();
    await Promise.all([take(alice, REJECT, conversation), take(bob, ACCEPT, conversation)]);
    const state = await happens('both say the same', async () => {
      const [ours, theirs] = [await told(alice, conversation), await told(bob, conversation)];
      return ours.state === theirs.state && ours.state !== 'proposed' ? ours.state : undefined;
    });
    const before = [await usdcOf(alice), await usdcOf(bob)] as const;
    const pay = () => alice.post(`/deals/${conversation}/pay`, {});
    const answers = await Promise.all([take(bob, DELIVER, conversation), pay(), pay()]);
    const again = await pay();
    const paid = state === 'accepted' ? PRICE : 0n;
    assert.equal(again.status, state === 'accepted' ? 200 : 409, JSON.stringify([again.body, ...answers]));
    assert.deepEqual([(await usdcOf(alice)) - before[0], (await usdcOf(bob)) - before[1]], [-paid, paid]);
  });

  it('a withdrawal and a COUNTER, and two REJECTs: over on both sides', async () => {
    for (const end of await cross(offered, REJECT, COUNTER)) assert.match(end, /^rejected$/);
    for (const end of await cross(countered, COUNTER, REJECT)) assert.match(end, /^rejected$/);
    for (const begin of [offered, countered]) {
      for (const end of await cross(begin, REJECT, REJECT)) assert.match(end, /^rejected$/);
    }
  });

  it('two PROPOSEs for one conversation: the same one of them stands on both sides', async () => {
    let crossed = 0;
    for (let round = 0; crossed < CROSSED; round += 1) {
      assert.ok(round < ROUNDS);
      const conversation_id = newConversation();
      const offer = (to: Member, amount_usdc: string) =>
        ['/negotiate/propose', { recipient: to.id, amount_usdc, message: 'Count.', max_rounds: 2 }] as const;
      const answers = await Promise.all([
        take(alice, offer(bob, '1'), conversation_id),
        take(bob, offer(alice, '2'), conversation_id),
      ]);
      const { ours, theirs } = await agreed(conversation_id, answers);
      assert.deepEqual([ours.requester, ours.amount_usdc], [theirs.requester, theirs.amount_usdc]);
      if (answers.every(({ status }) => status === 200)) crossed += 1;
    }
  });

  it('a payment and a DELIVER: settled on both sides, paid once', async () => {
    for (let round = 0; round < CROSSED; round += 1) {
      const conversation = await accepted(alice, bob, { escrow: false });
      const before = await usdcOf(bob);
      const pay = () => alice.post(`/deals/${conversation}/pay`, {});
      const [paid, given] = await Promise.all([pay(), take(bob, DELIVER, conversation)]);
      assert.equal(given.status, 200, JSON.stringify(given.body));
      if (paid.status !== 200) assert.equal((await pay()).status, 200);
      await alice.dealWhen(conversation, 'settled');
      await bob.dealWhen(conversation, 'settled');
      assert.equal((await usdcOf(bob)) - before, PRICE);
    }
  });

  it('ratings of each other: both count, once', async () => {
    const conversation = await accepted(alice, bob, { amount_usdc: '0' });
    await take(bob, DELIVER, conversation);
    await alice.dealWhen(conversation, 'settled');
    const rate = (from: Member) => from.post('/feedback', { conversation_id: conversation, score: 80 });
    const answers = await Promise.all([rate(alice), rate(bob), rate(alice), rate(bob)]);
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual([statuses.filter((status) => status === 200).length, statuses.length], [2, 4], `${statuses}`);
    for (const [from, to] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      await happens(`the rating by ${from.name} counts`, async () => {
        const given = await fetch(`${mesh.aggregatorNode.url}/interactions?from=${from.id}&to=${to.id}`);
        const found = ((await given.json()) as { conversation_id: string }[]).filter(
          (one) => one.conversation_id === conversation,
        );
        assert.ok(found.length <= 1);
        return found.length === 1 || undefined;
      });
    }
  });
});

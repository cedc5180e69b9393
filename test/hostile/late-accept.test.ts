import assert from 'node:assert/strict';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { newConversation, type TestAgent } from '../aggregator/support/agent.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { Stranger } from '../support/stranger.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** An offer lasts so long unless it says otherwise. */
const OFFER = 12 * HOUR;
const SKEW = 20_000;

describe('an ACCEPT around the end of its offer', function () {
  this.timeout(60_000);
  const time = { alice: new BriskClock(), bob: new BriskClock() };
  const all = new BriskClock();
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;

  beforeEach(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb', clock: all, clocks: time });
    ({ alice, bob } = mesh.nodes);
  });
  afterEach(() => mesh.stop());

  function pass(ms: number): void {
    for (const clock of [all, time.alice, time.bob]) clock.shift(ms);
  }
  const accept = (conversation_id: string) => bob.post('/negotiate/accept', { conversation_id });
  const state = async (member: Member, conversation: string) => (await member.client.deal(conversation)).state;

  it('is refused when the clock has passed it, and says what the deal is now', async () => {
    const conversation = await proposed(alice, bob);
    pass(OFFER + MINUTE);
    const { status, body } = await accept(conversation);
    assert.deepEqual([status, body.code, body.allowed_actions], [409, 'invalid_transition', []]);
    assert.deepEqual([await state(alice, conversation), await state(bob, conversation)], ['expired', 'expired']);
  });

  it('signed in time by the clock of its signer is taken by both, though the other’s has passed the end', async () => {
    const conversation = await proposed(alice, bob);
    pass(OFFER - SKEW / 2 - 2_000);
    time.alice.shift(SKEW);
    assert.equal(await state(alice, conversation), 'expired');
    assert.equal((await accept(conversation)).status, 200);
    await alice.dealWhen(conversation, 'accepted');
    assert.equal(await state(bob, conversation), 'accepted');
    time.bob.shift(SKEW);
  });

  it('signed in time and delivered hours after the end stands on both sides; after four days it does on neither', async () => {
    const [soon, never] = [await proposed(alice, bob), await proposed(alice, bob)];
    pass(OFFER - MINUTE);
    await alice.stop();
    const sent = (await accept(soon)).body.envelope_id as string;
    pass(3 * HOUR);
    await alice.start();
    await alice.dealWhen(soon, 'accepted');
    assert.equal(await state(bob, soon), 'accepted');
    await happens('it is delivered', async () => (await bob.client.trace(sent)).status === 'delivered' || undefined);
    assert.deepEqual([await state(alice, never), await state(bob, never)], ['expired', 'expired']);
    assert.equal((await accept(never)).status, 409);
  });

  it('signed by hand after the end is refused on the wire and changes nothing', async () => {
    const provider = await Stranger.start(`late ${newConversation()}`, [alice], { clock: all });
    const other = { identity: { key: parseAgentId(alice.id)! } } as TestAgent;
    const { conversation_id, envelope_id } = await alice.client.propose({
      recipient: provider.id,
      amount_usdc: '1.5',
      message: 'Count.',
      escrow: false,
    });
    const shows = { payer: parseAgentId(alice.id)!, answers: Buffer.from(envelope_id, 'hex') };
    const signed = (offer_id: string, at: number) =>
      provider.sign('ACCEPT', {
        to: other,
        conversation: conversation_id,
        payload: { amount_usdc_micro: 1_500_000n, offer_id },
        at,
        shows: { ...shows, answers: Buffer.from(offer_id, 'hex') },
      });
    const answer = async (offer: string, at: number) => {
      const answered = await provider.send(alice, signed(offer, at));
      return answered.outcome === 'acked' ? answered.reason : answered.outcome;
    };
    pass(OFFER + HOUR);
    const now = all.now();
    assert.equal(await answer(envelope_id, now), 'invalid');
    assert.equal(await answer(envelope_id, now + 5 * MINUTE), 'invalid');
    assert.equal(await answer('00'.repeat(32), now), 'rate-limited');
    assert.equal(await state(alice, conversation_id), 'expired');
    pass(5 * 24 * HOUR);
    assert.equal(await answer(envelope_id, now - 2 * HOUR), 'expired');
    assert.equal(await state(alice, conversation_id), 'expired');
    await provider.stop();
  });
});

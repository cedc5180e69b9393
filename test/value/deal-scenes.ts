import assert from 'node:assert/strict';
import { accepted, type DealWish } from '../support/deals.ts';
import type { World } from './world.ts';

const HOUR = 3_600;
const PRICE = 1_500_000n;
const BOND = PRICE / 2n;
const DISPUTE = 3 * 24 * HOUR;

interface End {
  readonly deal: string;
  readonly escrow: string;
  /** What Bob got of the price. */
  readonly released: bigint;
  /** Of the ledger, oldest first. */
  readonly events: readonly string[];
}

/** The ways in which money that was locked for a deal comes out. */
export function dealScenes(world: World): void {
  async function locked(wish: DealWish = {}): Promise<string> {
    const { alice, bob } = world;
    const conversation_id = await accepted(alice, bob, wish);
    const answer = await alice.client.lock(conversation_id);
    assert.equal(answer.ok, true);
    await bob.dealWhen(conversation_id, has('locked'));
    return conversation_id;
  }

  async function handedOver(wish: DealWish & { review_secs?: number } = {}): Promise<string> {
    const { alice, bob } = world;
    const conversation_id = await locked(wish);
    await bob.client.deliver({ conversation_id, content: '{}', content_type: 'application/json' });
    for (const node of [alice, bob]) await node.dealWhen(conversation_id, has('escrow_delivered'));
    return conversation_id;
  }

  /** Both nodes and the aggregator tell the same end, and the ledger holds nothing any more. */
  async function ended(conversation: string, { deal, escrow, released, events }: End): Promise<void> {
    const { alice, bob } = world;
    for (const node of [alice, bob]) await node.dealWhen(conversation, deal);
    await world.eventually('the ledger holds nothing', async () => {
      const { body } = await alice.get(`/escrow/${conversation}`);
      return body.code === 'escrow_not_found' || undefined;
    });
    const [shown] = await world.shows(`/escrows/${conversation}`, ([one]) => one?.state === escrow);
    assert.deepEqual([shown.requester, shown.provider], [alice.id, bob.id]);
    assert.deepEqual([shown.amount_usdc_micro, shown.released_usdc_micro], [Number(PRICE), Number(released)]);
    const ofBob: any[] = await world.read(`/agents/${bob.id}/escrows`);
    assert.equal(ofBob.find(({ conversation_id }) => conversation_id === conversation)?.state, escrow);
    // The accounts show an end before the history of events does.
    const told = await world.shows<any[]>(
      `/ledger/events?conversation_id=${conversation}`,
      (all) => all.length >= events.length,
    );
    assert.deepEqual(told.map(({ event }) => event).reverse(), events);
  }

  it('an escrowed deal is settled, and its rating counts', async () => {
    const { alice, bob } = world;
    let conversation_id = '';
    const paid = await world.moved(async () => {
      conversation_id = await handedOver();
      await alice.client.escrow('approve', { conversation_id });
    });
    assert.deepEqual(paid, [-PRICE, PRICE]);
    const events = ['escrow_locked', 'escrow_delivered', 'escrow_approved'];
    await ended(conversation_id, { deal: 'settled', escrow: 'released', released: PRICE, events });
    await alice.client.feedback({ conversation_id, score: 80 });
    // The rating is counted with its report; the score follows with the next run of the job.
    await world.shows(`/reputation/${bob.id}`, ({ counts, score }) => counts.positive === 1 && score > 0);
    await world.eventually('the profile shows the same score', async () => {
      const { score } = await world.read(`/reputation/${bob.id}`);
      const profile = await world.read(`/agents/${bob.id}/profile`);
      assert.equal(profile.feedback_count, 1);
      return profile.score === score || undefined;
    });
  });

  it('one that nobody delivers expires, and the money is reclaimed', async () => {
    const moved = await world.moved(async () => {
      const conversation_id = await locked({ deadline_secs: HOUR });
      world.mesh.advance(HOUR + 2);
      const events = ['escrow_locked', 'escrow_reclaimed'];
      await ended(conversation_id, { deal: 'abandoned', escrow: 'reclaimed', released: 0n, events });
    });
    assert.deepEqual(moved, [0n, 0n]);
  });

  it('one that is delivered and not answered is claimed', async () => {
    const moved = await world.moved(async () => {
      const conversation_id = await handedOver({ review_secs: HOUR });
      world.mesh.advance(HOUR + 5);
      const events = ['escrow_locked', 'escrow_delivered', 'escrow_claimed'];
      await ended(conversation_id, { deal: 'settled', escrow: 'claimed', released: PRICE, events });
    });
    assert.deepEqual(moved, [-PRICE, PRICE]);
  });

  async function disputed(offer_bps: number): Promise<string> {
    const { alice, bob } = world;
    const conversation_id = await handedOver();
    assert.equal((await alice.post('/escrow/dispute', { conversation_id, offer_bps })).status, 200);
    await bob.dealWhen(conversation_id, has('escrow_disputed'));
    return conversation_id;
  }

  it('one that is disputed and not contested ends with what the dispute offered', async () => {
    const moved = await world.moved(async () => {
      const conversation_id = await disputed(6_000);
      world.mesh.advance(DISPUTE + 5);
      const events = ['escrow_locked', 'escrow_delivered', 'escrow_disputed', 'escrow_split'];
      await ended(conversation_id, { deal: 'split', escrow: 'split', released: (PRICE * 6n) / 10n, events });
    });
    assert.deepEqual(moved, [(-PRICE * 6n) / 10n, (PRICE * 6n) / 10n]);
  });

  it('one that is disputed and contested, with no notary, burns', async () => {
    const moved = await world.moved(async () => {
      const conversation_id = await disputed(0);
      // The provider that has delivered contests by itself when two thirds of the time have passed.
      world.mesh.advance((DISPUTE * 2) / 3 + 5);
      const events = ['escrow_locked', 'escrow_delivered', 'escrow_disputed', 'escrow_contested', 'escrow_split'];
      await ended(conversation_id, { deal: 'split', escrow: 'split', released: 0n, events });
    });
    assert.deepEqual(moved, [-PRICE - BOND, 0n]);
    world.burnt += PRICE + BOND;
    // The one that nobody delivered.
    const { counts } = await world.shows(`/reputation/${world.bob.id}`, (body) => body.counts.abandoned === 1);
    assert.equal(counts.positive, 1);
  });
}

function has(event: string) {
  return (deal: { history: { event: string }[] }) => deal.history.some((one) => one.event === event);
}

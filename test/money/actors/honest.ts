import type { Dice } from '../dice.ts';
import type { StakeNote } from '../notes.ts';
import { HONEST, type Name, USDC, type World } from '../world.ts';
import { ask, dealsOf, tell } from './calls.ts';

const HOUR = 3_600;
const DONE = 200;
const RACING: ReadonlySet<string> = new Set(['lock', 'pay', 'approve', 'dispute', 'refund', 'contest', 'reclaim']);

/** What the agents of honest nodes ask for, over HTTP. */
export class HonestAgents {
  readonly #world: World;
  readonly #dice: Dice;
  #stakes = 0;

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  async propose(name: Name): Promise<void> {
    const dice = this.#dice;
    const other = dice.chance(0.2) ? 'mallory' : dice.of(HONEST.filter((one) => one !== name));
    await this.proposeTo(name, other);
  }

  async proposeTo(name: Name, other: Name): Promise<void> {
    const dice = this.#dice;
    const plain = dice.chance(0.25);
    const notary = !plain && dice.chance(0.3) && name !== 'nora' && other !== 'nora' && this.#world.idOf('nora');
    await tell(this.#world, name, '/negotiate/propose', {
      recipient: this.#world.idOf(other),
      amount_usdc_micro: dice.between(200_000, 9_000_000),
      message: 'Count the words.',
      deadline_secs: dice.of([2, 3, 4]) * HOUR,
      review_secs: dice.of([2, 3]) * HOUR,
      ...(plain ? { escrow: false } : dice.chance(0.3) && { dispute_bps: dice.of([1_000, 5_000]) }),
      ...(notary && { notary }),
    }).then((answer) => {
      const conversation = answer?.body?.conversation_id;
      if (answer?.status === DONE)
        this.#world.notes.line(conversation, `${name} proposed to ${other}: ${answer.body.deal.amount_usdc}`);
    });
  }

  /** One lawful step of one deal, as its agent would choose it; now and then one that is not. */
  async step(name: Name): Promise<void> {
    const dice = this.#dice;
    const open = (await dealsOf(this.#world, name)).map((deal) => ({ deal, weights: openSteps(deal) }));
    const busy = open.filter(({ weights }) => sumOf(weights) >= 1);
    if (busy.length === 0) return this.propose(name);
    const { deal, weights } = dice.of(busy);
    const chosen = dice.weighted(weights)!;
    await this.act(name, deal, chosen);
    // Whoever was not answered, or clicks twice, calls again.
    if (dice.chance(0.15)) await this.act(name, deal, chosen);
  }

  /** Steps that move the same money, at the same moment. */
  async race(name: Name): Promise<void> {
    const deals = (await dealsOf(this.#world, name))
      .map((deal) => ({ deal, steps: deal.allowed_actions.filter((one: string) => RACING.has(one)) }))
      .filter(({ steps }) => steps.length > 1);
    if (deals.length === 0) return this.step(name);
    const { deal, steps } = this.#dice.of(deals);
    await Promise.all([...steps, ...steps].map((step) => this.act(name, deal, step)));
  }

  async illegal(name: Name): Promise<void> {
    const deals = await dealsOf(this.#world, name);
    if (deals.length === 0) return this.propose(name);
    const deal = this.#dice.of(deals);
    const foreign = ['accept', 'deliver', 'lock', 'pay', 'approve', 'refund', 'reclaim', 'claim', 'split', 'contest'];
    const step = this.#dice.of(foreign.filter((one) => !deal.allowed_actions.includes(one)));
    await this.act(name, deal, step);
  }

  async notarize(name: Name): Promise<void> {
    const cases: any[] = (await ask(this.#world, name, '/notarize/cases')) ?? [];
    const open = cases.filter(({ escrow }) => escrow?.state === 'contested');
    const undecided = cases.filter(({ verdict }) => verdict === null);
    const found = open.length > 0 ? open : undecided;
    if (found.length === 0) return this.step(name);
    const { conversation_id } = this.#dice.of(found);
    const outcome = this.#dice.of(['approve', 'reject']);
    const path = open.length > 0 ? '/notarize/decide' : '/verdict';
    await tell(this.#world, name, path, { conversation_id, outcome }, { conversation: conversation_id });
  }

  async stake(name: Name): Promise<void> {
    const { notes } = this.#world;
    const dice = this.#dice;
    const seen = await ask(this.#world, name, '/stake');
    if (!seen) return;
    const action = dice.weighted(
      seen.state === 'none' || seen.stake_usdc_micro === 0
        ? { add: 1 }
        : seen.state === 'active'
          ? { add: 5, unlock: 1, lease: 4, again: 4 }
          : seen.state === 'leaving'
            ? { resume: 2, withdraw: 3 }
            : { resume: 1 },
    );
    if (action === 'lease') {
      const ahead = dice.between(0, 2);
      notes.leases.push({ who: name, through: (await this.#world.settlement.time()).epoch + 1 + ahead });
      await tell(this.#world, name, '/lease/pay', { ahead });
    } else if (action === 'add') {
      this.#stakes += 1;
      const least = seen.stake_usdc_micro === 0 ? 10n * USDC : USDC / 2n;
      const amount = least + BigInt(dice.between(0, 1_000)) * 1_000n + BigInt(this.#stakes);
      const stake: StakeNote = { who: name, amount, key: `stake-${this.#stakes}`, lines: [], acknowledged: undefined };
      notes.stakes.push(stake);
      await this.#add(stake);
      // Whoever is not told asks again.
      if (!stake.acknowledged && dice.chance(0.7)) await this.#add(stake);
    } else if (action === 'again') {
      const mine = notes.stakes.filter(({ who }) => who === name);
      if (mine.length > 0) await this.#add(dice.of(mine));
    } else if (action) {
      await tell(
        this.#world,
        name,
        `/stake/${action}`,
        {},
        { headers: { 'idempotency-key': `${action}-${notes.round}` } },
      );
    }
  }

  async #add(stake: StakeNote): Promise<void> {
    const body = { amount_usdc_micro: Number(stake.amount) };
    const answer = await tell(this.#world, stake.who as Name, '/stake/add', body, {
      headers: { 'idempotency-key': stake.key },
    });
    const doubt = this.#world.isDoubtful ? ('in doubt' as const) : ('surely' as const);
    stake.lines.push(`round ${this.#world.notes.round} ${answer?.status ?? 'broken'} ${doubt}`);
    // The same call again is answered as before, whatever has become of it.
    if (answer?.status === DONE) stake.acknowledged ??= doubt;
  }

  async act(name: Name, deal: any, step: string): Promise<void> {
    const { conversation_id } = deal;
    const { path, body } = requestOf(deal, step, this.#dice);
    const answer = await tell(this.#world, name, path, body, { conversation: conversation_id });
    if (answer?.status !== DONE) return;
    const { done } = this.#world.notes.deal(conversation_id);
    // A payment is acknowledged when it is final.
    if (!done.has(step) && (step === 'pay' || !this.#world.isDoubtful)) done.set(step, this.#world.notes.round);
    if (step === 'accept' && deal.notary !== null)
      await tell(this.#world, name, '/notarize/assign', { conversation_id }, { conversation: conversation_id });
  }
}

/** How gladly an honest agent takes each step that the deal allows it. */
function weightsOf(deal: any): Record<string, number> {
  const { state, escrow, role } = deal;
  if (role === 'requester') {
    const agreed = escrow.agreed === true;
    return {
      accept: 4,
      counter: 1,
      reject: 0.3,
      ...(agreed ? { lock: 6 } : { pay: state === 'delivered' || state === 'disputed' ? 5 : 0.3 }),
      ...(state === 'accepted' ? {} : { approve: 1.5, dispute: 1.5, raise: 1.5 }),
      reclaim: 3,
      claim: 0.5,
      split: 3,
    };
  }
  const isCovered = escrow.agreed !== true || escrow.locked_at !== undefined;
  return {
    accept: 6,
    counter: 1,
    reject: 0.3,
    ...(isCovered && { deliver: 6 }),
    refund: 0.15,
    contest: 1.5,
    claim: 3,
    split: 3,
    reclaim: 0.5,
  };
}

function openSteps(deal: any): Record<string, number> {
  const weights = weightsOf(deal);
  const open = deal.allowed_actions.filter((action: string) => action in weights);
  return Object.fromEntries(open.map((action: string) => [action, weights[action]!]));
}

function sumOf(weights: Record<string, number>): number {
  return Object.values(weights).reduce((sum, weight) => sum + weight, 0);
}

function requestOf(deal: any, step: string, dice: Dice): { path: string; body: object } {
  const { conversation_id } = deal;
  const about = { conversation_id };
  switch (step) {
    case 'accept':
    case 'reject':
      return { path: `/negotiate/${step}`, body: about };
    case 'counter':
      return {
        path: '/negotiate/counter',
        body: { ...about, amount_usdc_micro: Math.max(1, deal.amount_usdc_micro - dice.between(1, 50_000)) },
      };
    case 'deliver':
      return deal.escrow.locked_at !== undefined && dice.chance(0.2) && deal.state === 'delivered'
        ? { path: '/escrow/deliver', body: about }
        : { path: '/deliver', body: { ...about, content: '{"words":3}', content_type: 'application/json' } };
    case 'pay':
      return { path: `/deals/${conversation_id}/pay`, body: {} };
    case 'dispute':
      return {
        path: '/escrow/dispute',
        body: { ...about, offer_bps: Math.max(deal.dispute_bps, dice.of([0, 3_000, 6_000])) },
      };
    case 'raise':
      return {
        path: '/escrow/dispute',
        body: { ...about, offer_bps: Math.min(10_000, (deal.escrow.offer_bps ?? 0) + dice.between(1, 2_000)) },
      };
    default:
      return { path: `/escrow/${step}`, body: about };
  }
}

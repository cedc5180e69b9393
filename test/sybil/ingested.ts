import type { TestAgent } from '../aggregator/support/agent.ts';
import type { Item } from '../aggregator/support/aggregator.ts';
import {
  type AgreedDeal,
  agreedDeal,
  endedAlone,
  hostClaim,
  minorUnits,
  unpaidDeal,
} from '../aggregator/support/agreed-deals.ts';
import { type Court, liveCourt } from './court.ts';
import { FastLedger } from './fast-ledger.ts';
import { type Standing, type Standings, UNKNOWN } from './standings.ts';
import type { Deal, Spending, World } from './world.ts';

const DAY_SECS = 86_400;
/** An hour into an epoch: a play of minutes does not end in another one than it began. */
const MORNING_SECS = 3_600;
/** Deals that are made at the same time, and calls. */
const AT_ONCE = 8;
/** Deals whose reports go out in one heap, in any order: few enough that no sender has more ratings waiting than it may. */
const HEAP = 24;
/** Minor units that a dust lock holds. */
const DUST = 1n;
/** What is locked besides the amount, and comes back. */
const BOND = 1.5;

/** What became of a trick: it goes on when time has passed. */
interface Dusty {
  readonly deal: AgreedDeal;
  readonly payer: TestAgent;
  readonly from: number;
  reclaimed: boolean;
}

/** A world that really happens: every deal is signed, settled on a ledger, reported to an aggregator and scored there. */
export class IngestedWorld {
  readonly #court: Court;
  readonly #name: string;
  readonly #world: World;
  readonly #agents = new Map<number, TestAgent>();
  readonly #funded = new Map<number, number>();
  readonly #hosted = new Set<number>();
  readonly #paid: AgreedDeal[] = [];
  readonly #dusty: Dusty[] = [];
  #heap: Item[] = [];
  /** What was sent: reports, and steps on the ledger. */
  reports = 0;
  steps = 0;

  private constructor(court: Court, name: string, world: World) {
    this.#court = court;
    this.#name = name;
    this.#world = world;
  }

  /** `anchors` are the people at whom trust begins. `fast` settles in memory. */
  static async open(world: World, seed: number, anchors: Iterable<number>, fast: boolean): Promise<IngestedWorld> {
    const name = `sybil ${seed}`;
    const names = Array.from(anchors, (id) => `${name} ${id}`);
    const court = fast ? await FastLedger.open(names) : await liveCourt(names);
    const now = Math.floor(court.now() / 1_000);
    court.advance(DAY_SECS - (now % DAY_SECS) + MORNING_SECS);
    return new IngestedWorld(court, name, world);
  }

  /**
   * One epoch is over. A rating waits a day for the money of its deal, so the aggregator has to have seen that before the day
   * passes: it reads the ledger by itself, and on a busy machine later.
   */
  async pass(): Promise<void> {
    await this.#allSeen();
    this.#court.advance(DAY_SECS);
    await Promise.all(this.#dusty.map((dusty) => this.#goOn(dusty)));
  }

  /** What happens in the epoch that has come: every deal is signed, settled on the ledger and reported. */
  async happen(
    deals: readonly Deal[],
    burns: readonly Spending[] = [],
    stakes: readonly Spending[] = [],
  ): Promise<void> {
    await this.#settle();
    await this.#fund(deals, burns, stakes);
    for (let from = 0; from < deals.length; from += HEAP) {
      await atOnce(deals.slice(from, from + HEAP), (deal) => this.#make(deal));
      await this.#report();
    }
    await atOnce(burns, ({ by, usdc }) => this.#burn(by, usdc));
    await atOnce(stakes, ({ by, usdc }) => this.#stake(by, usdc));
  }

  /** What the aggregator shows of everybody when it has seen all that has happened. */
  async standings(): Promise<Standings> {
    await this.#allSeen();
    await this.#court.scored();
    const of = new Array<Standing>(this.#world.people.length).fill(UNKNOWN);
    let yardstick = 0;
    await atOnce([...this.#agents], async ([id, agent]) => {
      const found = await this.#court.find(agent);
      if (!found) return;
      const { yardstick: yard, ...standing } = found;
      of[id] = standing;
      yardstick = Math.max(yardstick, yard);
    });
    return { of, yardstick };
  }

  close(): Promise<void> {
    return this.#court.close();
  }

  async #allSeen(): Promise<void> {
    for (const deal of this.#paid.splice(0)) await this.#court.seen(deal, this.#stateOf(deal));
  }

  #agent(id: number): TestAgent {
    const known = this.#agents.get(id) ?? this.#court.agent(`${this.#name} ${id}`);
    this.#agents.set(id, known);
    return known;
  }

  readonly #refunded = new Set<string>();

  #stateOf({ conversation }: AgreedDeal): string {
    return this.#refunded.has(conversation) ? 'refunded' : 'released';
  }

  /** Agents and their hosts sign who acts for whom, before they deal. */
  async #settle(): Promise<void> {
    const guests = new Map<string, number[]>();
    for (const [id, host] of this.#world.hosts) {
      if (this.#hosted.has(id)) continue;
      this.#hosted.add(id);
      guests.set(host, [...(guests.get(host) ?? []), id]);
    }
    for (const [name, ids] of guests) {
      const host = this.#court.agent(`${this.#name} ${name}`);
      const hosted = ids.map((id) => hostClaim(this.#agent(id), host, this.#court.now()));
      await this.#court.report(host.beacon(name, { hosted }).whole);
    }
  }

  /** Whoever pays has what it needs, and whoever signs a step its fee. */
  async #fund(deals: readonly Deal[], burns: readonly Spending[], stakes: readonly Spending[]): Promise<void> {
    const needs = new Map<number, number>();
    const need = (id: number, usdc: number) => needs.set(id, (needs.get(id) ?? 0) + usdc);
    for (const { payer, worker, usdc, released, trick } of deals) {
      if (usdc === 0 || trick === 'alone') continue;
      need(payer, usdc * BOND);
      if (!released) need(worker, 0);
    }
    for (const { by, usdc } of [...burns, ...stakes]) need(by, usdc);
    await atOnce([...needs], async ([id, usdc]) => {
      const had = this.#funded.get(id);
      this.#funded.set(id, (had ?? 0) + usdc);
      await this.#court.fund(this.#agent(id), usdc, had === undefined);
    });
  }

  async #make(deal: Deal): Promise<void> {
    if (deal.trick === 'dust') return this.#dust(deal);
    if (deal.trick === 'alone') return this.#alone(deal);
    const [payer, worker] = [this.#agent(deal.payer), this.#agent(deal.worker)];
    const made = deal.usdc > 0 ? this.#agreed(deal) : unpaidDeal(payer, worker, this.#court.now());
    const { propose, accept, deliver, conversation } = made;
    const shown = deal.usdc > 0 ? [propose.whole, accept.whole] : [propose.receipt, accept.receipt];
    this.#tell(...shown, deliver.receipt);
    if (deal.praise !== null) this.#tell(payer.feedback(worker, conversation, deal.praise).whole);
    if (deal.answer !== null) this.#tell(worker.feedback(payer, conversation, deal.answer).whole);
    if (deal.usdc === 0) return;
    this.steps += 2;
    await this.#court.lock(made);
    if (deal.released) await this.#court.approve(made);
    else await this.#court.refund(made);
    if (!deal.released) this.#refunded.add(conversation);
    this.#paid.push(made);
  }

  /** The worker does what an honest node does when what was locked is not what was agreed: nothing. */
  async #dust(deal: Deal): Promise<void> {
    const [payer, worker] = [this.#agent(deal.payer), this.#agent(deal.worker)];
    const made = this.#agreed(deal);
    this.#tell(made.propose.whole, made.accept.whole, payer.feedback(worker, made.conversation, -100).whole);
    await this.#court.lock(made, DUST);
    this.steps += 1;
    this.#dusty.push({ deal: made, payer, from: this.#world.now, reclaimed: false });
  }

  /** Its time is over and it takes the dust back; when all waiting is over, it reminds the aggregator of the deal. */
  async #goOn(dusty: Dusty): Promise<void> {
    const { deal, payer } = dusty;
    if (!dusty.reclaimed) {
      dusty.reclaimed = true;
      this.steps += 1;
      await this.#court.reclaim(deal);
      return this.#court.seen(deal, 'reclaimed');
    }
    const payload = { reason: 'nothing came' };
    const reminder = payer.sign('DISPUTE', { to: deal.worker, conversation: deal.conversation, payload });
    await this.#court.report(reminder.receipt);
  }

  /** The worker has made an offer. The payer accepts it as if it were another one, delivers to itself, and rates. */
  async #alone(deal: Deal): Promise<void> {
    const [payer, worker] = [this.#agent(deal.payer), this.#agent(deal.worker)];
    for (const item of endedAlone(payer, worker, deal.praise!)) this.#tell(item);
  }

  async #burn(id: number, usdc: number): Promise<void> {
    const key = this.#agent(id);
    this.steps += 1;
    await this.#court.payLease(key, usdc, minorUnits(usdc));
  }

  async #stake(id: number, usdc: number): Promise<void> {
    const key = this.#agent(id);
    this.steps += 1;
    await this.#court.addStake(key, minorUnits(usdc));
  }

  #agreed({ payer, worker, usdc }: Deal): AgreedDeal {
    return agreedDeal(this.#agent(payer), this.#agent(worker), { usdc, now: this.#court.now() });
  }

  #tell(...items: Item[]): void {
    this.#heap.push(...items);
  }

  /** In an order that the dice choose: it shall not matter. */
  async #report(): Promise<void> {
    const heap = this.#heap;
    this.#heap = [];
    this.reports += heap.length;
    for (let last = heap.length - 1; last > 0; last--) {
      const other = this.#world.dice.between(0, last);
      [heap[last], heap[other]] = [heap[other]!, heap[last]!];
    }
    await this.#court.report(...heap);
  }
}

async function atOnce<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const lane = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

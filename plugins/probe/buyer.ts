import { createHash } from 'node:crypto';
import { isMeshError, type Log, parseUsdc } from '../../core/plugin.ts';
import type {
  AggregatorCalls,
  Clock,
  Contracts,
  Deals,
  DealView,
  Payments,
  Random,
  Self,
  Space,
} from '../../core/services.ts';
import { budgetsOf, giveBack, type Limits, putAside, requireDay } from './budget.ts';
import { pick } from './candidates.ts';
import { choose, MOST_OPEN } from './choice.ts';
import type { ProbeConfig } from './config.ts';
import { holds, questionOf } from './judgement.ts';
import { dayBudget, KEPT_MS, probes, type StoredProbe, schedule } from './stored.ts';

export interface BuyerParts {
  readonly deals: Deals;
  readonly payments: Payments;
  readonly aggregators: AggregatorCalls;
  readonly contracts: Contracts;
  readonly self: Self;
  readonly clock: Clock;
  readonly random: Random;
  readonly space: Space;
  readonly log: Log;
}

export interface FoundProbe {
  readonly id: string;
  readonly value: StoredProbe;
}

const PARTS = 1_000_000;
/** A step that was refused is tried again after so many milliseconds, and where nobody can be hired somebody is looked for. */
const REST_MS = 30_000;
/** The rating of work that holds the answer, and of work that does not. */
const GOOD = 90;
const POOR = -40;
/** A deal in one of these goes on, whether or not it waits for a moment. */
const GOES_ON = ['proposed', 'countered', 'accepted', 'delivered', 'verdict', 'disputed', 'contested'];

/**
 * Hires agents for small jobs. An amount is put aside, with the conversation of the deal, before anything is offered; each
 * step is then taken from the state that the deal is in, so that a crash neither repeats one nor leaves one out.
 */
export class Buyer {
  readonly #parts: BuyerParts;
  readonly #config: ProbeConfig;
  readonly #amount: bigint;
  readonly limits: Limits;
  readonly #resting = new Map<string, number>();
  #turn: Promise<unknown> = Promise.resolve();
  #problem: string | undefined;

  constructor(parts: BuyerParts, config: ProbeConfig) {
    this.#parts = parts;
    this.#config = config;
    this.#amount = parseUsdc(config.amount)!;
    const perDay = parseUsdc(config.maxPerDay)!;
    const part = (perDay * BigInt(Math.round(config.newPart * PARTS))) / BigInt(PARTS);
    // A part of a small budget is less than one job, and the first agent has no standing.
    const perDayNew = config.newPart > 0 && part < this.#amount ? this.#amount : part;
    this.limits = { perDay, perAgent: parseUsdc(config.maxPerAgent)!, perDayNew };
  }

  /** Why the last step of a deal did not work; undefined once one has. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Hires an agent when it is time to, and goes on with those that are hired. */
  async run(signal: AbortSignal): Promise<void> {
    const { space, clock } = this.#parts;
    const open = await space.page(probes, { index: 'open', limit: MOST_OPEN });
    for (const { id } of open) {
      if (signal.aborted) return;
      await this.goOn(id);
    }
    if (this.limits.perDay === 0n || open.length >= MOST_OPEN) return;
    const next = (await space.get(schedule))?.next;
    if (next !== undefined && clock.now() < next) return;
    // A stranger who knows when he is tried can be good at that hour.
    let pause = this.#config.every * 1_000 * (0.5 + this.#parts.random.fraction());
    await this.hire().catch((error: unknown) => {
      if (!isMeshError(error)) throw error;
      this.#problem = error.message;
      // An aggregator that has just started names nobody.
      if (error.code === 'probe_nobody') pause = Math.min(pause, REST_MS);
    });
    await space.put(schedule, { next: clock.now() + Math.round(pause) });
  }

  /** Hires one agent now, within the budgets. The same operation is the same probe. */
  hire(operation?: string): Promise<FoundProbe> {
    return this.#alone(async () => {
      const { space, random, clock } = this.#parts;
      const name = operation === undefined ? random.bytes(16) : createHash('sha256').update(operation).digest();
      const id = Buffer.from(name).toString('hex').slice(0, 32);
      const known = await space.get(probes.ref(id));
      if (known) return { id, value: known };
      requireDay(await space.get(dayBudget), this.#amount, this.limits.perDay, clock.now());
      const task = pick(this.#config.tasks, random)!;
      const { agent, fresh } = await choose(this.#parts, task, {
        part: this.#config.newPart,
        amount: this.#amount,
        limits: this.limits,
      });
      const { answer = 'word' } = task;
      const { asked, expected } = questionOf(answer, random);
      const message = task.message.replaceAll('{word}', asked);
      await space.tx(budgetsOf(agent), (tx) => {
        putAside(tx, { conversation: id, agent, amount: this.#amount, fresh }, this.limits);
        const probe: StoredProbe = {
          ...{ fresh, agent_id: agent, amount: this.#amount.toString(), message, word: expected, answer },
          ...{ state: 'running', created: tx.now, counted: true },
        };
        tx.put(probes.ref(id), probe, { ttl: KEPT_MS });
      });
      await this.#goOn(id);
      return { id, value: (await space.get(probes.ref(id)))! };
    });
  }

  /** Takes the next step of a probe, if there is one; other conversations are none of its business. */
  goOn(id: string): Promise<void> {
    return this.#alone(() => this.#goOn(id));
  }

  /** Notes whether a delivery holds the answer; the next step follows when the node's deal shows the delivery. */
  async delivered(id: string, sender: string, content: string): Promise<void> {
    const ref = probes.ref(id);
    if ((await this.#parts.space.get(ref))?.agent_id !== sender) return;
    await this.#change(id, (probe) =>
      probe.fits === undefined ? { ...probe, fits: holds(content, probe.word) } : probe,
    );
  }

  /** One step at a time: what one of them puts aside, the next must see. */
  #alone<T>(step: () => Promise<T>): Promise<T> {
    const run = this.#turn.then(step);
    this.#turn = run.catch(() => undefined);
    return run;
  }

  async #goOn(id: string): Promise<void> {
    const { space, clock, log } = this.#parts;
    const probe = await space.get(probes.ref(id));
    if (!probe || probe.state === 'ended' || clock.now() < (this.#resting.get(id) ?? 0)) return;
    try {
      await this.#step(id, probe);
      this.#resting.delete(id);
      this.#problem = undefined;
    } catch (error) {
      if (!isMeshError(error)) throw error;
      this.#problem = error.message;
      this.#resting.set(id, clock.now() + REST_MS);
      log.warn({ conversation_id: id, code: error.code }, `a probe waits: ${error.message}`);
    }
  }

  async #step(id: string, probe: StoredProbe): Promise<void> {
    const { deals, payments, clock } = this.#parts;
    const deal = await this.#dealOf(id);
    const expires = probe.created + this.#config.answerSecs * 1_000;
    if (!deal) {
      // Recorded, and the process ended before it was offered.
      if (clock.now() >= expires) return this.#end(id, { ended: clock.now(), deal: 'not_offered' }, 0n);
      await this.#offer(id, probe, expires);
      return;
    }
    const can = (step: string) => deal.allowed_actions.includes(step);
    const conversation = { conversation_id: id };
    const once = { operationId: `probe/${id}` };
    if (deal.state === 'countered' && can('reject')) await deals.reject(conversation, once);
    if (deal.state === 'accepted' && can('lock')) {
      await this.#putAsideAgain(id, probe);
      await payments.lock(conversation);
    }
    if (deal.state === 'delivered' && can('approve')) await payments.approve(conversation);
    const waits = () => this.#change(id, (one) => ({ ...one, deal: deal.state }));
    if (deal.state === 'expired' && deal.next_timer !== null)
      return this.#change(id, (one, tx) => {
        if (one.counted) giveBack(tx, { conversation: id, agent: one.agent_id });
        return { ...one, state: 'lapsed', deal: deal.state, counted: false };
      });
    if (deal.next_timer !== null || GOES_ON.includes(deal.state)) return waits();
    if (deal.state !== 'settled') return this.#end(id, { ended: clock.now(), deal: deal.state }, paidBy(deal));
    // The node keeps the DELIVER until it has been read.
    if (probe.fits === undefined) return waits();
    const score = probe.fits ? GOOD : POOR;
    if (can('feedback')) await deals.feedback({ ...conversation, target_agent: probe.agent_id, score }, once);
    await this.#end(id, { ended: clock.now(), deal: deal.state, score }, paidBy(deal));
  }

  async #offer(id: string, { agent_id, amount, message }: StoredProbe, expires: number): Promise<void> {
    await this.#parts.deals.propose(
      {
        ...{ recipient: agent_id, conversation_id: id, amount_usdc_micro: amount, message, max_rounds: 1 },
        ...{ deadline_secs: this.#config.deadlineSecs, expires_at: new Date(expires).toISOString(), escrow: true },
      },
      { operationId: `probe/${id}` },
    );
  }

  async #dealOf(id: string): Promise<DealView | undefined> {
    try {
      return await this.#parts.deals.get(id);
    } catch (error) {
      if (isMeshError(error) && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  /** An answer that was signed before its offer lapsed may come later: the money was free meanwhile. */
  async #putAsideAgain(id: string, { counted }: StoredProbe): Promise<void> {
    if (counted) return;
    await this.#change(id, (one, tx) => {
      const share = { conversation: id, agent: one.agent_id, amount: BigInt(one.amount), fresh: one.fresh === true };
      putAside(tx, share, this.limits);
      return { ...one, state: 'running', counted: true };
    });
  }

  async #end(id: string, last: Partial<StoredProbe>, paid: bigint): Promise<void> {
    this.#resting.delete(id);
    await this.#change(id, (one, tx) => {
      if (one.counted && paid === 0n) giveBack(tx, { conversation: id, agent: one.agent_id });
      return { ...one, ...last, state: 'ended', counted: one.counted && paid > 0n };
    });
  }

  async #change(
    id: string,
    changed: (probe: StoredProbe, tx: Parameters<typeof giveBack>[0]) => StoredProbe,
  ): Promise<void> {
    const { space } = this.#parts;
    const ref = probes.ref(id);
    const known = await space.get(ref);
    if (!known) return;
    await space.tx([ref, ...budgetsOf(known.agent_id)], (tx) => {
      const probe = tx.get(ref);
      if (!probe) return;
      const after = changed(probe, tx);
      if (JSON.stringify(after) !== JSON.stringify(probe)) tx.put(ref, after, { ttl: KEPT_MS });
    });
  }
}

/** Minor units that the ledger gave the provider. */
function paidBy({ state, amount_usdc_micro, escrow }: DealView): bigint {
  const { to_provider_usdc_micro: paid } = escrow;
  if (paid !== undefined) return BigInt(paid);
  return state === 'settled' ? BigInt(amount_usdc_micro) : 0n;
}

import type { Epochs } from '../../core/aggregator/epochs.ts';
import { withStanding } from '../../core/aggregator/reputation/placed.ts';
import { agents, newAgent, type StoredAgent } from '../../core/aggregator/store/agents.ts';
import { opinionRef, PARTY_MS, partyRef } from '../../core/aggregator/store/deals.ts';
import { activity, agentCount, interactionCount, interactions } from '../../core/aggregator/store/logs.ts';
import { touched } from '../../core/reputation/evidence.ts';
import { OPINION_LIFETIME, type Opinion, rate } from '../../core/reputation/opinion.ts';
import { scoreAt } from '../../core/reputation/score.ts';
import { ratingWeight } from '../../core/reputation/weight.ts';
import type { Ref } from '../../core/storage/declarations.ts';
import type { Space } from '../../core/storage/space.ts';
import type { Tx } from '../../core/storage/transaction.ts';
import { SCORES, type WholeDeal } from '../support/agents.ts';
import { keepEnvelopes } from './kept-envelopes.ts';

/** What is left of a deal when nothing is kept any more of what its sides signed. */
export type PastDeal = Pick<WholeDeal, 'requester' | 'provider' | 'conversation'>;

interface Rating {
  readonly rater: string;
  readonly target: string;
  readonly score: number;
  readonly conversation: string;
}

const SLOT = 250_000_000;
const OUTCOME = 'positive' as const;
const AT_ONCE = 500;

/**
 * Writes down what an ingest has left of deals, without the steps in between: documents that each report changes are
 * written once. `test/bench/history.test.ts` holds it against the ingest.
 */
export class History {
  readonly #space: Space;
  readonly #epochs: Epochs;
  readonly #rows = new Map<string, StoredAgent>();
  readonly #opinions = new Map<
    string,
    { readonly ref: Ref<Opinion>; readonly opinion: Opinion; readonly until: number }
  >();

  constructor(space: Space, epochs: Epochs) {
    this.#space = space;
    this.#epochs = epochs;
  }

  /** Deals that all were made, delivered and rated now, at the time of the store's clock. */
  async add(deals: readonly (PastDeal | WholeDeal)[], now: number): Promise<void> {
    const ratings = [0, 1].flatMap((side) => deals.map((deal) => ratingOf(deal, side as 0 | 1)));
    const epoch = this.#epochs.at(now);
    for (const { requester } of deals) this.#see(requester.id, now);
    for (const { requester, provider } of deals) {
      this.#see(provider.id, now);
      for (const { id } of [requester, provider]) this.#takePart(id, epoch);
    }
    for (const { provider } of deals) this.#takePart(provider.id, epoch);
    for (const rating of ratings) this.#rate(rating, now);
    await this.#space.tx([], (tx) => {
      for (const deal of deals) keepParties(tx, deal);
      for (const deal of deals) if ('propose' in deal) keepEnvelopes(tx, deal, this.#epochs);
      for (const type of ['ACCEPT', 'DELIVER'] as const) for (const deal of deals) tell(tx, deal, type);
      for (const rating of ratings) tellRating(tx, rating);
      tx.add(interactionCount, ratings.length);
    });
  }

  /** Writes what many deals have changed. */
  async close(now: number): Promise<void> {
    const rows = [...this.#rows.values()];
    for (let n = 0; n < rows.length; n += AT_ONCE) {
      const some = rows.slice(n, n + AT_ONCE);
      await this.#space.tx([], (tx) => {
        for (const row of some) tx.put(agents.ref(row.agent_id), row);
        tx.add(agentCount, some.length);
      });
    }
    const opinions = [...this.#opinions.values()];
    for (let n = 0; n < opinions.length; n += AT_ONCE) {
      const some = opinions.slice(n, n + AT_ONCE);
      await this.#space.tx([], (tx) => {
        for (const { ref, opinion, until } of some) tx.put(ref, opinion, { ttl: until - now });
      });
    }
  }

  #see(id: string, now: number): void {
    const row = this.#rows.get(id) ?? newAgent(id, now, this.#epochs.at(now));
    this.#rows.set(id, { ...row, last_seen: now });
  }

  #takePart(id: string, epoch: number): void {
    const row = this.#rows.get(id)!;
    this.#rows.set(id, withStanding(row, touched(row.standing, epoch), epoch));
  }

  #rate({ rater, target, score }: Rating, now: number): void {
    const epoch = this.#epochs.at(now);
    const [by, of] = [this.#rows.get(rater)!, this.#rows.get(target)!];
    const ref = opinionRef(rater, target);
    const weight = ratingWeight(0n, scoreAt(by.standing, epoch));
    const held = this.#opinions.get(ref.id)?.opinion;
    const { standing, opinion } = rate(of.standing, held, { score, outcome: OUTCOME, weight, epoch }, epoch);
    this.#rows.set(target, withStanding(of, standing, epoch));
    this.#opinions.set(ref.id, { ref, opinion, until: now + OPINION_LIFETIME * this.#epochs.ms });
  }
}

function ratingOf({ requester, provider, conversation }: PastDeal, side: 0 | 1): Rating {
  const [rater, target] = side === 0 ? [requester, provider] : [provider, requester];
  return { rater: rater.id, target: target.id, score: SCORES[side], conversation };
}

function keepParties(tx: Tx, { requester, provider, conversation }: PastDeal): void {
  for (const [one, other] of [
    [requester, provider],
    [provider, requester],
  ] as const) {
    tx.put(partyRef(conversation, one.id), { with: [other.id], assigned: null, verdicts: [] }, { ttl: PARTY_MS });
  }
}

function tell(tx: Tx, { requester, provider, conversation }: PastDeal, event_type: 'ACCEPT' | 'DELIVER'): void {
  const sides = { agent_id: provider.id, target_agent_id: requester.id };
  tx.append(activity, { event_type, ...sides, conversation_id: conversation, slot: SLOT, at: tx.now });
}

function tellRating(tx: Tx, { rater, target, score, conversation }: Rating): void {
  const told = { score, outcome: OUTCOME, conversation_id: conversation, slot: SLOT, at: tx.now };
  tx.append(interactions, { sender: rater, target_agent: target, role: 'participant', ...told });
  tx.append(activity, { event_type: 'FEEDBACK', agent_id: rater, target_agent_id: target, ...told });
}

import { totalScore } from '../../core/aggregator/agents/ratings.ts';
import type { Epochs } from '../../core/aggregator/epochs.ts';
import { withRoundTrip } from '../../core/aggregator/ingest/effects/round-trip.ts';
import { agents, newAgent, type StoredAgent } from '../../core/aggregator/store/agents.ts';
import {
  activity,
  agentCount,
  dealCount,
  interactionCount,
  interactions,
  keptId,
} from '../../core/aggregator/store/logs.ts';
import { pairRef } from '../../core/aggregator/store/scores.ts';
import { counted } from '../../core/protocol/reputation/counts.ts';
import { newPair, type PairSums, withSaying } from '../../core/protocol/reputation/sums.ts';
import type { Space } from '../../core/storage/space.ts';
import type { Tx } from '../../core/storage/transaction.ts';
import { SCORES, type WholeDeal } from '../support/agents.ts';
import { keepEnvelopes, nonceRefsOf } from './kept-envelopes.ts';

interface Signed {
  readonly id: string;
}

/** A deal of which the envelopes that its sides signed are no longer kept. The log keeps the ids of those that it tells of. */
export interface PastDeal extends Pick<WholeDeal, 'requester' | 'provider' | 'conversation'> {
  readonly accept: Signed;
  readonly deliver: Signed;
  readonly ratings: readonly [Signed, Signed];
}

interface Rating {
  readonly rater: string;
  readonly target: string;
  readonly score: number;
  readonly conversation: string;
  readonly id: string;
}

const SLOT = 250_000_000;
const OUTCOME = 'positive' as const;
const AT_ONCE = 500;
const RECENT = 10;

/**
 * Writes down what an ingest has left of deals, without the steps in between: documents that each report changes are
 * written once. `test/bench/history.test.ts` holds it against the ingest.
 */
export class History {
  readonly #space: Space;
  readonly #epochs: Epochs;
  readonly #rows = new Map<string, StoredAgent>();
  readonly #pairs = new Map<string, PairSums>();

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
    for (const deal of deals) this.#deliver(deal, epoch, now);
    for (const rating of ratings) this.#rate(rating, now);
    const whole = deals.filter((deal): deal is WholeDeal => 'propose' in deal);
    await this.#space.tx(nonceRefsOf(whole), (tx) => {
      for (const deal of whole) keepEnvelopes(tx, deal, this.#epochs);
      for (const type of ['ACCEPT', 'DELIVER'] as const) for (const deal of deals) tell(tx, deal, type);
      for (const rating of ratings) tellRating(tx, rating);
      tx.add(interactionCount, ratings.length);
      tx.add(dealCount, deals.length);
    });
  }

  /** Writes what many deals have changed. */
  async close(): Promise<void> {
    const rows = [...this.#rows.values()];
    for (let n = 0; n < rows.length; n += AT_ONCE) {
      const some = rows.slice(n, n + AT_ONCE);
      await this.#space.tx([], (tx) => {
        for (const row of some) tx.put(agents.ref(row.agent_id), row);
        tx.add(agentCount, some.length);
      });
    }
    const pairs = [...this.#pairs.values()];
    for (let n = 0; n < pairs.length; n += AT_ONCE) {
      const some = pairs.slice(n, n + AT_ONCE);
      await this.#space.tx([], (tx) => {
        for (const pair of some) tx.put(pairRef(pair.from, pair.to), pair);
      });
    }
  }

  #see(id: string, now: number): void {
    const row = this.#rows.get(id) ?? newAgent(id, now, this.#epochs.at(now));
    this.#rows.set(id, { ...row, last_seen: now });
  }

  #takePart(id: string, epoch: number): void {
    const row = this.#rows.get(id)!;
    const active = Math.max(row.standing.active, epoch);
    this.#rows.set(id, { ...row, standing: { ...row.standing, active } });
  }

  #deliver({ requester, provider, conversation, deliver }: PastDeal, epoch: number, now: number): void {
    this.#takePart(provider.id, epoch);
    const sides = { with: requester.id, conversation_id: conversation, envelope_id: deliver.id };
    this.#rows.set(provider.id, withRoundTrip(this.#rows.get(provider.id)!, { ...sides, asked: now, answered: now }));
  }

  #rate({ rater, target, score }: Rating, now: number): void {
    const epoch = this.#epochs.at(now);
    const row = this.#rows.get(target)!;
    const { counts, scores } = row.standing;
    const standing = {
      ...row.standing,
      counts: counted(counts, OUTCOME),
      scores: [score, ...scores].slice(0, RECENT),
      total: totalScore(row) + score,
      updated: now,
    };
    this.#rows.set(target, { ...row, standing });
    const name = `${rater}>${target}`;
    const known = this.#pairs.get(name) ?? newPair(rater, target, epoch, 0);
    this.#pairs.set(name, withSaying(known, { kind: 'free', mass: 1, value: score, epoch }, epoch, 0));
  }
}

function ratingOf({ requester, provider, conversation, ratings }: PastDeal, side: 0 | 1): Rating {
  const [rater, target] = side === 0 ? [requester, provider] : [provider, requester];
  return { rater: rater.id, target: target.id, score: SCORES[side], conversation, id: ratings[side].id };
}

function tell(tx: Tx, deal: PastDeal, event_type: 'ACCEPT' | 'DELIVER'): void {
  const { requester, provider, conversation, accept, deliver } = deal;
  const { id } = event_type === 'ACCEPT' ? accept : deliver;
  const said = { conversation_id: conversation, ...keptId(id), slot: SLOT, at: tx.now };
  tx.append(activity, { event_type, agent_id: provider.id, target_agent_id: requester.id, ...said });
}

function tellRating(tx: Tx, { rater, target, score, conversation, id }: Rating): void {
  const told = { score, outcome: OUTCOME, conversation_id: conversation, ...keptId(id), slot: SLOT, at: tx.now };
  tx.append(interactions, { sender: rater, target_agent: target, role: 'participant', ...told });
  tx.append(activity, { event_type: 'FEEDBACK', agent_id: rater, target_agent_id: target, ...told });
}

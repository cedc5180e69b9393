import { type Bond, type Clusters, clustersOf } from '../../../core/protocol/reputation/clusters.ts';
import { decay } from '../../../core/protocol/reputation/decay.ts';
import type { Between, Contribution, Evidence, Mean, Said } from '../../../core/protocol/reputation/evidence.ts';
import { type Scored, scoredBy, yardstickOf } from '../../../core/protocol/reputation/formula.ts';
import { type Ground, groundOf } from '../../../core/protocol/reputation/ground.ts';
import { endsOf, type Links, linksOf } from '../../../core/protocol/reputation/links.ts';
import { type AgentSums, type PairSums, saidAt } from '../../../core/protocol/reputation/sums.ts';
import { contributionOf, evidenceOf } from './evidence.ts';

/** All that scores are computed from. Whoever has the same facts computes the same scores. */
export interface Facts {
  readonly epoch: number;
  readonly agents: readonly AgentSums[];
  /** Between agents that are listed. */
  readonly pairs: readonly PairSums[];
  readonly bonds: readonly Bond[];
  /** Agents that the network's configuration lists as ordinary buyers. */
  readonly anchors: readonly string[];
}

export interface Standing {
  readonly id: string;
  readonly evidence: Evidence;
  readonly scored: Scored;
  /** What is left of a positive score after idle epochs. */
  readonly idleFactor: number;
}

/** One cluster that paid or rated an agent. */
export interface Rater extends Contribution {
  readonly cluster: string;
  readonly between: Between;
}

const MOST_RATERS = 256;
const MINOR_UNITS = 1e6;
const IDLE_FREE = 6;
const IDLE_FACTOR = 0.95;

/**
 * Score 2 as it is written down, with an object for everything: what `ScoreBook` is held against. It scores everybody
 * when it is made.
 */
export class Standings {
  readonly epoch: number;
  readonly yardstick: number;
  readonly agents: readonly Standing[];
  readonly #names: readonly string[];
  readonly #sums: readonly AgentSums[];
  readonly #clusters: Clusters;
  readonly #heard: Heard;
  readonly #links: Links;
  readonly #ground: Ground;

  constructor(facts: Facts) {
    this.epoch = facts.epoch;
    this.#sums = [...facts.agents].sort((one, other) => (one.id < other.id ? -1 : 1));
    this.#names = this.#sums.map(({ id }) => id);
    this.#clusters = clustersOf(this.#names, facts.bonds);
    const places = new Map(this.#names.map((id, place) => [id, place]));
    this.#heard = heardOf(facts.pairs, places);
    this.#links = linksOf(this.#payments());
    this.#ground = groundOf({
      clusters: this.#clusters.count,
      ...this.#links,
      ...this.#clusterSums(),
      anchor: this.#anchors(facts.anchors, places),
    });
    const evidence = this.#sums.map((agent, place) => {
      const left = decay(Math.max(0, this.epoch - agent.epoch));
      const { mass, sum } = agent.disputes;
      return evidenceOf(this.#countedAt(place), agent.abandoned * left, { mass: mass * left, sum: sum * left });
    });
    this.yardstick = yardstickOf(evidence.map(({ mass }) => mass));
    this.agents = evidence.map((one, place) => ({
      id: this.#names[place]!,
      evidence: one,
      scored: scoredBy(one, this.yardstick),
      idleFactor: IDLE_FACTOR ** Math.max(0, this.epoch - this.#sums[place]!.active - IDLE_FREE),
    }));
  }

  /** The raters behind an agent's score, those with most grounded money first; none for an unknown agent. */
  ratersOf(id: string): Rater[] {
    const place = this.#names.indexOf(id);
    return place < 0 ? [] : this.#countedAt(place).sort(byWeight);
  }

  /** The heaviest raters, in bytewise order of their names. */
  #countedAt(place: number): Rater[] {
    const heaviest = this.#ratersAt(place).sort(byWeight).slice(0, MOST_RATERS);
    return heaviest.sort((one, other) => (one.cluster < other.cluster ? -1 : 1));
  }

  #ratersAt(place: number): Rater[] {
    const own = this.#clusters.of[place]!;
    const { key_changes } = this.#sums[place]!;
    const raters: Rater[] = [];
    for (const [cluster, said] of this.#wordsTo(place, own, key_changes)) {
      const name = this.#names[this.#clusters.first[cluster]!]!;
      const between = this.#between(cluster, own);
      raters.push({ cluster: name, between, ...contributionOf(name, said, between) });
    }
    return raters;
  }

  /** What each cluster but its own said of an agent. */
  #wordsTo(place: number, own: number, keyChanges: number): Iterable<readonly [cluster: number, said: Said]> {
    const words = new Map<number, Said>();
    const { pairs, from, starts } = this.#heard;
    for (let index = starts[place]!; index < starts[place + 1]!; index++) {
      const cluster = this.#clusters.of[from[index]!]!;
      if (cluster === own) continue;
      const said = saidAt(pairs[index]!, this.epoch, keyChanges);
      const before = words.get(cluster);
      words.set(cluster, before ? plusSaid(before, said) : said);
    }
    return words;
  }

  #between(rater: number, own: number): Between {
    const { share, riskShare, vouched } = this.#ground;
    const pair = this.#links.placeOf(rater, own);
    const back = this.#links.placeOf(own, rater);
    return {
      net: pair < 0 ? 0 : this.#links.net[pair]!,
      share: pair < 0 ? riskShare[rater]! : share[pair]!,
      own: this.#ground.own[rater]!,
      vouched: back < 0 ? 0 : vouched[back]!,
    };
  }

  #payments() {
    const { pairs, from, to } = this.#heard;
    const { of, count } = this.#clusters;
    return {
      clusters: count,
      payer: from.map((place) => of[place]!),
      target: to.map((place) => of[place]!),
      minorUnits: Float64Array.from(pairs, ({ paid }) => Number(paid)),
    };
  }

  #clusterSums() {
    const { count, of } = this.#clusters;
    const sums = { risk: new Float64Array(count), burnt: new Float64Array(count), staked: new Float64Array(count) };
    for (const [place, agent] of this.#sums.entries()) {
      sums.burnt[of[place]!]! += agent.burnt * decay(Math.max(0, this.epoch - agent.epoch));
      sums.staked[of[place]!]! += Number(agent.staked) / MINOR_UNITS;
    }
    const { pairs, from, to } = this.#heard;
    for (const [index, { said, epoch }] of pairs.entries()) {
      const rater = of[from[index]!]!;
      // A return that is spoken ill of does not fade with a change of the target's key.
      if (said.returned.mass > 0 && rater !== of[to[index]!])
        sums.risk[rater]! += said.returned.mass * decay(Math.max(0, this.epoch - epoch));
    }
    return sums;
  }

  #anchors(ids: readonly string[], places: ReadonlyMap<string, number>): Uint8Array {
    const anchor = new Uint8Array(this.#clusters.count);
    for (const id of ids) {
      const place = places.get(id);
      if (place !== undefined) anchor[this.#clusters.of[place]!] = 1;
    }
    return anchor;
  }
}

/** Pairs in bytewise order of whom they are about, then of who speaks. */
interface Heard {
  readonly pairs: readonly PairSums[];
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Where the pairs about each agent begin, and behind the last where they end. */
  readonly starts: Int32Array;
}

function heardOf(pairs: readonly PairSums[], places: ReadonlyMap<string, number>): Heard {
  const known = pairs.flatMap((pair) => {
    const [from, to] = [places.get(pair.from), places.get(pair.to)];
    return from === undefined || to === undefined ? [] : [{ pair, from, to }];
  });
  known.sort((one, other) => one.to - other.to || one.from - other.from);
  const to = Int32Array.from(known, (one) => one.to);
  const starts = new Int32Array(places.size + 1);
  starts.set(endsOf(to, places.size), 1);
  return { pairs: known.map(({ pair }) => pair), from: Int32Array.from(known, (one) => one.from), to, starts };
}

function byWeight(one: Rater, other: Rater): number {
  return weightOf(other) - weightOf(one) || (one.cluster < other.cluster ? -1 : 1);
}

function weightOf({ opinions }: Rater): number {
  let weight = 0;
  for (const { usdc } of opinions) weight += usdc;
  return weight;
}

function plusSaid(one: Said, other: Said): Said {
  return {
    paid: plus(one.paid, other.paid),
    returned: plus(one.returned, other.returned),
    word: plus(one.word, other.word),
    free: plus(one.free, other.free),
  };
}

function plus(one: Mean, other: Mean): Mean {
  return { mass: one.mass + other.mass, sum: one.sum + other.sum };
}

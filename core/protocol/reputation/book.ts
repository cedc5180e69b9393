import { betweenOf, type OrganicShare, organicBetween } from './between.ts';
import { type Belonging, bondsOf, type Clusters, clustersOf, guestsOf } from './clusters.ts';
import { PairColumns, SAID, saidOf } from './columns.ts';
import { decay } from './decay.ts';
import { type Between, type Contribution, contributionOf, type Evidence } from './evidence.ts';
import { type Scored, scoredBy, yardstickOf } from './formula.ts';
import { type Ground, groundOf } from './ground.ts';
import { inheritedDeeds, type Lineage, lineageOf, type Replaced, silentPairs, wereTogether } from './lineage.ts';
import { endsOf, type Links, linksOf, sortedBy } from './links.ts';
import { type AgentSums, DONE_NOTHING, deedsAt, type PairSums } from './sums.ts';
import { MOST_RATERS, Tally, tallied } from './tally.ts';

/** The facts about one agent that the book scores. */
export interface AgentFacts extends AgentSums, Belonging, Replaced {}

/** The result of one run for one agent. */
export interface Standing {
  readonly evidence: Evidence;
  readonly scored: Scored;
  /** The factor by which idle epochs shrink a positive score. */
  readonly idleFactor: number;
}

/** One cluster that paid or rated an agent; it is named by its bytewise smallest member. */
export interface Rater extends Contribution {
  readonly cluster: string;
  readonly between: Between;
}

/** The result of one run, kept for questions about single agents. */
interface Run {
  readonly epoch: number;
  readonly clusters: Clusters;
  readonly links: Links;
  readonly ground: Ground;
  /** Pairs by the rated agent, then by the rater's cluster; and the place where the pairs of each agent begin. */
  readonly heard: Int32Array;
  readonly starts: Int32Array;
  /** The rater's cluster of each pair; that of the rated where the two belonged together. */
  readonly raters: Int32Array;
  readonly anchor: Uint8Array;
  readonly yardstick: number;
  readonly standings: readonly Standing[];
}

const MINOR_UNITS = 1e6;
const IDLE_FREE = 6;
const IDLE_FACTOR = 0.95;

/**
 * All facts that scores are computed from. A change of one pair or agent costs no more than that pair or agent;
 * scoring takes the whole. Two books with the same facts compute the same bits, in whatever order the facts came.
 * Knows no clock and no store.
 */
export class ScoreBook {
  readonly #places = new Map<string, number>();
  readonly #agents: AgentFacts[] = [];
  readonly #pairs = new PairColumns();
  /** Places in bytewise order of the ids, and for each place where it is in that order. */
  #order = new Int32Array(0);
  #names: string[] = [];
  #rankOf = new Int32Array(0);
  #run: Run | undefined;

  /** How many agents and pairs it knows. */
  get size(): number {
    return this.#agents.length + this.#pairs.count;
  }

  setAgent(facts: AgentFacts): void {
    this.#agents[this.#place(facts.id)] = facts;
  }

  setPair(pair: PairSums): void {
    this.#pairs.put(this.#place(pair.from), this.#place(pair.to), pair);
  }

  /** Scores everybody as of an epoch; gives the yardstick. `anchors` that nothing is known of ground nothing. */
  run(epoch: number, anchors: Iterable<string>): number {
    this.#sort();
    const listed = new Set(anchors);
    const clusters = clustersOf(this.#names, bondsOf(this.#agents, listed));
    const lineage = lineageOf(this.#agents, this.#order, this.#rankOf, (id) => this.#places.get(id));
    const { heard, starts, raters, targets } = this.#hear(clusters, lineage, listed);
    const payer = raters.slice(0, this.#pairs.count);
    const links = linksOf({
      ...{ clusters: clusters.count, payer, target: targets },
      minorUnits: this.#pairs.paid.subarray(0, this.#pairs.count),
      silent: lineage && silentPairs(lineage, this.#pairs, this.#rankOf),
    });
    const anchor = this.#anchors(clusters, listed);
    const ground = groundOf({
      ...{ clusters: clusters.count, payer: links.payer, target: links.target, net: links.net },
      vouching: lineage && links.vouching,
      ...this.#clusterSums(clusters, heard, payer, targets, epoch),
      anchor,
    });
    const before = { epoch, clusters, links, ground, heard, starts, raters, anchor };
    const evidence = this.#evidence(before, lineage);
    const yardstick = yardstickOf(Float64Array.from(evidence, ({ mass }) => mass));
    const standings = evidence.map((one, rank) => {
      const active = lineage?.active[rank] ?? this.#agents[this.#order[rank]!]!.active;
      const idle = Math.max(0, epoch - active - IDLE_FREE);
      return { evidence: one, scored: scoredBy(one, yardstick), idleFactor: IDLE_FACTOR ** idle };
    });
    this.#run = { ...before, yardstick, standings };
    return yardstick;
  }

  /** The agents of the last run in bytewise order. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Of the agent at a place of `names`, by the last run. */
  standingAt(index: number): Standing {
    return this.#run!.standings[index]!;
  }

  /** The raters behind an agent's score by the last run, those with most grounded money first; none for an unknown agent. */
  ratersOf(id: string): Rater[] {
    const run = this.#run;
    const place = this.#places.get(id);
    const index = place === undefined ? undefined : this.#rankOf[place];
    if (!run || index === undefined || index >= run.standings.length) return [];
    const raters: Rater[] = [];
    const said = new Float64Array(SAID);
    this.#eachRater(run, index, said, (cluster, between) => {
      const name = this.#names[run.clusters.first[cluster]!]!;
      raters.push({ cluster: name, between, ...contributionOf(name, saidOf(said), between) });
    });
    return raters.sort(byWeight).slice(0, MOST_RATERS);
  }

  /** Whether an anchor belonged to the agent's cluster in the last run. */
  isAnchored(id: string): boolean {
    const cluster = this.#clusterOf(this.#places.get(id));
    return cluster !== undefined && this.#run!.anchor[cluster] === 1;
  }

  /** How much counts of what went from each of these agents to the other, by the last run; undefined before the first. */
  organicOf(pairs: readonly (readonly [from: string, to: string])[]): OrganicShare[] | undefined {
    const run = this.#run;
    const clusterOf = (id: string) => this.#clusterOf(this.#places.get(id));
    return run && pairs.map(([from, to]) => organicBetween(run, clusterOf(from), clusterOf(to)));
  }

  /** How many agents paid or were paid something that counts, by the last run; undefined before the first. */
  organicAgents(): number | undefined {
    const { from, to, paid, count } = this.#pairs;
    const found = new Uint8Array(this.#agents.length);
    for (let pair = 0; this.#run && pair < count; pair++) {
      if (paid[pair] === 0) continue;
      const clusters = [this.#clusterOf(from[pair]), this.#clusterOf(to[pair])] as const;
      if (organicBetween(this.#run, ...clusters).paid > 0) found[from[pair]!] = found[to[pair]!] = 1;
    }
    return this.#run && found.reduce((sum, one) => sum + one, 0);
  }

  /** By the last run; undefined for an agent that has come since. */
  #clusterOf(place: number | undefined): number | undefined {
    return place === undefined ? undefined : this.#run?.clusters.of[this.#rankOf[place]!];
  }

  #place(id: string): number {
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const place = this.#agents.length;
    this.#places.set(id, place);
    this.#agents.push({ ...DONE_NOTHING, id, staked: '0', active: 0, key_changes: 0, belongs: [] });
    return place;
  }

  #sort(): void {
    const count = this.#agents.length;
    if (this.#order.length === count) return;
    const ids = this.#agents.map(({ id }) => id);
    this.#order = Int32Array.from(ids.keys()).sort((one, other) => (ids[one]! < ids[other]! ? -1 : 1));
    this.#names = Array.from(this.#order, (place) => ids[place]!);
    this.#rankOf = new Int32Array(count);
    for (let index = 0; index < count; index++) this.#rankOf[this.#order[index]!] = index;
  }

  /** The raters' and the targets' clusters of all pairs, and the pairs in the order in which they are heard. */
  #hear({ of, count, numberOf }: Clusters, lineage: Lineage | undefined, listed: ReadonlySet<string>) {
    const { from, to, count: pairs } = this.#pairs;
    const raters = new Int32Array(pairs);
    const targets = new Int32Array(pairs);
    const speakers = new Int32Array(pairs);
    const about = new Int32Array(pairs);
    const joined = (left: string) => numberOf(guestsOf(left, listed));
    for (let pair = 0; pair < pairs; pair++) {
      speakers[pair] = this.#rankOf[from[pair]!]!;
      about[pair] = lineage?.heirs[this.#rankOf[to[pair]!]!] ?? this.#rankOf[to[pair]!]!;
      raters[pair] = of[speakers[pair]!]!;
      targets[pair] = of[about[pair]!]!;
      if (!lineage) continue;
      const sides = [this.#agents[from[pair]!]!, this.#agents[to[pair]!]!] as const;
      if (wereTogether(sides, [raters[pair]!, targets[pair]!], joined)) raters[pair] = targets[pair]!;
    }
    const agents = this.#agents.length;
    const bySpeaker = sortedBy(Int32Array.from(speakers.keys()), speakers, agents);
    const heard = sortedBy(sortedBy(bySpeaker, raters, count), about, agents);
    const starts = new Int32Array(agents + 1);
    starts.set(endsOf(about, agents), 1);
    return { heard, starts, raters, targets };
  }

  #clusterSums({ of, count }: Clusters, heard: Int32Array, raters: Int32Array, targets: Int32Array, epoch: number) {
    const sums = { risk: new Float64Array(count), burnt: new Float64Array(count), staked: new Float64Array(count) };
    for (let index = 0; index < this.#order.length; index++) {
      const agent = this.#agents[this.#order[index]!]!;
      sums.burnt[of[index]!]! += agent.burnt * decay(Math.max(0, epoch - agent.epoch));
      sums.staked[of[index]!]! += Number(agent.staked) / MINOR_UNITS;
    }
    for (const pair of heard) {
      const returned = this.#pairs.said[pair * SAID + 2]!;
      // A return that is spoken ill of does not fade with a change of the target's key.
      if (returned > 0 && raters[pair] !== targets[pair])
        sums.risk[raters[pair]!]! += returned * decay(Math.max(0, epoch - this.#pairs.epoch[pair]!));
    }
    return sums;
  }

  #anchors({ of, count }: Clusters, anchors: Iterable<string>): Uint8Array {
    const anchor = new Uint8Array(count);
    for (const id of anchors) {
      const place = this.#places.get(id);
      if (place !== undefined) anchor[of[this.#rankOf[place]!]!] = 1;
    }
    return anchor;
  }

  #evidence(run: Omit<Run, 'yardstick' | 'standings'>, lineage: Lineage | undefined): Evidence[] {
    const tally = new Tally();
    const said = new Float64Array(SAID);
    const hear = (_: number, between: Between) => tallied(tally, said, between);
    const inherited = lineage && inheritedDeeds(this.#agents, this.#order, lineage.heirs, run.epoch);
    return Array.from(this.#order, (place, index) => {
      this.#eachRater(run, index, said, hear);
      const { abandoned, disputes } = inherited?.[index] ?? deedsAt(this.#agents[place]!, run.epoch);
      return tally.evidence(abandoned, disputes);
    });
  }

  /**
   * Calls `tell` for each other cluster that rated or paid the agent at an index of `names`, in bytewise order;
   * `said` then holds that cluster's ratings.
   */
  #eachRater(
    { epoch, clusters, links, ground, heard, starts, raters }: Omit<Run, 'yardstick' | 'standings'>,
    index: number,
    said: Float64Array,
    tell: (cluster: number, between: Between) => void,
  ): void {
    const own = clusters.of[index]!;
    const { key_changes } = this.#agents[this.#order[index]!]!;
    for (let next = starts[index]!; next < starts[index + 1]!; ) {
      const cluster = raters[heard[next]!]!;
      said.fill(0);
      for (; next < starts[index + 1]!; next++) {
        const pair = heard[next]!;
        if (raters[pair] !== cluster) break;
        this.#addSaid(said, pair, epoch, key_changes);
      }
      if (cluster !== own) tell(cluster, betweenOf(links, ground, cluster, own));
    }
  }

  /**
   * Adds a pair's sums, decayed to an epoch. Each replacement of the rated key halves its praise; blame stays whole.
   */
  #addSaid(said: Float64Array, pair: number, epoch: number, keyChanges: number): void {
    const left = decay(Math.max(0, epoch - this.#pairs.epoch[pair]!));
    const inherited = 0.5 ** Math.max(0, keyChanges - this.#pairs.keyChanges[pair]!);
    const numbers = this.#pairs.said;
    for (let place = 0; place < SAID; place += 2) {
      const sum = numbers[pair * SAID + place + 1]!;
      const kept = sum > 0 ? left * inherited : left;
      said[place]! += numbers[pair * SAID + place]! * kept;
      said[place + 1]! += sum * kept;
    }
  }
}

function byWeight(one: Rater, other: Rater): number {
  return weightOf(other) - weightOf(one) || (one.cluster < other.cluster ? -1 : 1);
}

function weightOf({ opinions }: Rater): number {
  return opinions.reduce((weight, { usdc }) => weight + usdc, 0);
}

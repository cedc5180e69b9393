import { type Bond, type Clusters, clustersOf } from './clusters.ts';
import { decay } from './decay.ts';
import { type Between, type Contribution, contributionOf, type Evidence, evidenceOf, type Said } from './evidence.ts';
import { type Scored, scoredBy, yardstickOf } from './formula.ts';
import { type Economy, type Ground, groundOf } from './ground.ts';
import { type AgentSums, type PairSums, plusSaid, saidAt } from './sums.ts';

/** All that scores are computed from. Whoever has the same facts computes the same scores. */
export interface Facts {
  readonly epoch: number;
  readonly agents: readonly AgentSums[];
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
  /** The raters behind it, those with most grounded money first. */
  readonly raters: readonly Rater[];
}

/** One cluster that paid or rated an agent. */
export interface Rater extends Contribution {
  readonly cluster: string;
  readonly between: Between;
}

export interface Standings {
  readonly epoch: number;
  readonly yardstick: number;
  readonly agents: readonly Standing[];
}

/** Raters counted for one agent: those with the most grounded money between them. */
export const MOST_RATERS = 256;
const MINOR_UNITS = 1e6;
const IDLE_FREE = 6;
const IDLE_FACTOR = 0.95;

/** Scores everybody. */
export function standingsOf(facts: Facts): Standings {
  const { epoch, agents, pairs } = facts;
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const named = pairs.flatMap(({ from, to }) => [from, to]);
  const clusters = clustersOf([...agents.map(({ id }) => id), ...named, ...facts.anchors], facts.bonds);
  const words = wordsOf(facts, clusters, byId);
  const links = linksOf(facts, clusters, words);
  const ground = groundOf(links.economy);
  const judged = [...byId.values()].map((agent) => {
    const raters = ratersOf(clusters.of(agent.id)!, words.get(agent.id), { clusters, links, ground });
    const abandoned = agent.abandoned * decay(Math.max(0, epoch - agent.epoch));
    return { agent, raters, evidence: evidenceOf(raters, abandoned) };
  });
  const yardstick = yardstickOf(judged.map(({ evidence }) => evidence.mass));
  return {
    epoch,
    yardstick,
    agents: judged.map(({ agent, raters, evidence }) => ({
      id: agent.id,
      evidence,
      raters,
      scored: scoredBy(evidence, yardstick),
      idleFactor: IDLE_FACTOR ** Math.max(0, epoch - agent.active - IDLE_FREE),
    })),
  };
}

/** By agent, what each cluster but its own said of it. */
type Words = ReadonlyMap<string, ReadonlyMap<number, Said>>;

function wordsOf({ epoch, pairs }: Facts, clusters: Clusters, agents: ReadonlyMap<string, AgentSums>): Words {
  const words = new Map<string, Map<number, Said>>();
  for (const pair of pairs) {
    const from = clusters.of(pair.from)!;
    if (from === clusters.of(pair.to)) continue;
    const heard = words.get(pair.to) ?? new Map<number, Said>();
    const said = saidAt(pair, epoch, agents.get(pair.to)?.key_changes ?? 0);
    const before = heard.get(from);
    heard.set(from, before ? plusSaid(before, said) : said);
    words.set(pair.to, heard);
  }
  return words;
}

interface Links {
  readonly economy: Economy;
  /** The place of a pair of clusters in the economy; undefined when the first paid the second nothing net. */
  pairOf(payer: number, target: number): number | undefined;
}

function linksOf(facts: Facts, clusters: Clusters, words: Words): Links {
  const { count } = clusters;
  const paid = new Map<number, number>();
  for (const { from, to, paid: amount } of facts.pairs) {
    const [payer, target] = [clusters.of(from)!, clusters.of(to)!];
    if (payer === target || amount === '0') continue;
    const key = payer * count + target;
    paid.set(key, (paid.get(key) ?? 0) + Number(amount));
  }
  // In the order of payer and target, because the numbers of clusters are.
  const keys = [...paid.keys()].sort((one, other) => one - other).filter((key) => netOf(key) > 0);
  const places = new Map(keys.map((key, place) => [key, place]));
  const sums = { risk: new Float64Array(count), burnt: new Float64Array(count), staked: new Float64Array(count) };
  for (const agent of [...facts.agents].sort(byteOrder)) {
    const cluster = clusters.of(agent.id)!;
    sums.burnt[cluster]! += agent.burnt * decay(Math.max(0, facts.epoch - agent.epoch));
    sums.staked[cluster]! += Number(agent.staked) / MINOR_UNITS;
  }
  for (const [, heard] of [...words].sort(([one], [other]) => (one < other ? -1 : 1)))
    for (const [rater, { returned }] of heard) sums.risk[rater]! += returned.mass;
  const anchor = new Uint8Array(count);
  for (const id of facts.anchors) anchor[clusters.of(id)!] = 1;
  const economy: Economy = {
    clusters: count,
    payer: Int32Array.from(keys, (key) => Math.floor(key / count)),
    target: Int32Array.from(keys, (key) => key % count),
    net: Float64Array.from(keys, (key) => netOf(key) / MINOR_UNITS),
    ...sums,
    anchor,
  };
  return { economy, pairOf: (payer, target) => places.get(payer * count + target) };

  function netOf(key: number): number {
    const back = (key % count) * count + Math.floor(key / count);
    return (paid.get(key) ?? 0) - (paid.get(back) ?? 0);
  }
}

interface Found {
  readonly clusters: Clusters;
  readonly links: Links;
  readonly ground: Ground;
}

function ratersOf(own: number, heard: ReadonlyMap<number, Said> | undefined, found: Found): Rater[] {
  const raters = [...(heard ?? [])].map(([cluster, said]): Rater => {
    const between = betweenOf(cluster, own, found);
    const name = found.clusters.nameOf(cluster);
    return { cluster: name, between, ...contributionOf(name, said, between) };
  });
  return raters.sort(byWeight).slice(0, MOST_RATERS);
}

function betweenOf(rater: number, own: number, { links, ground }: Found): Between {
  const pair = links.pairOf(rater, own);
  const back = links.pairOf(own, rater);
  return {
    net: pair === undefined ? 0 : links.economy.net[pair]!,
    share: pair === undefined ? ground.riskShare[rater]! : ground.share[pair]!,
    own: ground.own[rater]!,
    vouched: back === undefined ? 0 : ground.vouched[back]!,
  };
}

function byWeight(one: Rater, other: Rater): number {
  const weight = ({ opinions }: Rater) => opinions.reduce((sum, { usdc }) => sum + usdc, 0);
  return weight(other) - weight(one) || (one.cluster < other.cluster ? -1 : 1);
}

function byteOrder({ id: one }: AgentSums, { id: other }: AgentSums): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

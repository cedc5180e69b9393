import type { SchemaTypes } from '../../../schemas/types.ts';
import { VERSION } from '../../protocol/reputation/parameters.ts';
import { ratingsOf, updatedAt } from '../agents/ratings.ts';
import { keysOf, placeOf } from '../agents/view.ts';
import type { StoredAgent } from '../store/agents.ts';
import type { StoredExplanation, StoredScoreRun } from '../store/scores.ts';
import { isoTime } from '../times.ts';

export type Reputation = SchemaTypes['reputation'];
export type Leader = SchemaTypes['leader'];

/** Of which formula scores are, and up to when facts are in them: part of every answer that shows one. */
export interface ScoredAs {
  readonly version: typeof VERSION;
  readonly as_of: string | null;
}

const IDLE_FREE = 6;
const IDLE_FACTOR = 0.95;
const NO_POINTS = { grounded: 0, raw: 0, free: 0, blame: 0, abandoned: 0, disputes: 0 };

export function scoredAs(run: StoredScoreRun | undefined): ScoredAs {
  return { version: VERSION, as_of: run ? isoTime(run.as_of) : null };
}

/** The same in front of what is JSON already. */
export function withScoredAs(as: ScoredAs, text: string): string {
  return allScoredAs(as, [text])[0]!;
}

export function allScoredAs(as: ScoredAs, texts: readonly string[]): string[] {
  const front = JSON.stringify(as).slice(0, -1);
  return texts.map((text) => `${front},${text.slice(1)}`);
}

/** An agent's score with everything it is made of. */
export function reputationOf(
  agent: StoredAgent,
  found: StoredExplanation | undefined,
  run: StoredScoreRun | undefined,
  { anchors, epoch }: { readonly anchors: number; readonly epoch: number },
): Reputation {
  const { agent_id, name, standing, disputes, first_seen, last_seen } = agent;
  const { score, rank, key_changes, active, counts, scores } = standing;
  const idle = Math.max(0, (run?.epoch ?? epoch) - active - IDLE_FREE);
  const points = Object.entries(found?.points ?? NO_POINTS).map(([kind, part]) => [kind, short(part)]);
  return {
    agent_id,
    name,
    ...scoredAs(run),
    score,
    lower_bound: rank,
    confidence: short(found?.confidence ?? 0),
    points: Object.fromEntries(points),
    grounded_usdc: short(found?.grounded_usdc ?? 0),
    yardstick_usdc: short(found?.yardstick_usdc ?? run?.yardstick_usdc ?? 0),
    raters: (found?.raters ?? []).map(raterOf),
    rater_count: found?.rater_count ?? 0,
    anchor_count: anchors,
    idle: { epochs: idle, factor: short(IDLE_FACTOR ** idle) },
    key_changes,
    ...keysOf(agent),
    last_active_epoch: active,
    counts: { conceded: 0, burnt: 0, lost: 0, ...counts },
    ...ratingsOf(agent),
    dispute_count: disputes,
    recent_scores: scores,
    first_seen: isoTime(first_seen),
    last_seen: isoTime(last_seen),
    last_updated: updatedAt(agent),
  };
}

function raterOf(rater: StoredExplanation['raters'][number]): Reputation['raters'][number] {
  const { paid_usdc, share, grounded_usdc, value } = rater;
  return {
    ...rater,
    paid_usdc: short(paid_usdc),
    share: short(share),
    grounded_usdc: short(grounded_usdc),
    value: value === null ? null : short(value),
  };
}

/** A row of the leaderboard without its place, and without the version and time of its score. */
export function leaderOf(agent: StoredAgent): Omit<Leader, 'rank' | keyof ScoredAs> {
  const { score, rank } = agent.standing;
  return {
    agent_id: agent.agent_id,
    name: agent.name,
    score,
    lower_bound: rank,
    ...ratingsOf(agent),
    ...placeOf(agent),
    last_seen: isoTime(agent.last_seen),
    last_updated: updatedAt(agent),
  };
}

/** The row in its place, which counts from 1. */
export function withRank(rank: number, row: string): string {
  return `{"rank":${rank},${row.slice(1)}`;
}

function short(value: number): number {
  return Math.round(value * 10_000) / 10_000 || 0;
}

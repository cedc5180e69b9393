import { placementOf, rankAt, rankedOf } from '../../reputation/ranking.ts';
import type { Standing } from '../../reputation/standing.ts';
import type { StoredAgent } from '../store/agents.ts';

/** A fading rank below this stays where it is: nobody can tell the difference. */
const FADED = 0.01;

/** An agent with this standing, in its place in the lists as of an epoch. */
export function withStanding(agent: StoredAgent, standing: Standing, epoch: number): StoredAgent {
  return { ...agent, ...placed(agent.agent_id, standing, epoch) };
}

/** The fields of an agent that follow from its standing. */
export function placed(id: string, standing: Standing, epoch: number): Pick<StoredAgent, 'standing' | 'ranked'> {
  const ranked = rankedOf(id, standing);
  const rank = rankAt(ranked, epoch);
  const { index, moves_at } = placementOf(ranked, epoch);
  const fades = index === 'fading' && rank > FADED ? epoch + 1 : moves_at;
  return { standing: { ...standing, scores: [...standing.scores] }, ranked: { rank, fades_at: fades } };
}

import { freeRing } from './attacks.ts';
import { aucOf, goodSellers } from './measures.ts';
import type { Play } from './plays.ts';
import { type Scores, VERSIONS } from './versions.ts';
import type { World } from './world.ts';

/** How one version fares against one attack. */
export interface Fared {
  readonly auc: number;
  /** Per cent of the attacker's keys whose rank is not above 0: who asks for such a rank does not meet them. */
  readonly detected: number;
  /** Of the attacker's best key among all sellers, 1 being the first. */
  readonly place: number;
}

/** How one version treats those who did nothing, and what a place among its first twenty costs. */
export interface Treated {
  /** Per cent of good honest sellers, whose paid work was rated, whose rank is not above 0. */
  readonly missed: number;
  /** USDC that are gone: 0 where a ring of keys has it for nothing, null where no ring of a hundred has. */
  readonly place: number | null;
}

const TOP = 20;
const RINGS = [5, 20, 100];

/** By the name of the version; undefined for an attack that has no keys to win with. */
export function fared(honest: World, { name, attack }: Play): Record<string, Fared> | undefined {
  const world = honest.fork(name);
  const { keys } = attack(world);
  const bad = keys.filter((id) => world.people[id]!.sells);
  if (bad.length === 0) return undefined;
  return byVersion((of) => {
    const { rank } = of(world);
    const below = bad.filter((id) => !(rank[id]! > 0)).length;
    const good = goodSellers(world).map(({ id }) => rank[id]!);
    const found = aucOf(
      good,
      bad.map((id) => rank[id]!),
    );
    return { auc: found, detected: (100 * below) / bad.length, place: placeOf(world, bad, rank) };
  });
}

/** Without any attack. `score2` is what a place costs there (costs.ts). */
export function treated(honest: World, score2: number): Record<string, Treated> {
  return byVersion((of, name) => {
    const { rank } = of(honest);
    const good = goodSellers(honest);
    const missed = (100 * good.filter(({ id }) => !(rank[id]! > 0)).length) / good.length;
    const isFree = RINGS.some((count) => {
      const world = honest.fork(`a ring of ${count}`);
      const { keys } = freeRing(world, count);
      return placeOf(world, keys, of(world).rank) <= TOP;
    });
    return { missed, place: isFree ? 0 : name === VERSIONS[0]!.name ? score2 : null };
  });
}

function byVersion<T>(of: (scored: (world: World) => Scores, name: string) => T): Record<string, T> {
  return Object.fromEntries(VERSIONS.map(({ name, of: scored }) => [name, of(scored, name)]));
}

/** Of the best of these keys; of equals the attacker comes first. */
function placeOf({ people }: World, bad: readonly number[], rank: readonly number[]): number {
  const best = Math.max(...bad.map((id) => rank[id]!));
  return 1 + people.filter(({ sells, attacks, id }) => sells && !attacks && rank[id]! > best).length;
}

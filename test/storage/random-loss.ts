import type { Dice } from './dice.ts';
import type { Loss } from './simulated-disk.ts';

/** What ext4 and xfs may do: names in the order of their journal or, which is worse, any of them; data in any order. */
export function randomLoss(dice: Dice): Loss {
  const ordered = dice.chance(0.5) ? dice.next() : undefined;
  const kept = dice.next();
  return {
    names: (place, count) => (ordered === undefined ? dice.chance(kept) : place < ordered * (count + 1)),
    data: (_place, _count, bytes) => {
      const fate = dice.below(6);
      if (fate === 0) return 'whole';
      if (fate === 1) return 'lost';
      if (fate === 2) return 'zeros';
      if (fate === 3) return { first: dice.below(bytes + 1), filled: true };
      if (fate === 4) return { first: dice.below(bytes + 1), filled: false };
      const lost = new Map<number, boolean>();
      return {
        sectors(sector) {
          const known = lost.get(sector) ?? dice.chance(0.5);
          lost.set(sector, known);
          return known;
        },
      };
    },
  };
}

/** Less is no gain: even on a quiet machine turns differ by that. */
const GAIN = 1.05;
/** Rounds without a gain after which the compilers are through. */
const CALM = 2;

/** Rounds: there are plateaus between one compiler and the next, so a few have to be made anyway. */
export interface Rounds {
  readonly least: number;
  readonly most: number;
}

/**
 * Lets all sides of a comparison work in turns until none gains any more: so compiled code is measured, and each side has
 * been given the same. A turn gives what it did for its processor time, which other load on the machine changes little.
 */
export async function warmUp(turns: readonly (() => Promise<number>)[], { least, most }: Rounds): Promise<void> {
  const best = turns.map(() => 0);
  let calm = 0;
  for (let round = 0; round < most && (round < least || calm < CALM); round += 1) {
    calm += 1;
    for (const [side, turn] of turns.entries()) {
      const done = await turn();
      if (done > best[side]! * GAIN) calm = 0;
      best[side] = Math.max(best[side]!, done);
    }
  }
}

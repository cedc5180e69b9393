import { newWallet } from '../../support/wallet.ts';
import { Dice } from '../dice.ts';
import { Notes } from '../notes.ts';
import type { Outcome, PlayOptions } from '../play.ts';
import { checkServices, endsOf, isQuiet } from './checks.ts';
import { Errands } from './errands.ts';
import { Purchases } from './purchases.ts';
import { MORTAL, ServicesWorld } from './world.ts';

const AT_ONCE = 8;
/** Real time of a round, in which nodes get to work. */
const ROUND_MS = 120;
const SETTLE_EVERY = 100;
const PATIENCE = 150;
const SETTLE_MS = 250;

export interface ServicesOptions extends Pick<PlayOptions, 'rounds' | 'seed' | 'onViolation'> {
  readonly onRound?: (round: number, world: ServicesWorld) => void;
}

/**
 * Plays that many rounds of withdrawals, payouts, launches, sponsorships, trades and sold calls, while RPCs and services fail and nodes are killed, and
 * holds every book against the ledger.
 */
export async function playServices({ rounds, seed, onRound, onViolation }: ServicesOptions): Promise<Outcome> {
  const notes = new Notes(onViolation);
  const dice = new Dice(seed);
  const world = await ServicesWorld.open(dice.fork('world'), notes);
  const unhandled = (error: unknown) => {
    // A killed process ends with it; one that lives and whose store fails would end by it.
    if (String(error).includes('the process was killed')) notes.count(`unhandled when killed ${placeOf(error)}`);
    else notes.violated('answers', `nobody handles ${(error as Error).stack ?? error}`);
  };
  process.on('unhandledRejection', unhandled);
  try {
    const outside = newWallet().address;
    await world.localnet.faucet.usdc(outside, 1n);
    const errands = new Errands(world, dice.fork('errands'), outside);
    await errands.begin();
    const purchases = new Purchases(world, dice.fork('purchases'));
    const [running, buying] = [new Set<Promise<void>>(), new Set<Promise<void>>()];
    for (let round = 1; round <= rounds; round += 1) {
      notes.round = round;
      world.stir(round);
      await world.raise(round);
      for (const name of MORTAL) if (dice.chance(0.25) && world.isUp(name)) world.doom(name);
      if (running.size < AT_ONCE) begin(running, act(errands, dice), notes);
      begin(buying, purchases.round(), notes);
      world.pass(dice.between(2, 40), dice.chance(0.2) ? dice.between(100, 300) : dice.between(0, 10));
      await pause(ROUND_MS);
      if (round % SETTLE_EVERY === 0 && round < rounds)
        await settle(world, errands, purchases, [...running, ...buying]);
      onRound?.(round, world);
    }
    await settle(world, errands, purchases, [...running, ...buying]);
    notes.counts.set('kills', world.kills);
    for (const [what, count] of Object.entries({ ...(await endsOf(world, errands)), ...purchases.ends() }))
      notes.counts.set(what, count);
    return { seed, rounds, violations: notes.violations, counts: Object.fromEntries([...notes.counts].sort()) };
  } finally {
    await world.close();
    process.off('unhandledRejection', unhandled);
  }
}

function act(errands: Errands, dice: Dice): Promise<void> {
  const action = dice.weighted({
    ...{ again: 8, withdraw: 4, sell: 3, launch: 1, buy: 2, swap: 2, order: 1 },
    ...{ deposit: 1.5, depositElsewhere: 0.7 },
  })!;
  return action === 'swap' || action === 'order' ? errands.trade(action) : errands[action]();
}

function begin(running: Set<Promise<void>>, run: Promise<void>, notes: Notes): void {
  const one = run
    .catch((error: unknown) => notes.violated('answers', `an action failed: ${(error as Error).stack}`))
    .finally(() => running.delete(one));
  running.add(one);
}

/** Everything is well again, whatever was asked for is asked for until it is answered, and the books are read. */
async function settle(
  world: ServicesWorld,
  errands: Errands,
  purchases: Purchases,
  running: readonly Promise<void>[],
): Promise<void> {
  await world.heal();
  await Promise.race([Promise.all(running), pause(10_000)]);
  for (let step = 0; step < PATIENCE && !(await isQuiet(world, errands, purchases)); step += 1) {
    // A call under way when all was healed may still have killed one.
    await world.raise();
    await Promise.all([errands.everythingAgain(), purchases.everythingAgain()]);
    world.pass(30, 5);
    await pause(SETTLE_MS);
  }
  await checkServices(world, errands, purchases);
}

/** The lines of the product through which a rejection came, the last first. */
function placeOf(error: unknown): string {
  const frames = String((error as Error).stack).match(/(core|plugins|adapters)\/[\w./-]+\.ts:\d+/g) ?? [];
  return frames.slice(0, 4).join(' < ') || 'at no line of the product';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

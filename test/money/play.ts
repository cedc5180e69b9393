import { Crook } from './actors/crook.ts';
import { HonestAgents } from './actors/honest.ts';
import { checkAlways, checkSettled, isQuiet } from './checks.ts';
import { Dice } from './dice.ts';
import { Notes, type Violation } from './notes.ts';
import { HONEST, World } from './world.ts';

export interface PlayOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly onRound?: (round: number, world: World) => void;
  readonly onViolation?: (violation: Violation) => void;
}

export interface Outcome {
  readonly seed: number;
  readonly rounds: number;
  readonly violations: readonly Violation[];
  readonly counts: Readonly<Record<string, number>>;
}

const CHECK_EVERY = 40;
const SETTLE_EVERY = 400;
/** Actions under way at the same time: no further one is begun meanwhile. */
const AT_ONCE = 12;
/** Real time of a round, in which nodes get to work. */
const ROUND_MS = 150;
/** Steps in which everything has to settle, each up to the next moment that something waits for. */
const PATIENCE = 120;
const LONGEST_STEP = 1_200;
const SETTLE_MS = 600;

/** Plays that many rounds, each of one action of one party and of time that passes, and checks the money all along. */
export async function play({ rounds, seed, onRound, onViolation }: PlayOptions): Promise<Outcome> {
  const notes = new Notes(onViolation);
  const world = await World.open(seed, notes);
  try {
    const dice = new Dice(seed);
    const honest = new HonestAgents(world, dice.fork('honest'));
    const crook = await Crook.open(world, dice.fork('crook'));
    // Whoever is to be accused needs batches first.
    for (const name of HONEST.slice(0, 2)) await honest.stake(name);
    const running = new Set<Promise<void>>();
    for (let round = 1; round <= rounds; round += 1) {
      notes.round = round;
      world.stir(round);
      await world.raise(round);
      if (dice.chance(0.08)) {
        const victim = dice.of(HONEST);
        if (world.isUp(victim)) world.doom(victim);
      }
      if (running.size < AT_ONCE) begin(running, () => act(world, honest, crook, dice), notes);
      else notes.count('rounds without an action');
      world.pass(dice.between(10, 160), dice.chance(0.3) ? dice.between(100, 400) : dice.between(0, 20));
      await pause(ROUND_MS);
      if (round % CHECK_EVERY === 0) await checkAlways(world);
      if (round % SETTLE_EVERY === 0 && round < rounds) await settle(world, crook, running);
      onRound?.(round, world);
    }
    await settle(world, crook, running);
    return { seed, rounds, violations: notes.violations, counts: Object.fromEntries([...notes.counts].sort()) };
  } finally {
    await world.close();
  }
}

function begin(running: Set<Promise<void>>, run: () => Promise<void>, notes: Notes): void {
  const one = run()
    .catch((error: unknown) => notes.violated('answers', `an action failed: ${(error as Error).stack}`))
    .finally(() => running.delete(one));
  running.add(one);
}

async function act(world: World, honest: HonestAgents, crook: Crook, dice: Dice): Promise<void> {
  const up = HONEST.filter((name) => world.isUp(name));
  if (up.length === 0) return;
  const name = dice.of(up);
  const action = dice.weighted({
    propose: 1.5,
    step: 16,
    race: 2,
    illegal: 1,
    stake: 3,
    notarize: 2,
    cheat: 5,
    pose: 5,
  })!;
  world.notes.count(`action ${action}`);
  if (action === 'cheat') return crook.cheat();
  // Most of the time Mallory does what an honest agent does, or nobody would deal with her.
  if (action === 'pose') return dice.chance(0.15) ? honest.propose('mallory') : honest.step('mallory');
  if (action === 'notarize') return world.isUp('nora') ? honest.notarize('nora') : undefined;
  return honest[action](name);
}

/** The RPCs are well again, everybody is up, nobody asks for anything new, and time passes until nothing is left to come. */
async function settle(world: World, crook: Crook, running: ReadonlySet<Promise<void>>): Promise<void> {
  await world.heal();
  for (let step = 0; running.size > 0 && step < PATIENCE; step += 1) {
    // A call under way when all was healed may still have killed one.
    await world.raise();
    world.pass(60, 20);
    await Promise.race([Promise.all(running), pause(SETTLE_MS)]);
  }
  if (running.size > 0)
    world.notes.violated('answers', `${running.size} calls never end, although nothing is wrong any more`);
  for (let step = 0; step < PATIENCE && (step < 3 || !(await isQuiet(world))); step += 1) {
    await world.raise();
    world.pass(await nextMoment(world), 10);
    await crook.cleanUp();
    await pause(SETTLE_MS);
  }
  await checkSettled(world);
}

/** Seconds to the next moment at which an escrow can go on; little where none is open. */
async function nextMoment(world: World): Promise<number> {
  const { disputeSecs } = world.settlement.numbers;
  const open = await world.books.openEscrows();
  const moments = open.flatMap(({ deadline, deliveredAt, reviewSecs, disputedAt }) => [
    deliveredAt === null ? deadline : deliveredAt + reviewSecs,
    ...(disputedAt === null ? [] : [disputedAt + (disputeSecs * 2) / 3, disputedAt + disputeSecs]),
  ]);
  const ahead = moments.map((at) => at + 5 - world.now).filter((seconds) => seconds > 0);
  return Math.ceil(Math.min(LONGEST_STEP, ...ahead));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

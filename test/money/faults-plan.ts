import type { FaultPlan, FaultRule } from '../../adapters/localnet/faults/plan.ts';
import type { Dice } from './dice.ts';

const READS = ['getAccountInfo', 'getMultipleAccounts', 'getTransaction', 'getSignaturesForAddress', 'getSlot'];
const ANY = '*';

/** Ways in which one RPC node can be bad for some rounds; each draws its own numbers. */
const MOODS: Readonly<Record<string, (dice: Dice) => FaultPlan>> = {
  calm: () => ({}),
  lagging: (dice) => ({ lag: dice.of([2, 20, 150, 800]) }),
  staleAccounts: (dice) => ({ lag: { getMultipleAccounts: dice.of([5, 60, 700]), getAccountInfo: dice.of([0, 40]) } }),
  staleStatuses: (dice) => ({
    late: {
      getSignatureStatuses: dice.of([5, 40, 900]),
      getTransaction: dice.of([0, 40, 900]),
      getSignaturesForAddress: dice.of([0, 200, 900]),
    },
  }),
  pruned: (dice) => ({ keepSlots: dice.of([200, 1_500]), statusSlots: dice.of([50, 300]) }),
  slowFinality: (dice) => ({ finality: dice.of([32, 400]) }),
  shortLogs: (dice) => ({ logBytes: dice.of([0, 300, 1_200]) }),
  forwardsAndRefuses: (dice) => ({ rules: [rule('sendTransaction', 'preflight', dice.of([0.3, 0.8]))] }),
  losesSends: (dice) => ({
    rules: [rule('sendTransaction', 'reset', dice.of([0.3, 0.9]), { lost: dice.of(['request', 'answer']) })],
  }),
  takesBack: (dice) => ({
    rules: [rule('sendTransaction', 'rolled-back', dice.of([0.2, 0.6]), { slots: dice.of([8, 700]) })],
  }),
  overloaded: (dice) => ({
    rules: [
      rule(ANY, 'status', dice.of([0.1, 0.4]), { status: 429, retryAfter: 0 }),
      rule(ANY, 'status', 0.1, { status: 503 }),
      rule(ANY, 'delay', 0.1, { ms: 300 }),
    ],
  }),
  nonsense: (dice) => ({
    rules: (['null', 'type', 'no-context', 'wrong-id', 'duplicate', 'number-as-text', 'previous'] as const).map(
      (fault) => rule(dice.chance(0.5) ? READS : ANY, fault, 0.04),
    ),
  }),
  broken: () => ({
    rules: [
      rule(ANY, 'cut', 0.05),
      rule(ANY, 'empty', 0.05),
      rule(ANY, 'html', 0.05),
      rule(ANY, 'timeout', 0.02, { ms: 700 }),
    ],
  }),
  away: () => ({ rules: [rule(ANY, 'status', 1, { status: 503 })] }),
  mixed: (dice) => ({
    lag: { getMultipleAccounts: dice.of([0, 30]), '*': dice.of([0, 3]) },
    late: { getSignatureStatuses: dice.of([0, 10]) },
    logBytes: 500,
    rules: [rule('sendTransaction', 'preflight', 0.3), rule(ANY, 'reset', 0.05), rule(READS, 'previous', 0.05)],
  }),
};

/** One RPC node out of order for so many rounds. */
export interface Spell {
  readonly mood: string;
  readonly plan: FaultPlan;
  readonly rounds: number;
}

/** A third of the time a node is well, and it is never away for long: nobody can act through an RPC that is not there. */
export function nextSpell(dice: Dice): Spell {
  const mood = dice.chance(0.25) ? 'calm' : dice.of(Object.keys(MOODS));
  return { mood, plan: MOODS[mood]!(dice), rounds: mood === 'away' ? 3 : dice.between(3, 14) };
}

function rule(
  method: string | readonly string[],
  fault: FaultRule['fault'],
  chance: number,
  more: Partial<FaultRule> = {},
): FaultRule {
  return { method: method as FaultRule['method'], fault, chance, ...more };
}

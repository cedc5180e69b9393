import assert from 'node:assert/strict';
import { type CaseStepName, DISPUTE_CASES, DISPUTE_SECS, REVIEW, type Who } from './support/dispute-cases.ts';
import { DISPUTE_NUMBERS, DisputeRun } from './support/dispute-run.ts';
import type { ModelEscrow } from './support/escrow-model.ts';
import { Chance, seedOf } from './support/random.ts';
import { World } from './support/world.ts';

const ESCROWS = Number(process.env['ESCROWS'] ?? 150);

describe('a dispute', () => {
  const world = new World(DISPUTE_NUMBERS);

  for (const { name, steps, ends, ...terms } of DISPUTE_CASES) {
    it(name, () => {
      const run = new DisputeRun(world, terms);
      let error = run.lock();
      for (const [index, step] of steps.entries()) {
        assert.equal(error, undefined, `before step ${index + 1}`);
        if (step[0] === 'account') run.account(step[1], step[2]);
        else error = run.step(...step);
      }
      if (typeof ends === 'string') assert.equal(error, ends);
      else assert.deepEqual([error, run.balances()], [undefined, ends]);
    });
  }
});

/** The step that leads on is tried more often than those that end it early. */
const LIKELY: Record<ModelEscrow['state'], readonly CaseStepName[]> = {
  locked: [...often('deliver'), 'reclaim', 'approve', 'refund', 'dispute', 'contest', 'split'],
  delivered: [...often('dispute'), 'claim', 'approve', 'refund', 'split', 'decide'],
  disputed: [...often('contest'), 'dispute', 'dispute', 'split', 'approve', 'refund', 'decide'],
  contested: [...often('decide'), 'split', 'split', 'approve', 'refund', 'contest', 'claim'],
  splitting: ['split', 'split', 'approve', 'refund', 'decide'],
};
const ENTITLED: Partial<Record<CaseStepName, Who>> = {
  ...{ deliver: 'P', refund: 'P', contest: 'P' },
  ...{ approve: 'R', dispute: 'R', decide: 'N' },
};
/** Moments at which a rule changes, counted from the last step, and some between. */
const PAUSES = [0, 1, 400, REVIEW, REVIEW + 1, DISPUTE_SECS - 1, DISPUTE_SECS, DISPUTE_SECS + 1];

describe('random escrows', () => {
  const seed = seedOf(7);
  const world = new World(DISPUTE_NUMBERS);
  const chance = new Chance(seed);

  function amountOf(): bigint {
    return chance.happens(0.2) ? BigInt(1 + chance.below(4)) : BigInt(1 + chance.below(2 ** 30));
  }

  /** What the rules promise whatever anybody does. */
  function checkPromises(run: DisputeRun, amount: bigint, bond: bigint, seen: ReadonlySet<string>): void {
    const [requester, provider, burnt] = run.balances();
    assert.equal(requester + provider + burnt + run.held(), 0n, 'conservation');
    assert.ok(provider >= 0n, 'the provider pays nothing');
    assert.ok(
      requester <= 0n && -requester <= amount + bond,
      'the requester gains nothing and loses what it locked at most',
    );
    if (!seen.has('contest')) {
      assert.equal(burnt, 0n, 'nothing burns without a contest');
      if (run.state === 'ended') assert.ok(-requester <= amount, 'the bond is lost only after a contest');
    }
  }

  it(`end as the model says, and always end (${ESCROWS} escrows, seed ${seed})`, function () {
    this.timeout(600_000);
    const ends = new Map<string, number>();
    for (let number = 0; number < ESCROWS; number++) {
      const amount = amountOf();
      const bond = (amount * BigInt(chance.below(20_001))) / 10_000n;
      const floor = chance.happens(0.6) ? 0 : chance.below(10_001);
      const run = new DisputeRun(world, { amount, bond, floor, notary: chance.happens(0.5) });
      assert.equal(run.lock(), undefined);
      const seen = new Set<string>();
      let at = 0;
      for (let step = 0; step < 16 && run.state !== 'ended'; step++) {
        at += chance.happens(0.7) ? chance.below(400) : chance.pick(PAUSES);
        if (chance.happens(0.1)) run.account(chance.pick(['R', 'P'] as const), chance.happens(0.4));
        const before = run.state;
        const name = chance.pick(LIKELY[before as ModelEscrow['state']]);
        const who = chance.happens(0.75) ? (ENTITLED[name] ?? 'A') : chance.pick(['R', 'P', 'N', 'A'] as const);
        const error = run.step(who, name, at, name === 'decide' ? chance.below(2) : chance.below(10_001));
        assert.deepEqual(run.balances(), run.modelBalances(), `escrow ${number}: ${who} ${name} at ${at}`);
        if (error === undefined) seen.add(name);
        checkPromises(run, amount, bond, seen);
        if (error === undefined && before !== run.state) {
          const end = `${before} ${name} ${run.state}`;
          ends.set(end, (ends.get(end) ?? 0) + 1);
        }
      }
      for (const of of ['R', 'P'] as const) if (!run.usable[of]) run.account(of, true);
      at += 2 * DISPUTE_SECS;
      for (const name of ['reclaim', 'claim', 'split'] as const) if (run.state !== 'ended') run.step('A', name, at);
      assert.equal(run.state, 'ended', `escrow ${number} ends without anybody's consent`);
      assert.deepEqual(run.balances(), run.modelBalances());
      checkPromises(run, amount, bond, seen);
    }
    if (process.env['VERBOSE']) process.stdout.write(`      ${JSON.stringify(Object.fromEntries(ends))}\n`);
    for (const end of [
      'locked reclaim',
      'delivered claim',
      'disputed split',
      'contested split',
      'contested decide',
      'splitting split',
    ])
      assert.ok(
        [...ends.keys()].some((one) => one.startsWith(end)),
        `no escrow ended by ${end}: the run shows nothing about it`,
      );
  });
});

function often(step: CaseStepName): CaseStepName[] {
  return Array.from({ length: 9 }, () => step);
}

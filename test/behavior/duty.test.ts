import assert from 'node:assert/strict';
import { requestUnlock, slashInactive, submitBatch } from '../../adapters/ledger-solana/program/index.ts';
import { type Duty, nextDuty } from '../../core/protocol/batches/duty.ts';
import { stakedAgent } from '../program/support/agents.ts';
import { World } from '../program/support/world.ts';
import { agentView } from './agent-view.ts';

const NUMBERS = { submitGap: 3, skipLimit: 2, challengeSecs: 500 };
const ROOT = Buffer.alloc(32, 3);

function account(over: Partial<Parameters<typeof nextDuty>[0]> = {}) {
  return { duties: true, last: 100, settledEpoch: 0, skipped: [], batches: [], ...over };
}

function duty(over: object, epoch: number, unbatchable: readonly number[] = []): Duty {
  const context = {
    numbers: NUMBERS,
    epoch,
    unixSeconds: epoch * 100,
    unbatchable: (one: number) => unbatchable.includes(one),
  };
  return nextDuty(account(over), context);
}

describe('what an agent owes next', () => {
  const cases: readonly [string, Duty, Duty][] = [
    [
      'nothing without an account',
      nextDuty(undefined, { numbers: NUMBERS, epoch: 5, unixSeconds: 0, unbatchable: () => false }),
      { kind: 'none' },
    ],
    ['nothing without duties', duty({ duties: false }, 120), { kind: 'none' }],
    ['nothing before an epoch is over', duty({}, 101), { kind: 'done' }],
    ['the epoch that is over', duty({}, 102), { kind: 'submit', epoch: 101, skipped: [] }],
    ['one after the other after a long absence', duty({}, 130), { kind: 'submit', epoch: 101, skipped: [] }],
    ['not a tainted one', duty({}, 102, [101]), { kind: 'done' }],
    ['the one behind a tainted one', duty({}, 103, [101]), { kind: 'submit', epoch: 102, skipped: [101] }],
    ['the one behind two tainted ones', duty({}, 104, [101, 102]), { kind: 'submit', epoch: 103, skipped: [101, 102] }],
    ['nothing more behind three in a row', duty({}, 105, [101, 102, 103]), { kind: 'stuck', last: 100, reason: 'gap' }],
    ['hope while the third is not over', duty({}, 103, [101, 102]), { kind: 'done' }],
    [
      'nothing more with a third skip in 32',
      duty({ skipped: [80, 90] }, 110, [101]),
      { kind: 'stuck', last: 100, reason: 'skips' },
    ],
    [
      'again when an old skip is forgotten',
      duty({ skipped: [70, 90] }, 110, [101]),
      { kind: 'submit', epoch: 102, skipped: [101] },
    ],
    ['what comes after a slash', duty({ settledEpoch: 102 }, 104), { kind: 'submit', epoch: 103, skipped: [101, 102] }],
  ];
  for (const [name, found, expected] of cases) it(name, () => assert.deepEqual(found, expected));

  it('patience while the entry can be accused that would be overwritten', () => {
    const batches = [{ epoch: 85, count: 0, root: '', submittedAt: 10_000, slot: 0 }];
    assert.deepEqual(duty({ batches }, 102), { kind: 'wait', epoch: 101, until: 10_501 });
    assert.deepEqual(duty({ batches }, 106), { kind: 'submit', epoch: 101, skipped: [] });
  });
});

describe('the plan of batches before the program', () => {
  const world = new World();
  const { svm, deployment } = world;

  function plan(key: string, unbatchable: (epoch: number) => boolean): Duty {
    const context = { numbers: NUMBERS, epoch: Number(world.epoch()), unixSeconds: Number(svm.now()), unbatchable };
    return nextDuty(agentView(world, key), context);
  }

  it('is taken step by step, and where it says that nothing can be done nothing is taken', () => {
    const reasons = new Set<string>();
    for (let run = 0; run < 12; run++) {
      const { key } = stakedAgent(world);
      const submit = (epoch: number) =>
        submitBatch(deployment, key.address, { epoch: BigInt(epoch), count: 1, root: ROOT });
      const tainted = (epoch: number) => (epoch * 7919 + run * 104_729) % 11 < run % 4;
      for (let step = 0; step < 60; step++) {
        if (step % 3 === 0) svm.pass(100n * BigInt(1 + ((step + run) % 4)), 1n);
        const duty = plan(key.address, tainted);
        if (duty.kind === 'submit') world.do([submit(duty.epoch)], [key]);
        if (duty.kind === 'wait') world.refuse('windowOpen', [submit(duty.epoch)], [key]);
        if (duty.kind !== 'stuck') continue;
        reasons.add(duty.reason);
        for (let epoch = duty.last + 1; epoch < duty.last + 8; epoch++) {
          if (!tainted(epoch)) assert.notEqual(svm.send([submit(epoch)], [key]).error, undefined);
        }
        break;
      }
    }
    assert.deepEqual([...reasons].sort(), ['gap', 'skips']);
  });

  it('ends with the epoch of the request when leaving, and with a slash', () => {
    const [leaving, silent, caller] = [stakedAgent(world), stakedAgent(world), world.wallet()];
    svm.pass(200n);
    world.do([requestUnlock(deployment, leaving.key.address, leaving.key.address)], [leaving.key]);
    svm.pass(200n);
    for (let taken = 0; ; taken++) {
      const duty = plan(leaving.key.address, () => false);
      if (duty.kind !== 'submit') {
        assert.deepEqual([duty, taken], [{ kind: 'none' }, 2]);
        break;
      }
      world.do(
        [submitBatch(deployment, leaving.key.address, { epoch: BigInt(duty.epoch), count: 1, root: ROOT })],
        [leaving.key],
      );
    }
    svm.pass(600n);
    world.do([slashInactive(deployment, silent.key.address, caller.address)], [caller]);
    assert.deepEqual(
      plan(silent.key.address, () => false),
      { kind: 'none' },
    );
  });
});

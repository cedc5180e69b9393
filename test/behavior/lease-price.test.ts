import assert from 'node:assert/strict';
import { openAgent, payLease } from '../../adapters/ledger-solana/program/index.ts';
import { leasePayment } from '../../core/protocol/settlement/lease-price.ts';
import { World } from '../program/support/world.ts';
import { agentView } from './agent-view.ts';

const NUMBERS = { leasePrice: 1_000_000n, leaseMaxEpochs: 30, graceEpochs: 3 };

describe('the price of a lease', () => {
  const cases: readonly [string, number, number, ReturnType<typeof leasePayment>][] = [
    ['the first epoch', 0, 100, { epochs: 1, amount: 1_000_000n, paidThrough: 100 }],
    ['some epochs ahead', 0, 102, { epochs: 3, amount: 3_000_000n, paidThrough: 102 }],
    ['nothing when it is paid', 100, 100, undefined],
    ['the next epoch', 99, 100, { epochs: 1, amount: 1_000_000n, paidThrough: 100 }],
    ['arrears of the grace', 97, 100, { epochs: 3, amount: 3_000_000n, paidThrough: 100 }],
    ['a fine after the grace', 96, 100, { epochs: 1, amount: 4_000_000n, paidThrough: 100 }],
    ['the same fine after a year', 5, 101, { epochs: 2, amount: 5_000_000n, paidThrough: 101 }],
    ['not more than can be paid at once', 0, 190, { epochs: 30, amount: 30_000_000n, paidThrough: 129 }],
  ];
  for (const [name, paidThrough, through, expected] of cases) {
    it(`is that of ${name}`, () => assert.deepEqual(leasePayment({ paidThrough }, NUMBERS, 100, through), expected));
  }

  it('is what the program takes, to the unit', () => {
    const world = new World();
    const { deployment, svm } = world;
    const key = world.wallet();
    world.do([openAgent(deployment, key.address, key.address)], [key]);
    for (const [pause, ahead] of [
      [0, 0],
      [1, 0],
      [3, 1],
      [1, 0],
      [5, 0],
      [9, 2],
      [4, 0],
    ] as const) {
      svm.pass(100n * BigInt(pause));
      const epoch = Number(world.epoch());
      const payment = leasePayment(agentView(world, key.address), NUMBERS, epoch, epoch + ahead);
      if (!payment) continue;
      const before = world.tokens(key.address);
      const { payments } = world.agent(key.address);
      const terms = { epochs: payment.epochs, maxAmount: payment.amount, payments };
      world.do([payLease(deployment, key.address, { payer: key.address, ...terms })], [key]);
      assert.equal(before - world.tokens(key.address), payment.amount);
      assert.equal(agentView(world, key.address).paidThrough, payment.paidThrough);
    }
  });
});

import assert from 'node:assert/strict';
import {
  agentAddress,
  leaseStatus,
  openAgent,
  payLease,
  setAgentId,
  tokenAddress,
} from '../../adapters/ledger-solana/program/index.ts';
import type { Wallet } from './support/svm.ts';
import { World } from './support/world.ts';

const PRICE = 1_000_000n;

describe('lease', () => {
  const world = new World();
  const { svm, deployment } = world;
  const payer = world.wallet();

  function opened(): Wallet {
    const key = world.wallet();
    world.do([openAgent(deployment, key.address, key.address)], [key]);
    return key;
  }

  function pay(key: Wallet, epochs: number, maxAmount = 100n * PRICE, { payments } = world.agent(key.address)) {
    return payLease(deployment, key.address, { payer: payer.address, epochs, maxAmount, payments });
  }

  function status(key: Wallet): string {
    return leaseStatus(world.agent(key.address), world.read('config', deployment.config), svm.now());
  }

  /** Pays and tells what it cost. */
  function cost(key: Wallet, epochs: number): bigint {
    const [before, treasury] = [world.tokens(payer.address), world.tokens(world.treasury.address)];
    world.do([pay(key, epochs)], [payer]);
    const paid = before - world.tokens(payer.address);
    assert.equal(world.tokens(world.treasury.address) - treasury, paid);
    return paid;
  }

  it('opens an agent account with the claimed agent id, once, signed by the key', () => {
    const [key, sponsor] = [world.wallet(), world.wallet()];
    const before = svm.lamports(key.address);
    world.do([openAgent(deployment, key.address, sponsor.address, sponsor.address)], [sponsor, key]);
    assert.equal(svm.lamports(key.address), before);
    assert.equal(world.agent(key.address).agentId, sponsor.address);
    world.refuse('alreadyExists', [openAgent(deployment, key.address, key.address)], [key]);
    world.do([setAgentId(deployment, key.address, key.address)], [key]);
    assert.equal(world.agent(key.address).agentId, key.address);
    const other = opened();
    const foreign = setAgentId(deployment, key.address, other.address);
    const keys = foreign.keys.map((entry, i) => (i === 0 ? { ...entry, address: other.address } : entry));
    world.refuse('wrongAuthority', [{ ...foreign, keys }], [other]);
  });

  it('covers the current epoch first, then the following ones', () => {
    const key = opened();
    assert.equal(status(key), 'none');
    assert.equal(cost(key, 2), 2n * PRICE);
    assert.equal(world.agent(key.address).paidThrough, world.epoch() + 1n);
    svm.pass(100n);
    assert.equal(status(key), 'active');
    assert.equal(cost(key, 30), 30n * PRICE);
    assert.equal(world.agent(key.address).paidThrough, world.epoch() + 30n);
  });

  it('gives three epochs of grace, whose payment covers arrears first', () => {
    const key = opened();
    cost(key, 1);
    for (let behind = 1; behind <= 3; behind++) {
      svm.pass(100n);
      assert.equal(status(key), 'grace');
    }
    assert.equal(cost(key, 3), 3n * PRICE);
    assert.equal(status(key), 'active');
    assert.equal(world.agent(key.address).paidThrough, world.epoch());
  });

  it('charges the three grace epochs when it reactivates', () => {
    const key = opened();
    cost(key, 1);
    svm.pass(1000n);
    assert.equal(status(key), 'deactivated');
    assert.equal(cost(key, 1), 4n * PRICE);
    assert.equal(status(key), 'active');
    assert.equal(world.agent(key.address).paidThrough, world.epoch());
  });

  it('never costs more than the payer allowed', () => {
    const key = opened();
    cost(key, 1);
    svm.pass(1000n);
    world.refuse('priceExceeded', [pay(key, 1, PRICE)], [payer]);
    world.do([pay(key, 1, 4n * PRICE)], [payer]);
  });

  it('takes 1 to 30 epochs', () => {
    const key = opened();
    world.refuse('invalidLease', [pay(key, 0)], [payer]);
    world.refuse('invalidLease', [pay(key, 31)], [payer]);
    world.refuse('invalidLease', [pay(key, 65_535)], [payer]);
  });

  it('is taken once, however often the same payment is sent', () => {
    const key = opened();
    const payment = pay(key, 1);
    world.do([payment], [payer]);
    world.refuse('wrongPayment', [payment], [payer]);
    world.refuse('wrongPayment', [pay(key, 1, PRICE, { ...world.agent(key.address), payments: 2 })], [payer]);
    const after = world.agent(key.address);
    assert.deepEqual([after.payments, after.paidThrough], [1, world.epoch()]);
    world.refuse('wrongPayment', [pay(key, 1), pay(key, 1)], [payer]);
    world.do([pay(key, 1)], [payer]);
    assert.equal(world.agent(key.address).payments, 2);
  });

  it('needs a sane clock, like every instruction', () => {
    const key = opened();
    const clock = svm.raw.getClock();
    const now = clock.unixTimestamp;
    for (const wrong of [-1n, 2n ** 40n]) {
      clock.unixTimestamp = wrong;
      svm.raw.setClock(clock);
      world.refuse('tooEarly', [pay(key, 1)], [payer]);
    }
    clock.unixTimestamp = now;
    svm.raw.setClock(clock);
    world.do([pay(key, 1)], [payer]);
  });

  it('pays from the payer’s own account to the treasury only', () => {
    const key = opened();
    const [stranger, poor] = [world.wallet(), world.wallet(0n)];
    const swap = (index: number, wallet: Wallet) => {
      const instruction = pay(key, 1);
      const keys = instruction.keys.map((entry, i) =>
        i === index ? { ...entry, address: tokenAddress(deployment, wallet.address) } : entry,
      );
      return { ...instruction, keys };
    };
    world.refuse('wrongTokenOwner', [swap(3, stranger)], [payer]);
    world.refuse('wrongAddress', [swap(4, stranger)], [payer]);
    const treasury = tokenAddress(deployment, world.treasury.address);
    const [owner, amount] = [world.treasury.address, world.tokensAt(treasury)];
    world.setTokenAccount(treasury, { owner, amount, state: 2 });
    world.refuse('notReceivable', [pay(key, 1)], [payer]);
    world.setTokenAccount(treasury, { owner, amount });
    const spend = payLease(deployment, key.address, { payer: poor.address, epochs: 1, maxAmount: PRICE, payments: 0 });
    world.refuse('custom 1', [spend], [poor]);
    assert.equal(world.agent(key.address).paidThrough, 0n);
    assert.ok(svm.account(agentAddress(deployment, key.address)));
  });
});

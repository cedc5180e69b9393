import assert from 'node:assert/strict';
import {
  addStake,
  agentAddress,
  agentState,
  hasDuties,
  openAgent,
  payLease,
  requestUnlock,
  resume,
  slashInactive,
  submitBatch,
  tokenAddress,
  vaultAddress,
  withdraw,
} from '../../adapters/ledger-solana/program/index.ts';
import { accusedAgent, live, STAKE, type StakedAgent, stakedAgent } from './support/agents.ts';
import { World } from './support/world.ts';

describe('stake', () => {
  const world = new World();
  const { svm, deployment } = world;
  const stranger = world.wallet();

  function state(agent: StakedAgent): string {
    return agentState(world.agent(agent.key.address));
  }

  function paymentsOf(agent: StakedAgent): number {
    return world.agent(agent.key.address).payments;
  }

  function unlock(agent: StakedAgent): void {
    world.do([requestUnlock(deployment, agent.key.address, agent.key.address)], [agent.key]);
  }

  function out(agent: StakedAgent) {
    return [withdraw(deployment, agent.key.address, agent.owner.address)];
  }

  /** Stays silent until a stranger may slash. */
  function slashed(): StakedAgent {
    const agent = stakedAgent(world);
    svm.pass(500n);
    world.do([slashInactive(deployment, agent.key.address, stranger.address)], [stranger]);
    return agent;
  }

  it('is held in a vault, with duties from the first whole epoch', () => {
    const agent = stakedAgent(world);
    const account = world.agent(agent.key.address);
    assert.equal(account.stake, STAKE);
    assert.equal(account.stakeOwner, agent.owner.address);
    assert.equal(account.start, world.epoch() + 1n);
    assert.equal(account.last, world.epoch());
    assert.ok(hasDuties(account));
    assert.equal(world.tokensAt(vaultAddress(deployment, agentAddress(deployment, agent.key.address))), STAKE);
  });

  it('begins only when the key signs, and with at least the minimum', () => {
    const [key, owner] = [world.wallet(), world.wallet()];
    const first = (amount: bigint, asked = true) =>
      addStake(deployment, key.address, { stakeOwner: owner.address, amount, first: asked, payments: 0 });
    world.do([openAgent(deployment, key.address, key.address)], [key]);
    world.refuse('missingSigner', [first(STAKE, false)], [owner]);
    world.refuse('stakeTooSmall', [first(9_999_999n)], [owner, key]);
    world.refuse('invalidAmount', [first(0n)], [owner, key]);
    world.do([first(10_000_000n)], [owner, key]);
  });

  it('is added to by its owner alone', () => {
    const agent = stakedAgent(world);
    const more = (stakeOwner: string, amount = 1n) =>
      addStake(deployment, agent.key.address, { stakeOwner, amount, first: false, payments: paymentsOf(agent) });
    world.do([more(agent.owner.address)], [agent.owner]);
    assert.equal(world.agent(agent.key.address).stake, STAKE + 1n);
    world.refuse('wrongAuthority', [more(stranger.address)], [stranger]);
    const step = more(agent.owner.address);
    const vault = vaultAddress(deployment, agentAddress(deployment, agent.key.address));
    const pocket = tokenAddress(deployment, stranger.address);
    const keys = step.keys.map((key) => (key.address === vault ? { ...key, address: pocket } : key));
    world.refuse('wrongAddress', [{ ...step, keys }], [agent.owner]);
    world.refuse('overflow', [more(agent.owner.address, 2n ** 64n - 1n)], [agent.owner]);
    world.refuse('custom 1', [more(agent.owner.address, 2n ** 60n)], [agent.owner]);
  });

  it('is added once, however often the same payment is sent, and counted with the leases', () => {
    const agent = stakedAgent(world);
    const stakeOwner = agent.owner.address;
    const add = addStake(deployment, agent.key.address, { stakeOwner, amount: 5n, first: false, payments: 1 });
    world.do([add], [agent.owner]);
    world.refuse('wrongPayment', [add], [agent.owner]);
    assert.equal(world.agent(agent.key.address).stake, STAKE + 5n);
    const lease = { payer: stakeOwner, epochs: 1, maxAmount: 1_000_000n, payments: 2 };
    world.do([payLease(deployment, agent.key.address, lease)], [agent.owner]);
    assert.equal(paymentsOf(agent), 3);
  });

  it('is unlocked by key or owner and withdrawn by the owner when every wait is over', () => {
    const agent = stakedAgent(world);
    live(world, agent, 3);
    world.do([requestUnlock(deployment, agent.key.address, agent.owner.address)], [agent.owner]);
    world.refuse('wrongState', [requestUnlock(deployment, agent.key.address, agent.owner.address)], [agent.owner]);
    live(world, agent, 1);
    assert.equal(hasDuties(world.agent(agent.key.address)), false);
    svm.pass(599n);
    world.refuse('tooEarly', out(agent), [agent.owner]);
    svm.pass(1n);
    const vault = vaultAddress(deployment, agentAddress(deployment, agent.key.address));
    const [tokens, lamports, rent] = [
      world.tokens(agent.owner.address),
      svm.lamports(agent.owner.address),
      svm.lamports(vault),
    ];
    world.do(out(agent), [agent.owner]);
    assert.equal(world.tokens(agent.owner.address) - tokens, STAKE);
    assert.equal(svm.lamports(agent.owner.address) - lamports, rent - 5000n);
    assert.equal(state(agent), 'none');
    assert.equal(world.agent(agent.key.address).stake, 0n);
    world.refuse('wrongState', out(agent), [agent.owner]);
  });

  it('waits for the challenge window of the last batch as well', () => {
    const agent = stakedAgent(world);
    unlock(agent);
    live(world, agent, 6);
    svm.pass(100n);
    world.refuse('tooEarly', out(agent), [agent.owner]);
    svm.pass(400n);
    world.refuse('tooEarly', out(agent), [agent.owner]);
    svm.pass(1n);
    world.do(out(agent), [agent.owner]);
  });

  it('is not withdrawn while a batch is owed', () => {
    const agent = stakedAgent(world);
    live(world, agent, 2);
    svm.pass(100n);
    unlock(agent);
    assert.ok(hasDuties(world.agent(agent.key.address)));
    svm.pass(800n);
    world.refuse('dutiesNotOver', out(agent), [agent.owner]);
  });

  it('is not withdrawn while an accusation is open', () => {
    const agent = accusedAgent(world);
    unlock(agent);
    live(world, agent, 1);
    svm.pass(700n);
    world.refuse('openAccusations', out(agent), [agent.owner]);
  });

  it('is asked back by nobody else, and paid to nobody else', () => {
    const agent = stakedAgent(world);
    world.refuse('wrongAuthority', [requestUnlock(deployment, agent.key.address, stranger.address)], [stranger]);
    world.refuse('wrongState', out(agent), [agent.owner]);
    unlock(agent);
    live(world, agent, 8);
    world.refuse('wrongAuthority', [withdraw(deployment, agent.key.address, stranger.address)], [stranger]);
    world.refuse('wrongAuthority', [withdraw(deployment, agent.key.address, agent.key.address)], [agent.key]);
  });

  it('resumes with both signatures; what was owed stays owed', () => {
    const agent = stakedAgent(world);
    live(world, agent, 2);
    svm.pass(200n);
    unlock(agent);
    const last = world.agent(agent.key.address).last;
    const again = [resume(deployment, agent.key.address, agent.owner.address)];
    world.refuse('wrongAuthority', [resume(deployment, agent.key.address, stranger.address)], [agent.key, stranger]);
    world.refuse('wrongAuthority', [resume(deployment, agent.key.address, agent.key.address)], [agent.key]);
    world.do(again, [agent.owner, agent.key]);
    assert.equal(state(agent), 'active');
    assert.equal(world.agent(agent.key.address).last, last);
    world.refuse('wrongState', again, [agent.owner, agent.key]);
  });

  it('resumes after its duties were over and owes the present epoch', () => {
    const agent = stakedAgent(world);
    live(world, agent, 1);
    unlock(agent);
    live(world, agent, 1);
    svm.pass(5000n);
    world.refuse('wrongState', [slashInactive(deployment, agent.key.address, stranger.address)], [stranger]);
    world.do([resume(deployment, agent.key.address, agent.owner.address)], [agent.key, agent.owner]);
    const account = world.agent(agent.key.address);
    assert.equal(account.last, world.epoch() - 1n);
    assert.equal(account.start, world.epoch());
    world.refuse('tooEarly', [slashInactive(deployment, agent.key.address, stranger.address)], [stranger]);
  });

  it('leaves no epoch without a batch by unlocking and resuming in turn', () => {
    const agent = stakedAgent(world);
    const again = () => [resume(deployment, agent.key.address, agent.owner.address)];
    live(world, agent, 2);
    const batched = new Set<bigint>();
    const from = world.epoch();
    for (let turn = 0; turn < 4; turn++) {
      unlock(agent);
      const { until, last } = world.agent(agent.key.address);
      svm.pass(100n);
      for (let epoch = last + 1n; epoch <= until; epoch++) {
        world.do(
          [submitBatch(deployment, agent.key.address, { epoch, count: 0, root: Buffer.alloc(32) })],
          [agent.key],
        );
        batched.add(epoch);
      }
      assert.equal(hasDuties(world.agent(agent.key.address)), false);
      world.do(again(), [agent.key, agent.owner]);
      assert.equal(world.agent(agent.key.address).start, world.epoch());
    }
    for (let epoch = from; epoch < world.epoch(); epoch++) assert.ok(batched.has(epoch), `epoch ${epoch - from}`);
    const owed = world.agent(agent.key.address).last;
    svm.pass(500n);
    assert.equal(owed + 1n, world.epoch() - 5n);
    world.do([slashInactive(deployment, agent.key.address, stranger.address)], [stranger]);
  });

  it('leaves or resumes after a slash; below the minimum only after adding to it', () => {
    const agent = slashed();
    assert.equal(state(agent), 'suspended');
    unlock(agent);
    assert.equal(hasDuties(world.agent(agent.key.address)), false);
    svm.pass(699n);
    world.refuse('tooEarly', out(agent), [agent.owner]);
    svm.pass(1n);
    const before = world.tokens(agent.owner.address);
    world.do(out(agent), [agent.owner]);
    assert.equal(world.tokens(agent.owner.address) - before, STAKE / 2n);

    const small = stakedAgent(world, 12_000_000n);
    svm.pass(500n);
    world.do([slashInactive(deployment, small.key.address, stranger.address)], [stranger]);
    const again = [resume(deployment, small.key.address, small.owner.address)];
    const add = (amount: bigint) =>
      addStake(deployment, small.key.address, {
        ...{ stakeOwner: small.owner.address, amount, first: false },
        payments: paymentsOf(small),
      });
    world.refuse('stakeTooSmall', again, [small.key, small.owner]);
    world.refuse('stakeTooSmall', [add(3_999_999n)], [small.owner]);
    world.do([add(4_000_000n), ...again], [small.key, small.owner]);
    assert.equal(state(small), 'active');
  });

  it('can be staked again by another owner after a withdrawal', () => {
    const agent = stakedAgent(world);
    unlock(agent);
    live(world, agent, 1);
    svm.pass(700n);
    world.do(out(agent), [agent.owner]);
    const next = addStake(deployment, agent.key.address, {
      ...{ stakeOwner: stranger.address, amount: STAKE, first: true },
      payments: paymentsOf(agent),
    });
    world.do([next], [stranger, agent.key]);
    assert.equal(world.agent(agent.key.address).stakeOwner, stranger.address);
    assert.equal(world.agent(agent.key.address).start, world.epoch() + 1n);
  });
});

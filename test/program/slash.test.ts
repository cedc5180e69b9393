import assert from 'node:assert/strict';
import { convict, slashInactive, tokenAddress } from '../../adapters/ledger-solana/program/index.ts';
import { accusedAgent, live, STAKE, type StakedAgent, stakedAgent } from './support/agents.ts';
import { World } from './support/world.ts';

describe('slash', () => {
  const world = new World();
  const { svm, deployment } = world;
  const caller = world.wallet();

  function slash(agent: StakedAgent) {
    return [slashInactive(deployment, agent.key.address, caller.address)];
  }

  it('comes five epochs and the slots after the last batch, not before', () => {
    const agent = stakedAgent(world);
    live(world, agent, 3);
    svm.pass(399n, 60n);
    world.refuse('tooEarly', slash(agent), [caller]);
    svm.pass(1n, 0n);
    const [tokens, treasury] = [world.tokens(caller.address), world.tokens(world.treasury.address)];
    const { events } = world.do(slash(agent), [caller]);
    assert.equal(world.tokens(caller.address) - tokens, STAKE / 4n);
    assert.equal(world.tokens(world.treasury.address) - treasury, STAKE / 4n);
    assert.equal(events[0]?.name === 'agentSlashed' && events[0].values.reason, 1);
    world.refuse('wrongState', slash(agent), [caller]);
  });

  it('waits for slots too, so that a standing cluster makes nobody late', () => {
    const agent = stakedAgent(world);
    svm.pass(1000n, 49n);
    world.refuse('tooEarly', slash(agent), [caller]);
    svm.pass(0n, 1n);
    world.do(slash(agent), [caller]);
  });

  it('caps the bounty and leaves the rest to the treasury', () => {
    const agent = stakedAgent(world, 400_000_001n);
    svm.pass(500n);
    const [tokens, treasury] = [world.tokens(caller.address), world.tokens(world.treasury.address)];
    world.do(slash(agent), [caller]);
    assert.equal(world.tokens(caller.address) - tokens, 50_000_000n);
    assert.equal(world.tokens(world.treasury.address) - treasury, 150_000_000n);
    assert.equal(world.agent(agent.key.address).stake, 200_000_001n);
  });

  it('still happens when the beneficiary cannot receive', () => {
    const agent = accusedAgent(world);
    const bounty = tokenAddress(deployment, agent.accuser.address);
    world.setTokenAccount(bounty, { owner: agent.accuser.address, amount: 0n, state: 2 });
    svm.pass(301n);
    const treasury = world.tokens(world.treasury.address);
    world.do([convict(deployment, { key: agent.key.address, id: agent.id, accuser: agent.accuser.address })], [caller]);
    assert.equal(world.tokens(world.treasury.address) - treasury, STAKE / 2n);
  });
});

import assert from 'node:assert/strict';
import { openAgent, requestUnlock, slashInactive, submitBatch } from '../../adapters/ledger-solana/program/index.ts';
import { live, type StakedAgent, stakedAgent } from './support/agents.ts';
import { World } from './support/world.ts';

const ROOT = Buffer.alloc(32, 3);
const ZERO = Buffer.alloc(32);

describe('behavior batch', () => {
  const world = new World();
  const { svm, deployment } = world;

  function batch(agent: Pick<StakedAgent, 'key'>, epoch: bigint, count = 1, root = ROOT) {
    return [submitBatch(deployment, agent.key.address, { epoch, count, root })];
  }

  it('is recorded with count, root, time and slot, and moves the agent forward', () => {
    const agent = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const { events } = world.do(batch(agent, epoch, 7), [agent.key]);
    const account = world.agent(agent.key.address);
    const entry = account.ring[Number(epoch % 16n)]!;
    const expected = { epoch, submittedAt: svm.now(), slot: svm.slot(), root: new Uint8Array(ROOT), count: 7 };
    assert.deepEqual(entry, expected);
    assert.equal(account.last, epoch);
    assert.equal(account.lastSlot, svm.slot());
    assert.deepEqual(events[0]?.values, { key: agent.key.address, epoch, count: 7, root: new Uint8Array(ROOT) });
  });

  it('belongs to a past epoch, each once and in order, at most three ahead', () => {
    const agent = stakedAgent(world);
    const start = world.epoch();
    world.refuse('epochOrder', batch(agent, start - 1n), [agent.key]);
    world.refuse('epochNotOver', batch(agent, start), [agent.key]);
    world.refuse('epochNotOver', batch(agent, start + 1n), [agent.key]);
    world.refuse('epochNotOver', batch(agent, 2n ** 64n - 1n), [agent.key]);
    svm.pass(550n);
    world.refuse('epochOrder', batch(agent, start), [agent.key]);
    world.refuse('epochOrder', batch(agent, start + 4n), [agent.key]);
    world.do(batch(agent, start + 3n), [agent.key]);
    world.refuse('epochOrder', batch(agent, start + 3n), [agent.key]);
    world.refuse('epochOrder', batch(agent, start + 1n), [agent.key]);
  });

  it('may skip two epochs among the last 32, not three', () => {
    const agent = stakedAgent(world);
    svm.pass(400n);
    world.do(batch(agent, world.epoch() - 1n), [agent.key]);
    assert.equal(world.agent(agent.key.address).skipHistory, 0b110);
    svm.pass(200n);
    world.refuse('tooManySkips', batch(agent, world.epoch() - 1n), [agent.key]);
    for (const back of [2n, 1n]) world.do(batch(agent, world.epoch() - back), [agent.key]);
    live(world, agent, 31);
    assert.equal(world.agent(agent.key.address).skipHistory, 0);
    svm.pass(200n);
    world.do(batch(agent, world.epoch() - 1n), [agent.key]);
    assert.equal(world.agent(agent.key.address).skipHistory, 0b10);
  });

  it('counts up to the last sequence number of a nonce; an empty one has a zero root', () => {
    const agent = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    world.refuse('invalidBatch', batch(agent, epoch, 2 ** 22), [agent.key]);
    world.refuse('invalidBatch', batch(agent, epoch, 2 ** 32 - 1), [agent.key]);
    world.refuse('invalidBatch', batch(agent, epoch, 0, ROOT), [agent.key]);
    world.do(batch(agent, epoch, 2 ** 22 - 1), [agent.key]);
    svm.pass(100n);
    world.do(batch(agent, epoch + 1n, 0, ZERO), [agent.key]);
  });

  it('does not overwrite an entry that can still be accused', () => {
    const agent = stakedAgent(world);
    const start = world.epoch();
    svm.pass(1700n, 1n);
    for (let epoch = start + 1n; epoch <= start + 16n; epoch++) world.do(batch(agent, epoch), [agent.key]);
    svm.pass(100n, 1n);
    world.refuse('windowOpen', batch(agent, start + 17n), [agent.key]);
    svm.pass(400n, 1n);
    world.refuse('windowOpen', batch(agent, start + 17n), [agent.key]);
    svm.pass(1n, 1n);
    world.do(batch(agent, start + 17n), [agent.key]);
  });

  it('is submitted by the key of a staked agent only', () => {
    const [agent, other] = [stakedAgent(world), stakedAgent(world)];
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const foreign = submitBatch(deployment, agent.key.address, { epoch, count: 1, root: ROOT });
    const keys = foreign.keys.map((entry, i) => (i === 0 ? { ...entry, address: other.key.address } : entry));
    world.refuse('wrongAuthority', [{ ...foreign, keys }], [other.key]);
    const idle = { key: world.wallet() };
    world.do([openAgent(deployment, idle.key.address, idle.key.address)], [idle.key]);
    world.refuse('wrongState', batch(idle, epoch), [idle.key]);
  });

  it('is still taken while leaving, and not while suspended', () => {
    const [leaving, silent, caller] = [stakedAgent(world), stakedAgent(world), world.wallet()];
    world.do([requestUnlock(deployment, leaving.key.address, leaving.key.address)], [leaving.key]);
    svm.pass(500n);
    world.do(batch(leaving, world.epoch() - 3n), [leaving.key]);
    world.do([slashInactive(deployment, silent.key.address, caller.address)], [caller]);
    world.refuse('wrongState', batch(silent, world.epoch() - 3n), [silent.key]);
    world.do([requestUnlock(deployment, silent.key.address, silent.key.address)], [silent.key]);
    world.refuse('settledEpoch', batch(silent, world.epoch() - 3n), [silent.key]);
  });
});

import assert from 'node:assert/strict';
import {
  accusationAddress,
  accuse,
  agentState,
  answer,
  convict,
  ed25519Instruction,
  resume,
  submitBatch,
} from '../../adapters/ledger-solana/program/index.ts';
import { accusation, accusedAgent, announced, rootOf, STAKE, type StakedAgent, stakedAgent } from './support/agents.ts';
import { batchOf, header, headerProof, idOf, keccak, treeOf } from './support/envelopes.ts';
import type { Wallet } from './support/svm.ts';
import { World } from './support/world.ts';

const DEPOSIT = 20_000_000n;
const REWARD = 1_000_000n;
const FEE = 5_000n;

describe('accusation', () => {
  const world = new World();
  const { svm, deployment, network } = world;
  const accuser = world.wallet();

  /** An agent with a batch of `count` envelopes of the epoch before the current one. */
  function batched(count: number): StakedAgent & ReturnType<typeof batchOf> & { epoch: bigint } {
    const agent = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const batch = batchOf(agent.key.address, epoch, count);
    world.do([submitBatch(deployment, agent.key.address, { epoch, ...rootOf(batch.tree) })], [agent.key]);
    return { ...agent, ...batch, epoch };
  }

  function account(agent: StakedAgent) {
    return world.agent(agent.key.address);
  }

  it('stores what is needed to decide it, with the deposit', () => {
    const agent = batched(5);
    const { events } = world.do(accusation(world, agent.key, agent.headers[3]!, accuser), [accuser]);
    const id = idOf(agent.headers[3]!);
    const address = accusationAddress(deployment, agent.key.address, id);
    const stored = world.read('accusation', address);
    assert.deepEqual(
      [stored.index, stored.count, stored.accuser, stored.epoch, stored.deposit, stored.accusedAt],
      [3, 5, accuser.address, agent.epoch, DEPOSIT, svm.now()],
    );
    assert.deepEqual([Buffer.from(stored.id), Buffer.from(stored.root)], [id, agent.tree.root]);
    assert.equal(svm.lamports(address), DEPOSIT + svm.rent(svm.account(address)!.data.length));
    assert.equal(account(agent).open, 1);
    assert.equal(events[0]?.name, 'agentAccused');
    world.refuse('alreadyExists', accusation(world, agent.key, agent.headers[3]!, accuser), [accuser]);
  });

  it('is answered by anyone for every leaf of batches of every shape', () => {
    const answerer = world.wallet();
    for (const count of [1, 2, 3, 5, 8, 9]) {
      const agent = batched(count);
      agent.headers.forEach((bytes, index) => {
        const id = idOf(bytes);
        const one = { key: agent.key.address, id, accuser: accuser.address };
        const path = agent.tree.siblings(index);
        const respond = (siblings: readonly Uint8Array[]) => [answer(deployment, one, answerer.address, siblings)];
        const start = svm.lamports(accuser.address);
        world.do(accusation(world, agent.key, bytes, accuser), [accuser]);
        world.refuse('invalidPath', respond([...path, Buffer.alloc(32)]), [answerer]);
        if (path.length > 0) world.refuse('invalidPath', respond(path.slice(1)), [answerer]);
        if (path.length > 0) world.refuse('invalidPath', respond([keccak(path[0]!), ...path.slice(1)]), [answerer]);
        const [mine, treasury] = [svm.lamports(answerer.address), svm.lamports(world.treasury.address)];
        world.do(respond(path), [answerer]);
        assert.equal(svm.lamports(answerer.address) - mine, REWARD - FEE);
        assert.equal(svm.lamports(world.treasury.address) - treasury, DEPOSIT - REWARD);
        // Two signatures for the accusation and its proof, one for the announcement, whose rent came back.
        assert.equal(start - svm.lamports(accuser.address), DEPOSIT + 3n * FEE);
        assert.equal(svm.account(accusationAddress(deployment, agent.key.address, id)), undefined);
      });
      assert.equal(account(agent).open, 0);
      assert.equal(account(agent).stake, STAKE);
    }
  });

  it('is answered at the greatest depth in one transaction', () => {
    const agent = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const bytes = header({ sender: agent.key.address, epoch, seq: 6 });
    const siblings = Array.from({ length: 22 }, (_, i) => Buffer.alloc(32, i));
    const root = siblings.reduce(
      (node, sibling, level) =>
        (5 >> level) & 1 ? keccak(Uint8Array.of(1), sibling, node) : keccak(Uint8Array.of(1), node, sibling),
      idOf(bytes),
    );
    world.do([submitBatch(deployment, agent.key.address, { epoch, count: 2 ** 22 - 1, root })], [agent.key]);
    world.do(accusation(world, agent.key, bytes, accuser), [accuser]);
    const one = { key: agent.key.address, id: idOf(bytes), accuser: accuser.address };
    world.do([answer(deployment, one, accuser.address, siblings)], [accuser]);
    assert.equal(account(agent).open, 0);
  });

  it('convicts by another leaf at 21 levels in one transaction with a compute budget', () => {
    const agent = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const bytes = header({ sender: agent.key.address, epoch, seq: 1, variant: 3 });
    const [leaf, siblings] = [keccak(Buffer.from('leaf')), Array.from({ length: 21 }, (_, i) => Buffer.alloc(32, i))];
    const root = siblings.reduce((node, sibling) => keccak(Uint8Array.of(1), node, sibling), leaf);
    world.do([submitBatch(deployment, agent.key.address, { epoch, count: 2 ** 21, root })], [agent.key]);
    world.do(accusation(world, agent.key, bytes, accuser), [accuser]);
    const one = { key: agent.key.address, id: idOf(bytes), accuser: accuser.address };
    const programId = 'ComputeBudget111111111111111111111111111111';
    const budget = [Buffer.from([2, 0, 0, 4, 0]), Buffer.from([3, 1, 0, 0, 0, 0, 0, 0, 0])];
    const steps = budget.map((data) => ({ programId, keys: [], data }));
    world.do([...steps, convict(deployment, one, { leaf, siblings })], [world.wallet()]);
    assert.equal(account(agent).stake, STAKE / 2n);
  });

  it('convicts at once when the number lies outside the batch', () => {
    for (const [count, seq] of [
      [0, 1],
      [5, 6],
      [5, 0],
      [5, 2 ** 22 - 1],
    ] as const) {
      const agent = batched(count);
      const before = world.tokens(accuser.address);
      const bytes = header({ sender: agent.key.address, epoch: agent.epoch, seq });
      const { events } = world.do(accusation(world, agent.key, bytes, accuser), [accuser]);
      assert.equal(agentState(account(agent)), 'suspended');
      assert.equal(account(agent).stake, STAKE / 2n);
      assert.equal(world.tokens(accuser.address) - before, STAKE / 4n);
      assert.equal(events[0]?.name === 'agentSlashed' && events[0].values.reason, 2);
      world.refuse('wrongState', accusation(world, agent.key, bytes, accuser), [accuser]);
    }
  });

  it('convicts when seconds and slots have passed without an answer, paying the accuser', () => {
    const agent = accusedAgent(world);
    const one = { key: agent.key.address, id: agent.id, accuser: agent.accuser.address };
    const decide = [convict(deployment, one)];
    world.refuse('tooEarly', decide, [accuser]);
    svm.pass(300n, 30n);
    world.refuse('tooEarly', decide, [accuser]);
    svm.pass(1n, 0n);
    const [tokens, lamports] = [world.tokens(agent.accuser.address), svm.lamports(agent.accuser.address)];
    const held = svm.lamports(accusationAddress(deployment, agent.key.address, agent.id));
    const { events } = world.do(decide, [accuser]);
    assert.equal(world.tokens(agent.accuser.address) - tokens, STAKE / 4n);
    assert.equal(svm.lamports(agent.accuser.address) - lamports, held);
    assert.equal(events[0]?.name === 'agentSlashed' && events[0].values.beneficiary, agent.accuser.address);
    assert.equal(account(agent).open, 0);
    world.refuse('wrongOwner', decide, [accuser]);

    const slow = accusedAgent(world);
    svm.pass(301n, 29n);
    const wait = [convict(deployment, { key: slow.key.address, id: slow.id, accuser: slow.accuser.address })];
    world.refuse('tooEarly', wait, [accuser]);
    svm.pass(0n, 1n);
    world.do(wait, [accuser]);
  });

  it('convicts at once when another leaf is shown at the index', () => {
    const agent = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const sent = header({ sender: agent.key.address, epoch, seq: 2, variant: 1 });
    const { tree, headers } = batchOf(agent.key.address, epoch, 3);
    world.do([submitBatch(deployment, agent.key.address, { epoch, ...rootOf(tree) })], [agent.key]);
    world.do(accusation(world, agent.key, sent, accuser), [accuser]);
    const one = { key: agent.key.address, id: idOf(sent), accuser: accuser.address };
    const leaf = idOf(headers[1]!);
    const siblings = tree.siblings(1);
    world.refuse('invalidPath', [convict(deployment, one, { leaf: idOf(sent), siblings })], [accuser]);
    world.refuse('invalidPath', [convict(deployment, one, { leaf: idOf(headers[0]!), siblings })], [accuser]);
    world.refuse('invalidPath', [convict(deployment, one, { leaf, siblings: tree.siblings(0) })], [accuser]);
    world.refuse('invalidPath', [convict(deployment, one, { leaf, siblings: siblings.slice(1) })], [accuser]);
    world.do([convict(deployment, one, { leaf, siblings })], [accuser]);
    assert.equal(agentState(account(agent)), 'suspended');
  });

  it('does not convict with the accused leaf itself', () => {
    const agent = batched(3);
    world.do(accusation(world, agent.key, agent.headers[1]!, accuser), [accuser]);
    const one = { key: agent.key.address, id: idOf(agent.headers[1]!), accuser: accuser.address };
    const itself = { leaf: one.id, siblings: agent.tree.siblings(1) };
    world.refuse('invalidPath', [convict(deployment, one, itself)], [accuser]);
    assert.equal(account(agent).stake, STAKE);
  });

  it('convicts with a zero leaf where a number was left out', () => {
    const agent = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const { headers } = batchOf(agent.key.address, epoch, 3);
    const tree = treeOf([idOf(headers[0]!), Buffer.alloc(32), idOf(headers[2]!)]);
    world.do([submitBatch(deployment, agent.key.address, { epoch, ...rootOf(tree) })], [agent.key]);
    world.do(accusation(world, agent.key, headers[1]!, accuser), [accuser]);
    const one = { key: agent.key.address, id: idOf(headers[1]!), accuser: accuser.address };
    world.do([convict(deployment, one, { leaf: Buffer.alloc(32), siblings: tree.siblings(1) })], [accuser]);
    assert.equal(account(agent).stake, STAKE / 2n);
  });

  it('is void after a slash for something else, and everything is given back', () => {
    const agent = accusedAgent(world);
    const outside = header({ sender: agent.key.address, epoch: agent.epoch, seq: 9 });
    world.do(accusation(world, agent.key, outside, accuser), [accuser]);
    const one = { key: agent.key.address, id: agent.id, accuser: agent.accuser.address };
    const before = svm.lamports(agent.accuser.address);
    const held = svm.lamports(accusationAddress(deployment, agent.key.address, agent.id));
    const { events } = world.do([convict(deployment, one)], [accuser]);
    assert.equal(events[0]?.name, 'accusationVoided');
    assert.equal(svm.lamports(agent.accuser.address) - before, held);
    assert.equal(account(agent).stake, STAKE / 2n);
    assert.equal(account(agent).open, 0);
  });

  it('is given back whole by an answer after a slash, whatever the answer says', () => {
    const agent = accusedAgent(world);
    const outside = header({ sender: agent.key.address, epoch: agent.epoch, seq: 9 });
    world.do(accusation(world, agent.key, outside, accuser), [accuser]);
    const one = { key: agent.key.address, id: agent.id, accuser: agent.accuser.address };
    const [answerer, address] = [world.wallet(), accusationAddress(deployment, agent.key.address, agent.id)];
    const [before, mine, treasury] = [one.accuser, answerer.address, world.treasury.address].map((of) =>
      svm.lamports(of),
    );
    const held = svm.lamports(address);
    const { events } = world.do([answer(deployment, one, answerer.address, [])], [answerer]);
    assert.equal(events[0]?.name, 'accusationVoided');
    assert.equal(svm.lamports(one.accuser) - before!, held);
    assert.equal(svm.lamports(answerer.address) - mine!, -FEE);
    assert.equal(svm.lamports(world.treasury.address), treasury);
    assert.equal(account(agent).open, 0);
  });

  it('reaches only batches on record, within their window', () => {
    const agent = batched(2);
    const bytes = agent.headers[0]!;
    const other = (epoch: bigint) => header({ sender: agent.key.address, epoch, seq: 1 });
    world.refuse('noBatch', accusation(world, agent.key, other(agent.epoch + 1n), accuser), [accuser]);
    world.refuse('noBatch', accusation(world, agent.key, other(agent.epoch - 16n), accuser), [accuser]);
    svm.pass(501n);
    world.refuse('tooLate', accusation(world, agent.key, bytes, accuser), [accuser]);
    const next = batched(2);
    svm.pass(500n);
    world.do(accusation(world, next.key, next.headers[0]!, accuser), [accuser]);
  });

  it('needs the exact statement, signed by the agent for this network', () => {
    const [agent, other] = [batched(2), batched(2)];
    const bytes = agent.headers[0]!;
    const [, step] = accusation(world, agent.key, bytes, accuser);
    const refused: [string, Buffer, Uint8Array, Wallet][] = [
      ['wrongStatement', bytes, Buffer.alloc(32, 1), agent.key],
      ['wrongAuthority', bytes, network, other.key],
      ['wrongStatement', header({ sender: other.key.address, epoch: agent.epoch, seq: 1 }), network, agent.key],
      [
        'wrongStatement',
        header({ sender: agent.key.address, epoch: agent.epoch, seq: 1, version: 1 }),
        network,
        agent.key,
      ],
    ];
    for (const [error, head, net, signer] of refused)
      world.refuse(error, [headerProof(net, head, signer), step!], [accuser]);
    const statement = Buffer.concat([Buffer.from('\xffagent-mesh/envelope/1\0', 'latin1'), network, bytes]);
    const otherDomain = ed25519Instruction(agent.key.address, agent.key.sign(statement), statement);
    world.refuse('wrongStatement', [otherDomain, step!], [accuser]);
    announced(world, agent.key, agent.headers[1]!, accuser);
    const elsewhere = accuse(deployment, agent.key.address, idOf(agent.headers[1]!), accuser.address);
    world.refuse('notAnnounced', [headerProof(network, bytes, agent.key), elsewhere], [accuser]);
  });

  it('does not reach back before a slash or a new stake', () => {
    const agent = batched(3);
    const outside = header({ sender: agent.key.address, epoch: agent.epoch, seq: 4 });
    world.do(accusation(world, agent.key, outside, accuser), [accuser]);
    world.do([resume(deployment, agent.key.address, agent.owner.address)], [agent.key, agent.owner]);
    world.refuse('settledEpoch', accusation(world, agent.key, agent.headers[0]!, accuser), [accuser]);
  });

  it('is not answered with the path of another batch', () => {
    const [agent, other] = [batched(4), batched(4)];
    world.do(accusation(world, agent.key, agent.headers[2]!, accuser), [accuser]);
    const one = { key: agent.key.address, id: idOf(agent.headers[2]!), accuser: accuser.address };
    world.refuse('invalidPath', [answer(deployment, one, accuser.address, other.tree.siblings(2))], [accuser]);
    world.refuse('invalidPath', [answer(deployment, one, accuser.address, agent.tree.siblings(1))], [accuser]);
    world.do([answer(deployment, one, accuser.address, agent.tree.siblings(2))], [accuser]);
  });

  it('does not let the treasury accuse, whose bounty nobody could receive twice', () => {
    const agent = batched(1);
    world.refuse('duplicateAccount', accusation(world, agent.key, agent.headers[0]!, world.treasury), [world.treasury]);
  });
});

import assert from 'node:assert/strict';
import {
  accusationCommitment,
  accuse,
  agentState,
  announce,
  announcementAddress,
  convict,
  type ProgramInstruction,
  retract,
} from '../../adapters/ledger-solana/program/index.ts';
import { announced, live, STAKE, type StakedAgent, stakedAgent } from './support/agents.ts';
import { batchOf, header, headerProof, idOf, keccak } from './support/envelopes.ts';
import type { Wallet } from './support/svm.ts';
import { SHORT_NUMBERS, sendLamports, World } from './support/world.ts';

const FEE = 5_000n;

describe('announcement', () => {
  const world = new World({ ...SHORT_NUMBERS, announceSlots: 5n });
  const { svm, deployment, network } = world;
  const [accuser, copier] = [world.wallet(), world.wallet()];

  /** An agent with a batch of three, whose number 9 lies outside of it. */
  function guilty(): StakedAgent & { bytes: Buffer; inside: Buffer; epoch: bigint } {
    const agent = stakedAgent(world);
    live(world, agent, 2, 3);
    const epoch = world.epoch() - 1n;
    const bytes = header({ sender: agent.key.address, epoch, seq: 9 });
    return { ...agent, bytes, inside: batchOf(agent.key.address, epoch, 3).headers[1]!, epoch };
  }

  function named(agent: StakedAgent, bytes: Buffer, by: Wallet) {
    return { key: agent.key.address, id: idOf(bytes), accuser: by.address };
  }

  function steps(agent: StakedAgent, bytes: Buffer, by: Wallet): ProgramInstruction[] {
    return [headerProof(network, bytes, agent.key), accuse(deployment, agent.key.address, idOf(bytes), by.address)];
  }

  function addressOf(agent: StakedAgent, bytes: Buffer, by: Wallet): string {
    return announcementAddress(deployment, by.address, accusationCommitment(deployment, named(agent, bytes, by)));
  }

  it('shows a hash that binds accuser, agent and header, and the slot', () => {
    const agent = guilty();
    world.do([announce(deployment, named(agent, agent.bytes, accuser))], [accuser]);
    const stored = world.read('announcement', addressOf(agent, agent.bytes, accuser));
    assert.deepEqual([stored.accuser, stored.slot], [accuser.address, svm.slot()]);
    assert.deepEqual(
      Buffer.from(stored.commitment),
      Buffer.from(accusationCommitment(deployment, named(agent, agent.bytes, accuser))),
    );
    const others = [
      named(agent, agent.inside, accuser),
      named(agent, agent.bytes, copier),
      named(guilty(), agent.bytes, accuser),
    ].map((one) => Buffer.from(accusationCommitment(deployment, one)).toString('hex'));
    assert.equal(new Set([...others, Buffer.from(stored.commitment).toString('hex')]).size, 4);
  });

  it('must be old enough, and its rent comes back with the accusation', () => {
    const agent = guilty();
    const start = svm.lamports(accuser.address);
    const tokens = world.tokens(accuser.address);
    world.refuse('wrongOwner', steps(agent, agent.bytes, accuser), [accuser]);
    world.do([announce(deployment, named(agent, agent.bytes, accuser))], [accuser]);
    svm.pass(0n, 4n);
    world.refuse('tooEarly', steps(agent, agent.bytes, accuser), [accuser]);
    svm.pass(0n, 1n);
    world.do(steps(agent, agent.bytes, accuser), [accuser]);
    assert.equal(world.tokens(accuser.address) - tokens, STAKE / 4n);
    assert.equal(svm.account(addressOf(agent, agent.bytes, accuser)), undefined);
    // Four transactions, three of them with a proof.
    assert.equal(start - svm.lamports(accuser.address), 7n * FEE);
  });

  it('of another does not serve who copies a proof: the bounty is the first accuser’s', () => {
    const agent = guilty();
    const mine = announced(world, agent.key, agent.bytes, accuser);
    svm.pass(0n, 3n);
    const [proof, theirs] = steps(agent, agent.bytes, copier);
    world.refuse('wrongOwner', [proof!, theirs!], [copier]);
    const stolen = { ...theirs!, keys: theirs!.keys.map((key, i) => (i === 3 ? { ...key, address: mine } : key)) };
    world.refuse('notAnnounced', [proof!, stolen], [copier]);
    // The copier announces as soon as it sees the proof, and is too late by all the slots.
    world.do([announce(deployment, named(agent, agent.bytes, copier))], [copier]);
    world.refuse('tooEarly', [proof!, theirs!], [copier]);
    const before = world.tokens(accuser.address);
    world.do(steps(agent, agent.bytes, accuser), [accuser]);
    assert.equal(world.tokens(accuser.address) - before, STAKE / 4n);
    svm.pass(0n, 5n);
    world.refuse('wrongState', [proof!, theirs!], [copier]);
  });

  it('of an accusation inside the batch pays its accuser, whoever shows the other leaf', () => {
    const agent = guilty();
    const hidden = header({ sender: agent.key.address, epoch: agent.epoch, seq: 2, variant: 5 });
    announced(world, agent.key, hidden, accuser);
    svm.pass(0n, 3n);
    world.do(steps(agent, hidden, accuser), [accuser]);
    const { tree } = batchOf(agent.key.address, agent.epoch, 3);
    const other = { leaf: idOf(agent.inside), siblings: tree.siblings(1) };
    const [mine, theirs] = [world.tokens(accuser.address), world.tokens(copier.address)];
    world.do([convict(deployment, named(agent, hidden, accuser), other)], [copier]);
    assert.deepEqual([world.tokens(accuser.address) - mine, world.tokens(copier.address) - theirs], [STAKE / 4n, 0n]);
    assert.equal(agentState(world.agent(agent.key.address)), 'suspended');
  });

  it('serves one accusation, and another only when it is made again', () => {
    const agent = guilty();
    announced(world, agent.key, agent.inside, accuser);
    world.refuse('alreadyExists', [announce(deployment, named(agent, agent.inside, accuser))], [accuser]);
    svm.pass(0n, 3n);
    world.refuse('notAnnounced', withAnnouncement(agent, agent.bytes, addressOf(agent, agent.inside, accuser)), [
      accuser,
    ]);
    world.do(steps(agent, agent.inside, accuser), [accuser]);
    world.refuse('wrongOwner', steps(agent, agent.inside, accuser), [accuser]);
    announced(world, agent.key, agent.inside, accuser);
    svm.pass(0n, 3n);
    world.refuse('alreadyExists', steps(agent, agent.inside, accuser), [accuser]);
  });

  it('is closed by its maker alone, who gets the rent back, at any time', () => {
    const agent = guilty();
    const start = svm.lamports(accuser.address);
    const address = announced(world, agent.key, agent.inside, accuser);
    const step = retract(deployment, named(agent, agent.inside, accuser));
    const keys = step.keys.map((key) => (key.signer ? { ...key, address: copier.address } : key));
    world.refuse('wrongAuthority', [{ ...step, keys }], [copier]);
    world.do([step], [accuser]);
    assert.equal(svm.account(address), undefined);
    assert.equal(start - svm.lamports(accuser.address), 2n * FEE);
    world.refuse('wrongOwner', steps(agent, agent.inside, accuser), [accuser]);
    world.refuse('wrongOwner', [step], [accuser]);
  });

  it('cannot be kept out by whoever sees the hash first, nor by lamports', () => {
    const agent = guilty();
    const mine = announce(deployment, named(agent, agent.bytes, accuser));
    const stolen = { ...mine, keys: mine.keys.map((key) => (key.signer ? { ...key, address: copier.address } : key)) };
    world.refuse('wrongAddress', [stolen], [copier]);
    const address = addressOf(agent, agent.bytes, accuser);
    world.do([sendLamports(copier, address, 90_000_000n)], [copier]);
    world.do([mine], [accuser]);
    const before = svm.lamports(accuser.address);
    world.do([retract(deployment, named(agent, agent.bytes, accuser))], [accuser]);
    assert.equal(svm.lamports(accuser.address) - before, 90_000_000n - FEE);
  });

  it('of anything may be made, because a hash says nothing, and serves nothing', () => {
    const agent = guilty();
    const noise = { key: agent.key.address, id: keccak(Buffer.from('noise')), accuser: copier.address };
    world.do([announce(deployment, noise)], [copier]);
    svm.pass(0n, 5n);
    const address = announcementAddress(deployment, copier.address, accusationCommitment(deployment, noise));
    world.refuse('notAnnounced', withAnnouncement(agent, agent.bytes, address, copier), [copier]);
    world.do([retract(deployment, noise)], [copier]);
  });

  function withAnnouncement(agent: StakedAgent, bytes: Buffer, address: string, by = accuser): ProgramInstruction[] {
    const [proof, step] = steps(agent, bytes, by);
    return [proof!, { ...step!, keys: step!.keys.map((key, i) => (i === 3 ? { ...key, address } : key)) }];
  }
});

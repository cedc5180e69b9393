import assert from 'node:assert/strict';
import bs58 from 'bs58';
import {
  accusationAddress,
  answer,
  convict,
  INSTRUCTIONS_SYSVAR,
  type ProgramInstruction,
  requestUnlock,
  submitBatch,
  withdraw,
} from '../../adapters/ledger-solana/program/index.ts';
import { writeProgram } from '../../adapters/ledger-solana/program/linker/elf-program.ts';
import { accusation, live, rootOf, STAKE, type StakedAgent, stakedAgent } from './support/agents.ts';
import { batchOf, headerProof, idOf } from './support/envelopes.ts';
import { makeWallet } from './support/svm.ts';
import { sendLamports, World } from './support/world.ts';

describe('attacks on proofs', () => {
  const world = new World();
  const { svm, deployment, network } = world;
  const attacker = world.wallet();

  function batched(): StakedAgent & ReturnType<typeof batchOf> & { epoch: bigint } {
    const agent = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const batch = batchOf(agent.key.address, epoch, 3);
    world.do([submitBatch(deployment, agent.key.address, { epoch, ...rootOf(batch.tree) })], [agent.key]);
    return { ...agent, ...batch, epoch };
  }

  describe('a forged proof', () => {
    const forger = makeWallet();

    /** The exact proof of a header by the agent's key, but signed by the forger, with one offset pointing elsewhere. */
    function forged(agent: ReturnType<typeof batched>, patch: (data: Buffer) => void): ProgramInstruction[] {
      const bytes = agent.headers[0]!;
      const real = headerProof(network, bytes, forger);
      const data = Buffer.from(real.data);
      data.set(bs58.decode(agent.key.address), 16);
      patch(data);
      const [, step] = accusation(world, agent.key, bytes, attacker);
      return [real, { ...real, data }, step!];
    }

    it('with a key, signature or message taken from another instruction is refused', () => {
      const agent = batched();
      for (const field of [4, 8, 14]) {
        const attempt = forged(agent, (data) => {
          if (field === 4) data.set(forger.sign(data.subarray(112)), 48);
          data.writeUInt16LE(0, field);
          if (field !== 8) data.writeUInt16LE(0, 8);
        });
        world.refuse('invalidProof', attempt, [attacker]);
      }
    });

    it('with moved offsets, two signatures, padding or accounts is refused', () => {
      const agent = batched();
      const bytes = agent.headers[0]!;
      const [proof, step] = accusation(world, agent.key, bytes, attacker);
      const data = Buffer.from(proof!.data);
      const shifted = Buffer.concat([data, Buffer.alloc(1)]);
      const two = Buffer.concat([Buffer.from([2, 0]), head(2, 30), head(2, 30), data.subarray(16)]);
      const moved = Buffer.concat([data.subarray(0, 16), Buffer.alloc(2), data.subarray(16)]);
      [2, 6, 10].forEach((at) => {
        moved.writeUInt16LE(moved.readUInt16LE(at) + 2, at);
      });
      const padded = Buffer.from(data);
      padded[1] = 1;
      for (const changed of [shifted, two, moved, padded])
        world.refuse('invalidProof', [{ ...proof!, data: changed }, step!], [attacker]);
      const withAccount = { ...proof!, keys: [{ address: attacker.address, signer: false, writable: false }] };
      world.refuse('invalidProof', [withAccount, step!], [attacker]);
      world.do([proof!, step!], [attacker]);
    });

    it('must stand directly before, and be one of the precompile', () => {
      const agent = batched();
      const [proof, step] = accusation(world, agent.key, agent.headers[0]!, attacker);
      const other = sendLamports(attacker, attacker.address, 1n);
      world.refuse('invalidProof', [proof!, other, step!], [attacker]);
      world.refuse('invalidProof', [step!], [attacker]);
      world.refuse('invalidProof', [step!, proof!], [attacker]);
      const anything = makeWallet().address;
      const RETURN_0 = Buffer.from('b7000000000000009500000000000000', 'hex');
      const constants = Buffer.alloc(16);
      svm.raw.addProgram(bs58.decode(anything), writeProgram({ code: RETURN_0, constants, entry: 0 }));
      const unchecked = { ...proof!, programId: anything };
      world.do([unchecked], [attacker]);
      world.refuse('invalidProof', [unchecked, step!], [attacker]);
    });

    it('in a fake sysvar account is refused', () => {
      const agent = batched();
      const [proof, step] = accusation(world, agent.key, agent.headers[0]!, attacker);
      const fake = makeWallet().address;
      svm.setAccount(fake, attacker.address, sysvarOf(proof!));
      const keys = step!.keys.map((key) => (key.address === INSTRUCTIONS_SYSVAR ? { ...key, address: fake } : key));
      world.refuse('wrongProgram', [{ ...step!, keys }], [attacker]);
    });

    it('with a signature that does not verify fails in the precompile', () => {
      const agent = batched();
      const [proof, step] = accusation(world, agent.key, agent.headers[0]!, attacker);
      const data = Buffer.from(proof!.data);
      data[50]! ^= 1;
      world.refuse('custom 2', [{ ...proof!, data }, step!], [attacker]);
    });
  });

  describe('an accusation', () => {
    it('of one agent is neither decided nor answered at another', () => {
      const [guilty, honest] = [batched(), batched()];
      const shown = guilty.headers[0]!;
      world.do(accusation(world, guilty.key, shown, attacker), [attacker]);
      svm.pass(301n);
      const real = accusationAddress(deployment, guilty.key.address, idOf(shown));
      const one = { key: honest.key.address, id: idOf(shown), accuser: attacker.address };
      const derived = accusationAddress(deployment, honest.key.address, idOf(shown));
      const steps = [convict(deployment, one), answer(deployment, one, attacker.address, guilty.tree.siblings(0))];
      for (const step of steps) {
        const keys = step.keys.map((key) => (key.address === derived ? { ...key, address: real } : key));
        world.refuse('wrongAddress', [{ ...step, keys }], [attacker]);
      }
      assert.equal(world.agent(honest.key.address).stake, STAKE);
    });

    it('of a batch that was made after leaving and coming back finds nothing old', () => {
      const agent = batched();
      world.do([requestUnlock(deployment, agent.key.address, agent.key.address)], [agent.key]);
      live(world, agent, 2);
      svm.pass(700n);
      world.do([withdraw(deployment, agent.key.address, agent.owner.address)], [agent.owner]);
      world.refuse('wrongState', accusation(world, agent.key, agent.headers[0]!, attacker), [attacker]);
    });
  });
});

/** The offsets of one signature whose parts lie `shift` bytes behind the usual place. */
function head(_count: number, shift: number): Buffer {
  const bytes = Buffer.alloc(14);
  const offset = shift - 16;
  [48 + offset, 0xffff, 16 + offset, 0xffff, 112 + offset, 198, 0xffff].forEach((value, i) => {
    bytes.writeUInt16LE(value, 2 * i);
  });
  return bytes;
}

/** Bytes as the instructions sysvar would hold them: the proof, then ours. */
function sysvarOf(proof: ProgramInstruction): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16LE(proof.data.length);
  const body = Buffer.concat([Buffer.alloc(2), bs58.decode(proof.programId), length, proof.data]);
  return Buffer.concat([Buffer.from([2, 0, 6, 0, 6, 0]), body, Buffer.from([1, 0])]);
}

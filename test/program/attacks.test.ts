import assert from 'node:assert/strict';
import bs58 from 'bs58';
import {
  accusationAddress,
  agentAddress,
  approve,
  claim,
  deliver,
  dispute,
  ED25519_PROGRAM,
  type EscrowTerms,
  escrowAddress,
  INSTRUCTIONS_SYSVAR,
  lockEscrow,
  openAgent,
  ownerLinkAddress,
  type ProgramInstruction,
  refund,
  requestUnlock,
  setPayee,
  split,
  submitBatch,
  TOKEN_PROGRAM,
  tokenAddress,
  vaultAddress,
  withdraw,
} from '../../adapters/ledger-solana/program/index.ts';
import { accusation, live, rootOf, STAKE, type StakedAgent, stakedAgent } from './support/agents.ts';
import { batchOf, header, headerProof, idOf } from './support/envelopes.ts';
import { fixturesOf } from './support/fixtures.ts';
import { makeWallet } from './support/svm.ts';
import { sendLamports, sendTokens, World } from './support/world.ts';

const AMOUNT = 9_000_000n;
const ID = Buffer.alloc(32, 5);

describe('attacks', () => {
  const world = new World();
  const { svm, deployment, network } = world;
  const fixtures = fixturesOf(world);
  const [requester, provider, attacker] = [world.wallet(), world.wallet(), world.wallet()];
  let deals = 0;

  function deal(): EscrowTerms {
    const conversation = Buffer.alloc(16);
    conversation.writeUInt32LE(++deals);
    const parties = { requester: requester.address, provider: provider.address };
    const times = { deadline: svm.now() + 1000n, reviewSecs: 200n };
    return { ...parties, conversation, amount: AMOUNT, ...times, terms: ID, disputeBps: 5000 };
  }

  function delivered(): EscrowTerms {
    const terms = deal();
    world.do([lockEscrow(deployment, terms), deliver(deployment, terms, ID)], [requester, provider]);
    return terms;
  }

  function vaultOf(terms: EscrowTerms): string {
    return vaultAddress(deployment, escrowAddress(deployment, terms));
  }

  function batched(): StakedAgent & ReturnType<typeof batchOf> & { epoch: bigint } {
    const agent = stakedAgent(world);
    svm.pass(200n);
    const epoch = world.epoch() - 1n;
    const batch = batchOf(agent.key.address, epoch, 3);
    world.do([submitBatch(deployment, agent.key.address, { epoch, ...rootOf(batch.tree) })], [agent.key]);
    return { ...agent, ...batch, epoch };
  }

  describe('lamports sent to an address beforehand', () => {
    const amounts = { 'the smallest possible': 890_880n, 'more than the rent': 90_000_000n };

    for (const [what, lamports] of Object.entries(amounts)) {
      it(`stop no creation (${what})`, () => {
        const addresses = {
          lockEscrow: [2, 3],
          openAgent: [3],
          addStake: [4],
          accuse: [3],
          claimOwner: [2],
        } as const;
        for (const [name, indexes] of Object.entries(addresses)) {
          const { instructions, signers } = fixtures[name as keyof typeof addresses]();
          const { keys } = instructions.at(-1)!;
          for (const index of indexes) world.do([sendLamports(attacker, keys[index]!.address, lamports)], [attacker]);
          world.do(instructions, signers);
        }
      });
    }

    it('come back to whoever settles', () => {
      const terms = deal();
      world.do([sendLamports(attacker, escrowAddress(deployment, terms), 90_000_000n)], [attacker]);
      const before = svm.lamports(requester.address);
      world.do([lockEscrow(deployment, terms)], [requester]);
      world.do([refund(deployment, terms, provider.address)], [provider]);
      assert.equal(svm.lamports(requester.address) - before, 90_000_000n - 5_000n);
    });
  });

  describe('tokens sent to a vault', () => {
    it('do not stop a settlement and go to the requester', () => {
      const settle = [
        (terms: EscrowTerms) => world.do([approve(deployment, terms, requester.address)], [requester]),
        (terms: EscrowTerms) => world.do([refund(deployment, terms, provider.address)], [provider]),
        (terms: EscrowTerms) => {
          svm.pass(201n);
          world.do([claim(deployment, terms)], [attacker]);
        },
      ];
      for (const step of settle) {
        const terms = delivered();
        world.do([sendTokens(attacker, tokenAddress(deployment, attacker.address), vaultOf(terms), 7n)], [attacker]);
        const [mine, theirs] = [world.tokens(requester.address), world.tokens(provider.address)];
        step(terms);
        const gained = world.tokens(requester.address) - mine + world.tokens(provider.address) - theirs;
        assert.equal(gained, AMOUNT + 7n);
        assert.equal(svm.account(vaultOf(terms)), undefined);
      }
    });

    it('do not stop a claim when the requester’s account cannot receive them', () => {
      const terms = delivered();
      world.do([sendTokens(attacker, tokenAddress(deployment, attacker.address), vaultOf(terms), 7n)], [attacker]);
      svm.pass(201n);
      const account = tokenAddress(deployment, requester.address);
      const saved = world.tokens(requester.address);
      world.setTokenAccount(account, { owner: requester.address, amount: saved, state: 2 });
      const before = world.tokens(provider.address);
      world.do([claim(deployment, terms)], [attacker]);
      assert.equal(world.tokens(provider.address) - before, AMOUNT + 7n);
      world.setTokenAccount(account, { owner: requester.address, amount: saved });
    });

    it('go to the stake owner on withdrawal and do not stop it', () => {
      const agent = stakedAgent(world);
      const vault = vaultAddress(deployment, agentAddress(deployment, agent.key.address));
      world.do([sendTokens(attacker, tokenAddress(deployment, attacker.address), vault, 3n)], [attacker]);
      world.do([requestUnlock(deployment, agent.key.address, agent.key.address)], [agent.key]);
      live(world, agent, 1);
      svm.pass(700n);
      const before = world.tokens(agent.owner.address);
      world.do([withdraw(deployment, agent.key.address, agent.owner.address)], [agent.owner]);
      assert.equal(world.tokens(agent.owner.address) - before, STAKE + 3n);
    });
  });

  describe('a share held hostage', () => {
    function disputed(): EscrowTerms {
      const terms = delivered();
      world.do([dispute(deployment, terms)], [requester]);
      svm.pass(300n);
      return terms;
    }

    it('by the provider: the requester is paid, the rest waits for a payee that can receive', () => {
      const terms = disputed();
      const trap = makeWallet().address;
      world.setTokenAccount(trap, { owner: provider.address, amount: 0n });
      world.do([setPayee(deployment, terms, trap)], [provider]);
      world.setTokenAccount(trap, { owner: provider.address, amount: 0n, state: 2 });
      const before = world.tokens(requester.address);
      world.do([split(deployment, terms, trap)], [attacker]);
      assert.equal(world.tokens(requester.address) - before, AMOUNT / 2n);
      assert.equal(world.escrow(terms).providerDue, AMOUNT / 2n);
      world.refuse('notReceivable', [split(deployment, terms, trap)], [attacker]);
      world.refuse('wrongState', [approve(deployment, terms, requester.address, trap)], [requester]);
      world.refuse('wrongState', [refund(deployment, terms, provider.address)], [provider]);
      const good = tokenAddress(deployment, provider.address);
      const mine = world.tokens(provider.address);
      world.do([setPayee(deployment, terms, good), split(deployment, terms)], [provider]);
      assert.equal(world.tokens(provider.address) - mine, AMOUNT / 2n);
      assert.equal(svm.account(escrowAddress(deployment, terms)), undefined);
    });

    it('by the requester: the provider is paid', () => {
      const terms = disputed();
      const account = tokenAddress(deployment, requester.address);
      const saved = world.tokens(requester.address);
      world.setTokenAccount(account, { owner: requester.address, amount: saved, state: 2 });
      const before = world.tokens(provider.address);
      world.do([split(deployment, terms)], [attacker]);
      assert.equal(world.tokens(provider.address) - before, AMOUNT / 2n);
      world.setTokenAccount(account, { owner: requester.address, amount: saved });
      world.do([split(deployment, terms)], [attacker]);
      assert.equal(world.tokens(requester.address) - saved, AMOUNT / 2n);
      assert.equal(svm.account(vaultOf(terms)), undefined);
    });
  });

  describe('delegates and close authorities', () => {
    it('on the source reach nothing once it is locked', () => {
      const source = tokenAddress(deployment, requester.address);
      const saved = world.tokens(requester.address);
      const held = {
        owner: requester.address,
        amount: saved,
        delegate: attacker.address,
        closeAuthority: attacker.address,
      };
      world.setTokenAccount(source, held);
      const terms = deal();
      world.do([lockEscrow(deployment, terms)], [requester]);
      const vault = svm.account(vaultOf(terms))!.data;
      assert.equal(vault.readUInt32LE(72), 0, 'delegate');
      assert.equal(vault.readUInt32LE(129), 0, 'close authority');
      const target = tokenAddress(deployment, attacker.address);
      world.refuse('custom 4', [sendTokens(attacker, vaultOf(terms), target, 1n)], [attacker]);
      world.do([approve(deployment, terms, requester.address)], [requester]);
      world.setTokenAccount(source, { owner: requester.address, amount: saved - AMOUNT });
    });

    it('a delegate cannot lock what was lent to it', () => {
      const lent = makeWallet().address;
      world.setTokenAccount(lent, { owner: attacker.address, amount: AMOUNT, delegate: requester.address });
      world.refuse('wrongTokenOwner', [lockEscrow(deployment, deal(), lent)], [requester]);
    });

    it('nobody but the program moves a vault', () => {
      const terms = delivered();
      const vault = vaultOf(terms);
      const signed = (data: number[], wallet = requester): ProgramInstruction => ({
        programId: TOKEN_PROGRAM,
        keys: [
          { address: vault, signer: false, writable: true },
          { address: attacker.address, signer: false, writable: true },
          { address: wallet.address, signer: true, writable: false },
        ],
        data: Uint8Array.from(data),
      });
      const APPROVE = [4, ...Buffer.alloc(8, 1)];
      const CLOSE = [9];
      for (const wallet of [requester, provider, attacker]) {
        for (const data of [APPROVE, CLOSE]) assert.ok(svm.send([signed(data, wallet)], [wallet]).error);
      }
    });
  });

  describe('token accounts of the wrong mint or owner', () => {
    it('neither fund nor receive', () => {
      const mint = makeWallet().address;
      world.makeMint(mint);
      const fake = makeWallet().address;
      world.setTokenAccount(fake, { owner: requester.address, amount: AMOUNT, mint });
      world.refuse('wrongMint', [lockEscrow(deployment, deal(), fake)], [requester]);
      const imitation = makeWallet().address;
      svm.setAccount(imitation, attacker.address, svm.account(tokenAddress(deployment, requester.address))!.data);
      world.refuse('wrongOwner', [lockEscrow(deployment, deal(), imitation)], [requester]);
      const terms = deal();
      world.do([lockEscrow(deployment, terms)], [requester]);
      world.refuse('notReceivable', [setPayee(deployment, terms, fake)], [provider]);
      world.refuse('notReceivable', [setPayee(deployment, terms, imitation)], [provider]);
    });
  });

  describe('a closed account', () => {
    it('cannot be revived in the same transaction', () => {
      const terms = deal();
      world.do([lockEscrow(deployment, terms)], [requester]);
      const address = escrowAddress(deployment, terms);
      const again = approve(deployment, terms, requester.address);
      const revive = sendLamports(requester, address, 50_000_000n);
      world.refuse('wrongOwner', [again, revive, again], [requester]);
      const before = world.tokens(provider.address);
      world.do([again, revive], [requester]);
      assert.equal(world.tokens(provider.address) - before, AMOUNT);
      assert.deepEqual(svm.account(address), {
        lamports: 50_000_000n,
        owner: '11111111111111111111111111111111',
        data: Buffer.alloc(0),
      });
      world.do([lockEscrow(deployment, terms)], [requester]);
    });
  });

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
      assert.equal(proof!.programId, ED25519_PROGRAM);
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
    it('of one agent cannot be decided against another', () => {
      const [guilty, honest] = [batched(), batched()];
      const accused = header({ sender: guilty.key.address, epoch: guilty.epoch, seq: 1 });
      world.do(accusation(world, guilty.key, accused, attacker), [attacker]);
      svm.pass(301n);
      const { instructions, signers } = fixtures.convict();
      const address = accusationAddress(deployment, guilty.key.address, idOf(accused));
      const keys = instructions[0]!.keys.map((key, i) => {
        if (i === 1) return { ...key, address: agentAddress(deployment, honest.key.address) };
        return i === 2 ? { ...key, address } : key;
      });
      world.refuse('wrongAddress', [{ ...instructions[0]!, keys }], signers);
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

  it('an unstaked agent cannot be opened by another key', () => {
    const key = world.wallet();
    const open = openAgent(deployment, key.address, attacker.address, attacker.address);
    const keys = open.keys.map((entry, i) => (i === 0 ? { ...entry, address: attacker.address } : entry));
    world.refuse('wrongAddress', [{ ...open, keys }], [attacker]);
    assert.equal(svm.account(ownerLinkAddress(deployment, key.address)), undefined);
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

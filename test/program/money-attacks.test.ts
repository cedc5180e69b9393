import assert from 'node:assert/strict';
import {
  approve,
  deliver,
  dispute,
  type EscrowTerms,
  escrowAddress,
  lockEscrow,
  openAgent,
  ownerLinkAddress,
  type ProgramInstruction,
  refund,
  setPayee,
  split,
  TOKEN_PROGRAM,
  tokenAddress,
  vaultAddress,
} from '../../adapters/ledger-solana/program/index.ts';
import { fixturesOf } from './support/fixtures.ts';
import { makeWallet } from './support/svm.ts';
import { sendLamports, sendTokens, World } from './support/world.ts';

const AMOUNT = 9_000_000n;
const BOND = 4_500_000n;
const ID = Buffer.alloc(32, 5);

describe('attacks on money', () => {
  const world = new World();
  const { svm, deployment } = world;
  const fixtures = fixturesOf(world);
  const [requester, provider, attacker] = [world.wallet(), world.wallet(), world.wallet()];
  let deals = 0;

  function deal(): EscrowTerms {
    const conversation = Buffer.alloc(16);
    conversation.writeUInt32LE(++deals);
    const parties = { requester: requester.address, provider: provider.address };
    const times = { deadline: svm.now() + 1000n, reviewSecs: 200n };
    return { ...parties, conversation, amount: AMOUNT, bond: BOND, ...times, terms: ID, disputeBps: 5000 };
  }

  function delivered(): EscrowTerms {
    const terms = deal();
    world.do([lockEscrow(deployment, terms), deliver(deployment, terms, ID)], [requester, provider]);
    return terms;
  }

  function vaultOf(terms: EscrowTerms): string {
    return vaultAddress(deployment, escrowAddress(deployment, terms));
  }

  describe('lamports sent to an address beforehand', () => {
    const amounts = { 'the smallest possible': 890_880n, 'more than the rent': 90_000_000n };

    for (const [what, lamports] of Object.entries(amounts)) {
      it(`stop no creation (${what})`, () => {
        const addresses = {
          lockEscrow: [2, 3],
          openAgent: [3],
          addStake: [4],
          announce: [2],
          accuse: [4],
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
      world.do([refund(deployment, terms)], [provider]);
      assert.equal(svm.lamports(requester.address) - before, 90_000_000n - 5_000n);
    });
  });

  describe('a share held hostage', () => {
    function disputed(): EscrowTerms {
      const terms = delivered();
      world.do([dispute(deployment, terms, 5_000)], [requester]);
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
      assert.equal(world.tokens(requester.address) - before, AMOUNT / 2n + BOND);
      assert.equal(world.escrow(terms).providerDue, AMOUNT / 2n);
      world.refuse('notReceivable', [split(deployment, terms, trap)], [attacker]);
      world.refuse('wrongState', [approve(deployment, terms, trap)], [requester]);
      world.refuse('wrongState', [refund(deployment, terms)], [provider]);
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
      assert.equal(world.tokens(requester.address) - saved, AMOUNT / 2n + BOND);
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
      world.do([approve(deployment, terms)], [requester]);
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
      const again = approve(deployment, terms);
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

  it('an unstaked agent cannot be opened by another key', () => {
    const key = world.wallet();
    const open = openAgent(deployment, key.address, attacker.address, attacker.address);
    const keys = open.keys.map((entry, i) => (i === 0 ? { ...entry, address: attacker.address } : entry));
    world.refuse('wrongAddress', [{ ...open, keys }], [attacker]);
    assert.equal(svm.account(ownerLinkAddress(deployment, key.address)), undefined);
  });
});

import * as program from '../../../adapters/ledger-solana/program/index.ts';
import type { InstructionName } from '../../../adapters/ledger-solana/program/layout/instructions.ts';
import { accusation, accusedAgent, live, STAKE, stakedAgent } from './agents.ts';
import { batchOf } from './envelopes.ts';
import { makeWallet, type Wallet } from './svm.ts';
import { createAccount, NETWORK_NAME, SHORT_NUMBERS, type World } from './world.ts';

/** A transaction that would succeed; its last instruction is the one under test. */
export interface Prepared {
  readonly instructions: readonly program.ProgramInstruction[];
  readonly signers: readonly Wallet[];
}

/** For every instruction: makes fresh accounts and the transaction. The fee payer plays no other role. */
export function fixturesOf(world: World): Record<InstructionName, () => Prepared> {
  const { deployment, svm } = world;
  const payer = world.wallet();
  const prepared = (instructions: readonly program.ProgramInstruction[], ...signers: Wallet[]): Prepared => ({
    instructions,
    signers: [payer, ...signers],
  });

  function deal() {
    const [requester, provider, notary] = [world.wallet(), world.wallet(), world.wallet()];
    const terms: program.EscrowTerms = {
      requester: requester.address,
      provider: provider.address,
      notary: notary.address,
      conversation: Buffer.alloc(16, 1),
      amount: 1_000n,
      bond: 500n,
      deadline: svm.now() + 1_000n,
      reviewSecs: 200n,
      terms: Buffer.alloc(32, 2),
      disputeBps: 1_000,
    };
    return { requester, provider, notary, terms };
  }

  function locked() {
    const made = deal();
    world.do([program.lockEscrow(deployment, made.terms)], [made.requester]);
    return made;
  }

  function delivered() {
    const made = locked();
    world.do([program.deliver(deployment, made.terms, Buffer.alloc(32, 3))], [made.provider]);
    return made;
  }

  function disputed() {
    const made = delivered();
    world.do([program.dispute(deployment, made.terms, 6_000)], [made.requester]);
    return made;
  }

  function contested() {
    const made = disputed();
    world.do([program.contest(deployment, made.terms, 9_999)], [made.provider]);
    return made;
  }

  return {
    initConfig: () => {
      const config = makeWallet();
      const size = program.CONFIG_SIZE;
      world.do([createAccount(payer, config, size, svm.rent(size), svm.programId)], [payer, config]);
      const next = { ...deployment, config: config.address };
      return prepared([program.initConfig(next, NETWORK_NAME, SHORT_NUMBERS)], config);
    },
    lockEscrow: () => {
      const { requester, terms } = deal();
      return prepared([program.lockEscrow(deployment, terms)], requester);
    },
    setPayee: () => {
      const { provider, terms } = locked();
      const payee = program.tokenAddress(deployment, world.wallet().address);
      return prepared([program.setPayee(deployment, terms, payee)], provider);
    },
    deliver: () => {
      const { provider, terms } = locked();
      return prepared([program.deliver(deployment, terms, Buffer.alloc(32, 3))], provider);
    },
    approve: () => {
      const { requester, terms } = delivered();
      return prepared([program.approve(deployment, terms)], requester);
    },
    refund: () => {
      const { provider, terms } = delivered();
      return prepared([program.refund(deployment, terms)], provider);
    },
    reclaim: () => {
      const { terms } = locked();
      svm.pass(1_001n);
      return prepared([program.reclaim(deployment, terms)]);
    },
    dispute: () => {
      const { requester, terms } = delivered();
      return prepared([program.dispute(deployment, terms, 6_000)], requester);
    },
    contest: () => {
      const { provider, terms } = disputed();
      return prepared([program.contest(deployment, terms, 9_999)], provider);
    },
    decide: () => {
      const { notary, terms } = contested();
      return prepared([program.decide(deployment, terms, notary.address, true)], notary);
    },
    claim: () => {
      const { terms } = delivered();
      svm.pass(201n);
      return prepared([program.claim(deployment, terms)]);
    },
    split: () => {
      const { terms } = contested();
      svm.pass(300n);
      return prepared([program.split(deployment, terms)]);
    },
    openAgent: () => {
      const [key, sponsor] = [world.wallet(), world.wallet()];
      return prepared([program.openAgent(deployment, key.address, key.address, sponsor.address)], key, sponsor);
    },
    setAgentId: () => {
      const { key } = stakedAgent(world);
      return prepared([program.setAgentId(deployment, key.address, payer.address)], key);
    },
    payLease: () => {
      const [{ key }, sponsor] = [stakedAgent(world), world.wallet()];
      const payment = { payer: sponsor.address, epochs: 1, maxAmount: 10_000_000n, payments: 1 };
      return prepared([program.payLease(deployment, key.address, payment)], sponsor);
    },
    addStake: () => {
      const [key, owner] = [world.wallet(), world.wallet()];
      world.do([program.openAgent(deployment, key.address, key.address)], [key]);
      const deposit = { stakeOwner: owner.address, amount: STAKE, first: true, payments: 0 };
      return prepared([program.addStake(deployment, key.address, deposit)], key, owner);
    },
    requestUnlock: () => {
      const { key } = stakedAgent(world);
      return prepared([program.requestUnlock(deployment, key.address, key.address)], key);
    },
    resume: () => {
      const { key, owner } = stakedAgent(world);
      world.do([program.requestUnlock(deployment, key.address, key.address)], [key]);
      return prepared([program.resume(deployment, key.address, owner.address)], key, owner);
    },
    withdraw: () => {
      const agent = stakedAgent(world);
      world.do([program.requestUnlock(deployment, agent.key.address, agent.key.address)], [agent.key]);
      live(world, agent, 1);
      svm.pass(700n);
      return prepared([program.withdraw(deployment, agent.key.address, agent.owner.address)], agent.owner);
    },
    submitBatch: () => {
      const { key } = stakedAgent(world);
      svm.pass(200n);
      const batch = { epoch: world.epoch() - 1n, count: 1, root: Buffer.alloc(32, 4) };
      return prepared([program.submitBatch(deployment, key.address, batch)], key);
    },
    announce: () => {
      const [key, accuser] = [makeWallet(), world.wallet()];
      const one = { key: key.address, id: Buffer.alloc(32, 6), accuser: accuser.address };
      return prepared([program.announce(deployment, one)], accuser);
    },
    retract: () => {
      const [key, accuser] = [makeWallet(), world.wallet()];
      const one = { key: key.address, id: Buffer.alloc(32, 6), accuser: accuser.address };
      world.do([program.announce(deployment, one)], [accuser]);
      return prepared([program.retract(deployment, one)], accuser);
    },
    accuse: () => {
      const [agent, accuser] = [stakedAgent(world), world.wallet()];
      live(world, agent, 2, 3);
      const { headers } = batchOf(agent.key.address, world.epoch() - 1n, 3);
      return prepared(accusation(world, agent.key, headers[1]!, accuser), accuser);
    },
    answer: () => {
      const { key, id, accuser, tree } = accusedAgent(world);
      const [answerer, one] = [world.wallet(), { key: key.address, id, accuser: accuser.address }];
      return prepared([program.answer(deployment, one, answerer.address, tree.siblings(2))], answerer);
    },
    convict: () => {
      const { key, id, accuser } = accusedAgent(world);
      svm.pass(301n);
      return prepared([program.convict(deployment, { key: key.address, id, accuser: accuser.address })]);
    },
    slashInactive: () => {
      const [{ key }, caller] = [stakedAgent(world), world.wallet()];
      svm.pass(500n);
      return prepared([program.slashInactive(deployment, key.address, caller.address)], caller);
    },
    claimOwner: () => {
      const [key, owner, sponsor] = [makeWallet(), makeWallet(), world.wallet()];
      const claim = {
        network: world.network,
        key: key.address,
        agentId: key.address,
        owner: owner.address,
        nonce: Buffer.alloc(8, 5),
        expires: svm.now(),
      };
      const [text, statement] = [Buffer.from(program.ownerText(claim)), program.ownerStatement(claim)];
      return prepared(
        [
          program.ed25519Instruction(owner.address, owner.sign(text), text),
          program.ed25519Instruction(key.address, key.sign(statement), statement),
          program.claimOwner(deployment, key.address, sponsor.address),
        ],
        sponsor,
      );
    },
  };
}

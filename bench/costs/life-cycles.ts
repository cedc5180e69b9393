import * as program from '../../adapters/ledger-solana/program/index.ts';
import { type Accused, accusedAgent, live, rootOf, STAKE, stakedAgent } from '../../test/program/support/agents.ts';
import { batchOf } from '../../test/program/support/envelopes.ts';
import { fixturesOf } from '../../test/program/support/fixtures.ts';
import type { Wallet } from '../../test/program/support/svm.ts';
import type { World } from '../../test/program/support/world.ts';

/** What each who took part is poorer by in lamports, fees included; negative is a gain. */
export type Spent = Readonly<Record<string, number>>;

type Instruction = program.ProgramInstruction;
type Parties = Readonly<Record<'requester' | 'provider' | 'notary', Wallet>>;

/** Every life cycle once, with one transaction per step that its own signer pays for. */
export function lifeCycles(world: World): Record<string, Spent> {
  return { ...escrows(world), ...stakes(world), ...accusations(world), owner_link: ownerLink(world) };
}

function escrows(world: World): Record<string, Spent> {
  const { deployment, svm } = world;

  /** The notary takes part only where it is asked for. */
  function escrow(finish: (terms: program.EscrowTerms, who: Parties) => void, asked = false): Spent {
    const parties = { requester: world.wallet(), provider: world.wallet() };
    const who = { ...parties, notary: world.wallet() };
    const terms: program.EscrowTerms = {
      requester: who.requester.address,
      provider: who.provider.address,
      conversation: Buffer.alloc(16, 1),
      amount: 1_000n,
      bond: 500n,
      ...(asked && { notary: who.notary.address }),
      deadline: svm.now() + 1_000n,
      reviewSecs: 200n,
      terms: Buffer.alloc(32, 2),
      disputeBps: 0,
    };
    return spent(world, asked ? who : parties, () => {
      send(world, who.requester, program.lockEscrow(deployment, terms));
      finish(terms, who);
    });
  }

  const deliver = (terms: program.EscrowTerms) => program.deliver(deployment, terms, Buffer.alloc(32, 3));
  return {
    escrow_approved: escrow((terms, { requester, provider }) => {
      send(world, provider, deliver(terms));
      send(world, requester, program.approve(deployment, terms));
    }),
    escrow_reclaimed: escrow((terms, { requester }) => {
      svm.pass(1_001n);
      send(world, requester, program.reclaim(deployment, terms));
    }),
    escrow_claimed: escrow((terms, { provider }) => {
      send(world, provider, deliver(terms));
      svm.pass(201n);
      send(world, provider, program.claim(deployment, terms));
    }),
    escrow_refunded: escrow((terms, { requester, provider }) => {
      send(world, provider, deliver(terms));
      send(world, requester, program.dispute(deployment, terms, 0));
      send(world, provider, program.refund(deployment, terms));
    }),
    escrow_offer_stood: escrow((terms, { requester, provider }) => {
      send(world, provider, deliver(terms));
      send(world, requester, program.dispute(deployment, terms, 6_000));
      svm.pass(300n);
      send(world, provider, program.split(deployment, terms));
    }),
    escrow_burnt: escrow((terms, { requester, provider }) => {
      send(world, provider, deliver(terms));
      send(world, requester, program.dispute(deployment, terms, 0));
      send(world, provider, program.contest(deployment, terms, 9_999), program.split(deployment, terms));
    }),
    escrow_decided: escrow((terms, { requester, provider, notary }) => {
      send(world, provider, deliver(terms));
      send(world, requester, program.dispute(deployment, terms, 0));
      send(world, provider, program.contest(deployment, terms, 9_999));
      const decide = program.decide(deployment, terms, notary.address, true);
      send(world, notary, decide, program.split(deployment, terms));
    }, true),
  };
}

function stakes(world: World): Record<string, Spent> {
  const { deployment, svm } = world;
  const owner = world.wallet();
  const key = owner.address;
  const step = (...steps: Instruction[]) => spent(world, { agent: owner }, () => send(world, owner, ...steps));
  const agent_account = step(program.openAgent(deployment, key, key));
  const lease = step(program.payLease(deployment, key, { payer: key, epochs: 1, maxAmount: STAKE, payments: 0 }));
  const stake = step(program.addStake(deployment, key, { stakeOwner: key, amount: STAKE, first: true, payments: 1 }));
  svm.pass(200n);
  const epoch = world.epoch() - 1n;
  const batch = step(program.submitBatch(deployment, key, { epoch, ...rootOf(batchOf(key, epoch, 3).tree) }));
  const stake_withdrawn = spent(world, { agent: owner }, () => {
    send(world, owner, program.requestUnlock(deployment, key, key));
    live(world, { key: owner, owner }, 1);
    svm.pass(700n);
    send(world, owner, program.withdraw(deployment, key, key));
  });
  return { agent_account, lease, stake, batch, stake_withdrawn };
}

function accusations(world: World): Record<string, Spent> {
  const { deployment, svm } = world;

  /** The accuser has accused when `finish` runs. */
  function accusation(finish: (accused: Accused, answerer: Wallet) => void): Spent {
    const [untouched, answerer] = [world.wallet(), world.wallet()];
    const accused = accusedAgent(world);
    const gone = spent(world, { answerer }, () => finish(accused, answerer));
    return { accuser: Number(svm.lamports(untouched.address) - svm.lamports(accused.accuser.address)), ...gone };
  }

  const named = ({ key, id, accuser }: Accused) => ({ key: key.address, id, accuser: accuser.address });
  const { key } = stakedAgent(world);
  svm.pass(500n);
  const stranger = world.wallet();
  const announcer = world.wallet();
  const announced = { key: stranger.address, id: Buffer.alloc(32, 5), accuser: announcer.address };
  return {
    announcement: spent(world, { announcer }, () => send(world, announcer, program.announce(deployment, announced))),
    announcement_retracted: spent(world, { announcer }, () =>
      send(world, announcer, program.retract(deployment, announced)),
    ),
    slash: spent(world, { stranger }, () =>
      send(world, stranger, program.slashInactive(deployment, key.address, stranger.address)),
    ),
    accusation_answered: accusation((accused, answerer) => {
      const siblings = accused.tree.siblings(2);
      send(world, answerer, program.answer(deployment, named(accused), answerer.address, siblings));
    }),
    accusation_convicted: accusation((accused) => {
      svm.pass(301n);
      send(world, accused.accuser, program.convict(deployment, named(accused)));
    }),
  };
}

function ownerLink(world: World): Spent {
  const { instructions, signers } = fixturesOf(world).claimOwner();
  const sponsor = signers.at(-1)!;
  return spent(world, { payer: sponsor }, () => send(world, sponsor, ...instructions));
}

function spent(world: World, who: Readonly<Record<string, Wallet>>, run: () => void): Spent {
  const lamports = () => Object.values(who).map(({ address }) => world.svm.lamports(address));
  const before = lamports();
  run();
  const after = lamports();
  return Object.fromEntries(Object.keys(who).map((name, at) => [name, Number(before[at]! - after[at]!)]));
}

function send(world: World, by: Wallet, ...steps: readonly Instruction[]): void {
  world.do(steps, [by]);
}

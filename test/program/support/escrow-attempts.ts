import * as program from '../../../adapters/ledger-solana/program/index.ts';
import type { LockInput, ModelEscrow } from './escrow-model.ts';
import { type Attempt, by, type Game } from './game.ts';
import type { Wallet } from './svm.ts';
import { sendTokens } from './world.ts';

export function termsOf(escrow: LockInput): program.EscrowTerms {
  const { requester, provider, notary, amount, bond, deadline, reviewSecs, disputeBps } = escrow;
  const conversation = Buffer.alloc(16, escrow.conversation);
  const terms = {
    requester,
    provider,
    conversation,
    amount,
    bond,
    deadline,
    reviewSecs,
    disputeBps,
    terms: Buffer.alloc(32, 1),
  };
  return notary === undefined ? terms : { ...terms, notary };
}

/** A lock that is usually, but not always, within the rules. */
export function lockAttempt({ world, chance, actors, escrows }: Game): Attempt {
  const [requester, provider, notary] = [chance.pick(actors), chance.pick(actors), chance.pick(actors)];
  const now = world.svm.now();
  const amount = chance.happens(0.05) ? 0n : BigInt(chance.below(chance.happens(0.05) ? 4_000_000_000 : 50_000_000));
  const input = {
    requester: requester.address,
    provider: provider.address,
    notary: chance.happens(0.5) ? notary.address : undefined,
    conversation: chance.below(2),
    amount,
    bond: chance.happens(0.2) ? 0n : (amount * BigInt(chance.below(20_400))) / 10_000n,
    deadline: now + BigInt(chance.below(chance.happens(0.1) ? 12_000 : 900)),
    reviewSecs: BigInt(80 + chance.below(chance.happens(0.1) ? 2_500 : 400)),
    disputeBps: chance.happens(0.5) ? 0 : chance.below(10_200),
  };
  const send = [program.lockEscrow(world.deployment, termsOf(input))];
  return { what: 'lock', send, signers: [requester], allowed: () => escrows.lock(input, now) };
}

/** Any step on an open escrow, by a party more often than by a stranger, a fitting step more often than another. */
export function escrowAttempt(game: Game, escrow: ModelEscrow): Attempt {
  const { chance } = game;
  const fitting: Record<ModelEscrow['state'], readonly Step[]> = {
    locked: ['deliver', 'deliver', 'deliver', 'reclaim', 'dust'],
    delivered: ['dispute', 'dispute', 'dispute', 'claim', 'approve', 'refund'],
    disputed: ['contest', 'contest', 'contest', 'dispute', 'split', 'approve', 'refund', 'setPayee'],
    contested: ['decide', 'decide', 'split', 'split', 'approve', 'refund', 'setPayee'],
    splitting: ['split', 'split', 'setPayee'],
  };
  const step = chance.pick(chance.happens(0.8) ? fitting[escrow.state] : STEPS);
  const entitled: Partial<Record<Step, string>> = {
    deliver: escrow.provider,
    dispute: escrow.requester,
    contest: escrow.provider,
    decide: escrow.notary ?? escrow.requester,
  };
  const address = chance.happens(0.7) && entitled[step] ? entitled[step] : someone(game, escrow);
  return attemptOf(game, escrow, step, address);
}

function someone({ chance, actors }: Game, escrow: ModelEscrow): string {
  const parties = [escrow.requester, escrow.provider, escrow.notary ?? escrow.provider];
  return chance.happens(0.85) ? chance.pick(parties) : chance.pick(actors).address;
}

const STEPS = [
  ...(['deliver', 'dispute', 'contest', 'decide', 'approve', 'refund'] as const),
  ...(['reclaim', 'claim', 'split', 'setPayee', 'dust'] as const),
];
type Step = (typeof STEPS)[number];

function attemptOf(game: Game, escrow: ModelEscrow, step: Step, who: string): Attempt {
  const { world, chance, escrows } = game;
  const { deployment } = world;
  const [actor, target] = [game.actor(who)!, chance.pick(game.actors)];
  const [terms, now] = [termsOf(escrow), world.svm.now()];
  const payee = program.tokenAddress(deployment, escrow.payee);
  const bps = chance.happens(0.1) ? chance.pick([0, 9_999, 10_000, 10_001, 65_535]) : chance.below(10_001);
  const signed = (instruction: program.ProgramInstruction, allowed: () => boolean): Attempt => ({
    what: step,
    send: [by(actor, instruction)],
    signers: [actor],
    allowed,
  });
  const open = (instruction: program.ProgramInstruction, allowed: () => boolean): Attempt => ({
    what: step,
    send: [instruction],
    signers: [],
    allowed,
  });
  switch (step) {
    case 'deliver':
      return signed(program.deliver(deployment, terms, Buffer.alloc(32, 2)), () => escrows.deliver(escrow, who, now));
    case 'dispute':
      return signed(program.dispute(deployment, terms, bps), () => escrows.dispute(escrow, who, bps, now));
    case 'contest':
      return signed(program.contest(deployment, terms, bps), () => escrows.contest(escrow, who, bps, now));
    case 'decide': {
      const decision = program.decide(deployment, terms, who, bps % 2 === 1);
      return signed(decision, () => escrows.decide(escrow, who, bps % 2 === 1, now));
    }
    case 'approve':
      return approveAttempt(game, escrow, actor);
    case 'refund':
      return signed(program.refund(deployment, terms), () => escrows.refund(escrow, who));
    case 'reclaim':
      return open(program.reclaim(deployment, terms), () => escrows.reclaim(escrow, now));
    case 'claim':
      return open(program.claim(deployment, terms, payee), () => escrows.claim(escrow, now));
    case 'split':
      return open(program.split(deployment, terms, payee), () => escrows.split(escrow, now));
    case 'setPayee': {
      const next = program.tokenAddress(deployment, target.address);
      return signed(program.setPayee(deployment, terms, next), () => escrows.setPayee(escrow, who, target.address));
    }
    case 'dust':
      return dustAttempt(game, escrow, who);
  }
}

/** Approves as `actor`, in the place of the requester who would have to sign. */
function approveAttempt({ world, escrows }: Game, escrow: ModelEscrow, actor: Wallet): Attempt {
  const { deployment } = world;
  const payee = program.tokenAddress(deployment, escrow.payee);
  const approve = program.approve(deployment, termsOf(escrow), payee);
  const keys = approve.keys.map((key) => (key.signer ? { ...key, address: actor.address } : key));
  const allowed = () => escrows.approve(escrow, actor.address);
  return { what: 'approve', send: [{ ...approve, keys }], signers: [actor], allowed };
}

function dustAttempt(game: Game, escrow: ModelEscrow, who: string): Attempt {
  const { world, purse } = game;
  const { deployment } = world;
  const wallet = game.actor(who)!;
  const vault = program.vaultAddress(deployment, program.escrowAddress(deployment, termsOf(escrow)));
  const allowed = () => {
    if (!purse.pays(who, 1n)) return false;
    purse.move(who, -1n);
    escrow.dust += 1n;
    return true;
  };
  const send = [sendTokens(wallet, program.tokenAddress(deployment, who), vault, 1n)];
  return { what: 'dust', send, signers: [wallet], allowed };
}

import * as program from '../../../adapters/ledger-solana/program/index.ts';
import type { LockInput, ModelEscrow } from './escrow-model.ts';
import { type Attempt, by, type Game } from './game.ts';
import { sendTokens } from './world.ts';

export function termsOf(escrow: LockInput): program.EscrowTerms {
  const { requester, provider, notary, amount, deadline, reviewSecs, disputeBps } = escrow;
  const conversation = Buffer.alloc(16, escrow.conversation);
  const terms = {
    requester,
    provider,
    conversation,
    amount,
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
  const input = {
    requester: requester.address,
    provider: provider.address,
    notary: chance.happens(0.5) ? notary.address : undefined,
    conversation: chance.below(2),
    amount: chance.happens(0.05) ? 0n : BigInt(chance.below(chance.happens(0.05) ? 4_000_000_000 : 50_000_000)),
    deadline: now + BigInt(chance.below(chance.happens(0.1) ? 12_000 : 900)),
    reviewSecs: BigInt(80 + chance.below(chance.happens(0.1) ? 2_500 : 400)),
    disputeBps: chance.below(10_200),
  };
  const send = [program.lockEscrow(world.deployment, termsOf(input))];
  return { what: 'lock', send, signers: [requester], allowed: () => escrows.lock(input, now) };
}

/** Any step on an open escrow, by a party more often than by a stranger, a fitting step more often than another. */
export function escrowAttempt(game: Game, escrow: ModelEscrow): Attempt {
  const { chance } = game;
  const fitting: Record<ModelEscrow['state'], readonly Step[]> = {
    locked: ['deliver', 'deliver', 'deliver', 'reclaim', 'dust'],
    delivered: ['dispute', 'dispute', 'claim', 'approve', 'refund'],
    disputed: ['split', 'split', 'split', 'approve', 'refund', 'setPayee'],
  };
  const step = chance.pick(chance.happens(0.5) ? fitting[escrow.state] : STEPS);
  const parties = [escrow.requester, escrow.provider, escrow.notary ?? escrow.provider];
  const address = chance.happens(0.85) ? chance.pick(parties) : chance.pick(game.actors).address;
  return attemptOf(game, escrow, step, address);
}

const STEPS = ['deliver', 'dispute', 'approve', 'refund', 'reclaim', 'claim', 'split', 'setPayee', 'dust'] as const;
type Step = (typeof STEPS)[number];

function attemptOf(game: Game, escrow: ModelEscrow, step: Step, who: string): Attempt {
  const { world, chance, escrows } = game;
  const { deployment } = world;
  const [actor, target] = [game.actor(who)!, chance.pick(game.actors)];
  const [terms, now] = [termsOf(escrow), world.svm.now()];
  const payee = program.tokenAddress(deployment, escrow.payee);
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
      return signed(program.dispute(deployment, terms), () => escrows.dispute(escrow, who, now));
    case 'approve':
      return signed(program.approve(deployment, terms, who, payee), () => escrows.approve(escrow, who));
    case 'refund':
      return signed(program.refund(deployment, terms, who), () => escrows.refund(escrow, who));
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

function dustAttempt(game: Game, escrow: ModelEscrow, who: string): Attempt {
  const { world, purse } = game;
  const { deployment } = world;
  const wallet = game.actor(who)!;
  const vault = program.vaultAddress(deployment, program.escrowAddress(deployment, termsOf(escrow)));
  const allowed = () => {
    if (purse.of(who) < 1n) return false;
    purse.move(who, -1n);
    escrow.dust += 1n;
    return true;
  };
  const send = [sendTokens(wallet, program.tokenAddress(deployment, who), vault, 1n)];
  return { what: 'dust', send, signers: [wallet], allowed };
}

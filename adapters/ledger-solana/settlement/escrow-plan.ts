import type { EscrowAccount } from '../../../core/ledger/settlement-accounts.ts';
import type { EscrowName, EscrowStep } from '../../../core/ledger/settlement-steps.ts';
import * as program from '../program/index.ts';
import { bytesField } from './fields.ts';
import { authorityAmong, type StepContext, type StepPlan } from './plan.ts';

export function programName({ requester, provider, conversation }: EscrowName): program.EscrowName {
  return { requester, provider, conversation: bytesField('conversation', conversation, 16) };
}

export async function planEscrow(step: EscrowStep, context: StepContext): Promise<StepPlan> {
  const { place, signers } = context;
  const name = programName(step);
  if (step.type === 'lock') return lock(step, context);
  if (step.type === 'set_payee') return { instructions: [program.setPayee(place, name, step.payee)] };
  if (step.type === 'deliver')
    return { instructions: [program.deliver(place, name, bytesField('delivery', step.delivery, 32))] };
  if (step.type === 'dispute') return { instructions: [program.dispute(place, name)] };
  const escrow = await context.escrow(step);
  const { requester, notary, payee } = escrow;
  switch (step.type) {
    case 'approve': {
      const authority = authorityAmong(signers, [requester, notary]);
      return { instructions: [program.approve(place, name, authority, payee)], paid: releasedTo(context, escrow) };
    }
    case 'refund': {
      const authority = authorityAmong(signers, [escrow.provider, notary]);
      return { instructions: [program.refund(place, name, authority)], paid: [requester] };
    }
    case 'reclaim':
      return { instructions: [program.reclaim(place, name)], paid: [requester] };
    case 'claim':
      return { instructions: [program.claim(place, name, payee)], paid: releasedTo(context, escrow) };
    case 'split':
      return { instructions: [program.split(place, name, payee)], paid: [...releasedTo(context, escrow), requester] };
  }
}

function lock(step: Extract<EscrowStep, { type: 'lock' }>, { place }: StepContext): StepPlan {
  const { requester, amount, deadline, reviewSecs, notary, terms, disputeBps } = step;
  const instruction = program.lockEscrow(place, {
    ...programName(step),
    ...(notary !== null && { notary }),
    amount,
    deadline: BigInt(deadline),
    reviewSecs: BigInt(reviewSecs),
    terms: bytesField('terms', terms, 32),
    disputeBps,
  });
  return { instructions: [instruction], spends: { wallet: requester, amount } };
}

/** The provider, unless it named an account that is not its own associated one. */
function releasedTo({ place }: StepContext, { provider, payee }: EscrowAccount): string[] {
  return payee === program.tokenAddress(place, provider) ? [provider] : [];
}

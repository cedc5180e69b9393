import { invalidField, MeshError } from '../../../core/contracts/errors.ts';
import type { EscrowAccount } from '../../../core/protocol/settlement/accounts.ts';
import type { EscrowName, EscrowStep } from '../../../core/protocol/settlement/steps.ts';
import * as program from '../program/index.ts';
import { bytesField } from './fields.ts';
import type { StepContext, StepPlan } from './plan.ts';

/** All of it, in basis points. */
const WHOLE = 10_000;

export function programName({ requester, provider, conversation }: EscrowName): program.EscrowName {
  return { requester, provider, conversation: bytesField('conversation', conversation, 16) };
}

export async function planEscrow(step: EscrowStep, context: StepContext): Promise<StepPlan> {
  const { place } = context;
  const name = programName(step);
  if (step.type === 'lock') return lock(step, context);
  if (step.type === 'set_payee') {
    const instructions = [program.setPayee(place, name, step.payee)];
    return step.wallet === undefined ? { instructions } : { instructions, paid: [step.wallet] };
  }
  if (step.type === 'deliver')
    return { instructions: [program.deliver(place, name, bytesField('delivery', step.delivery, 32))] };
  if (step.type === 'dispute')
    return { instructions: [program.dispute(place, name, shareField('offerBps', step.offerBps))] };
  if (step.type === 'contest')
    return { instructions: [program.contest(place, name, shareField('maxBps', step.maxBps))] };
  const escrow = await context.escrow(step);
  const { requester, notary, payee } = escrow;
  switch (step.type) {
    // Not with the payment in one transaction: a payee that changes at that moment would make the decision fail.
    case 'decide': {
      if (notary === null) throw new MeshError('forbidden', 'This escrow has no notary: nobody decides it.');
      return { instructions: [program.decide(place, name, notary, step.forProvider)] };
    }
    case 'approve':
      return { instructions: [program.approve(place, name, payee)], paid: parties(context, escrow) };
    case 'refund':
      return { instructions: [program.refund(place, name)], paid: [requester] };
    case 'reclaim':
      return { instructions: [program.reclaim(place, name)], paid: [requester] };
    case 'claim':
      return { instructions: [program.claim(place, name, payee)], paid: parties(context, escrow) };
    case 'split':
      return { instructions: [program.split(place, name, payee)], paid: parties(context, escrow) };
  }
}

function lock(step: Extract<EscrowStep, { type: 'lock' }>, { place }: StepContext): StepPlan {
  const { requester, amount, bond, deadline, reviewSecs, notary, terms } = step;
  const instruction = program.lockEscrow(place, {
    ...programName(step),
    ...(notary !== null && { notary }),
    amount,
    bond,
    deadline: BigInt(deadline),
    reviewSecs: BigInt(reviewSecs),
    terms: bytesField('terms', terms, 32),
    disputeBps: shareField('disputeBps', step.disputeBps),
  });
  return { instructions: [instruction], spends: { wallet: requester, amount: amount + bond } };
}

/** The requester, and the provider unless it named an account that is not its own associated one. */
function parties({ place }: StepContext, { requester, provider, payee }: EscrowAccount): string[] {
  return payee === program.tokenAddress(place, provider) ? [provider, requester] : [requester];
}

function shareField(name: string, bps: number): number {
  if (!Number.isInteger(bps) || bps < 0 || bps > WHOLE) throw invalidField(`/${name}`, `must be from 0 to ${WHOLE}`);
  return bps;
}

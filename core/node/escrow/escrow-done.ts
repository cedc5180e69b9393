import type { EscrowAccount } from '../../protocol/settlement/accounts.ts';
import type { EscrowStep } from '../../protocol/settlement/steps.ts';

/**
 * Whether a step on an escrow is done, by its finalised account; undefined when the account does not tell, as when the
 * escrow has ended. A transaction that was confirmed and whose step is not done was taken back, or was never there.
 */
export function isEscrowStepDone(step: EscrowStep, account: EscrowAccount | undefined): boolean | undefined {
  if (!account) return undefined;
  const { state, delivery, offerBps } = account;
  switch (step.type) {
    case 'lock':
      return true;
    case 'deliver':
      if (state === 'locked') return false;
      return delivery === step.delivery ? true : undefined;
    case 'dispute':
      if (state === 'locked' || state === 'delivered') return false;
      return state === 'disputed' ? offerBps >= step.offerBps : undefined;
    case 'set_payee':
      return account.payee === step.payee;
    case 'contest':
      if (state === 'disputed') return false;
      return state === 'contested' ? true : undefined;
    case 'approve':
    case 'refund':
    case 'reclaim':
    case 'claim':
    case 'split':
      return state === 'splitting' ? undefined : false;
    default:
      return undefined;
  }
}

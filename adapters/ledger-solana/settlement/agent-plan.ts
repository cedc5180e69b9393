import type { AgentStep } from '../../../core/protocol/settlement/steps.ts';
import * as program from '../program/index.ts';
import { bytesField } from './fields.ts';
import { authorityAmong, type StepContext, type StepPlan } from './plan.ts';

/** A step of an agent; it opens the agent's account first where that is missing and the key signs. */
export async function planAgent(step: AgentStep, context: StepContext): Promise<StepPlan> {
  const { place, signers } = context;
  const account = await context.agent(step.key);
  if (step.type === 'open_agent' && account)
    return { instructions: [program.setAgentId(place, step.key, step.agentId)] };
  const agentId = step.type === 'open_agent' ? step.agentId : step.key;
  const opening = program.openAgent(place, step.key, agentId, signers[0].address);
  if (step.type === 'open_agent') return { instructions: [opening] };
  const plan = planExisting(step, context, account?.stakeOwner ?? null);
  const opens = !account && signers.some(({ address }) => address === step.key);
  return opens ? { ...plan, instructions: [opening, ...plan.instructions] } : plan;
}

function planExisting(
  step: Exclude<AgentStep, { type: 'open_agent' }>,
  { place, signers }: StepContext,
  stakeOwner: string | null,
): StepPlan {
  const { key } = step;
  switch (step.type) {
    case 'pay_lease': {
      const { epochs, maxAmount, payments } = step;
      const payer = signers[0].address;
      const instruction = program.payLease(place, key, { payer, epochs, maxAmount, payments });
      return { instructions: [instruction], paid: [place.treasury] };
    }
    case 'add_stake': {
      const { stakeOwner: owner, amount, payments } = step;
      const first = stakeOwner === null;
      const instruction = program.addStake(place, key, { stakeOwner: owner, amount, first, payments });
      return { instructions: [instruction], spends: { wallet: owner, amount } };
    }
    case 'request_unlock':
      return { instructions: [program.requestUnlock(place, key, authorityAmong(signers, [key, stakeOwner]))] };
    case 'resume':
      return { instructions: [program.resume(place, key, step.stakeOwner)] };
    case 'withdraw':
      return { instructions: [program.withdraw(place, key, step.stakeOwner)], paid: [step.stakeOwner] };
    case 'submit_batch': {
      const { epoch, count, root } = step;
      const batch = { epoch: BigInt(epoch), count, root: bytesField('root', root, 32) };
      return { instructions: [program.submitBatch(place, key, batch)] };
    }
  }
}

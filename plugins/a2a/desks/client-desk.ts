import type { DealView, LocalAgent } from '../../../core/services.ts';
import { microOf } from '../config.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { AskedStep, Desk, NewTask } from './desk.ts';

/** Gives the tasks of a client, or of all guests, to agents of this node, as offers of nothing. It never promises money. */
export class ClientDesk implements Desk {
  readonly settling = 'nobody';
  readonly agent: LocalAgent;

  constructor(agent: LocalAgent) {
    this.agent = agent;
  }

  async propose({ id, agent, words }: NewTask): Promise<DealView> {
    const offer = { recipient: agent, conversation_id: id, message: words, amount_usdc: '0', escrow: false };
    return (await this.agent.deals.propose(offer, { operationId: `a2a/${id}` })).deal;
  }

  deal(id: string): Promise<DealView> {
    return this.agent.deals.get(id);
  }

  async cancel(id: string): Promise<DealView> {
    return (await this.agent.deals.reject({ conversation_id: id, reason: 'canceled' })).deal;
  }

  async say(id: string, agent: string, text: string, operationId: string): Promise<void> {
    await this.agent.send('MESSAGE', { text }, { recipient: agent, conversationId: id, operationId });
  }

  async take({ conversation_id, amount_usdc, allowed_actions }: DealView, { action }: AskedStep): Promise<DealView> {
    if (action === 'reject') return this.cancel(conversation_id);
    if (action === 'accept' && microOf(amount_usdc) === 0n && allowed_actions.includes('accept'))
      return (await this.agent.deals.accept({ conversation_id })).deal;
    const detail = 'Paid work is a deal on the mesh: hire the agent from a node of your own, or cancel this task.';
    throw new Refusal('UNSUPPORTED_OPERATION', { detail, metadata: { allowed_actions: 'reject' } });
  }

  ownStep(): undefined {
    return undefined;
  }
}

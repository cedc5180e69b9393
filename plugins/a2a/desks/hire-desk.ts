import type { Deals, DealView, Messages, Payments } from '../../../core/services.ts';
import { type A2aConfig, microOf } from '../config.ts';
import { invalidParam, Refusal } from '../protocol/refusal.ts';
import type { AskedStep, Desk, NewTask } from './desk.ts';

const USDC = /^(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$/;
const SECS = ['deadline_secs', 'review_secs'] as const;

export interface HireMeans {
  readonly deals: Deals;
  readonly payments: Payments;
  readonly messages: Messages;
  readonly terms: A2aConfig['hire'];
}

/** Hires agents of the mesh for the owner of this node, whose wallet pays within the caps of the operator. */
export class HireDesk implements Desk {
  readonly settling: 'client' | 'node';
  readonly #means: HireMeans;
  readonly #most: bigint;

  constructor(means: HireMeans) {
    this.#means = means;
    this.#most = microOf(means.terms.most);
    this.settling = means.terms.settle === 'delivery' ? 'node' : 'client';
  }

  async propose({ id, agent, words, terms }: NewTask): Promise<DealView> {
    const { deals, terms: usual } = this.#means;
    const amount_usdc = this.#within(terms['amount_usdc'] ?? usual.offer);
    const given = SECS.flatMap((name) => (typeof terms[name] === 'number' ? [[name, terms[name]]] : []));
    const escrow = typeof terms['escrow'] === 'boolean' ? { escrow: terms['escrow'] } : {};
    const request = { recipient: agent, conversation_id: id, message: words, amount_usdc, ...escrow };
    return (await deals.propose({ ...request, ...Object.fromEntries(given) }, { operationId: id })).deal;
  }

  deal(id: string): Promise<DealView> {
    return this.#means.deals.get(id);
  }

  async cancel(id: string): Promise<DealView> {
    return (await this.#means.deals.reject({ conversation_id: id, reason: 'canceled' })).deal;
  }

  async say(id: string, agent: string, text: string, operationId: string): Promise<void> {
    await this.#means.messages.send('MESSAGE', { text }, { recipient: agent, conversationId: id, operationId });
  }

  async take(deal: DealView, { action, amount_usdc, reason }: AskedStep): Promise<DealView> {
    const { deals, payments } = this.#means;
    const { conversation_id } = deal;
    if (!deal.allowed_actions.includes(action)) throw notAllowed(deal);
    switch (action) {
      case 'reject':
        return this.cancel(conversation_id);
      case 'accept':
        this.#within(deal.amount_usdc);
        requireUsualBond(deal);
        return (await deals.accept({ conversation_id })).deal;
      case 'counter':
        requireUsualBond(deal);
        return (await deals.counter({ conversation_id, amount_usdc: this.#within(amount_usdc) })).deal;
      case 'lock':
        return (await payments.lock({ conversation_id })).deal ?? this.deal(conversation_id);
      case 'pay':
        return payments.pay(conversation_id);
      case 'approve':
        return (await payments.approve({ conversation_id })).deal ?? this.deal(conversation_id);
      case 'dispute':
        if (deal.escrow.locked_at !== undefined)
          return (await deals.escrow.dispute({ conversation_id })).deal ?? this.deal(conversation_id);
        return (await deals.dispute({ conversation_id, ...(reason !== undefined && { reason }) })).deal;
      default:
        throw notAllowed(deal);
    }
  }

  /** Follows the owner's configuration: it locks what was agreed, and pays for work that is there where it was told to. */
  ownStep(deal: DealView): (() => Promise<unknown>) | undefined {
    const { payments } = this.#means;
    const { conversation_id, allowed_actions, state, escrow } = deal;
    if (state === 'accepted' && escrow.agreed && allowed_actions.includes('lock'))
      return () => payments.lock({ conversation_id });
    if (state !== 'delivered' || this.settling !== 'node') return undefined;
    if (allowed_actions.includes('approve')) return () => payments.approve({ conversation_id });
    if (allowed_actions.includes('pay')) return () => payments.pay(conversation_id);
    return undefined;
  }

  #within(amount: unknown): string {
    const field = `message.metadata.amount_usdc`;
    if (typeof amount !== 'string' || !USDC.test(amount))
      throw invalidParam(field, 'must be USDC as decimal text, such as "0.5"');
    if (microOf(amount) > this.#most)
      throw invalidParam(field, `must be at most ${this.#means.terms.most}, which is hire.most of the plugin a2a`);
    return amount;
  }
}

function notAllowed({ allowed_actions }: DealView): Refusal {
  return new Refusal('UNSUPPORTED_OPERATION', { metadata: { allowed_actions: allowed_actions.join(',') } });
}

/** An agent may ask for a bond of twice the amount, which the client did not see; the usual one is half of it. */
function requireUsualBond({ escrow, amount_usdc, bond_usdc }: DealView): void {
  if (!escrow.agreed || microOf(bond_usdc) * 2n <= microOf(amount_usdc) + 1n) return;
  const detail = `The agent asks for a bond of ${bond_usdc} USDC; answer it at the node, with mesh accept or mesh reject.`;
  throw new Refusal('UNSUPPORTED_OPERATION', { detail, metadata: { allowed_actions: 'reject' } });
}

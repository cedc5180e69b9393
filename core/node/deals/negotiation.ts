import type { SchemaTypes } from '../../../schemas/types.ts';
import { invalidField } from '../../contracts/errors.ts';
import type { Call } from '../../http/route.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Sent } from '../../messaging/messages.ts';
import type { Clock, Random } from '../../platform/clock.ts';
import { lastOffer } from '../../protocol/deals/deal.ts';
import { formatAgentId, parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { SettlementNumbers } from '../../protocol/settlement/numbers.ts';
import type { AgentIdentity } from '../../protocol/signer/identity.ts';
import type { KeptBlobs } from '../deliveries/kept-blobs.ts';
import type { PartnerKeys } from '../partner-keys.ts';
import { agentOf, conversationOf } from '../requests/addresses.ts';
import { amountOf, optionalAmountOf } from '../requests/amounts.ts';
import { checkAcceptance, checkOtherSide } from '../requests/answers.ts';
import { CallBudget } from '../requests/call-budget.ts';
import { contentIn } from '../requests/delivered-content.ts';
import { contentOf, requireDelivery } from '../requests/delivery.ts';
import { checkOffer, escrowOf } from '../requests/offer-checks.ts';
import { termsOf } from '../requests/offers.ts';
import type { DealBook } from './deal-book.ts';
import type { DealDocument } from './deal-document.ts';
import { dealView } from './deal-view.ts';
import type { Means } from './means.ts';

export interface NegotiationOptions {
  readonly deals: DealBook;
  readonly kept: Pick<KeptBlobs, 'keep'>;
  readonly identity: AgentIdentity;
  readonly network: Network;
  readonly clock: Clock;
  readonly random: Random;
  readonly ledger: Ledger | undefined;
  /** By the ledger unless given. */
  readonly means?: Means;
  /** Finds the key of a recipient that is named by its asset. */
  readonly partnerKeys: Pick<PartnerKeys, 'named'>;
  /** Addresses whose calls no limit counts. */
  readonly unlimited?: readonly string[] | undefined;
}

/** A request that fits its schema, from whom it came, and the id under which its effect happens once. */
export type Asked<B> = Pick<Call<any, any, B>, 'ip' | 'principal' | 'body' | 'operationId'>;

type DealStep = SchemaTypes['deal-step'];

/** The steps of a deal that are messages, as they are asked for. */
export class Negotiation {
  readonly #options: NegotiationOptions;
  readonly #budgets: Readonly<Record<'counter' | 'accept' | 'reject' | 'dispute' | 'deliver', CallBudget>>;

  constructor(options: NegotiationOptions) {
    this.#options = options;
    const budget = () => new CallBudget(options.clock, options.unlimited);
    this.#budgets = { counter: budget(), accept: budget(), reject: budget(), dispute: budget(), deliver: budget() };
  }

  propose(asked: Asked<SchemaTypes['propose-request']>): Promise<DealStep> {
    return this.#once(asked, () => this.#propose(asked));
  }

  counter(asked: Asked<SchemaTypes['counter-request']>): Promise<DealStep> {
    return this.#once(asked, () => this.#counter(asked));
  }

  accept(asked: Asked<SchemaTypes['accept-request']>): Promise<DealStep> {
    return this.#once(asked, () => this.#accept(asked));
  }

  reject(asked: Asked<SchemaTypes['reject-request']>): Promise<DealStep> {
    return this.#once(asked, () => this.#reject(asked));
  }

  dispute(asked: Asked<SchemaTypes['dispute-request']>): Promise<DealStep> {
    return this.#once(asked, () => this.#dispute(asked));
  }

  deliver(asked: Asked<SchemaTypes['deliver-request']>): Promise<DealStep> {
    return this.#once(asked, () => this.#deliver(asked));
  }

  /** A call whose answer was lost has changed the deal that it would be held against: the step that it took is looked for first. */
  async #once({ operationId }: Pick<Asked<unknown>, 'operationId'>, take: () => Promise<Sent>): Promise<DealStep> {
    return this.#withView((await this.#options.deals.takenBefore(operationId)) ?? (await take()));
  }

  async #propose({ body, operationId }: Asked<SchemaTypes['propose-request']>): Promise<Sent> {
    const { deals, identity, clock, random, partnerKeys } = this.#options;
    const { recipient, conversation_id, sealed, message, max_rounds } = body;
    const amount = optionalAmountOf(body) ?? 0n;
    const escrow = escrowOf(body, amount, this.#numbers);
    const value = {
      amount_usdc_micro: amount,
      message,
      ...(max_rounds !== undefined && { max_rounds }),
      ...(escrow !== undefined && { escrow }),
      ...termsOf(body),
    };
    const conversation = conversationOf(conversation_id, random);
    const { key, asset: named } = await partnerKeys.named(recipient, '/recipient', 'binding');
    const provider = agentOf(key, '/recipient');
    const parties = [identity.address, formatAgentId(provider)];
    checkOffer(body, value, { at: clock.now(), parties, numbers: this.#numbers });
    return deals.propose(provider, conversation, value, { operationId, sealed, named });
  }

  async #counter(asked: Asked<SchemaTypes['counter-request']>): Promise<Sent> {
    const { deals, identity, clock } = this.#options;
    const { body, operationId } = asked;
    const amount_usdc_micro = amountOf(body);
    const { deal } = await this.#dealFor('counter', asked);
    const round = deal.offers.filter(({ by }) => by === identity.address).length + 1;
    if (body.round !== undefined && body.round !== round) throw invalidField('/round', `is ${round} for this deal`);
    const { message } = body;
    const value = {
      amount_usdc_micro,
      round,
      max_rounds: deal.max_rounds,
      ...(message !== undefined && { message }),
      ...termsOf(body),
    };
    const parties = [deal.requester, deal.provider];
    checkOffer(body, value, { at: clock.now(), parties, before: lastOffer(deal), numbers: this.#numbers });
    return deals.step(deal.conversation, 'COUNTER', value, { operationId, sealed: body.sealed });
  }

  async #accept(asked: Asked<SchemaTypes['accept-request']>): Promise<Sent> {
    const { body, operationId } = asked;
    const { deal } = await this.#dealFor('accept', asked);
    const offer = lastOffer(deal);
    const amount = BigInt(offer.amount);
    checkAcceptance(body, offer);
    const value = {
      amount_usdc_micro: amount,
      offer_id: offer.id,
      ...(body.message != null && { message: body.message }),
    };
    const how = { operationId, sealed: body.sealed };
    return this.#options.deals.step(deal.conversation, 'ACCEPT', value, how);
  }

  async #reject(asked: Asked<SchemaTypes['reject-request']>): Promise<Sent> {
    const { body, operationId } = asked;
    await this.#dealFor('reject', asked);
    const how = { operationId, sealed: body.sealed };
    const value = { reason: body.reason ?? '' };
    return this.#options.deals.step(body.conversation_id, 'REJECT', value, how);
  }

  async #dispute(asked: Asked<SchemaTypes['dispute-request']>): Promise<Sent> {
    const { body, operationId } = asked;
    await this.#dealFor('dispute', asked);
    const { reason = '', offer_bps } = body;
    const value = { reason, ...(offer_bps !== undefined && { offer_bps }) };
    return this.#options.deals.step(body.conversation_id, 'DISPUTE', value, { operationId });
  }

  async #deliver(asked: Asked<SchemaTypes['deliver-request']>): Promise<Sent> {
    const { identity, clock, deals } = this.#options;
    const { body, operationId } = asked;
    const { content_type, sealed } = body;
    const content = contentIn(body);
    const document = await this.#dealFor('deliver', asked);
    const { deal } = document;
    const require = () => requireDelivery(document, identity.address, clock.now());
    const { conversation, requester } = deal;
    const handover = { recipient: parseAgentId(requester)!, conversation, sealed, require };
    const place = content instanceof Uint8Array ? await contentOf(content, handover, this.#options) : content;
    const head = { conversation_id: deal.conversation, ...(content_type !== undefined && { content_type }) };
    const how = { operationId, sealed };
    return deals.step(body.conversation_id, 'DELIVER', { ...head, ...place }, how);
  }

  get #numbers(): SettlementNumbers | undefined {
    return this.#options.ledger?.settlement?.numbers;
  }

  /** The deal of a step, which counts as one that answers a stranger or as one of the owner's own. */
  async #dealFor(
    step: 'counter' | 'accept' | 'reject' | 'dispute' | 'deliver',
    { body, ...caller }: Asked<{ readonly conversation_id: string; readonly recipient?: string }>,
  ): Promise<DealDocument> {
    const document = await this.#options.deals.get(body.conversation_id.toLowerCase());
    checkOtherSide(body.recipient, document, this.#options.identity.address);
    this.#budgets[step].take(caller, document);
    return document;
  }

  async #withView<T extends { conversation_id: string }>(sent: T) {
    const { deals, identity, clock, ledger, means } = this.#options;
    const document = await deals.get(sent.conversation_id);
    return { ...sent, deal: dealView(document, identity.address, clock.now(), ledger, means) };
  }
}

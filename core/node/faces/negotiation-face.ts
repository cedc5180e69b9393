import { invalidField } from '../../contracts/errors.ts';
import type { Call } from '../../http/route.ts';
import { Identity, Ledger } from '../../internal-services.ts';
import { SIGNING_ERRORS } from '../../messaging/signing-guard.ts';
import { definePlugin, optional, route } from '../../plugin.ts';
import { lastOffer } from '../../protocol/deals/deal.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { Clock, Random } from '../../services.ts';
import { dealView } from '../deals/deal-view.ts';
import { Kept } from '../deliveries/ports.ts';
import { ANSWERS, STEPS } from '../limits.ts';
import { agentOf, conversationOf } from '../requests/addresses.ts';
import { amountOf, optionalAmountOf } from '../requests/amounts.ts';
import { CallBudget } from '../requests/call-budget.ts';
import { contentIn, contentOf, MOST_DELIVERED, requireDelivery } from '../requests/delivery.ts';
import { checkOffer, escrowOf } from '../requests/offer-checks.ts';
import { termsOf } from '../requests/offers.ts';
import { DealBook } from '../services/deal-book.ts';

const step = {
  auth: 'api',
  reply: 'deal-step',
  money: true,
  limit: ANSWERS,
  idempotency: true,
  errors: ['invalid_transition', 'not_found', 'rate_limited', ...SIGNING_ERRORS],
} as const;

type Caller = Pick<Call<any, any, { readonly conversation_id: string }>, 'ip' | 'principal' | 'body'>;

/** The steps of a deal that are messages: offer, counter, accept, reject, deliver, dispute. */
export const negotiationFace = definePlugin({
  name: 'negotiation',
  api: '2.0',
  summary: 'Offers, counters, acceptance and delivery.',
  node: {
    uses: { deals: DealBook, kept: Kept, identity: Identity, clock: Clock, random: Random, ledger: optional(Ledger) },
    routes: {
      propose: route('POST /negotiate/propose', {
        ...step,
        summary: 'Offers a deal to an agent.',
        limit: STEPS,
        body: 'propose-request',
        errors: [...step.errors, 'spending_cap'],
      }),
      counter: route('POST /negotiate/counter', {
        ...step,
        summary: 'Answers an offer with another.',
        body: 'counter-request',
        errors: [...step.errors, 'spending_cap'],
      }),
      accept: route('POST /negotiate/accept', {
        ...step,
        summary: 'Accepts the last offer.',
        body: 'accept-request',
        errors: [...step.errors, 'spending_cap'],
      }),
      reject: route('POST /negotiate/reject', {
        ...step,
        summary: 'Refuses an offer, or withdraws one.',
        body: 'reject-request',
      }),
      dispute: route('POST /dispute', {
        ...step,
        summary:
          'Objects to a delivery, as the requester; the node takes it to the ledger where the amount is locked. Everybody may read it.',
        body: 'dispute-request',
      }),
      deliver: route('POST /deliver', {
        ...step,
        summary: 'Hands over the work.',
        body: 'deliver-request',
        errors: [...step.errors, 'payload_too_large'],
        maxBody: MOST_DELIVERED,
      }),
    },
    setup({ deals, kept, identity, clock, random, ledger }) {
      const budgets = {
        counter: new CallBudget(clock),
        accept: new CallBudget(clock),
        reject: new CallBudget(clock),
        dispute: new CallBudget(clock),
        deliver: new CallBudget(clock),
      };
      /** The deal of a step, which counts as one that answers a stranger or as one of the owner's own. */
      async function dealFor(step: keyof typeof budgets, { body, ...call }: Caller) {
        const document = await deals.get(body.conversation_id.toLowerCase());
        budgets[step].take(call, document);
        return document;
      }
      const numbers = ledger?.settlement?.numbers;
      async function withView<T extends { conversation_id: string }>(sent: T) {
        const document = await deals.get(sent.conversation_id);
        return { ...sent, deal: dealView(document, identity.address, clock.now(), ledger) };
      }
      return {
        routes: {
          async propose({ body, operationId }) {
            const { recipient, conversation_id, sealed, message, max_rounds } = body;
            const amount = optionalAmountOf(body) ?? 0n;
            const escrow = escrowOf(body, amount, numbers);
            const value = {
              amount_usdc_micro: amount,
              message,
              ...(max_rounds !== undefined && { max_rounds }),
              ...(escrow !== undefined && { escrow }),
              ...termsOf(body),
            };
            const conversation = conversationOf(conversation_id, random);
            const how = { operationId, sealed };
            const provider = agentOf(recipient, '/recipient');
            const parties = [identity.address, formatAgentId(provider)];
            checkOffer(body, value, { at: clock.now(), parties, numbers });
            return withView(await deals.propose(provider, conversation, value, how));
          },
          async counter(call) {
            const { body, operationId } = call;
            const amount_usdc_micro = amountOf(body);
            const { deal } = await dealFor('counter', call);
            const round = deal.offers.filter(({ by }) => by === identity.address).length + 1;
            if (body.round !== undefined && body.round !== round)
              throw invalidField('/round', `is ${round} for this deal`);
            const { message } = body;
            const value = {
              amount_usdc_micro,
              round,
              max_rounds: deal.max_rounds,
              ...(message !== undefined && { message }),
              ...termsOf(body),
            };
            const parties = [deal.requester, deal.provider];
            checkOffer(body, value, { at: clock.now(), parties, before: lastOffer(deal), numbers });
            return withView(
              await deals.step(deal.conversation, 'COUNTER', value, { operationId, sealed: body.sealed }),
            );
          },
          async accept(call) {
            const { body, operationId } = call;
            const { deal } = await dealFor('accept', call);
            const offer = lastOffer(deal);
            const amount = BigInt(offer.amount);
            if ((optionalAmountOf(body) ?? amount) !== amount)
              throw invalidField('/amount_usdc', 'is not that of the last offer');
            const value = {
              amount_usdc_micro: amount,
              offer_id: offer.id,
              ...(body.message != null && { message: body.message }),
            };
            return withView(await deals.step(deal.conversation, 'ACCEPT', value, { operationId, sealed: body.sealed }));
          },
          async reject(call) {
            const { body, operationId } = call;
            await dealFor('reject', call);
            const value = { reason: body.reason ?? '' };
            return withView(
              await deals.step(body.conversation_id, 'REJECT', value, { operationId, sealed: body.sealed }),
            );
          },
          async dispute(call) {
            const { body, operationId } = call;
            await dealFor('dispute', call);
            const { reason = '', offer_bps } = body;
            const value = { reason, ...(offer_bps !== undefined && { offer_bps }) };
            return withView(await deals.step(body.conversation_id, 'DISPUTE', value, { operationId }));
          },
          async deliver(call) {
            const { body, operationId } = call;
            const content = contentIn(body);
            const document = await dealFor('deliver', call);
            const { deal } = document;
            const require = () => requireDelivery(document, identity.address, clock.now());
            const handover = { kept, self: identity.address, recipient: deal.requester, sealed: body.sealed, require };
            const place = content instanceof Uint8Array ? await contentOf(content, handover) : content;
            const { content_type } = body;
            const head = { conversation_id: deal.conversation, ...(content_type !== undefined && { content_type }) };
            const value = { ...head, ...place };
            return withView(
              await deals.step(body.conversation_id, 'DELIVER', value, { operationId, sealed: body.sealed }),
            );
          },
        },
      };
    },
  },
});

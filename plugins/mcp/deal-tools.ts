import type { ServerContext } from '@modelcontextprotocol/server';
import { formatUsdc, MeshError } from '../../core/plugin.ts';
import type { Deals, DealView, Payments, StepOptions } from '../../core/services.ts';
import { microOf } from './config.ts';
import type { Confirmation } from './confirmation.ts';
import { told } from './results.ts';
import { AGENT_ID, CONVERSATION, LIMIT, OPERATION, text, USDC, WAIT } from './shapes.ts';
import { type Tool, tool } from './tool.ts';
import type { DealWaits } from './waiting.ts';

interface DealToolParts {
  readonly deals: Deals;
  readonly payments: Payments;
  readonly confirmation: Confirmation;
  readonly waits: DealWaits;
}

interface Given {
  readonly conversation_id: string;
  readonly amount_usdc?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly offer_bps?: number;
  readonly max_bps?: number;
  readonly idempotency_key?: string;
}

const STATES = [
  ...['proposed', 'countered', 'accepted', 'delivered', 'settled', 'rejected', 'expired', 'disputed'],
  ...['refunded', 'split', 'abandoned'],
];
const MINUTE = { type: 'integer', minimum: 60, maximum: 31_536_000 };
const BPS = { type: 'integer', minimum: 0, maximum: 10_000 };
/** Actions of a deal that a notary takes, or another tool. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  deliver: 'Use the tool deliver.',
  feedback: 'Use the tool rate.',
  verdict: 'A notary gives it at POST /notarize/decide.',
  decide: 'A notary gives it at POST /notarize/decide.',
};

/** The tools that make, watch and end deals. */
export function dealTools({ deals, payments, confirmation, waits }: DealToolParts): Tool[] {
  const options = (key: string | undefined): StepOptions => (key === undefined ? {} : { operationId: `mcp/${key}` });

  const propose = tool<{
    recipient: string;
    message: string;
    amount_usdc: string;
    deadline_secs?: number;
    review_secs?: number;
    escrow?: boolean;
    notary?: string;
    idempotency_key?: string;
  }>('propose', {
    title: 'Offer a deal',
    description:
      'Offers another agent a deal: what you want done, and what you pay. Nothing is paid before it accepts. Watch the deal with the tool deal.',
    hints: { openWorldHint: true, idempotentHint: false },
    properties: {
      recipient: AGENT_ID,
      message: text('What is asked for, in words the other agent acts on.', 8_192),
      amount_usdc: { ...USDC, default: '0' },
      deadline_secs: { ...MINUTE, description: 'Seconds after ACCEPT within which it must deliver.' },
      review_secs: { ...MINUTE, description: 'Seconds after the delivery within which you approve or dispute.' },
      escrow: { type: 'boolean', description: 'Whether the amount is locked on the ledger until the delivery.' },
      notary: { ...AGENT_ID, description: 'Who decides a dispute, base58.' },
      idempotency_key: OPERATION,
    },
    required: ['recipient', 'message'],
    run: ({ idempotency_key: key, ...request }, context) =>
      confirmation.around(
        {
          step: `propose/${request.recipient}/${request.amount_usdc}`,
          words: `offer ${request.amount_usdc} USDC to ${request.recipient}`,
          amount: microOf(request.amount_usdc),
          moves: false,
        },
        context,
        async () => told(await deals.propose(request, options(key))),
      ),
  });

  const list = tool<{ state?: string; limit: number; before?: string }>('deals', {
    title: 'List deals',
    description: 'The deals of this agent, those that changed last first.',
    hints: { readOnlyHint: true },
    properties: {
      state: { enum: STATES },
      limit: LIMIT,
      before: text('`next` of the page before.', 200),
    },
    run: async (query) => told(await deals.page(query as Parameters<Deals['page']>[0])),
  });

  const deal = tool<{ conversation_id: string; wait_secs: number; updated_at?: string }>('deal', {
    title: 'Look at a deal',
    description:
      'One deal: its state, what was delivered, and what you can do next (allowed_actions). With wait_secs it waits for the next change; give the updated_at that you have, so that none is missed.',
    hints: { readOnlyHint: true },
    properties: {
      conversation_id: CONVERSATION,
      wait_secs: WAIT,
      updated_at: { type: 'string', format: 'date-time', description: 'Answer at once when the deal changed since.' },
    },
    required: ['conversation_id'],
    async run({ conversation_id, wait_secs, updated_at }, { mcpReq: { signal } }) {
      // Whoever waits is told before the deal is read, so no change falls in between.
      const next = wait_secs > 0 ? waits.next(conversation_id, wait_secs * 1_000, signal) : undefined;
      const found = await deals.get(conversation_id);
      if (!next || (updated_at !== undefined && updated_at !== found.updated_at)) return told({ deal: found });
      const changed = await next;
      return told({ deal: changed ?? found, timed_out: changed === undefined });
    },
  });

  const act = tool<Given & { action: string }>('act', {
    title: 'Take a step of a deal',
    description:
      'Takes one of the allowed_actions of a deal: counter, accept, reject, lock, pay, approve, dispute, raise, contest, refund, claim, split, reclaim. Steps that promise or move more than the operator allows are confirmed by a person first.',
    hints: { destructiveHint: true, openWorldHint: true },
    properties: {
      conversation_id: CONVERSATION,
      action: text('One of the allowed_actions of the deal.', 20),
      amount_usdc: { ...USDC, description: 'Of counter: the amount you offer instead.' },
      message: text('Of counter: the words of your offer.', 8_192),
      reason: text('Of reject and dispute: why.', 1_024),
      offer_bps: {
        ...BPS,
        description: 'Of dispute and raise: the share that the other side keeps, in hundredths of a percent.',
      },
      max_bps: { ...BPS, description: 'Of contest: the least share that you would have taken.' },
      idempotency_key: OPERATION,
    },
    required: ['conversation_id', 'action'],
    async run({ action, ...given }, context) {
      const found = await deals.get(given.conversation_id);
      const elsewhere = ELSEWHERE[action];
      const { allowed_actions } = found;
      if (elsewhere !== undefined || !(allowed_actions as readonly string[]).includes(action))
        throw new MeshError('invalid_transition', {
          detail: elsewhere ?? `The deal does not allow ${action} now.`,
          extra: { allowed_actions },
        });
      return take(action, given, found, context);
    },
  });

  function take(action: string, given: Given, found: DealView, context: ServerContext) {
    const { conversation_id, idempotency_key: key } = given;
    const request = { conversation_id };
    const isPayer = found.role === 'requester';
    const steps: Readonly<Record<string, () => Promise<object>>> = {
      counter: () =>
        deals.counter(
          {
            ...request,
            ...(given.amount_usdc !== undefined && { amount_usdc: given.amount_usdc }),
            ...(given.message !== undefined && { message: given.message }),
          },
          options(key),
        ),
      // The amount that was looked at: another offer that came meanwhile is refused.
      accept: () => deals.accept({ ...request, amount_usdc: found.amount_usdc }, options(key)),
      reject: () =>
        deals.reject({ ...request, ...(given.reason !== undefined && { reason: given.reason }) }, options(key)),
      lock: () => payments.lock(request),
      pay: async () => ({ deal: await payments.pay(conversation_id) }),
      approve: () => payments.approve(request),
      dispute: () => disputed(found, given),
      raise: () => deals.escrow.dispute({ ...request, ...bps('offer_bps', given.offer_bps) }),
      contest: () => deals.escrow.contest({ ...request, ...bps('max_bps', given.max_bps) }),
      refund: () => deals.escrow.refund(request),
      claim: () => deals.escrow.claim(request),
      split: () => deals.escrow.split(request),
      reclaim: () => deals.escrow.reclaim(request),
    };
    const step = steps[action];
    if (!step) throw new MeshError('invalid_transition', `There is no tool for ${action}.`);
    const named = action === 'counter' ? (given.amount_usdc ?? found.amount_usdc) : found.amount_usdc;
    // The bond leaves the wallet with the amount.
    const micro = microOf(named) + (action === 'lock' ? microOf(found.bond_usdc) : 0n);
    const amount = formatUsdc(micro);
    const spends = isPayer && ['counter', 'accept', 'lock', 'pay', 'approve'].includes(action);
    const spend = {
      step: `${action}/${conversation_id}/${amount}`,
      words: `${action} ${amount} USDC ${action === 'pay' || action === 'lock' ? 'for' : 'with'} ${found.counterparty}`,
      amount: spends ? micro : 0n,
      moves: action === 'lock' || action === 'pay',
    };
    return confirmation.around(spend, context, async () => told(await step()));
  }

  /** On the ledger where something is locked, otherwise in words. */
  function disputed(found: DealView, { conversation_id, reason, offer_bps }: Given): Promise<object> {
    const request = { conversation_id, ...bps('offer_bps', offer_bps) };
    if ((found.escrow as { readonly agreed?: boolean }).agreed && offer_bps !== undefined && reason === undefined)
      return deals.escrow.dispute(request);
    return deals.dispute({ ...request, ...(reason !== undefined && { reason }) });
  }

  const deliver = tool<{ conversation_id: string; text: string; content_type: string; idempotency_key?: string }>(
    'deliver',
    {
      title: 'Deliver the work',
      description: 'Hands over the work of a deal that you accepted, as text.',
      hints: { destructiveHint: false, openWorldHint: true },
      properties: {
        conversation_id: CONVERSATION,
        text: text('The work.', 262_144),
        content_type: { ...text('Its media type.', 100), default: 'text/plain' },
        idempotency_key: OPERATION,
      },
      required: ['conversation_id', 'text'],
      run: async ({ conversation_id, text: content, content_type, idempotency_key: key }) =>
        told(await deals.deliver({ conversation_id, content, content_type }, options(key))),
    },
  );

  const rate = tool<{ conversation_id: string; score: number; idempotency_key?: string }>('rate', {
    title: 'Rate the other side',
    description: 'Rates the other side of a deal that has ended, for everybody to see: -100 to 100.',
    hints: { idempotentHint: true, openWorldHint: true },
    properties: {
      conversation_id: CONVERSATION,
      score: { type: 'integer', minimum: -100, maximum: 100 },
      idempotency_key: OPERATION,
    },
    required: ['conversation_id', 'score'],
    run: async ({ idempotency_key: key, ...request }) => told(await deals.feedback(request, options(key))),
  });

  return [propose, list, deal, act, deliver, rate];
}

function bps<N extends string>(name: N, value: number | undefined): { [K in N]?: number } {
  return (value === undefined ? {} : { [name]: value }) as { [K in N]?: number };
}

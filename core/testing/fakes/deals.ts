import { MeshError } from '../../contracts/errors.ts';
import type { DealStep, Deals, DealView, EscrowStep } from '../../services.ts';

/** The service `Deals` over deals that the test gives: `services: [value(Deals, fake.service)]`. */
export interface FakeDeals {
  readonly service: Deals;
  /** The steps that were taken, in their order; those of an escrow as `escrow.refund`. */
  readonly taken: readonly FakeStep[];
  /** A deal is there, or has changed: followers are told. Resolves when they have ended. */
  change(deal: DealView): Promise<void>;
  /** The next step rejects with this. */
  refuse(error: MeshError): void;
}

export interface FakeStep {
  readonly step: string;
  readonly request: object;
  readonly operationId?: string | undefined;
}

const ALICE = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
const BOB = '4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS';
const AT = '2026-01-01T00:00:00.000Z';

/** An open offer of 1.5 USDC to this agent; `fields` replace what the test is about. */
export function sampleDeal(fields: Partial<DealView> = {}): DealView {
  return {
    conversation_id: '000102030405060708090a0b0c0d0e0f',
    state: 'proposed',
    role: 'provider',
    counterparty: ALICE,
    requester: ALICE,
    provider: BOB,
    amount_usdc: '1.5',
    amount_usdc_micro: 1_500_000,
    notary: null,
    bond_usdc: '0',
    bond_usdc_micro: 0,
    dispute_bps: 0,
    message: 'Count the words.',
    max_rounds: 2,
    deadline_secs: 86_400,
    review_secs: 86_400,
    allowed_actions: ['counter', 'accept', 'reject'],
    next_timer: null,
    escrow: { agreed: false },
    history: [{ event: 'propose', by: ALICE, at: AT }],
    created_at: AT,
    updated_at: AT,
    ...fields,
  };
}

/** Steps are noted and change nothing: the test says with `change` what becomes of a deal. */
export function fakeDeals(deals: readonly DealView[] = []): FakeDeals {
  const known = new Map(deals.map((deal) => [deal.conversation_id, deal]));
  const taken: FakeStep[] = [];
  const followers = new Set<(deal: DealView) => void | Promise<void>>();
  let refusal: MeshError | undefined;

  function dealOf(conversation: string): DealView {
    const deal = known.get(conversation);
    if (!deal) throw new MeshError('not_found', `There is no deal ${conversation} on this node.`);
    return deal;
  }

  function note(step: FakeStep): void {
    const error = refusal;
    refusal = undefined;
    if (error) throw error;
    taken.push(step);
  }

  function send(step: string) {
    return async (
      request: { conversation_id?: string | null },
      { operationId }: { operationId?: string | undefined } = {},
    ) => {
      const before = taken.find(
        (one) => one.step === step && operationId !== undefined && one.operationId === operationId,
      );
      if (!before) note({ step, request, operationId });
      return sent(step === 'propose' ? proposed(request) : dealOf(String(request.conversation_id)));
    };
  }

  function proposed(request: object): DealView {
    const deal = sampleDeal({ role: 'requester', counterparty: BOB, allowed_actions: ['reject'], ...partsOf(request) });
    known.set(deal.conversation_id, deal);
    return deal;
  }

  function escrow(step: string) {
    return async (request: { conversation_id: string }): Promise<EscrowStep> => {
      const deal = dealOf(request.conversation_id);
      note({ step: `escrow.${step}`, request });
      return fakeEscrowStep(deal);
    };
  }

  const service: Deals = {
    get: async (conversation) => dealOf(conversation),
    async page({ state, limit = 50 } = {}) {
      const found = [...known.values()].reverse().filter((deal) => state === undefined || deal.state === state);
      return { deals: found.slice(0, limit), next: null };
    },
    follow(told) {
      followers.add(told);
      return () => void followers.delete(told);
    },
    propose: send('propose'),
    counter: send('counter'),
    accept: send('accept'),
    reject: send('reject'),
    deliver: send('deliver'),
    dispute: send('dispute'),
    feedback: send('feedback'),
    escrow: {
      async get(conversation) {
        dealOf(conversation);
        throw new MeshError('escrow_not_found');
      },
      deliver: escrow('deliver'),
      refund: escrow('refund'),
      reclaim: escrow('reclaim'),
      claim: escrow('claim'),
      split: escrow('split'),
      dispute: escrow('dispute'),
      contest: escrow('contest'),
    },
  };
  return {
    service,
    taken,
    async change(deal) {
      known.delete(deal.conversation_id);
      known.set(deal.conversation_id, deal);
      for (const told of followers) await told(deal);
    },
    refuse(error) {
      refusal = error;
    },
  };
}

/** The answer to a step on the escrow of that deal. */
export function fakeEscrowStep(deal: DealView): EscrowStep {
  const { conversation_id } = deal;
  const place = { escrow: ALICE, vault: BOB };
  return { ok: true, conversation_id, signature: '1'.repeat(64), slot: 1, ...place, deal };
}

function sent(deal: DealView): DealStep {
  const { conversation_id } = deal;
  const hash = '0'.repeat(64);
  return { envelope_id: hash, conversation_id, status: 'delivered', nonce: 1, payload_hash: hash, deal };
}

function partsOf(request: { message?: string; amount_usdc?: string; conversation_id?: string | null }) {
  const { message, amount_usdc, conversation_id } = request;
  return {
    ...(message !== undefined && { message }),
    ...(amount_usdc !== undefined && { amount_usdc }),
    ...(conversation_id != null && { conversation_id }),
  };
}

import { defineFace, invalidField, MeshError, route, storeJob } from '../../core/plugin.ts';
import { Clock, Deals, EscrowAccounts, Judging, Messages, Self } from '../../core/services.ts';
import { Appointments, sentOf } from './appointments.ts';
import { assignmentPart } from './assignment.ts';
import { casePage, sortOlderCases } from './case-list.ts';
import { caseView, type NotaryCase } from './case-records.ts';
import { type Asked, findCase } from './case-store.ts';
import { Decisions } from './decisions.ts';
import { ratingPart } from './ratings.ts';
import { Verdicts, verdictPart } from './verdicts.ts';

const MINUTE = 60_000;
const BID_TYPES = { request: 0, offer: 1 } as const;
const READS = { per: 'principal', rate: 6_000, window: 60 } as const;
const STEPS = { per: 'principal', rate: 600, window: 60 } as const;
const sending = { auth: 'api', idempotency: true, limit: STEPS } as const;

export const notaryFace = defineFace({
  uses: {
    self: Self,
    deals: Deals,
    messages: Messages,
    judging: Judging,
    escrows: EscrowAccounts,
    clock: Clock,
  },
  routes: {
    bid: route('POST /notarize/bid', {
      ...sending,
      summary: 'Tells everybody that a deal looks for a notary, or that this agent offers to be it.',
      body: 'notarize-bid-request',
      reply: 'sent',
    }),
    assign: route('POST /notarize/assign', {
      ...sending,
      summary: 'Assigns the notary that a deal names.',
      body: 'notarize-assign-request',
      reply: 'sent',
      errors: ['not_found', 'invalid_transition'],
    }),
    cases: route('GET /notarize/cases', {
      auth: 'api-read',
      limit: READS,
      summary: 'The deals this node is the notary of: first those that it has to do with, then those of strangers.',
      query: 'notary-cases-query',
      reply: 'notary-cases',
    }),
    verdict: route('POST /verdict', {
      ...sending,
      summary: "Gives the notary's word on a delivery to both parties; the requester's node follows it.",
      body: 'verdict-request',
      money: true,
      reply: 'notary-case-view',
      errors: ['not_found', 'conflict', 'invalid_transition', 'ledger_unavailable'],
    }),
    decide: route('POST /notarize/decide', {
      ...sending,
      summary: 'Decides a contested escrow on the ledger, as its notary.',
      body: 'notarize-decide-request',
      money: true,
      reply: 'notary-case-view',
      errors: [
        'not_found',
        'conflict',
        'forbidden',
        'invalid_transition',
        'insufficient_funds',
        'deadline_passed',
        'not_ready',
        'ledger_unavailable',
        'ledger_program_missing',
        'escrow_not_found',
        'upstream_failed',
      ],
    }),
  },
  receives: { NOTARIZE_ASSIGN: true },
  sends: { VERDICT: true, FEEDBACK: true },
  setup({ self, deals, messages, judging, escrows, clock }, { space, signal, log, defer }) {
    const appointments = new Appointments({ deals, messages, clock, log });
    const verdicts = new Verdicts({ space, judging, escrows, log });
    const decisions = new Decisions({ space, escrows, judging, clock, log, self: self.address });
    const view = (found: NotaryCase) => caseView(found, escrows.disputeSecs * 1000);
    const hasLedger = escrows.missing === undefined;
    let isSorted = false;
    async function run(stop: AbortSignal): Promise<number> {
      if (!isSorted) await sortOlderCases(space, stop);
      isSorted = !stop.aborted;
      return verdicts.resume(stop);
    }
    defer(
      judging.judgeBy({
        find: (conversation) => findCase(space, { conversation }),
        verdict: (conversation, word, party) => verdicts.send(conversation, word, party),
      }),
    );
    return {
      routes: {
        async bid({ body, operationId }) {
          const conversationId = body.conversation_id.toLowerCase();
          const opaque_b64 = Buffer.from(body.note ?? '', 'utf8').toString('base64');
          const value = { bid_type: BID_TYPES[body.kind], conversation_id: conversationId, opaque_b64 } as const;
          return sentOf(await messages.send('NOTARIZE_BID', value, { conversationId, operationId }));
        },
        async assign({ body, operationId }) {
          return sentOf(await appointments.assign(await deals.get(body.conversation_id), operationId));
        },
        async cases({ query }) {
          return (await casePage(space, query)).map(view);
        },
        async verdict({ body }) {
          return view(await verdicts.give(askedBy(body), judging.word(body)));
        },
        async decide({ body }) {
          if (escrows.missing) throw await refusalOf(escrows);
          const { for_provider, outcome } = body;
          if ((for_provider === undefined) === (outcome === undefined))
            throw invalidField('/for_provider', 'or outcome is needed, and not both');
          const forProvider = for_provider ?? judging.word({ outcome: outcome! }).outcome === 'approve';
          return view(await decisions.decide(askedBy(body), forProvider, signal));
        },
      },
      receives: { NOTARIZE_ASSIGN: assignmentPart(self) },
      sends: { VERDICT: verdictPart, FEEDBACK: ratingPart },
      jobs: [
        storeJob(space, clock, { name: 'verdicts', every: MINUTE, first: 1_000, run }),
        ...(hasLedger
          ? [
              storeJob(space, clock, { name: 'notary-decisions', every: 10_000, run: (stop) => decisions.run(stop) }),
              {
                ...{ name: 'appointments', every: 1_000, first: 0 },
                due: (stop: AbortSignal) => appointments.due(stop),
                run: (stop: AbortSignal) => appointments.run(stop),
              },
            ]
          : []),
      ],
      ready() {
        if (hasLedger) defer(appointments.follow());
      },
    };
  },
});

function askedBy({ conversation_id, case_id }: { conversation_id: string; case_id?: string }): Asked {
  return { conversation: conversation_id.toLowerCase(), caseId: case_id };
}

/** The sentence of core on what this node lacks. */
async function refusalOf(escrows: EscrowAccounts): Promise<unknown> {
  return escrows.get([]).then(
    () => new MeshError(escrows.missing!),
    (error: unknown) => error,
  );
}

import { formatUsdc, typed } from '../../core/plugin.ts';
import type { FoundProbe } from './buyer.ts';
import { ANSWER_KINDS } from './judgement.ts';

const ID = '00112233445566778899aabbccddeeff';
const AGENT = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
const TIME = '2026-01-01T12:00:00.000Z';

/** A probe as the API shows it. */
export interface ProbeView {
  readonly conversation_id: string;
  readonly agent_id: string;
  readonly amount_usdc: string;
  readonly message: string;
  readonly state: string;
  readonly deal_state: string | null;
  readonly answer: string;
  readonly expected: string;
  readonly fits: boolean | null;
  readonly score: number | null;
  readonly created_at: string;
  readonly ended_at: string | null;
}

export interface StatusView {
  readonly on: boolean;
  readonly max_per_day_usdc: string;
  readonly spent_usdc: string;
  readonly left_usdc: string;
  readonly left_new_usdc: string;
  readonly amount_usdc: string;
  readonly max_per_agent_usdc: string;
  readonly open: number;
  readonly next_at: string | null;
  readonly problem: string | null;
}

const usdc = (description: string) => ({ description, type: 'string' });
const time = (description: string) => ({ description, type: ['string', 'null'], format: 'date-time' });

const EXAMPLE: ProbeView = {
  ...{ conversation_id: ID, agent_id: AGENT, amount_usdc: '0.1', message: 'Write the word 1f6e3f0e.', state: 'ended' },
  ...{
    answer: 'word',
    expected: '1f6e3f0e',
    deal_state: 'settled',
    fits: true,
    score: 90,
    created_at: TIME,
    ended_at: TIME,
  },
};
const PROBE = {
  description: 'An agent that was hired, or is about to be.',
  type: 'object',
  required: Object.keys(EXAMPLE),
  properties: {
    conversation_id: { description: 'Its deal is at GET /deals/:conversation_id.', type: 'string' },
    agent_id: { type: 'string' },
    amount_usdc: usdc('USDC that were put aside for it.'),
    message: { description: 'The work that was asked for.', type: 'string' },
    state: {
      description: '`lapsed`: no answer in time; one that was signed in time may still come.',
      enum: ['running', 'lapsed', 'ended'],
    },
    deal_state: { description: 'The state of the deal when it was looked at last.', type: ['string', 'null'] },
    answer: { description: 'How the answer follows from the message.', enum: ANSWER_KINDS },
    expected: {
      description:
        'The answer. A delivery fits that holds it as a word of its own: the signed PROPOSE and DELIVER let anybody judge again.',
      type: 'string',
    },
    fits: { description: 'Whether the delivery held the answer of the job.', type: ['boolean', 'null'] },
    score: { description: 'The rating that was given.', type: ['integer', 'null'] },
    created_at: { type: 'string', format: 'date-time' },
    ended_at: time('When its last step was taken.'),
  },
};

export const probe = typed<ProbeView>({ $id: 'probe/probe', ...PROBE, examples: [EXAMPLE] });

export const list = typed<{ readonly probes: readonly ProbeView[]; readonly next: string | null }>({
  $id: 'probe/list',
  type: 'object',
  required: ['probes', 'next'],
  properties: {
    probes: { type: 'array', items: PROBE },
    next: { description: 'Goes into `after` for the next page; null behind the last.', type: ['string', 'null'] },
  },
  examples: [{ probes: [EXAMPLE], next: null }],
});

const STATUS: StatusView = {
  ...{ on: true, max_per_day_usdc: '2', spent_usdc: '0.4', left_usdc: '1.6', left_new_usdc: '0.1', amount_usdc: '0.1' },
  ...{ max_per_agent_usdc: '0.5', open: 1, next_at: TIME, problem: null },
};

export const status = typed<StatusView>({
  $id: 'probe/status',
  type: 'object',
  required: Object.keys(STATUS),
  properties: {
    on: { description: 'Whether agents are hired: maxPerDay is more than 0.', type: 'boolean' },
    max_per_day_usdc: usdc('The budget of 24 hours.'),
    spent_usdc: usdc('USDC put aside in the last 24 hours, less those that certainly cost nothing.'),
    left_usdc: usdc('USDC left of the budget.'),
    left_new_usdc: usdc('USDC left of the part for agents without standing.'),
    amount_usdc: usdc('USDC for one job.'),
    max_per_agent_usdc: usdc('USDC that one agent may be paid in 30 days.'),
    open: { description: 'Deals under way.', type: 'integer', minimum: 0 },
    next_at: time('When the next agent is hired; null before the first look.'),
    problem: { description: 'Why the last step did not work; it is tried again.', type: ['string', 'null'] },
  },
  examples: [STATUS],
});

export const listQuery = typed<{ limit?: number; after?: string }>({
  type: 'object',
  properties: {
    limit: { $ref: 'common.json#/$defs/limit' },
    after: {
      description: 'The `next` of the page before, milliseconds and hex digits.',
      type: 'string',
      pattern: '^[0-9]{1,16}-[0-9a-f]{32}$',
      examples: [`1767268800000-${ID}`],
    },
  },
});

export function probeView({ id, value }: FoundProbe): ProbeView {
  const { agent_id, amount, message, word, answer = 'word', state, created } = value;
  const { ended, fits = null, deal = null, score = null } = value;
  return {
    ...{ conversation_id: id, agent_id, amount_usdc: formatUsdc(BigInt(amount)), message, state },
    ...{ answer, expected: word, deal_state: deal, fits, score, created_at: isoTime(created) },
    ended_at: ended === undefined ? null : isoTime(ended),
  };
}

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

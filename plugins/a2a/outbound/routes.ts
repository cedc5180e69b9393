import { route, typed } from '../../../core/plugin.ts';
import type { Artifact } from '../protocol/objects.ts';
import { JOB_STATES, type JobRecord, type JobState } from './records.ts';

const ID = '00112233445566778899aabbccddeeff';
const TIME = '2026-01-01T12:00:00.000Z';
const READS = { per: 'principal', rate: 6_000, window: 60 } as const;
/** Each of these calls a stranger's server. */
const CALLS = { per: 'principal', rate: 120, window: 60 } as const;

/** A job as its owner sees it. */
export interface JobView {
  readonly id: string;
  readonly state: JobState;
  readonly card_url: string;
  readonly agent: { readonly name: string; readonly url: string; readonly signature: 'none' | 'valid' | 'unchecked' };
  readonly message: string;
  readonly text: string;
  readonly artifacts: readonly Artifact[];
  readonly error: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export function jobView({ agent, created_at, updated_at, ...job }: JobRecord): JobView {
  const { id, state, card_url, message, text, artifacts, error } = job;
  const { name, url, signature } = agent;
  const times = { created_at: new Date(created_at).toISOString(), updated_at: new Date(updated_at).toISOString() };
  return { id, state, card_url, agent: { name, url, signature }, message, text, artifacts, error, ...times };
}

const example: JobView = {
  id: ID,
  state: 'completed',
  card_url: 'https://translator.example/.well-known/agent-card.json',
  agent: { name: 'Translator', url: 'https://translator.example/a2a', signature: 'valid' },
  message: 'Translate into French: good morning',
  text: '',
  artifacts: [{ artifactId: '1', parts: [{ text: 'bonjour' }] }],
  error: null,
  created_at: TIME,
  updated_at: TIME,
};
const text = { type: 'string' };
const job = {
  description: 'Work that an A2A agent elsewhere does. It is no deal: no money moves, and no score.',
  type: 'object',
  required: Object.keys(example),
  properties: {
    id: text,
    state: {
      description: 'sending, then as the agent tells; unclear: whether it works on it cannot be known any more.',
      enum: [...JOB_STATES],
    },
    card_url: text,
    agent: {
      type: 'object',
      required: ['name', 'url', 'signature'],
      properties: {
        name: text,
        url: text,
        signature: {
          description:
            'valid: a key that the host of the card publishes signed it. A card whose signature does not hold is refused.',
          enum: ['none', 'valid', 'unchecked'],
        },
      },
    },
    message: text,
    text: { description: 'The last words of the agent. They are a stranger’s.', type: 'string' },
    artifacts: { description: 'The work, as parts of A2A.', type: 'array', items: { type: 'object' } },
    error: { description: 'Why the last call did not succeed.', type: ['string', 'null'] },
    created_at: { type: 'string', format: 'date-time' },
    updated_at: { type: 'string', format: 'date-time' },
  },
};
const id = typed<string>({ type: 'string', pattern: '^[0-9a-f]{32}$', examples: [ID] });
const view = typed<JobView>({ ...job, examples: [example] });
const words = { description: 'Plain text.', type: 'string', minLength: 1, maxLength: 4_096 };

/** The routes by which the owner hires A2A agents outside of the mesh. */
export const jobRoutes = {
  jobs: route('GET /a2a/jobs', {
    auth: 'api',
    limit: READS,
    feature: 'a2a',
    summary: 'Work that A2A agents elsewhere do for the owner, the newest first.',
    query: typed<{ limit?: number; offset?: number }>({
      type: 'object',
      properties: {
        limit: {
          description: 'How many to return; 200 at most.',
          type: 'integer',
          minimum: 1,
          'x-most': 200,
          default: 50,
        },
        offset: {
          description: 'How many of the newest to leave out.',
          type: 'integer',
          minimum: 0,
          maximum: 10_000,
          default: 0,
        },
      },
    }),
    reply: typed<{ jobs: JobView[] }>({
      type: 'object',
      required: ['jobs'],
      properties: { jobs: { type: 'array', items: job } },
      examples: [{ jobs: [example] }],
    }),
  }),
  begin_job: route('POST /a2a/jobs', {
    auth: 'api',
    limit: CALLS,
    feature: 'a2a',
    idempotency: true,
    summary:
      'Reads the card of an A2A agent elsewhere and gives it a task; answers when the agent has taken or refused it.',
    body: typed<{ card_url: string; message: string }>({
      type: 'object',
      required: ['card_url', 'message'],
      properties: {
        card_url: {
          description: 'The card, or the address below which it is at /.well-known/agent-card.json.',
          ...{ type: 'string', minLength: 8, maxLength: 2_048 },
        },
        message: words,
      },
      examples: [{ card_url: 'https://translator.example', message: example.message }],
    }),
    reply: view,
    errors: ['quota_exceeded', 'upstream_failed', 'forbidden'],
  }),
  job: route('GET /a2a/jobs/:id', {
    auth: 'api',
    limit: READS,
    feature: 'a2a',
    summary: 'How a job stands, with the work.',
    params: { id },
    reply: view,
    errors: ['not_found'],
  }),
  say_to_job: route('POST /a2a/jobs/:id/messages', {
    auth: 'api',
    limit: CALLS,
    feature: 'a2a',
    idempotency: true,
    summary: 'Answers an agent that waits for its client, or adds something to the task.',
    params: { id },
    body: typed<{ message: string }>({
      type: 'object',
      required: ['message'],
      properties: { message: words },
      examples: [{ message: 'The second one.' }],
    }),
    reply: view,
    errors: ['not_found', 'conflict', 'upstream_failed'],
  }),
  cancel_job: route('POST /a2a/jobs/:id/cancel', {
    auth: 'api',
    limit: CALLS,
    feature: 'a2a',
    idempotency: true,
    summary: 'Asks the agent to cancel the task.',
    params: { id },
    reply: view,
    errors: ['not_found', 'conflict', 'upstream_failed'],
  }),
} as const;

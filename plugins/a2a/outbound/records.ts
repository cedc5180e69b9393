import { collection } from '../../../core/plugin.ts';
import type { Artifact } from '../protocol/objects.ts';

const DAY = 24 * 3_600_000;

/** How a job stands. `unclear`: the agent may work on it, and this node cannot know. */
export const JOB_STATES = [
  ...(['sending', 'unclear', 'submitted', 'working', 'input_required', 'auth_required'] as const),
  ...(['completed', 'failed', 'canceled', 'rejected'] as const),
] as const;
export type JobState = (typeof JOB_STATES)[number];

/** The agent elsewhere, by the card that was read when the job began. */
export interface ForeignAgent {
  readonly name: string;
  readonly url: string;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly tenant: string | null;
  /** `unchecked`: it is signed, by a key that the host of the card does not publish. */
  readonly signature: 'none' | 'valid' | 'unchecked';
}

/** Work that an A2A agent elsewhere does for the owner. */
export interface JobRecord {
  readonly id: string;
  readonly card_url: string;
  readonly agent: ForeignAgent;
  readonly message: string;
  readonly state: JobState;
  /** The agent's ids of its task and the context of it; empty until it answered with a task. */
  readonly task: string;
  readonly context: string;
  /** The agent's last words. */
  readonly text: string;
  readonly artifacts: readonly Artifact[];
  readonly error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** When this node asks next how it stands, and how often the agent did not answer since it last did. */
  readonly due: number;
  readonly unanswered: number;
  /** The ids of the later messages that were sent or are being sent, the newest last. */
  readonly said?: readonly string[];
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

export const MOST_ARTIFACTS = 16;
export const MOST_SAID = 64;

export const jobSchema = {
  $id: 'a2a/job',
  type: 'object',
  additionalProperties: false,
  required: [
    ...['id', 'card_url', 'agent', 'message', 'state', 'task', 'context', 'text', 'artifacts', 'error', 'created_at'],
    ...['updated_at', 'due', 'unanswered'],
  ],
  properties: {
    ...{ id: text, card_url: text, message: text, state: { enum: [...JOB_STATES] }, task: text, context: text, text },
    agent: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'url', 'binding', 'tenant', 'signature'],
      properties: {
        ...{ name: text, url: text, binding: { enum: ['JSONRPC', 'HTTP+JSON'] } },
        ...{ tenant: { type: ['string', 'null'] }, signature: { enum: ['none', 'valid', 'unchecked'] } },
      },
    },
    artifacts: { type: 'array', maxItems: MOST_ARTIFACTS, items: { type: 'object' } },
    ...{ error: { type: ['string', 'null'] }, created_at: count, updated_at: count, due: count, unanswered: count },
    said: { type: 'array', maxItems: MOST_SAID, items: text },
  },
};

const ENDED: readonly JobState[] = ['unclear', 'completed', 'failed', 'canceled', 'rejected'];

/** Nobody asks the agent about such a job again. */
export function hasEnded(state: JobState): boolean {
  return ENDED.includes(state);
}

/** A job is kept for thirty days after it changed last. */
export const jobs = collection<JobRecord, 'newest' | 'open' | 'due'>('jobs', {
  schema: 'a2a/job',
  ttl: 30 * DAY,
  indexes: {
    newest: ({ created_at, id }) => [-created_at, id],
    open: ({ state, id }) => (hasEnded(state) ? undefined : [id]),
    due: ({ state, due, id }) => (hasEnded(state) ? undefined : [due, id]),
  },
});

import { collection } from '../../../core/plugin.ts';
import { jobSchema } from '../outbound/records.ts';
import type { Artifact, Message, Metadata, PushConfig, TaskState } from '../protocol/objects.ts';
import { pushSchemas } from '../pushes/records.ts';

const DAY = 24 * 3_600_000;

/** One task as it is stored. Its id is the conversation of its deal. */
export interface TaskRecord {
  readonly id: string;
  /** The caller whose task it is, with the agent that works on it: nobody else ever sees it. */
  readonly scope: string;
  readonly agent: string;
  readonly context: string;
  /** The client's id of the message that began it, with a digest of that message. */
  readonly message_id: string;
  readonly digest: string;
  /** Where a guest called from. */
  readonly network: string;
  readonly state: TaskState;
  /** The words of the status: the agent's own last ones, or those about the deal. */
  readonly text: string;
  readonly deal_text: string;
  /** The offer that waits for an answer, and the like. */
  readonly data: Metadata | null;
  /** Since when the status is what it is, Unix milliseconds. */
  readonly at: number;
  /** Times that the status changed: names its message. */
  readonly turn: number;
  readonly final: boolean;
  /** When the deal changed last, as far as the record tells. */
  readonly deal_at: number;
  readonly deal_state: string;
  /** Why a step that this node took by itself did not succeed. */
  readonly fault: string | null;
  readonly artifacts: readonly Artifact[];
  readonly history: readonly Message[];
  readonly metadata: Metadata;
  readonly pushes: readonly PushConfig[];
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const objects = (maxItems: number) => ({ type: 'array', maxItems, items: { type: 'object' } });

export const MOST_HISTORY = 32;
export const MOST_ARTIFACTS = 4;
export const MOST_PUSHES = 4;

export const taskSchema = {
  $id: 'a2a/task',
  type: 'object',
  additionalProperties: false,
  required: [
    'id',
    'scope',
    'agent',
    'context',
    'message_id',
    'digest',
    'network',
    'state',
    'text',
    'data',
    'at',
    'turn',
  ],
  properties: {
    ...{
      id: text,
      scope: text,
      agent: text,
      context: text,
      message_id: text,
      digest: text,
      network: text,
      state: text,
    },
    ...{ text, data: { type: ['object', 'null'] }, at: count, turn: count, final: { type: 'boolean' }, deal_at: count },
    ...{ deal_state: text, deal_text: text, fault: { type: ['string', 'null'] }, artifacts: objects(MOST_ARTIFACTS) },
    ...{ history: objects(MOST_HISTORY), metadata: { type: 'object' }, pushes: objects(MOST_PUSHES) },
  },
};

/** A task is kept for a week after it changed last; an open one is written again while its deal lives. */
export const tasks = collection<TaskRecord, 'scope' | 'context' | 'message' | 'open' | 'waiting' | 'guest'>('tasks', {
  schema: 'a2a/task',
  ttl: 7 * DAY,
  indexes: {
    scope: ({ scope, at, id }) => [scope, -at, id],
    context: ({ scope, context, id }) => [scope, context, id],
    message: ({ scope, message_id }) => [scope, message_id],
    open: ({ final, scope, id }) => (final ? undefined : [scope, id]),
    waiting: ({ state, agent, id }) => (state === 'TASK_STATE_SUBMITTED' ? [agent, id] : undefined),
    guest: ({ final, network, id }) => (final || network === '' ? undefined : [network, id]),
  },
});

const keySchema = {
  $id: 'a2a/key',
  type: 'object',
  additionalProperties: false,
  required: ['seed'],
  properties: { seed: text },
};
/** Seeds of the card key and of the desks, in base64. */
export const keys = collection<{ readonly seed: string }>('keys', { schema: 'a2a/key' });

export const stored = [taskSchema, keySchema, jobSchema, ...pushSchemas];

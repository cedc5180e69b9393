import { collection } from '../../../core/plugin.ts';
import type { TaskStatus } from '../protocol/objects.ts';

/** A change of a task that its receiver has not taken yet: an artifact, which the task holds, or a status. */
export interface WaitingPush {
  /** When it changed, Unix milliseconds. */
  readonly at: number;
  readonly artifact?: string;
  readonly status?: TaskStatus;
}

/** The changes that one receiver of one task has still to be told, oldest first. There is a line only while something waits. */
export interface PushLine {
  readonly caller: string;
  readonly task: string;
  /** The id of its configuration, which the task holds with its secrets. */
  readonly config: string;
  /** When the first of them is tried next, Unix milliseconds. */
  readonly due: number;
  /** Attempts at the first of them. */
  readonly attempts: number;
  readonly waiting: readonly WaitingPush[];
}

/** Changes that wait in a line; of more, the oldest that is not under way is dropped. */
export const MOST_WAITING = 32;
/** Lines of a caller. */
export const MOST_LINES = 256;

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const object = (required: readonly string[], properties: object) => ({
  ...{ type: 'object', additionalProperties: false, required, properties },
});

const waitingSchema = object(['at'], { at: count, artifact: text, status: { type: 'object' } });
const lineProperties = { caller: text, task: text, config: text, due: count, attempts: count };
export const pushSchemas = [
  {
    $id: 'a2a/push-line',
    ...object([...Object.keys(lineProperties), 'waiting'], {
      ...lineProperties,
      waiting: { type: 'array', minItems: 1, maxItems: MOST_WAITING, items: waitingSchema },
    }),
  },
  { $id: 'a2a/push-room', ...object(['lines'], { lines: { type: 'integer', minimum: 1 } }) },
];

export const lines = collection<PushLine, 'due'>('push-lines', {
  schema: 'a2a/push-line',
  indexes: { due: ({ caller, due }) => [caller, due] },
});

/** How many lines each caller has; callers without one are not there. */
export const rooms = collection<{ readonly lines: number }>('push-rooms', { schema: 'a2a/push-room' });

export function lineRef(task: string, config: string) {
  return lines.ref(`${task}/${config}`);
}

import {
  type Artifact,
  DEAL_EXTENSION,
  type Message,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from '../protocol/objects.ts';
import type { TaskRecord } from './records.ts';

/** How much of a task is shown. */
export interface Extent {
  /** Messages of its history, newest last; all unless given. */
  readonly historyLength?: number | undefined;
  readonly artifacts?: boolean;
}

/** The task as A2A writes it. */
export function taskOf(
  record: TaskRecord,
  { historyLength = Number.MAX_SAFE_INTEGER, artifacts = true }: Extent = {},
): Task {
  const history = historyLength === 0 ? [] : record.history.slice(-historyLength);
  return {
    id: record.id,
    contextId: record.context,
    status: statusOf(record),
    ...(artifacts && record.artifacts.length > 0 && { artifacts: record.artifacts }),
    ...(history.length > 0 && { history }),
    metadata: { [DEAL_EXTENSION]: { ...record.metadata, state: record.deal_state } },
  };
}

/** The events that tell everything that `after` has and `before` had not, the artifacts first. */
export function changes(before: TaskRecord, after: TaskRecord): StreamResponse[] {
  const known = new Set(before.artifacts.map(({ artifactId }) => artifactId));
  const fresh = after.artifacts.filter(({ artifactId }) => !known.has(artifactId));
  return [
    ...fresh.map((artifact) => artifactEvent(after, artifact)),
    ...(before.turn === after.turn ? [] : [statusEvent(after, statusOf(after))]),
  ];
}

export function artifactEvent({ id, context }: TaskRecord, artifact: Artifact): StreamResponse {
  return { artifactUpdate: { taskId: id, contextId: context, artifact, lastChunk: true } };
}

export function statusEvent({ id, context }: TaskRecord, status: TaskStatus): StreamResponse {
  return { statusUpdate: { taskId: id, contextId: context, status } };
}

function statusOf(record: TaskRecord): TaskStatus {
  return { state: record.state, message: statusMessage(record), timestamp: new Date(record.at).toISOString() };
}

/** The words of a status, with the terms that the client is asked about. */
function statusMessage({ id, context, turn, text, data }: TaskRecord): Message {
  return {
    messageId: `${id}-${turn}`,
    contextId: context,
    taskId: id,
    role: 'ROLE_AGENT',
    parts: [{ text }, ...(data ? [{ data: { ...data }, mediaType: 'application/json' }] : [])],
  };
}

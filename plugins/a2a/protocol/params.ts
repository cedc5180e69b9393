import { isMeshError, type TypedSchema, typed } from '../../../core/plugin.ts';
import type { Contracts } from '../../../core/services.ts';
import { isShallow } from './depth.ts';
import { type Message, type Metadata, type PushConfig, TASK_STATES, type TaskState } from './objects.ts';
import type { Operation } from './operations.ts';
import { invalidParam, Refusal } from './refusal.ts';

const MOST_PARTS = 32;
const MOST_TEXT = 16_384;

export interface SendParams {
  readonly message: Message;
  readonly configuration?: {
    readonly returnImmediately?: boolean;
    readonly historyLength?: number;
    readonly taskPushNotificationConfig?: Omit<PushConfig, 'taskId' | 'id'> & { readonly id?: string };
  };
  readonly metadata?: Metadata;
}

export interface TaskParams {
  readonly id: string;
  readonly historyLength?: number;
}

export interface ListParams {
  readonly contextId?: string;
  readonly status?: TaskState;
  readonly pageSize: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly statusTimestampAfter?: string;
  readonly includeArtifacts?: boolean;
}

export interface PushParams {
  readonly taskId: string;
  readonly id: string;
}

export interface Params {
  readonly SendMessage: SendParams;
  readonly SendStreamingMessage: SendParams;
  readonly GetTask: TaskParams;
  readonly ListTasks: ListParams;
  readonly CancelTask: TaskParams;
  readonly SubscribeToTask: TaskParams;
  readonly CreateTaskPushNotificationConfig: Omit<PushConfig, 'id'> & { readonly id?: string };
  readonly GetTaskPushNotificationConfig: PushParams;
  readonly ListTaskPushNotificationConfigs: { readonly taskId: string };
  readonly DeleteTaskPushNotificationConfig: PushParams;
  readonly GetExtendedAgentCard: object;
}

const object = (required: readonly string[], properties: Readonly<Record<string, object>>) => ({
  ...{ type: 'object', required, properties },
});
const id = { type: 'string', minLength: 1, maxLength: 128 };
const string = (maxLength: number) => ({ type: 'string', maxLength });
const historyLength = { type: 'integer', minimum: 0, maximum: 1_000 };
const metadata = { type: 'object' };
const push = {
  id,
  url: { type: 'string', minLength: 1, maxLength: 2_048, pattern: '^https?://' },
  token: string(1_024),
  authentication: object(['scheme'], {
    scheme: { ...string(64), pattern: '^[A-Za-z0-9-]+$' },
    credentials: string(1_024),
  }),
};
const part = {
  type: 'object',
  properties: {
    text: string(MOST_TEXT),
    raw: string(131_072),
    url: string(2_048),
    filename: string(256),
    mediaType: string(128),
  },
};
const message = object(['messageId', 'role', 'parts'], {
  messageId: id,
  contextId: id,
  taskId: id,
  role: { const: 'ROLE_USER' },
  parts: { type: 'array', minItems: 1, maxItems: MOST_PARTS, items: part },
  metadata,
  extensions: { type: 'array', maxItems: 32, items: string(256) },
});
const send = object(['message'], {
  message,
  configuration: object([], {
    returnImmediately: { type: 'boolean' },
    historyLength,
    taskPushNotificationConfig: object(['url'], push),
  }),
  metadata,
});
const one = object(['taskId', 'id'], { taskId: id, id });
const task = object(['id'], { id, historyLength });

const SCHEMAS: { readonly [N in Operation]: TypedSchema<Params[N]> } = {
  SendMessage: typed(send),
  SendStreamingMessage: typed(send),
  GetTask: typed(task),
  ListTasks: typed(
    object([], {
      contextId: id,
      status: { enum: TASK_STATES },
      pageSize: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      pageToken: string(256),
      historyLength,
      statusTimestampAfter: { type: 'string', format: 'date-time' },
      includeArtifacts: { type: 'boolean' },
    }),
  ),
  CancelTask: typed(task),
  SubscribeToTask: typed(task),
  CreateTaskPushNotificationConfig: typed(object(['taskId', 'url'], { taskId: id, ...push })),
  GetTaskPushNotificationConfig: typed(one),
  ListTaskPushNotificationConfigs: typed(object(['taskId'], { taskId: id })),
  DeleteTaskPushNotificationConfig: typed(one),
  GetExtendedAgentCard: typed({ type: 'object' }),
};

/** Values of their own, in which null and empty text mean something. */
const OPAQUE = new Set(['data', 'metadata']);

/** The parameters as the operation wants them; `text` when they stood in a query, where everything is text. */
export function paramsOf<N extends Operation>(
  operation: N,
  given: object,
  contracts: Contracts,
  text: boolean,
): Params[N] {
  if (!isShallow(given)) throw invalidParam('params', 'is nested too deeply');
  const tidy = tidied(given) as Record<string, unknown>;
  if (tidy['status'] === 'TASK_STATE_UNSPECIFIED') delete tidy['status'];
  try {
    return contracts.validate(SCHEMAS[operation], tidy, text ? 'query' : 'input') as Params[N];
  } catch (error) {
    if (!isMeshError(error)) throw error;
    const fields = (error.details.fields ?? []).map(({ pointer, message: description }) => ({
      field: pointer.slice(1).replaceAll('/', '.'),
      description,
    }));
    throw new Refusal('params', { detail: error.message, fields });
  }
}

/** A name as the interface description spells it: readers of its JSON take it beside the usual one. */
const SNAKE = /^[a-z]+(?:_[a-z]+)+$/;

/** In the usual names, without what protobuf takes for absent: null and, for text, nothing. */
function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== '');
  const usual = new Set(members.map(([name]) => name));
  return Object.fromEntries(
    members
      .map(([name, member]) => [SNAKE.test(name) ? camel(name) : name, name, member] as const)
      .filter(([name, given]) => name === given || !usual.has(name))
      .map(([name, , member]) => [name, OPAQUE.has(name) ? member : tidied(member)]),
  );
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

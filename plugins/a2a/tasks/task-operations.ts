import { randomUUID } from 'node:crypto';
import type { AskedStep } from '../desks/desk.ts';
import { wordsOf } from '../protocol/content.ts';
import { isTerminal, type Message, type PushConfig, type StreamResponse } from '../protocol/objects.ts';
import type { Operation } from '../protocol/operations.ts';
import type { Params, SendParams } from '../protocol/params.ts';
import { invalidParam, Refusal } from '../protocol/refusal.ts';
import { scopeOf, type Visit } from '../protocol/visit.ts';
import type { Pushes } from '../pushes/pushes.ts';
import { pageOf } from './listing.ts';
import { MOST_PUSHES, type TaskRecord } from './records.ts';
import { type Extent, taskOf } from './shown.ts';
import type { TaskBook } from './task-book.ts';
import type { TaskDesk } from './task-desk.ts';
import type { Watching } from './watching.ts';

/** An answer, or events. */
export type Result = { readonly value: object } | { readonly events: AsyncGenerator<StreamResponse, void> };

export interface OperationMeans {
  readonly book: TaskBook;
  readonly desk: TaskDesk;
  readonly watching: Watching;
  readonly pushes: Pick<Pushes, 'check'>;
  /** The words with which an agent sends a caller to the mesh, when its work is paid. */
  readonly priced: (visit: Visit) => string | undefined;
  readonly extendedCard: (visit: Visit) => object;
}

type Run = { readonly [N in Operation]: (params: Params[N], visit: Visit) => Promise<Result> };

/** The operations of A2A over the tasks of a caller. */
export function taskOperations(means: OperationMeans): Run {
  const { book, desk, watching } = means;

  /** The caller's own task; that of another looks as if there were none. */
  async function own(id: string, visit: Visit): Promise<TaskRecord> {
    const record = await book.get(id);
    if (record?.scope !== scopeOf(visit)) throw new Refusal('TASK_NOT_FOUND');
    return record;
  }

  async function sent({ message, configuration, metadata }: SendParams, visit: Visit): Promise<TaskRecord | Message> {
    const push = configuration?.taskPushNotificationConfig;
    if (push) await requirePush(push.url, visit);
    const record = message.taskId === undefined ? undefined : await own(message.taskId, visit);
    const after = record
      ? await continued(record, message, visit)
      : await begun({ message, ...(metadata && { metadata }) }, visit);
    if (push && 'scope' in after) await pushed(after, push);
    return after;
  }

  function begun(params: SendParams, visit: Visit): Promise<TaskRecord> | Message {
    const words = wordsOf(params.message);
    const price = means.priced(visit);
    if (price === undefined) return desk.begin(params, words, visit);
    const { contextId } = params.message;
    const parts = [{ text: price }];
    return { messageId: randomUUID(), ...(contextId && { contextId }), role: 'ROLE_AGENT', parts };
  }

  async function continued(record: TaskRecord, message: Message, visit: Visit): Promise<TaskRecord> {
    if (message.contextId !== undefined && message.contextId !== record.context)
      throw invalidParam('message.contextId', 'is not that of the task');
    if (record.history.some(({ messageId }) => messageId === message.messageId)) return desk.refreshed(record);
    if (isTerminal(record.state))
      throw new Refusal('UNSUPPORTED_OPERATION', { detail: 'The task has ended; send a message without taskId.' });
    const step = stepOf(message);
    if (!step) return desk.talk(record, message, wordsOf(message), visit.desk);
    const deal = await visit.desk.deal(record.id);
    await desk.cleared(record);
    const changed = await visit.desk.take(deal, step);
    await desk.noted(record, message);
    return (await desk.dealChanged(visit.caller, changed)) ?? record;
  }

  async function requirePush(url: string, visit: Visit): Promise<void> {
    // Whoever has no token could have this node call anybody.
    if (visit.network !== '') throw new Refusal('PUSH_NOTIFICATION_NOT_SUPPORTED');
    await means.pushes.check(url, visit.caller).catch((error: unknown) => {
      throw invalidParam('url', error instanceof Error ? error.message : 'cannot be called');
    });
  }

  async function pushed(
    record: TaskRecord,
    config: Omit<PushConfig, 'id' | 'taskId'> & { readonly id?: string },
  ): Promise<PushConfig> {
    const { url, token, authentication } = config;
    const id = config.id ?? randomUUID();
    const made: PushConfig = {
      id,
      taskId: record.id,
      url,
      ...(token && { token }),
      ...(authentication && { authentication }),
    };
    let isFull = false;
    await book.change(record.id, (now) => {
      const others = now.pushes.filter((one) => one.id !== id);
      isFull = others.length >= MOST_PUSHES;
      return isFull ? now : { ...now, pushes: [...others, made] };
    });
    if (isFull)
      throw new Refusal('limit', {
        detail: `A task has at most ${MOST_PUSHES} configurations for push notifications.`,
      });
    return made;
  }

  async function pushesOf(taskId: string, visit: Visit): Promise<readonly PushConfig[]> {
    const { pushes } = await own(taskId, visit);
    if (visit.network !== '') throw new Refusal('PUSH_NOTIFICATION_NOT_SUPPORTED');
    return pushes;
  }

  const value = (shown: object): Result => ({ value: shown });
  const extentOf = ({ historyLength }: Extent = {}): Extent => (historyLength === undefined ? {} : { historyLength });

  return {
    async SendMessage(params, visit) {
      const after = await sent(params, visit);
      if (!('scope' in after)) return value({ message: after });
      const { returnImmediately = false } = params.configuration ?? {};
      const record = returnImmediately ? after : await watching.settled(after, visit);
      return value({ task: taskOf(record, extentOf(params.configuration)) });
    },
    async SendStreamingMessage(params, visit) {
      const after = await sent(params, visit);
      return { events: 'scope' in after ? await watching.stream(after, visit) : single({ message: after }) };
    },
    GetTask: async ({ id, ...extent }, visit) =>
      value(taskOf(await desk.refreshed(await own(id, visit)), extentOf(extent))),
    async ListTasks(params, visit) {
      // Guests are not told apart: a context is known only to whom it was given.
      const mine =
        visit.network === '' || params.contextId !== undefined
          ? await book.ofScope(scopeOf(visit), params.contextId)
          : [];
      return value(pageOf(mine, params));
    },
    async CancelTask({ id }, visit) {
      const record = await desk.refreshed(await own(id, visit));
      const deal = record.final ? undefined : await visit.desk.deal(id);
      if (!deal?.allowed_actions.includes('reject')) {
        const allowed = deal?.allowed_actions.join(',') ?? '';
        throw new Refusal('TASK_NOT_CANCELABLE', { metadata: { state: record.deal_state, allowed_actions: allowed } });
      }
      return value(taskOf((await desk.dealChanged(visit.caller, await visit.desk.cancel(id))) ?? record));
    },
    async SubscribeToTask({ id }, visit) {
      const record = await desk.refreshed(await own(id, visit));
      if (isTerminal(record.state)) throw new Refusal('UNSUPPORTED_OPERATION', { detail: 'The task has ended.' });
      return { events: await watching.stream(record, visit) };
    },
    async CreateTaskPushNotificationConfig({ taskId, ...config }, visit) {
      const record = await own(taskId, visit);
      await requirePush(config.url, visit);
      return value(await pushed(record, config));
    },
    async GetTaskPushNotificationConfig({ taskId, id }, visit) {
      const found = (await pushesOf(taskId, visit)).find((one) => one.id === id);
      if (!found) throw new Refusal('TASK_NOT_FOUND', { detail: 'There is no such configuration.' });
      return value(found);
    },
    ListTaskPushNotificationConfigs: async ({ taskId }, visit) =>
      value({ configs: await pushesOf(taskId, visit), nextPageToken: '' }),
    async DeleteTaskPushNotificationConfig({ taskId, id }, visit) {
      await pushesOf(taskId, visit);
      await book.change(taskId, (now) => ({ ...now, pushes: now.pushes.filter((one) => one.id !== id) }));
      return value({});
    },
    GetExtendedAgentCard: async (_, visit) => value(means.extendedCard(visit)),
  };
}

/** The step that a data part asks for: `{"action":"accept"}`. Words never move money. */
function stepOf({ parts }: Message): AskedStep | undefined {
  for (const { data } of parts) {
    if (typeof data !== 'object' || data === null || !('action' in data)) continue;
    const { action, amount_usdc, reason } = data as Record<string, unknown>;
    if (typeof action !== 'string') throw invalidParam('message.parts', 'has an action that is no text');
    return {
      action,
      ...(typeof amount_usdc === 'string' && { amount_usdc }),
      ...(typeof reason === 'string' && { reason: reason.slice(0, 1_024) }),
    };
  }
  return undefined;
}

async function* single(event: StreamResponse): AsyncGenerator<StreamResponse, void> {
  yield event;
}

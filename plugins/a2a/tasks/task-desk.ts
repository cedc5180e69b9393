import { createHash } from 'node:crypto';
import { isMeshError, type Log, type ReceivedEnvelope } from '../../../core/plugin.ts';
import type { Clock, DealView, Random } from '../../../core/services.ts';
import type { Desk } from '../desks/desk.ts';
import { partOf, shownText } from '../protocol/content.ts';
import { DEAL_EXTENSION, type Message, type Metadata } from '../protocol/objects.ts';
import type { SendParams } from '../protocol/params.ts';
import { invalidParam } from '../protocol/refusal.ts';
import { callerOf, scopeOf, type Visit } from '../protocol/visit.ts';
import { statusOf } from './deal-status.ts';
import type { GuestRate } from './guest-rate.ts';
import type { TaskRecord } from './records.ts';
import { requireRoom } from './room.ts';
import { type TaskBook, withArtifact, withDeal, withTalk } from './task-book.ts';

/** Attempts of a step that the node takes by itself, while it may pass. */
const ATTEMPTS = 5;
const PAUSE = 2_000;
const PASSING = ['ledger_unavailable', 'conflict', 'not_ready', 'storage_unavailable', 'request_in_progress'];
const MOST_TALK = 4_096;
const ID_BYTES = 16;

export interface TaskDeskMeans {
  readonly book: TaskBook;
  /** The desk of a caller; undefined when the configuration has none any more. */
  readonly deskOf: (caller: string) => Desk | undefined;
  readonly rate: GuestRate;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Where the owner reads a large delivery. */
  readonly deliveryUrl: (id: string) => string;
}

/** Keeps tasks and their deals together. */
export class TaskDesk {
  readonly #means: TaskDeskMeans;
  /** Begins of a caller come one after the other, so that its bounds hold. */
  readonly #begins = new Map<string, Promise<unknown>>();
  readonly #stepping = new Set<string>();

  constructor(means: TaskDeskMeans) {
    this.#means = means;
  }

  /** The task that a message begins, or began when it came before. */
  begin(params: SendParams, words: string, visit: Visit): Promise<TaskRecord> {
    const line = (this.#begins.get(visit.caller) ?? Promise.resolve()).catch(() => {});
    const begun = line.then(() => this.#begin(params, words, visit));
    this.#begins.set(visit.caller, begun);
    return begun.finally(() => {
      if (this.#begins.get(visit.caller) === begun) this.#begins.delete(visit.caller);
    });
  }

  async #begin({ message, metadata = {} }: SendParams, words: string, visit: Visit): Promise<TaskRecord> {
    const { book, random, clock, rate } = this.#means;
    const scope = scopeOf(visit);
    const { messageId: message_id, contextId } = message;
    const digest = createHash('sha256').update(words).digest('hex');
    const known = await book.begunBy(scope, message_id);
    if (known && known.digest !== digest) throw invalidParam('message.messageId', 'names another message');
    if (known) return known;
    // The context of a guest is one that nobody guesses.
    if (contextId !== undefined && visit.network !== '' && !(await book.hasContext(scope, contextId)))
      throw invalidParam('message.contextId', 'must be one that this agent gave; leave it out for a new one');
    await requireRoom(book, visit);
    if (visit.network !== '') rate.take();

    const id = Buffer.from(random.bytes(ID_BYTES)).toString('hex');
    const context = contextId ?? id;
    const { desk, agent, network } = visit;
    await book.add({
      ...{
        id,
        scope,
        agent,
        context,
        message_id,
        digest,
        network,
        state: 'TASK_STATE_SUBMITTED',
        text: '',
        deal_text: '',
      },
      ...{ data: null, at: clock.now(), turn: 0, final: false, deal_at: 0, deal_state: 'proposed', fault: null },
      ...{ artifacts: [], metadata: {}, pushes: [], history: [{ ...plain(message), taskId: id, contextId: context }] },
    });
    try {
      const terms = { ...termsOf(metadata), ...termsOf(message.metadata ?? {}) };
      const deal = await desk.propose({ id, agent, words, terms });
      return (await this.dealChanged(visit.caller, deal)) ?? (await book.get(id))!;
    } catch (error) {
      await book.remove(id);
      throw error;
    }
  }

  /** Brings a task to the state of its deal; undefined when the deal is of no task of this caller. */
  async dealChanged(caller: string, deal: DealView): Promise<TaskRecord | undefined> {
    const { book, deskOf } = this.#means;
    const desk = deskOf(caller);
    const record = await book.get(deal.conversation_id);
    if (!desk || !record || callerOf(record.scope) !== caller) return undefined;
    const after = await book.change(record.id, (now, at) =>
      withDeal(deal, statusOf(deal, desk.settling, now.fault))(now, at),
    );
    if (after && after.fault === null) this.#step(after, desk, deal);
    return after;
  }

  /** The task after a look at its deal. */
  async refreshed(record: TaskRecord): Promise<TaskRecord> {
    const caller = callerOf(record.scope);
    const desk = this.#means.deskOf(caller);
    if (record.final || !desk) return record;
    try {
      return (await this.dealChanged(caller, await desk.deal(record.id))) ?? record;
    } catch (error) {
      if (!isMeshError(error) || error.code !== 'not_found') throw error;
      // The node stopped between the record and its offer.
      return (await this.#means.book.change(record.id, neverSent)) ?? record;
    }
  }

  /** Takes what an agent said in the conversation of a task. */
  async heard(caller: string, envelope: ReceivedEnvelope): Promise<void> {
    const { book, deliveryUrl } = this.#means;
    const known = await book.get(envelope.conversationId);
    if (!known || callerOf(known.scope) !== caller) return;
    // The deal tells who works on it now; the answer may be here before the record has heard of the offer.
    const record = envelope.sender === known.agent ? known : await this.refreshed(known);
    if (envelope.sender !== record.agent) return;
    if (envelope.type === 'MESSAGE') {
      const text = shownText(envelope.payload.text, MOST_TALK);
      const ids = { messageId: envelope.id, taskId: record.id, contextId: record.context };
      await book.change(record.id, withTalk({ ...ids, role: 'ROLE_AGENT', parts: [{ text }] }, text));
    }
    if (envelope.type !== 'DELIVER') return;
    const { content_type: type = 'application/octet-stream', inline_b64, payload_uri } = envelope.payload;
    const content = inline_b64 === undefined ? undefined : Buffer.from(inline_b64, 'base64');
    const url = caller === 'hire' && payload_uri?.startsWith('agg:') ? deliveryUrl(record.id) : (payload_uri ?? '');
    const part = content ? partOf(content, type) : { url, mediaType: type };
    await book.change(record.id, withArtifact({ artifactId: envelope.id, name: 'delivery', parts: [part] }));
    await this.refreshed(record);
  }

  /** A message of the client to a task that is under way. */
  async talk(record: TaskRecord, message: Message, words: string, desk: Desk): Promise<TaskRecord> {
    const operation = createHash('sha256').update(`${record.id}/${message.messageId}`).digest('hex');
    await desk.say(record.id, record.agent, words, operation);
    return this.noted(record, message);
  }

  /** Keeps a message of the client in the history, by which a repetition of it is known. */
  async noted(record: TaskRecord, message: Message): Promise<TaskRecord> {
    return (await this.#means.book.change(record.id, withTalk(plain(message)))) ?? record;
  }

  /** Forgets a failed step, so that it is tried again. */
  async cleared(record: TaskRecord): Promise<void> {
    if (record.fault !== null) await this.#means.book.change(record.id, (now) => ({ ...now, fault: null }));
  }

  #step(record: TaskRecord, desk: Desk, deal: DealView): void {
    const step = desk.ownStep(deal);
    if (!step || this.#stepping.has(record.id)) return;
    this.#stepping.add(record.id);
    void this.#stepped(record, step)
      .catch((error: unknown) => this.#means.log.error({ err: error, task: record.id }, 'a step of a task failed'))
      .finally(() => this.#stepping.delete(record.id))
      .then(() => this.refreshed(record))
      .catch((error: unknown) => this.#means.log.warn({ err: error, task: record.id }, 'a task was not looked at'));
  }

  async #stepped({ id }: TaskRecord, step: () => Promise<unknown>): Promise<void> {
    const { book, clock, signal, log } = this.#means;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await step();
        return;
      } catch (error) {
        if (signal.aborted) return;
        const passes = isMeshError(error) && PASSING.includes(error.code) && attempt < ATTEMPTS;
        if (passes) {
          await clock.sleep(PAUSE * attempt, signal);
          continue;
        }
        if (!isMeshError(error)) log.error({ err: error, task: id }, 'a step of a task failed');
        const fault = isMeshError(error) ? shownText(error.message, 512) : 'the log of the node has the reason';
        await book.change(id, (now) => (now.final ? now : { ...now, fault }));
        return;
      }
    }
  }
}

/** A message as it is kept: no member that this plugin does not know. */
function plain({ messageId, contextId, taskId, role, parts }: Message): Message {
  return {
    ...{ messageId, role },
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    parts: parts.map(({ text, data, mediaType }) => ({
      ...(text === undefined ? { data } : { text }),
      ...(mediaType !== undefined && { mediaType }),
    })),
  };
}

function termsOf(metadata: Metadata): Metadata {
  const terms = metadata[DEAL_EXTENSION];
  return typeof terms === 'object' && terms !== null ? (terms as Metadata) : {};
}

function neverSent(record: TaskRecord, now: number): TaskRecord {
  const text = 'The offer was never sent.';
  return { ...record, state: 'TASK_STATE_FAILED', text, deal_text: text, at: now, turn: record.turn + 1, final: true };
}

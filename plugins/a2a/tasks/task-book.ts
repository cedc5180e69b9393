import type { DealView, Space } from '../../../core/services.ts';
import { type Artifact, isTerminal, type Message } from '../protocol/objects.ts';
import type { Pushes } from '../pushes/pushes.ts';
import type { DealStatus } from './deal-status.ts';
import { MOST_ARTIFACTS, MOST_HISTORY, type TaskRecord, tasks } from './records.ts';

const PAGE = 200;
/** Tasks of a caller that a list goes through, the newest ones. */
const MOST_LISTED = 1_000;

type Watcher = (after: TaskRecord, before: TaskRecord) => void;
type Change = (record: TaskRecord, now: number) => TaskRecord;

/** The stored tasks, and who watches one. */
export class TaskBook {
  readonly #space: Space;
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #pushes: Pick<Pushes, 'note' | 'noted'>;

  constructor(space: Space, pushes: Pick<Pushes, 'note' | 'noted'>) {
    this.#space = space;
    this.#pushes = pushes;
  }

  get(id: string): Promise<TaskRecord | undefined> {
    return this.#space.get(tasks.ref(id));
  }

  add(record: TaskRecord): Promise<void> {
    return this.#space.put(tasks.ref(record.id), record);
  }

  remove(id: string): Promise<void> {
    return this.#space.del(tasks.ref(id));
  }

  /** The task that a message of this id began. */
  async begunBy(scope: string, messageId: string): Promise<TaskRecord | undefined> {
    const [found] = await this.#space.page(tasks, { index: 'message', prefix: [scope, messageId], limit: 1 });
    return found?.value;
  }

  async hasContext(scope: string, context: string): Promise<boolean> {
    return (await this.#space.page(tasks, { index: 'context', prefix: [scope, context], limit: 1 })).length > 0;
  }

  /** How many open tasks there are by one of the indexes, counted up to `most`. */
  async count(index: 'open' | 'waiting' | 'guest', key: string, most: number): Promise<number> {
    return (await this.#space.page(tasks, { index, prefix: [key], limit: most })).length;
  }

  /** The tasks of a caller, those that changed last first; of one context in any order. */
  async ofScope(scope: string, context?: string): Promise<TaskRecord[]> {
    const query =
      context === undefined
        ? ({ index: 'scope', prefix: [scope] } as const)
        : ({ index: 'context', prefix: [scope, context] } as const);
    const found: TaskRecord[] = [];
    for (let offset = 0; offset < MOST_LISTED; offset += PAGE) {
      const rows = await this.#space.page(tasks, { ...query, limit: PAGE, offset });
      found.push(...rows.map(({ value }) => value));
      if (rows.length < PAGE) break;
    }
    return found;
  }

  /** Every open task, for a start. */
  async *open(): AsyncGenerator<TaskRecord, void> {
    for (let after: [string, string] | undefined; ; ) {
      const from = after && [after[0], `${after[1]}\u0000`];
      const rows = await this.#space.page(tasks, { index: 'open', limit: PAGE, ...(from && { from }) });
      for (const { value } of rows) yield value;
      const last = rows.at(-1)?.value;
      if (!last || rows.length < PAGE) return;
      after = [last.scope, last.id];
    }
  }

  /** Applies a pure function to a task and tells who watches; undefined when there is no such task. */
  async change(id: string, change: Change): Promise<TaskRecord | undefined> {
    const ref = tasks.ref(id);
    const { value } = await this.#space.tx([ref], (tx) => {
      const before = tx.get(ref);
      if (!before) return undefined;
      const after = change(before, tx.now);
      if (after === before) return { before, after };
      tx.put(ref, after);
      return { before, after, noted: this.#pushes.note(tx, before, after) };
    });
    if (value && value.after !== value.before) {
      if (value.noted) this.#pushes.noted(value.noted);
      for (const told of [...(this.#watchers.get(id) ?? [])]) told(value.after, value.before);
    }
    return value?.after;
  }

  /** Tells of the changes of a task until the function returned is called. */
  watch(id: string, told: Watcher): () => void {
    const watchers = this.#watchers.get(id) ?? new Set();
    this.#watchers.set(id, watchers.add(told));
    return () => {
      watchers.delete(told);
      if (watchers.size === 0) this.#watchers.delete(id);
    };
  }
}

/** The task after its deal: an older view of the deal changes nothing, nor does anything after the end. */
export function withDeal(deal: DealView, status: DealStatus): Change {
  return (record, now) => {
    const dealAt = Date.parse(deal.updated_at);
    if (dealAt < record.deal_at || record.final) return record;
    const delivered = deal.history.some(({ event }) => event === 'deliver');
    // The client is asked about the work, or told of its end, with the work in hand.
    const awaits = delivered && record.artifacts.length === 0 && /COMPLETED|INPUT_REQUIRED/.test(status.state);
    const shown: DealStatus = awaits
      ? { state: 'TASK_STATE_WORKING', text: 'The work is done and on its way.', data: null, final: false }
      : status;
    // An offer to a key that was replaced goes to the one that the agent goes on under: that one works, and delivers.
    const next = { ...record, agent: deal.provider, deal_at: dealAt, deal_state: deal.state };
    const same = shown.state === record.state && shown.text === record.deal_text && shown.final === record.final;
    const isOld = record.deal_state === deal.state && record.deal_at === dealAt && record.agent === deal.provider;
    if (same) return isOld ? record : next;
    const money = { amount_usdc: deal.amount_usdc, conversation_id: deal.conversation_id, provider: deal.provider };
    return { ...next, ...shown, deal_text: shown.text, at: now, turn: record.turn + 1, metadata: money };
  };
}

export function withArtifact(artifact: Artifact): Change {
  return (record) => {
    const known = record.artifacts.some(({ artifactId }) => artifactId === artifact.artifactId);
    if (known || record.artifacts.length >= MOST_ARTIFACTS || isTerminal(record.state)) return record;
    return { ...record, artifacts: [...record.artifacts, artifact] };
  };
}

/** Words of the agent become the status message of a task that is under way. */
export function withTalk(message: Message, text?: string): Change {
  return (record, now) => {
    if (record.history.some(({ messageId }) => messageId === message.messageId) || isTerminal(record.state))
      return record;
    const history = [...record.history, message].slice(-MOST_HISTORY);
    return { ...record, history, ...(text !== undefined && { text, at: now, turn: record.turn + 1 }) };
  };
}

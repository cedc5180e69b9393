import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Count } from '../../platform/metrics.ts';
import { messageOf } from '../../platform/problem.ts';
import type { Health } from '../../plugin.ts';
import { StorageError } from '../../storage/adapter.ts';
import type { ItemResult } from '../ingest/item.ts';
import { LOOK_MS, type StoredWriter } from '../store/writer.ts';
import type { HandedItem } from './hand-over.ts';
import { CLOCK_REMEDY } from './store-clock.ts';
import type { WriterLease } from './writer-lease.ts';
import type { WriterListener } from './writer-listener.ts';
import { WriterSession } from './writer-session.ts';

export interface HandOffParts {
  readonly lease: WriterLease;
  /** See `clockFault`. */
  readonly clockFault: () => string | undefined;
  /** Its own, for when it is the writer. */
  readonly listener: WriterListener;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts items by what became of them: `answered`, `refused`, or `lost` with the writer. */
  readonly handed: Count;
}

/**
 * Hands what this process has verified to the writer of the store. Where there is no way to the writer, or no writer, this
 * process writes itself: the versions of the store keep that right, and it is only slower.
 */
export class HandOff {
  readonly #parts: HandOffParts;
  #session: WriterSession | undefined;
  /** Why there is no session with the writer that is known. */
  #problem: string | undefined;
  #closed = false;
  #wake: () => void = () => {};
  #ended: Promise<void> = Promise.resolve();

  constructor(parts: HandOffParts) {
    this.#parts = parts;
  }

  /**
   * Finds out who the writer is, and follows that until `close`. Rejects when other plugins take part in recording there: theirs
   * would miss what this one records, or its own what the writer does.
   */
  async start(plugins: readonly string[]): Promise<void> {
    const { lease } = this.#parts;
    lease.plugins = [...plugins].sort();
    await this.#look();
    const { holder } = lease;
    if (holder && holder.plugins.join() !== lease.plugins.join()) throw new Error(misfit(holder, lease.plugins));
    this.#ended = this.#follow();
  }

  /**
   * The results of these items, once they are durable; undefined when this process is to write them itself. Rejects while its clock is
   * wrong: it cannot tell which items are in time.
   */
  async give(items: readonly HandedItem[]): Promise<readonly ItemResult[] | undefined> {
    const fault = this.#parts.clockFault();
    if (fault !== undefined) throw new StorageError('unavailable', fault);
    const session = this.#session;
    if (!session) return undefined;
    const { handed } = this.#parts;
    try {
      const results = await session.hand(items);
      handed({ result: results ? 'answered' : 'lost' }, items.length);
      return results;
    } catch (error) {
      handed({ result: 'refused' }, items.length);
      throw error;
    }
  }

  /** Lets another process be the writer, which this one then hands its items to. */
  async standDown(): Promise<void> {
    await this.#parts.lease.standDown();
    this.#parts.listener.leave();
    this.#wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#ended;
    this.#session?.leave();
    await this.#parts.listener.close();
  }

  /** For `/ready`. */
  health(): Health {
    const { lease, clockFault } = this.#parts;
    const fault = clockFault();
    if (fault !== undefined)
      return { state: 'degraded', detail: `${fault} Reports are refused.`, remedy: CLOCK_REMEDY, unready: true };
    if (lease.isWriter) return { state: 'ok', detail: 'This aggregator is the writer of its store.' };
    const writer = lease.holder?.agent_id;
    if (this.#session) return { state: 'ok', detail: `The writer of the store is the aggregator ${writer}.` };
    if (writer === undefined) return { state: 'ok', detail: 'No aggregator is the writer of the store at the moment.' };
    return {
      state: 'degraded',
      detail: `The writer of the store, the aggregator ${writer}, cannot be reached: ${this.#problem ?? 'not yet'}. This one writes itself, which makes both slower.`,
      remedy:
        'See that the address that writer.listen or writer.address names there can be reached from here; it goes on by itself.',
    };
  }

  async #follow(): Promise<void> {
    while (!this.#closed) {
      await new Promise<void>((resolve) => {
        const cancel = this.#parts.clock.after(LOOK_MS, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
      if (!this.#closed) await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { lease, log, clock } = this.#parts;
    await lease.look();
    const { holder } = lease;
    const writer = lease.isWriter ? undefined : holder;
    if (this.#session && this.#session.writer.by !== writer?.by) this.#session.leave();
    if (!writer || this.#session || this.#closed) return;
    // Parts of plugins that the writer has not would miss for ever what is handed to it.
    if (writer.plugins.join() !== lease.plugins.join()) {
      this.#problem = misfit(writer, lease.plugins);
      return;
    }
    try {
      const session: WriterSession = await WriterSession.open(writer, clock, () => {
        if (this.#session !== session) return;
        this.#session = undefined;
        this.#wake();
      });
      if (session.isOpen) this.#session = session;
      this.#problem = undefined;
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== this.#problem) log.warn({ reason: problem, writer: writer.agent_id }, 'no way to the writer');
      this.#problem = problem;
    }
  }
}

function misfit({ agent_id, plugins }: StoredWriter, own: readonly string[]): string {
  const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '));
  return `Another aggregator, ${agent_id}, writes to this store with other plugins that take part in recording: ${listed(plugins)} there, ${listed(own)} here. Give all aggregators of a store the same plugins, or stop that one first.`;
}

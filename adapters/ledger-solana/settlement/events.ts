import { MeshError } from '../../../core/contracts/errors.ts';
import type { EventPage, HistoryGap, SettlementEvent } from '../../../core/protocol/settlement/events.ts';
import type { Answer } from '../answers.ts';
import type { TransactionReader } from '../transaction-reader.ts';
import type { Witnesses } from '../witnesses.ts';
import { type EventCursor, formatEventCursor, parseEventCursor } from './event-cursor.ts';
import type { History, HistoryEntry } from './history.ts';
import { HistoryReaders } from './history-readers.ts';
import { eventsOf, type TransactionEvents } from './transaction-events.ts';

const MAX_LIMIT = 1_000;
/** Transactions read at the same time. */
const PARALLEL = 8;
/** While nothing happens the cursor moves on this seldom, about hourly, so that a reader need not store it each time. */
const QUIET_SLOTS = 9_000;

type Entry = SettlementEvent | HistoryGap;

export interface EventsOptions {
  readonly witnesses: Witnesses;
  readonly reader: TransactionReader;
  readonly programId: string;
  readonly config: string;
  /** Transactions on one page of a history; a thousand unless told. */
  readonly pageSize?: number;
}

/**
 * The events of one config. Every instruction of the program names the config account, so its history has them all,
 * and whatever strangers sent that names it too; the history of an escrow account has the escrow's.
 */
export class Events {
  readonly #options: EventsOptions;
  readonly #readers: HistoryReaders;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#readers = new HistoryReaders(options.witnesses, options.pageSize);
  }

  /**
   * A page of the history of `address`, the config or an account under it. A transaction can do something to other
   * accounts besides: `isMeant` tells which of its events belong to this history.
   */
  async page(
    address: string,
    after: string | undefined,
    limit: number,
    isMeant: (event: SettlementEvent) => boolean = () => true,
  ): Promise<EventPage> {
    if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
      throw new MeshError('invalid_request', `The limit must be from 1 to ${MAX_LIMIT}.`);
    const from = after === undefined ? undefined : parseEventCursor(after);
    const history = this.#readers.take(address, from?.signature);
    const page = await this.#read(history, from, limit, isMeant);
    this.#readers.putBack(history);
    return page;
  }

  async #read(
    history: History,
    from: EventCursor | undefined,
    limit: number,
    isMeant: (event: SettlementEvent) => boolean,
  ): Promise<EventPage> {
    const oldest = (await history.ahead())[0];
    if (!oldest) return this.#quiet(history, from);
    const entries: Entry[] = [];
    let cursor = from;
    if (from && (await this.#isPruned(from.slot))) entries.push(pruned(oldest.slot));
    while (entries.length < limit) {
      const next = (await history.ahead()).slice(0, Math.min(PARALLEL, limit - entries.length));
      if (next.length === 0) break;
      const read = await Promise.all(next.map((entry) => this.#transaction(history, entry, from)));
      if (!cursor && !read[0]!.first) entries.push(pruned(oldest.slot));
      entries.push(...read.flatMap((one) => one.entries.filter((entry) => entry.name === 'gap' || isMeant(entry))));
      history.pass(next.length);
      cursor = next.at(-1)!;
    }
    return { entries, cursor: cursor && formatEventCursor(cursor) };
  }

  async #transaction(history: History, entry: HistoryEntry, from: EventCursor | undefined): Promise<TransactionEvents> {
    const { signature, slot, failed } = entry;
    const known = from && !from.signature && slot <= from.slot;
    if (known || failed) return { entries: [], first: false };
    const { reader, programId, config } = this.#options;
    const beginning = history.address === config ? 'configInitialized' : 'escrowLocked';
    const decode = (of: Answer) => eventsOf(of, signature, { programId, config, beginning });
    const found = await reader.read(entry, history.decoding(decode));
    if ('value' in found) return found.value;
    if (found.givenUp) return { entries: [{ name: 'gap', reason: 'unreadable', slot, signature }], first: false };
    if (await this.#isPruned(slot)) return { entries: [{ ...pruned(slot), signature }], first: false };
    throw new MeshError('ledger_unavailable', `The transaction ${signature} could not be read: ${found.unread}`);
  }

  /** Nothing new. A config without a history has lost all of it, because it was made; an escrow may never have been. */
  async #quiet(history: History, from: EventCursor | undefined): Promise<EventPage> {
    const slot = await this.#options.witnesses.slot();
    const same = { entries: [], cursor: from && formatEventCursor(from) };
    if (from && slot < from.slot + QUIET_SLOTS) return same;
    // Events that came meanwhile are left to the next page; only slots before the running one are over.
    if ((await history.ahead()).length > 0) return same;
    const lost = from ? await this.#isPruned(from.slot) : history.address === this.#options.config;
    const cursor = { slot: slot - 1, signature: lost ? undefined : from?.signature };
    return { entries: lost ? [pruned(slot)] : [], cursor: formatEventCursor(cursor) };
  }

  /** Whether the node no longer has everything behind this slot. */
  async #isPruned(slot: number): Promise<boolean> {
    const first = await this.#options.witnesses.first.ask('getFirstAvailableBlock', []);
    return first.natural() > slot + 1;
  }
}

function pruned(slot: number): HistoryGap {
  return { name: 'gap', reason: 'pruned', slot, signature: null };
}

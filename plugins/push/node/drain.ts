import { createHash } from 'node:crypto';
import { collection, type Log, MeshError } from '../../../core/plugin.ts';
import type { AggregatorCalls, Clock, Contracts, Count, Envelopes, Space } from '../../../core/services.ts';
import { PENDING, type PendingItem } from './shapes.ts';

/** Seconds for which messages are lent: long enough to write them down, short enough to wait for after a crash. */
const LEASE = 20;
const PAGE = 50;
/** Pages taken at a time: a queue has two, and one that never ends keeps this node from everything else. */
const MOST_PAGES = 40;
const MOST_BYTES = 65_536;
/** Taken messages that wait here to be accepted; beyond, the rest stays at the aggregator. */
const MOST_DEFERRED = 200;
const MOST_PAGE = 200;
/** Nobody takes an envelope that is older. */
const KEPT_FOR = 4 * 86_400_000;

export interface Deferred {
  /** Where it waited. */
  readonly from: string;
  /** As the aggregator says; it decides about the order alone. */
  readonly sender: string;
  readonly order: number;
  readonly bytes: string;
}

const deferred = collection<Deferred, 'order' | 'sender'>('deferred', {
  schema: 'push/deferred',
  ttl: KEPT_FOR,
  indexes: { order: ({ order }) => [order], sender: ({ sender }) => [sender] },
});

export interface DrainParts {
  readonly agentId: string;
  readonly aggregators: AggregatorCalls;
  readonly envelopes: Envelopes;
  readonly contracts: Contracts;
  readonly space: Space;
  readonly clock: Clock;
  readonly log: Log;
  readonly taken: Count;
}

/**
 * Takes what waited for this agent, in two steps: a message is lent, goes through all checks of one from the mesh into the inbox, and
 * only then the aggregator is told to forget it. A crash in between has it come again, and the inbox knows it already.
 */
export class Drain {
  readonly #parts: DrainParts;
  #count = 0;
  #order = 0;

  constructor(parts: DrainParts) {
    this.#parts = parts;
  }

  /** Messages taken since the start. */
  get count(): number {
    return this.#count;
  }

  deferred(): Promise<number> {
    return this.#parts.space.count(deferred);
  }

  /** Takes all that one aggregator gives. What it has lent to a process that crashed comes when that lease is over. */
  async from(url: string): Promise<void> {
    const { aggregators, agentId, contracts } = this.#parts;
    const { host } = new URL(url);
    let ack: number | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const done = ack === undefined ? '' : `&ack=${ack}`;
      const path = `/agents/${agentId}/pending?lease=${LEASE}&limit=${PAGE}${done}`;
      const { status, body } = await aggregators.call(url, { path, signed: true });
      if (status !== 200 || contracts.problems(PENDING, body).length > 0)
        throw new MeshError('upstream_failed', `${host} answered ${status} for pending messages.`);
      const items = body as PendingItem[];
      if (items.length === 0) return;
      for (const item of items) {
        if (ack !== undefined && item.cursor <= ack)
          throw new MeshError('upstream_failed', `${host} gives pending messages again, out of their order.`);
        await this.#take(item, host);
        ack = item.cursor;
      }
    }
    throw new MeshError('upstream_failed', `${host} has pending messages beyond ${MOST_PAGES} pages; the rest later.`);
  }

  /** Tries again what could not be accepted: of each sender in its order, since one message may answer the one before. */
  async again(): Promise<number> {
    const { space } = this.#parts;
    const rows = await space.page(deferred, { index: 'order', limit: MOST_PAGE });
    const held = new Set<string>();
    for (const { id, value } of rows) {
      if (held.has(value.sender)) continue;
      if (await this.#isSettled(Buffer.from(value.bytes, 'base64'), value.from)) await space.del(deferred.ref(id));
      else held.add(value.sender);
    }
    return rows.length > 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  async #take({ payload, from: sender }: PendingItem, from: string): Promise<void> {
    const bytes = Buffer.from(payload, 'base64');
    if (bytes.length > MOST_BYTES) return this.#settled('too_large', from);
    const { space, clock } = this.#parts;
    const [before] = await space.page(deferred, { index: 'sender', prefix: [sender], limit: 1 });
    if (!before && (await this.#isSettled(bytes, from))) return;
    const waiting = await this.deferred();
    if (waiting >= MOST_DEFERRED)
      throw new MeshError('rate_limited', `${waiting} messages wait here to be accepted; the rest stays there.`);
    const ref = deferred.ref(createHash('sha256').update(bytes).digest('hex'));
    const order = Math.max(clock.now() * 1_000, this.#order + 1);
    this.#order = order;
    await space.tx([ref], (tx) => {
      if (!tx.get(ref)) tx.put(ref, { from, sender, order, bytes: bytes.toString('base64') });
    });
    this.#parts.taken({ result: 'deferred' });
  }

  /** Whether nothing more is to be done about it: it is in the inbox, or will never be. */
  async #isSettled(bytes: Uint8Array, from: string): Promise<boolean> {
    const reason = await this.#parts.envelopes.receive(bytes, from);
    if (reason === 'rate-limited' || reason === 'restricted') return false;
    this.#settled(reason, from);
    return true;
  }

  #settled(result: string, from: string): void {
    const { taken, log } = this.#parts;
    taken({ result });
    if (result === 'accepted') this.#count += 1;
    else if (result !== 'duplicate') log.warn({ result, from }, 'a message that waited at an aggregator is refused');
  }
}

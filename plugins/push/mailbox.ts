import { invalidField, MeshError } from '../../core/plugin.ts';
import type { Clock, SignedEnvelope, Space } from '../../core/services.ts';
import { type Entry, held, heldRef, KEPT_FOR, type Mailbox, mailboxes, sleepers } from './records.ts';

export const MOST_PENDING = 100;
/** Of one sender, so that nobody fills the queue alone. */
const SHARE = 20;
/** Of senders without standing, each and together: new keys, and their praise for one another, cost nothing. */
const STRANGERS_SHARE = 5;
const STRANGERS_TOGETHER = 50;
/** They have one part in so many of all that is held: sleepers cost nothing either. */
const STRANGERS_PART = 2;

export interface Letter {
  readonly envelope: SignedEnvelope;
  readonly base64: string;
  /** Its sender's rank is not above 0. */
  readonly stranger: boolean;
}

export interface Held {
  readonly status: 'held' | 'duplicate';
  readonly pending: number;
}

/** The messages of sleeping agents, each queue bounded in all, by sender and for strangers. */
export class Mailboxes {
  readonly #space: Space;
  readonly #mostHeld: number;

  readonly #clock: Pick<Clock, 'now'>;

  constructor(space: Space, mostHeld: number, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#space = space;
    this.#mostHeld = mostHeld;
  }

  /** Keeps a message for a sleeper; durable when it resolves. Rejects with `pending_full`, and with `conflict` for one who is awake. */
  async hold(agent: string, { envelope, base64, stranger }: Letter): Promise<Held> {
    const room = stranger ? this.#mostHeld / STRANGERS_PART : this.#mostHeld;
    const isFull = (await this.#space.count(held)) >= room;
    const [mailbox, sleeper] = [mailboxes.ref(agent), sleepers.ref(agent)];
    const { value } = await this.#space.tx<Held>([mailbox, sleeper], (tx) => {
      if (!tx.get(sleeper))
        throw new MeshError(
          'conflict',
          'The agent is awake, or not known here: send to its node. Nothing is held for it.',
        );
      const { entries, ...box } = fresh(tx.get(mailbox), tx.now);
      if (entries.some(({ id }) => id === envelope.id)) return { status: 'duplicate', pending: entries.length };
      requireRoom(entries, envelope.sender, stranger, isFull);
      const entry = {
        cursor: box.next,
        id: envelope.id,
        from: envelope.sender,
        type: envelope.type,
        at: tx.now,
        stranger,
      };
      tx.put(mailbox, { ...box, next: box.next + 1, entries: [...entries, entry] });
      tx.put(heldRef(agent, entry.cursor), base64);
      return { status: 'held', pending: entries.length + 1 };
    });
    return value;
  }

  async count(agent: string): Promise<number> {
    return fresh(await this.#space.get(mailboxes.ref(agent)), this.#clock.now()).entries.length;
  }

  /** The oldest messages; with `lease`, milliseconds, lent to this reader and shown to no other one meanwhile. */
  async read(agent: string, limit: number, lease?: number): Promise<{ entry: Entry; base64: string }[]> {
    const mailbox = mailboxes.ref(agent);
    const { value: entries } = await this.#space.tx([mailbox], (tx) => {
      const box = fresh(tx.get(mailbox), tx.now);
      const lent = box.lease && box.lease.until > tx.now ? box.lease.up_to : 0;
      const given = box.entries.filter(({ cursor }) => cursor > lent).slice(0, limit);
      const last = given.at(-1);
      if (lease !== undefined && last)
        tx.put(mailbox, { ...box, lease: { up_to: last.cursor, until: tx.now + lease } });
      return given;
    });
    const texts = await this.#space.getMany(entries.map(({ cursor }) => heldRef(agent, cursor)));
    return entries.flatMap((entry, index) => (texts[index] === undefined ? [] : [{ entry, base64: texts[index] }]));
  }

  /** Forgets messages that a reader is done with. Rejects where no message has that cursor yet: those to come would go unread. */
  async acknowledge(agent: string, upTo: number): Promise<number> {
    const { next } = (await this.#space.get(mailboxes.ref(agent))) ?? { next: 1 };
    if (upTo >= next) throw invalidField('/ack', `is ahead of the newest message, whose cursor is ${next - 1}`);
    return this.remove(agent, upTo);
  }

  /** Forgets what was given; gives how many wait still. */
  async remove(agent: string, upTo: number, from = 0): Promise<number> {
    const mailbox = mailboxes.ref(agent);
    const { value } = await this.#space.tx([mailbox], (tx) => {
      const { lease, ...box } = fresh(tx.get(mailbox), tx.now);
      const gone = box.entries.filter(({ cursor }) => cursor >= from && cursor <= upTo);
      const left = box.entries.filter((entry) => !gone.includes(entry));
      if (gone.length === 0) return left.length;
      for (const { cursor } of gone) tx.del(heldRef(agent, cursor));
      tx.put(mailbox, { ...box, entries: left, ...(lease && lease.up_to > upTo && { lease }) });
      return left.length;
    });
    return value;
  }
}

/** The mailbox without what is too old to be taken by anybody. Its cursors go on for ever. */
export function fresh(known: Mailbox | undefined, now: number): Mailbox {
  const box = known ?? { next: 1, entries: [] };
  return { ...box, entries: box.entries.filter(({ at }) => at + KEPT_FOR > now) };
}

function requireRoom(entries: readonly Entry[], sender: string, stranger: boolean, isFull: boolean): void {
  const own = entries.filter(({ from }) => from === sender).length;
  const strangers = entries.filter((entry) => entry.stranger).length;
  const [share, whose] = stranger ? [STRANGERS_SHARE, 'a sender without standing'] : [SHARE, 'one sender'];
  const full = (detail: string) => new MeshError('pending_full', { detail, retryAfter: 60 });
  if (entries.length >= MOST_PENDING)
    throw full(`${MOST_PENDING} messages wait for this agent, and there is no room for more.`);
  if (own >= share) throw full(`${own} messages of this sender wait for this agent, the most of ${whose}.`);
  if (stranger && strangers >= STRANGERS_TOGETHER)
    throw full(`${strangers} messages of senders without standing wait for this agent, the most of all of them.`);
  if (isFull) throw full('This aggregator holds as many messages as it may.');
}

import { MeshError } from '../../core/plugin.ts';
import { HookQueue, type QueueMeans } from './queue.ts';
import { type Delivery, deliveries, deliveryRef, type Hook, hooks } from './records.ts';

/** As many as calls of a plugin run at once: however slow the others are, each receiver has its own. */
const MOST = 8;
const PAGE = 100;

export interface Wish {
  readonly url: string;
  readonly events: readonly string[];
  readonly messages: readonly string[];
}

export type Listed = Hook & { readonly id: string };

/** The receivers, each with its queue. */
export class Registry {
  readonly #means: QueueMeans;
  readonly #hooks = new Map<string, { readonly wish: Wish; readonly queue: HookQueue }>();
  #adding = 0;

  constructor(means: QueueMeans) {
    this.#means = means;
  }

  /** Goes on with what waited when the node was stopped. */
  async start(): Promise<void> {
    for (const { id, ...hook } of await this.list()) this.#open(id, hook);
  }

  async list(): Promise<Listed[]> {
    const rows = await this.#means.space.page(hooks, { limit: MOST });
    return rows.map(({ id, value }) => ({ id, ...value }));
  }

  async add(id: string, secret: string, wish: Wish): Promise<Listed> {
    if (this.#hooks.size + this.#adding >= MOST)
      throw new MeshError('conflict', `There are ${MOST} webhooks, which is the most: remove one first.`);
    this.#adding += 1;
    try {
      const counts = { waiting: 0, dead: 0, dropped: 0, delivered: 0, next: 1, last_error: null };
      const hook: Hook = { ...wish, secret, created_at: this.#means.clock.now(), ...counts };
      await this.#means.space.put(hooks.ref(id), hook);
      this.#open(id, wish);
      return { id, ...hook };
    } finally {
      this.#adding -= 1;
    }
  }

  /** Nothing more is sent to it, not even what waits. */
  async remove(id: string): Promise<void> {
    const { space } = this.#means;
    this.#known(id).queue.end();
    await space.del(hooks.ref(id));
    this.#hooks.delete(id);
    for (const index of ['waiting', 'dead'] as const) {
      for (let more = true; more; ) {
        const rows = await space.page(deliveries, { index, prefix: [id], limit: PAGE });
        await space.tx([], (tx) => {
          for (const row of rows) tx.del(deliveries.ref(row.id));
        });
        more = rows.length === PAGE;
      }
    }
  }

  async told(kind: 'events' | 'messages', name: string, letter: () => Pick<Delivery, 'event' | 'type' | 'body'>) {
    const wanted = [...this.#hooks.values()].filter(({ wish }) =>
      wish[kind].some((one) => one === name || one === '*'),
    );
    if (wanted.length === 0) return;
    const made = letter();
    await Promise.all(wanted.map(({ queue }) => queue.add(made)));
  }

  async dead(id: string, limit: number, after: number): Promise<Delivery[]> {
    this.#known(id);
    const range = { index: 'dead', from: [id, after + 1], to: [id, Number.MAX_VALUE], limit } as const;
    return (await this.#means.space.page(deliveries, range)).map(({ value }) => value);
  }

  /** Has dead letters wait again, in their order: one, or a hundred of the oldest. */
  async redeliver(id: string, event: string | undefined): Promise<number> {
    const { space } = this.#means;
    const { queue } = this.#known(id);
    const hookRef = hooks.ref(id);
    const refs =
      event !== undefined
        ? [deliveryRef(id, event)]
        : (await space.page(deliveries, { index: 'dead', prefix: [id], limit: PAGE })).map((row) =>
            deliveries.ref(row.id),
          );
    const { value } = await space.tx([hookRef, ...refs], (tx) => {
      const hook = tx.get(hookRef);
      const found = refs.flatMap((ref) => {
        const item = tx.get(ref);
        return item?.state === 'dead' ? [{ ref, item }] : [];
      });
      if (!hook) return 0;
      for (const { ref, item } of found)
        tx.put(ref, { ...item, state: 'waiting', refusals: 0, attempts: 0, due: tx.now, created_at: tx.now });
      const [waiting, dead] = [hook.waiting + found.length, hook.dead - found.length];
      tx.put(hookRef, { ...hook, waiting, dead });
      return found.length;
    });
    if (event !== undefined && value === 0) throw new MeshError('not_found', 'There is no such dead letter.');
    queue.wake();
    return value;
  }

  async end(): Promise<void> {
    const queues = [...this.#hooks.values()].map(({ queue }) => queue);
    for (const queue of queues) queue.end();
    await Promise.all(queues.map(({ ended }) => ended));
  }

  #open(id: string, { url, events, messages }: Wish): void {
    this.#hooks.set(id, { wish: { url, events, messages }, queue: new HookQueue(id, this.#means) });
  }

  #known(id: string) {
    const found = this.#hooks.get(id);
    if (!found) throw new MeshError('not_found', 'There is no such webhook.');
    return found;
  }
}

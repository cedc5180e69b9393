import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock, Random, Space } from '../../core/services.ts';
import { type Session, sessions } from './records.ts';

const TOKEN = /^[0-9a-f]{64}$/;
const TOKEN_LENGTH = 32;
const DAY = 86_400_000;
const PAGE = 200;
/** Days until somebody looks again whether the key of an agent that nobody asks for holds USDC. */
const KEPT = 30;

export interface SessionMeans {
  readonly space: Space;
  readonly clock: Clock;
  readonly random: Random;
  /** Days until a token ends. */
  readonly tokenDays: number;
}

export interface NewSession {
  readonly id: string;
  readonly sealed: string;
  readonly name: string;
  readonly network: string;
}

export interface Issued {
  readonly session: Session;
  /** Shown to its client this once; the store has its hash. */
  readonly token: string;
}

/** Sessions that may speak for hosted agents. */
export class Sessions {
  readonly #means: SessionMeans;
  /** Agents of which it is stored that their clients came. */
  readonly #used = new Set<string>();

  constructor(means: SessionMeans) {
    this.#means = means;
  }

  /** Durable when it resolves. */
  async create({ id, sealed, name, network }: NewSession): Promise<Issued> {
    const { space, clock } = this.#means;
    const { token, ...fields } = this.#fresh();
    const session = {
      agent_id: id,
      name,
      network,
      sealed_b64: sealed,
      created_at: clock.now(),
      used: false,
      ...fields,
    };
    await space.put(sessions.ref(id), session);
    return { session, token };
  }

  /** The session of a token, ended or not; undefined for one that is unknown here. */
  async find(token: string): Promise<Session | undefined> {
    if (!TOKEN.test(token)) return undefined;
    const hash = hashOf(token);
    const [found] = await this.#means.space.page(sessions, { index: 'token', prefix: [hash], limit: 1 });
    return found && timingSafeEqual(Buffer.from(found.value.token_hash), Buffer.from(hash)) ? found.value : undefined;
  }

  get(id: string): Promise<Session | undefined> {
    return this.#means.space.get(sessions.ref(id));
  }

  hasEnded({ expires_at }: Session): boolean {
    return expires_at <= this.#means.clock.now();
  }

  /** Another token in place of the one before, which no longer holds; undefined when there is no such agent. */
  async renew(id: string): Promise<Issued | undefined> {
    const { token, ...fields } = this.#fresh();
    const session = await this.#change(id, (known) => ({ ...known, ...fields }));
    return session && { session, token };
  }

  async rename(id: string, name: string): Promise<void> {
    await this.#change(id, (known) => ({ ...known, name }));
  }

  /** Whether the agent makes no deals until it has moved. */
  async keepDeals(id: string, keeps_deals: boolean): Promise<void> {
    await this.#change(id, (known) => ({ ...known, keeps_deals }));
  }

  /** The client has come with its token: the agent is more than a registration. */
  async use(id: string): Promise<void> {
    if (this.#used.has(id)) return;
    await this.#change(id, (known) => (known.used ? known : { ...known, used: true }));
    this.#used.add(id);
  }

  /** The host keeps an agent that it would remove now for another 30 days. */
  async keep(id: string): Promise<void> {
    const kept_until = this.#means.clock.now() + KEPT * DAY;
    await this.#change(id, (known) => ({ ...known, kept_until }));
  }

  async remove(id: string): Promise<void> {
    await this.#means.space.del(sessions.ref(id));
    this.#used.delete(id);
  }

  async *all(): AsyncGenerator<Session, void> {
    for (let last: { key: string; id: string } | undefined; ; ) {
      const found = await this.#means.space.page(sessions, { limit: PAGE, after: last });
      for (const { value } of found) yield value;
      last = found.at(-1);
      if (found.length < PAGE) return;
    }
  }

  /** Those that nobody asks for any more. */
  async over(): Promise<Session[]> {
    const { space, clock } = this.#means;
    const found = await space.page(sessions, { index: 'end', to: [clock.now()], limit: PAGE });
    return found.map(({ value }) => value);
  }

  async #change(id: string, changed: (known: Session) => Session): Promise<Session | undefined> {
    const ref = sessions.ref(id);
    const { value } = await this.#means.space.tx([ref], (tx) => {
      const known = tx.get(ref);
      const next = known && changed(known);
      if (next) tx.put(ref, next);
      return next;
    });
    return value;
  }

  #fresh(): { token: string; token_hash: string; expires_at: number } {
    const { random, clock, tokenDays } = this.#means;
    const token = Buffer.from(random.bytes(TOKEN_LENGTH)).toString('hex');
    return { token, token_hash: hashOf(token), expires_at: clock.now() + tokenDays * DAY };
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

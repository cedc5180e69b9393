import type { Clock, Random } from '../clock.ts';
import type { Log } from '../log.ts';
import { messageOf } from '../problem.ts';
import type { MeshLimits } from './limits.ts';
import type { HubAddress, HubStanding } from './mesh-contract.ts';
import type { Session } from './session.ts';
import type { SessionPool } from './session-pool.ts';

/** A session that lived this many first pauses starts the next attempt from the first pause again. */
const STABLE = 10;
/** Milliseconds after which it is said again that a hub is away. */
const REPEAT = 3_600_000;

export interface HubKeeperOptions {
  readonly hubs: readonly HubAddress[];
  readonly pool: SessionPool;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly limits: MeshLimits;
  /** This session leads to a hub that is kept. */
  readonly kept: (session: Session) => void;
}

/** Keeps a session with every configured hub, for as long as it takes and never faster than its backoff. */
export class HubKeeper {
  readonly #options: HubKeeperOptions;
  readonly #stop = new AbortController();
  /** The keys found at the hubs' URLs. */
  readonly #keys = new Map<string, Uint8Array>();
  readonly #left = new Set<string>();
  readonly #waiting = new Map<string, () => void>();
  /** Why there is no session with the hub of a URL, and when that was last said aloud. */
  readonly #away = new Map<string, { readonly why: string; readonly saidAt: number }>();

  constructor(options: HubKeeperOptions) {
    this.#options = options;
  }

  start(): void {
    for (const hub of this.#options.hubs) void this.#keep(hub);
  }

  stop(): void {
    this.#stop.abort(new Error('The mesh is closed.'));
    for (const wake of this.#waiting.values()) wake();
  }

  /** The open sessions with hubs that are kept. */
  sessions(): Session[] {
    return [...this.#keys.values()].flatMap((key) => openSession(this.#options.pool, key) ?? []);
  }

  /** How it stands with each hub; one that has not been tried to the end yet has neither a session nor a reason. */
  standings(): HubStanding[] {
    return this.#options.hubs.map(({ url }) => {
      const key = this.#keys.get(url);
      const connected = key !== undefined && openSession(this.#options.pool, key) !== undefined;
      const why = connected ? undefined : this.#away.get(url)?.why;
      return { url, connected, ...(why !== undefined && { why }) };
    });
  }

  /** Another process has taken our place at this hub: dialling it again would only drive that one out. */
  leave(hub: Session): void {
    for (const [url, key] of this.#keys) if (hub.peer && same(key, hub.peer.key)) this.#left.add(url);
  }

  /** The peer has no session any more: whoever keeps one with it tries again. */
  down(session: Session, reason: string): void {
    for (const [url, key] of this.#keys) {
      if (!session.peer || !same(key, session.peer.key)) continue;
      if (!this.#stop.signal.aborted) this.#missed(url, `The session with it ended: ${reason}.`);
      this.#waiting.get(url)?.();
    }
  }

  /** Whether this peer is one of the hubs that are kept. */
  keeps(key: Uint8Array): boolean {
    for (const known of this.#keys.values()) if (same(known, key)) return true;
    return false;
  }

  async #keep({ url, key: expected }: HubAddress): Promise<void> {
    const { pool, clock, random, limits, log } = this.#options;
    if (expected) this.#keys.set(url, expected);
    for (let attempt = 0; !this.#stop.signal.aborted && !this.#left.has(url); attempt++) {
      const started = clock.now();
      try {
        const known = this.#keys.get(url);
        const session = (known && openSession(pool, known)) ?? (await pool.dialChosen(url, expected));
        this.#keys.set(url, session.peer!.key);
        this.#reached(url);
        this.#options.kept(session);
        await this.#untilDown(url, session.peer!.key);
        if (clock.now() - started > STABLE * limits.backoffMs) attempt = -1;
      } catch (error) {
        const why = messageOf(error);
        log.debug({ url, attempt, why }, 'hub not reached');
        if (!this.#stop.signal.aborted) this.#missed(url, why);
      }
      const pause = Math.min(limits.maxBackoffMs, limits.backoffMs * 2 ** Math.min(Math.max(attempt, 0), 20));
      await clock.sleep(pause * (0.5 + random.fraction() / 2), this.#stop.signal).catch(() => {});
    }
  }

  /** Said at the first failure, and then once an hour. */
  #missed(url: string, why: string): void {
    const { clock, log } = this.#options;
    const known = this.#away.get(url);
    const now = clock.now();
    const isDue = !known || now - known.saidAt >= REPEAT;
    this.#away.set(url, { why, saidAt: isDue ? now : known.saidAt });
    if (isDue) log.warn({ hub: url, why }, 'a hub cannot be reached; it is tried again and again');
  }

  #reached(url: string): void {
    if (this.#away.delete(url)) this.#options.log.info({ hub: url }, 'the hub is reached again');
  }

  async #untilDown(url: string, key: Uint8Array): Promise<void> {
    while (openSession(this.#options.pool, key) && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => this.#waiting.set(url, resolve));
      this.#waiting.delete(url);
    }
  }
}

function openSession(pool: SessionPool, key: Uint8Array): Session | undefined {
  const session = pool.get(key);
  return session?.open ? session : undefined;
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

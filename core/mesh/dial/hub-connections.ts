import type { Clock, Random } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { messageOf } from '../../platform/problem.ts';
import { shownUrl } from '../../platform/shown-url.ts';
import type { MeshLimits } from '../limits.ts';
import type { HubAddress, HubStanding } from '../mesh-contract.ts';
import type { Session } from '../session/session.ts';
import type { SessionPool } from '../session/session-pool.ts';

/** A session that lived this many first pauses starts the next attempt from the first pause again. */
const STABLE = 10;
/** After so many pauses between pings a session has been measured; the ping that follows its welcome is answered long before. */
const MEASURED = 1.5;
const MEASURED_MS = 3_000;
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

/**
 * Keeps a session with the configured hubs, for as long as it takes and never faster than its backoff. Of many it keeps the
 * few nearest by measured round trip; the others are spares, which take the place of one that cannot be reached.
 */
export class HubConnections {
  readonly #options: HubKeeperOptions;
  readonly #stop = new AbortController();
  /** Ends the pauses of those that wait for their next attempt. */
  #hurry = new AbortController();
  /** Ends the work for a hub that is kept, by its URL; a spare has none. */
  readonly #active = new Map<string, AbortController>();
  /** Hubs that were reached, or not, since they became active. */
  readonly #tried = new Set<string>();
  /** Milliseconds to a hub and back, as they were last measured. */
  readonly #distances = new Map<string, number>();
  #cancelChoice: (() => void) | undefined;
  #cancelSurvey: (() => void) | undefined;
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
    this.#survey();
  }

  stop(): void {
    this.#cancelChoice?.();
    this.#cancelSurvey?.();
    this.#stop.abort(new Error('The mesh is closed.'));
    for (const one of this.#active.values()) one.abort();
    for (const wake of this.#waiting.values()) wake();
  }

  /** The device was asleep, or is in another network: hubs that are away are tried now, and all are measured again. */
  again(): void {
    this.#cancelSurvey?.();
    this.#hurry.abort();
    this.#hurry = new AbortController();
    this.#survey();
  }

  /** Whether each hub that is kept, or measured, was reached or could not be. */
  get areTried(): boolean {
    return [...this.#active.keys()].every((url) => this.#tried.has(url));
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
      const spare = !connected && !this.#active.has(url);
      return { url, connected, ...(spare && { spare }), ...(why !== undefined && { why }) };
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
      if (this.#active.has(url) && !this.#stop.signal.aborted)
        this.#missed(url, `The session with it ended: ${reason}.`);
      this.#waiting.get(url)?.();
    }
  }

  /** Whether this peer is one of the hubs that are kept. */
  keeps(key: Uint8Array): boolean {
    for (const known of this.#keys.values()) if (same(known, key)) return true;
    return false;
  }

  /** Meets every hub, so that each is measured; then the nearest are chosen. */
  #survey(): void {
    const { hubs, clock, limits } = this.#options;
    this.#tried.clear();
    for (const { url } of hubs) {
      const session = this.#sessionAt(url);
      this.#activate(url);
      if (session) this.#met(url, true);
    }
    if (hubs.length > limits.keptHubs) this.#cancelSurvey = clock.after(limits.surveyMs, () => this.#survey());
  }

  #activate(url: string): void {
    if (this.#active.has(url) || this.#stop.signal.aborted) return;
    const end = new AbortController();
    this.#active.set(url, end);
    const hub = this.#options.hubs.find((one) => one.url === url)!;
    void this.#keep(hub, end.signal);
  }

  /** A hub was reached, or could not be. When all have been tried the choice is made. */
  #met(url: string, reached: boolean): void {
    const { hubs, limits, clock } = this.#options;
    this.#tried.add(url);
    if (hubs.length <= limits.keptHubs || [...this.#active.keys()].some((one) => !this.#tried.has(one))) return;
    if (!reached) this.#fill();
    this.#cancelChoice ??= clock.after(Math.min(limits.pingMs * MEASURED, MEASURED_MS), () => this.#choose());
  }

  /** Of those that are open, the farthest become spares. */
  #choose(): void {
    this.#cancelChoice = undefined;
    const { limits, clock } = this.#options;
    for (const url of this.#active.keys()) {
      const session = this.#sessionAt(url);
      const { roundTrip } = session?.pulse ?? {};
      if (roundTrip !== undefined) this.#distances.set(url, roundTrip);
      else if (session) this.#distances.delete(url);
    }
    const open = this.#nearest().filter((url) => this.#sessionAt(url));
    const surplus = open.slice(limits.keptHubs);
    const busy = surplus.filter((url) => !this.#distances.has(url) || this.#sessionAt(url)!.pending > 0);
    for (const url of surplus) if (!busy.includes(url)) this.#spare(url);
    if (busy.length > 0) this.#cancelChoice = clock.after(limits.pingMs, () => this.#choose());
    this.#fill();
  }

  /** Spares take the places of hubs that cannot be reached, the nearest first. */
  #fill(): void {
    const active = [...this.#active.keys()];
    const hoped = active.filter((url) => this.#sessionAt(url) || !this.#tried.has(url));
    const spares = this.#nearest().filter((url) => !this.#active.has(url) && !this.#left.has(url));
    const missing = Math.max(0, this.#options.limits.keptHubs - hoped.length);
    for (const url of spares.slice(0, missing)) this.#activate(url);
  }

  #spare(url: string): void {
    this.#active.get(url)!.abort();
    this.#active.delete(url);
    this.#tried.delete(url);
    this.#away.delete(url);
    this.#sessionAt(url)?.close('nearer hubs');
    this.#waiting.get(url)?.();
  }

  /** All hubs by distance; those that were never measured come last. */
  #nearest(): string[] {
    const urls = this.#options.hubs.map(({ url }) => url);
    return urls.sort((one, other) => this.#distance(one) - this.#distance(other));
  }

  #distance(url: string): number {
    return this.#distances.get(url) ?? Number.MAX_VALUE;
  }

  #sessionAt(url: string): Session | undefined {
    const key = this.#keys.get(url);
    return key && openSession(this.#options.pool, key);
  }

  async #keep({ url, key: expected }: HubAddress, end: AbortSignal): Promise<void> {
    const { pool, clock, random, limits, log } = this.#options;
    if (expected) this.#keys.set(url, expected);
    for (let attempt = 0; !end.aborted && !this.#left.has(url); attempt++) {
      const started = clock.now();
      try {
        const known = this.#keys.get(url);
        const session = (known && openSession(pool, known)) ?? (await pool.dialChosen(url, expected));
        this.#keys.set(url, session.peer!.key);
        this.#reached(url);
        session.pulse.ask();
        this.#options.kept(session);
        this.#met(url, true);
        await this.#untilDown(url, session.peer!.key, end);
        if (end.aborted) return;
        // Another hub is to take its place when it does not come back at once.
        this.#tried.delete(url);
        if (clock.now() - started > STABLE * limits.backoffMs) attempt = -1;
      } catch (error) {
        const why = messageOf(error);
        log.debug({ url: shownUrl(url), attempt, why }, 'hub not reached');
        if (end.aborted) return;
        this.#missed(url, why);
        this.#met(url, false);
      }
      const pause = Math.min(limits.maxBackoffMs, limits.backoffMs * 2 ** Math.min(Math.max(attempt, 0), 20));
      const cut = AbortSignal.any([end, this.#hurry.signal]);
      await clock.sleep(pause * (0.5 + random.fraction() / 2), cut).catch(() => {});
    }
  }

  /** Said at the first failure, and then once an hour. */
  #missed(url: string, why: string): void {
    const { clock, log } = this.#options;
    const known = this.#away.get(url);
    const now = clock.now();
    const isDue = !known || now - known.saidAt >= REPEAT;
    this.#away.set(url, { why, saidAt: isDue ? now : known.saidAt });
    if (isDue) log.warn({ hub: shownUrl(url), why }, 'a hub cannot be reached; it is tried again and again');
  }

  #reached(url: string): void {
    if (this.#away.delete(url)) this.#options.log.info({ hub: shownUrl(url) }, 'the hub is reached again');
  }

  async #untilDown(url: string, key: Uint8Array, end: AbortSignal): Promise<void> {
    while (openSession(this.#options.pool, key) && !end.aborted) {
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

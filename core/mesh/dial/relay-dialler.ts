import { toHex } from '../../platform/bytes.ts';
import type { SendOutcome } from '../ack.ts';
import type { MeshOptions } from '../mesh-contract.ts';
import { RecentMap } from '../recent-map.ts';
import type { Relay } from '../relay/relay.ts';
import type { Session } from '../session/session.ts';
import type { SessionPool } from '../session/session-pool.ts';

const MAX_HUBS = 3;
const MAX_URLS = 3;
const DOUBTED = 1_000;

/** Reaches a key over a hub that it shares with us: one we have a session with, else one that its BEACON names. */
export class RelayDialler {
  readonly #options: MeshOptions;
  readonly #pool: SessionPool;
  readonly #relay: Relay;
  /** The hub below each session that was opened here. */
  readonly #hubOf = new WeakMap<Session, Session>();
  /** Hubs over which an envelope to a key was lost; they are asked last about that key. */
  readonly #doubted: RecentMap<true>;

  constructor(options: MeshOptions, pool: SessionPool, relay: Relay) {
    this.#options = options;
    this.#pool = pool;
    this.#relay = relay;
    this.#doubted = new RecentMap(DOUBTED);
  }

  /** How an envelope over a session ended: one that got no answer may have been dropped by the hub below it. */
  ended(session: Session, { outcome }: SendOutcome): void {
    const hub = this.#hubOf.get(session);
    if (!hub) return;
    const name = pairOf(hub.peer!.key, session.peer!.key);
    if (outcome === 'unknown') this.#doubted.set(name, true);
    else if (outcome === 'acked') this.#doubted.delete(name);
  }

  /** The hubs that may be asked: those we chose, and, for a hub, its peer hubs. */
  hubs(): Session[] {
    return [...this.#pool.sessions()].filter(
      (session) => session.open && !session.relayed && session.welcome?.hub && (session.dialled || this.#options.hub),
    );
  }

  /** A session with the key; nothing new is tried any more when it is past `until`. */
  async reach(key: Uint8Array, until: number): Promise<Session | undefined> {
    const own = this.hubs();
    const isDoubted = (hub: Uint8Array) => this.#doubted.get(pairOf(hub, key)) !== undefined;
    const [doubted, trusted] = [true, false].map((are) => own.filter((hub) => isDoubted(hub.peer!.key) === are));
    return (
      (await this.#over(trusted!, key, until)) ??
      (await this.#overNamed(own, key, until)) ??
      (await this.#over(doubted!, key, until))
    );
  }

  /** Over hubs that the BEACON of the key names. */
  async #overNamed(own: readonly Session[], key: Uint8Array, until: number): Promise<Session | undefined> {
    const asked = new Set(own.map((hub) => toHex(hub.peer!.key)));
    const named = await (this.#options.directory?.hubs?.(key) ?? []);
    for (const hub of named.slice(0, MAX_HUBS)) {
      if (asked.has(toHex(hub)) || same(hub, key) || same(hub, this.#options.certifier.key)) continue;
      const session = await this.#sessionWith(hub, until);
      const reached = session?.welcome?.hub && (await this.#over([session], key, until));
      if (reached) return reached;
    }
    return undefined;
  }

  async #over(hubs: readonly Session[], key: Uint8Array, until: number): Promise<Session | undefined> {
    const answers = await Promise.all(hubs.map((hub) => this.#relay.locate(hub, key)));
    for (const [index, { slot }] of answers.entries()) {
      if (this.#isLate(until)) return undefined;
      const link = slot ? this.#relay.dial(hubs[index]!, key) : undefined;
      const session = link && (await this.#pool.connect(link, key).catch(() => undefined));
      if (!session) continue;
      this.#hubOf.set(session, hubs[index]!);
      return session;
    }
    return undefined;
  }

  async #sessionWith(hub: Uint8Array, until: number): Promise<Session | undefined> {
    const current = this.#pool.get(hub);
    if (current?.open) return current;
    const urls = await this.#options.directory!.lookup(hub);
    for (const url of urls.slice(0, MAX_URLS)) {
      if (this.#isLate(until)) return undefined;
      const session = await this.#pool.dial(url, hub).catch(() => undefined);
      if (session) return session;
    }
    return undefined;
  }

  #isLate(until: number): boolean {
    return this.#options.clock.now() >= until;
  }
}

function same(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

function pairOf(hub: Uint8Array, key: Uint8Array): string {
  return `${toHex(hub)} ${toHex(key)}`;
}

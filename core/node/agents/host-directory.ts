import type { SchemaTypes } from '../../../schemas/types.ts';
import { RateLimiter } from '../../http/limits.ts';
import { CLAIMS_OF_A_HOST, genuineClaims, livingClaims, replaces } from '../../messaging/host-claims.ts';
import { genuineSuccessions, SUCCESSIONS_OF_A_HOST, type Succession, untimely } from '../../messaging/successions.ts';
import type { Verifier } from '../../messaging/verification/verifier.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import type { MessageName } from '../../protocol/envelopes/message-types.ts';
import type { BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId, parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { MOST_KEYS } from '../../protocol/reputation/lineage.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

type KnownHost = SchemaTypes['known-host'];

const hosts = collection<KnownHost, 'heard' | 'succeeded' | 'host'>('known-hosts', {
  schema: 'known-host',
  indexes: {
    heard: ({ successor, heard_at }) => (successor === undefined ? [heard_at] : undefined),
    succeeded: ({ successor, heard_at }) => (successor === undefined ? undefined : [heard_at]),
    host: ({ host, heard_at }) => [host, heard_at],
  },
});

/** Hosted agents remembered, and keys that were replaced likewise; the one heard of least recently makes room for one of its kind. */
const MOST = 20_000;
/** A claim that says nothing new is written again after a day, so that those of living hosts are the last to make room. */
const REFRESH = 86_400_000;
const REMEMBERED = 10_000;
/** Agents of one host that are told of when the host appears. */
const PAGE = 1_000;
/** Milliseconds in which the last words of a key that was replaced are taken, after it became known. */
const GRACE = 3_600_000;
/** A deal goes on with these; all others begin something, or say something of the key itself. */
const OF_DEALS: ReadonlySet<MessageName> = new Set<MessageName>([
  ...(['COUNTER', 'ACCEPT', 'REJECT', 'DELIVER', 'VERDICT', 'DISPUTE', 'FEEDBACK'] as const),
]);

export interface HostDirectoryOptions {
  readonly space: Space;
  readonly network: Network;
  readonly verifier: Verifier;
  readonly clock: Clock;
  /** Rows of each kind; 20,000 unless given. */
  readonly most?: number | undefined;
}

/** The agents that live here: no BEACON tells their own node of them. */
export interface House {
  claimOf(id: string): KnownHost | undefined;
  /** Whether an agent lives here that does not know of any successor. */
  isUntold(id: string): boolean;
  /** An agent goes on under another key, which may be one that lived here. Durable when it resolves. */
  taken(succession: Succession): Promise<void>;
}

/**
 * Which node acts for an agent, from the BEACONs of hosts. Both have signed it: the agent a claim that names the host, the host the
 * BEACON that shows the claim. The first host of an agent counts as long as its claim holds.
 */
export class HostDirectory {
  readonly #options: HostDirectoryOptions;
  readonly #limiter: RateLimiter;
  readonly #successions: RateLimiter;
  #house: House | undefined;
  /** Null for keys of which no host is known. */
  readonly #known = new BoundedMap<string, KnownHost | null>(REMEMBERED);

  constructor(options: HostDirectoryOptions) {
    this.#options = options;
    this.#limiter = new RateLimiter(CLAIMS_OF_A_HOST, options.clock);
    this.#successions = new RateLimiter(SUCCESSIONS_OF_A_HOST, options.clock);
  }

  /** Asks the agents that live here too from now on. */
  watch(house: House): void {
    this.#house = house;
  }

  /** Takes the claims of a BEACON, and gives the agents that are reached through its sender from now on. */
  async heard(host: string, beacon: BeaconPayload): Promise<string[]> {
    const { space, clock } = this.#options;
    const now = clock.now();
    const claims = livingClaims(host, beacon, now);
    if (claims.length === 0) return [];
    const known = await space.getMany(claims.map(({ agent_id }) => hosts.ref(agent_id)));
    const fresh = claims.filter((claim, place) => {
      const before = known[place];
      const isSame = before?.host === host && before.recovery_key === claim.recovery_key;
      const isOld = isSame && before.not_after === claim.not_after && now - before.heard_at > REFRESH;
      const isNews = isOld || replaces(before, { ...claim, host }, now);
      return isNews && !before?.successor && this.#limiter.tryTake(host);
    });
    const genuine = await genuineClaims(host, fresh, this.#options);
    if (genuine.length === 0) return [];
    const refs = genuine.map(({ agent_id }) => hosts.ref(agent_id));
    await space.tx(refs, (tx) => {
      for (const [place, { recovery_key, not_after }] of genuine.entries())
        tx.put(refs[place]!, { host, recovery_key, not_after, heard_at: tx.now });
    });
    for (const { agent_id } of genuine) this.#known.delete(agent_id);
    await this.#makeRoom();
    return genuine.map(({ agent_id }) => agent_id);
  }

  /**
   * Takes the successions of a BEACON, whoever shows them, about agents that are known here, and gives those that are news. The first one counts, and
   * the successor must not have been replaced itself.
   */
  async heardSuccessions(shownBy: string, { successions = [] }: BeaconPayload): Promise<readonly Succession[]> {
    const { network, clock } = this.#options;
    const found: { readonly one: Succession; readonly claim: KnownHost }[] = [];
    for (const one of successions) {
      const claim = await this.#claimOf(one.agent_id);
      if (!claim || untimely(one, network, clock.now())) continue;
      // The agents of a host that starts enter it one by one, perhaps after the BEACON that told of one of them.
      const isUntold = claim.successor === one.successor && (this.#house?.isUntold(one.agent_id) ?? false);
      if (claim.successor !== undefined && !isUntold) continue;
      if ((await this.successorOf(one.successor)) !== undefined || !this.#successions.tryTake(shownBy)) continue;
      found.push({ one, claim });
    }
    if (found.length === 0) return [];
    const listed = found.map(({ one }) => one);
    const keys = found.map(({ claim }) => claim.recovery_key);
    const genuine = await genuineSuccessions(listed, keys, this.#options);
    const taken: Succession[] = [];
    for (const [place, { one, claim }] of found.entries())
      if (genuine[place] && (await this.succeeded(one, claim))) taken.push(one);
    return taken;
  }

  /** Notes a succession that was verified with the recovery key of this claim; whether it is news. */
  async succeeded(one: Succession, claim: Omit<KnownHost, 'heard_at'>): Promise<boolean> {
    const { agent_id, successor, time } = one;
    // First, so that a crash in between leaves it to be heard again.
    await this.#house?.taken(one);
    const ref = hosts.ref(agent_id);
    const { value: isNews } = await this.#options.space.tx([ref], (tx) => {
      const known = tx.get(ref) ?? claim;
      if (known.successor !== undefined) return false;
      tx.put(ref, { ...known, successor, moved_at: time, heard_at: tx.now });
      return true;
    });
    this.#known.delete(agent_id);
    await this.#makeRoom();
    return isNews;
  }

  /**
   * Whether nothing of this kind is taken from a key, since it was replaced. What it signed before in a deal, microseconds by its own clock, is taken for an
   * hour after the succession became known, as aggregators do: it was on its way.
   */
  async isClosed(id: string, msgType: MessageName, signedAt: number): Promise<boolean> {
    const known = await this.#hostingOf(id);
    if (known?.successor === undefined) return false;
    const { moved_at = 0, heard_at } = known;
    const isLate = signedAt >= moved_at * 1_000_000 || this.#options.clock.now() >= heard_at + GRACE;
    return isLate || !OF_DEALS.has(msgType);
  }

  /** The key that replaced this one; undefined when none is known. */
  async successorOf(id: string): Promise<string | undefined> {
    return (await this.#hostingOf(id))?.successor;
  }

  /** The key under which an agent goes on now: its own, unless it was replaced. */
  async heirOf(key: Uint8Array): Promise<Uint8Array> {
    let heir = key;
    for (let keys = 1; keys < MOST_KEYS; keys += 1) {
      const next = await this.successorOf(formatAgentId(heir));
      if (next === undefined) break;
      heir = parseAgentId(next)!;
    }
    return heir;
  }

  /** The recovery key of the first claim; undefined when none is known. */
  async recoveryKeyOf(id: string): Promise<string | undefined> {
    return (await this.#claimOf(id))?.recovery_key;
  }

  async #claimOf(id: string): Promise<KnownHost | undefined> {
    return (await this.#hostingOf(id)) ?? this.#house?.claimOf(id);
  }

  async #hostingOf(id: string): Promise<KnownHost | undefined> {
    let known = this.#known.get(id);
    if (known === undefined) {
      known = (await this.#options.space.get(hosts.ref(id))) ?? null;
      this.#known.set(id, known);
    }
    return known ?? undefined;
  }

  /** The key of the node that acts for an agent; undefined when none is known. */
  async hostOf(key: Uint8Array): Promise<Uint8Array | undefined> {
    const known = await this.#hostingOf(formatAgentId(key));
    return known && known.not_after * 1_000 > this.#options.clock.now() ? parseAgentId(known.host) : undefined;
  }

  /** Agents that a node acts for, those heard of last. */
  async agentsOf(host: string): Promise<string[]> {
    const rows = await this.#options.space.page(hosts, { index: 'host', prefix: [host], reverse: true, limit: PAGE });
    return rows.map(({ id }) => id);
  }

  async #makeRoom(): Promise<void> {
    const { space, most = MOST } = this.#options;
    for (const index of ['heard', 'succeeded'] as const) {
      const surplus = (await space.count(hosts, index)) - most;
      if (surplus <= 0) continue;
      const oldest = await space.page(hosts, { index, limit: surplus });
      await space.tx([], (tx) => {
        for (const { id } of oldest) tx.del(hosts.ref(id));
      });
      for (const { id } of oldest) this.#known.delete(id);
    }
  }
}

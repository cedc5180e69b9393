import type { SchemaTypes } from '../../../schemas/types.ts';
import { RateLimiter } from '../../http/limits.ts';
import { CLAIMS_OF_A_HOST, genuineClaims, livingClaims, replaces } from '../../messaging/host-claims.ts';
import type { Verifier } from '../../messaging/verification/verifier.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import type { BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId, parseAgentId } from '../../protocol/identity/ids.ts';
import type { Network } from '../../protocol/identity/network.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

type KnownHost = SchemaTypes['known-host'];

const hosts = collection<KnownHost, 'heard' | 'host'>('known-hosts', {
  schema: 'known-host',
  indexes: { heard: ({ heard_at }) => [heard_at], host: ({ host, heard_at }) => [host, heard_at] },
});

/** Hosted agents remembered; the one heard of least recently makes room. */
const MOST = 20_000;
/** A claim that says nothing new is written again after a day, so that those of living hosts are the last to make room. */
const REFRESH = 86_400_000;
const REMEMBERED = 10_000;
/** Agents of one host that are told of when the host appears. */
const PAGE = 1_000;

export interface HostDirectoryOptions {
  readonly space: Space;
  readonly network: Network;
  readonly verifier: Verifier;
  readonly clock: Clock;
}

/**
 * Which node acts for an agent, from the BEACONs of hosts. Both have signed it: the agent a claim that names the host, the host the
 * BEACON that shows the claim. The first host of an agent counts as long as its claim holds.
 */
export class HostDirectory {
  readonly #options: HostDirectoryOptions;
  readonly #limiter: RateLimiter;
  /** Null for keys of which no host is known. */
  readonly #known = new BoundedMap<string, KnownHost | null>(REMEMBERED);

  constructor(options: HostDirectoryOptions) {
    this.#options = options;
    this.#limiter = new RateLimiter(CLAIMS_OF_A_HOST, options.clock);
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

  /** The key of the node that acts for an agent; undefined when none is known. */
  async hostOf(key: Uint8Array): Promise<Uint8Array | undefined> {
    const id = formatAgentId(key);
    let known = this.#known.get(id);
    if (known === undefined) {
      known = (await this.#options.space.get(hosts.ref(id))) ?? null;
      this.#known.set(id, known);
    }
    return known && known.not_after * 1_000 > this.#options.clock.now() ? parseAgentId(known.host) : undefined;
  }

  /** Agents that a node acts for, those heard of last. */
  async agentsOf(host: string): Promise<string[]> {
    const rows = await this.#options.space.page(hosts, { index: 'host', prefix: [host], reverse: true, limit: PAGE });
    return rows.map(({ id }) => id);
  }

  async #makeRoom(): Promise<void> {
    const { space } = this.#options;
    const surplus = (await space.count(hosts)) - MOST;
    if (surplus <= 0) return;
    const oldest = await space.page(hosts, { index: 'heard', limit: surplus });
    await space.tx([], (tx) => {
      for (const { id } of oldest) tx.del(hosts.ref(id));
    });
    for (const { id } of oldest) this.#known.delete(id);
  }
}

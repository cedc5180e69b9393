import { AggregatorClient } from '../client/aggregator-client.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';
import type { PeerDirectory } from './services/peers.ts';

/** BEACONs of a peer that may get lost before the last one is not believed any more, and one. */
const BELIEVED = 3;
/** How long an aggregator's answer is believed, whatever it was. */
const FRESH = 30_000;
const TIMEOUT = 5_000;
const REMEMBERED = 1_000;

export interface DirectoryOptions {
  readonly peers: PeerDirectory;
  readonly aggregators: readonly string[];
  /** Milliseconds from one BEACON to the next. */
  readonly beaconEvery: number;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
}

/**
 * Where a key can be dialled: what its own BEACON said, else what an aggregator has heard. A BEACON that an earlier
 * process heard may have been followed by others, so aggregators are asked first. An address proves nothing; whoever
 * answers there must prove the key.
 */
export function createDirectory(options: DirectoryOptions) {
  const { peers, aggregators, clock, beaconEvery } = options;
  const clients = aggregators.map(
    (url) => new AggregatorClient({ url, timeout: TIMEOUT, clock, fetch: options.fetch }),
  );
  const asked = new BoundedMap<string, { readonly at: number; readonly urls: Promise<string[]> }>(REMEMBERED);
  const start = clock.now();

  return async function lookup(key: Uint8Array): Promise<readonly string[]> {
    const id = formatAgentId(key);
    const peer = await peers.get(id);
    const heard = peer?.url ? [peer.url] : [];
    if (peer?.url && peer.seen_at >= Math.max(start, clock.now() - BELIEVED * beaconEvery)) return heard;
    const before = asked.get(id);
    if (before && clock.now() - before.at < FRESH) return [...new Set([...(await before.urls), ...heard])];
    const urls = ask(clients, id);
    asked.set(id, { at: clock.now(), urls });
    return [...new Set([...(await urls), ...heard])];
  };
}

async function ask(clients: readonly AggregatorClient[], id: string): Promise<string[]> {
  const answers = await Promise.allSettled(clients.map((client) => client.profile(id)));
  const urls = answers.flatMap((answer) =>
    answer.status === 'fulfilled' && answer.value.url ? [answer.value.url] : [],
  );
  return [...new Set(urls)];
}

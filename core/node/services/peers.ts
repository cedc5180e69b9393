import type { SchemaTypes } from '../../../schemas/types.ts';
import { BoundedMap } from '../../bounded-map.ts';
import { fromBase64 } from '../../bytes.ts';
import type { Clock } from '../../clock.ts';
import type { BeaconPayload } from '../../envelopes/payloads/payloads.ts';
import { formatAgentId, parseAgentId } from '../../identity/ids.ts';
import { token } from '../../plugin.ts';
import { collection, counter } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

export type PeerRecord = SchemaTypes['peer-record'];

const peers = collection<PeerRecord, 'seen'>('peers', {
  schema: 'peer-record',
  indexes: { seen: (peer) => [peer.seen_at] },
});
const known = counter('peers-known');

/** Peers remembered; the one that has been silent for longest makes room. */
const MOST = 10_000;

/** How long a BEACON that says nothing new stays in memory only. A mesh sends many, and each write costs the disk. */
const REFRESH = 6 * 3_600_000;

/** What was heard last, without its receipt, and when something of the kind was written. */
interface Heard {
  readonly peer: PeerRecord;
  readonly writtenAt: number;
}

/** Who announced itself: the address book of the mesh, from signed BEACONs only. */
export class PeerDirectory {
  readonly #space: Space;
  readonly #clock: Clock;
  readonly #heard = new BoundedMap<string, Heard>(MOST);

  constructor(space: Space, clock: Clock) {
    this.#space = space;
    this.#clock = clock;
  }

  /**
   * Takes a BEACON, unless a later one of the same key is known. What it changes is written down at once, with its
   * `receipt` (base64; empty for version 1), which is asked for only then.
   */
  async heard(key: string, sentAt: number, beacon: BeaconPayload, receipt: () => string): Promise<void> {
    const before = this.#heard.get(key);
    if (before && before.peer.sent_at >= sentAt) return;
    const now = this.#clock.now();
    const { name, hubs, url = null } = beacon;
    const peer = { name, url, hubs, sent_at: sentAt, seen_at: now };
    const isKnown = before && saysTheSame(before.peer, peer) && now - before.writtenAt < REFRESH;
    this.#heard.set(key, { peer, writtenAt: isKnown ? before.writtenAt : now });
    if (isKnown) return;
    const proof = receipt();
    await this.#write(key, proof === '' ? peer : { ...peer, receipt: proof });
  }

  async get(key: string): Promise<PeerRecord | undefined> {
    return this.#heard.get(key)?.peer ?? (await this.#space.get(peers.ref(key)));
  }

  /** The header and signature of the last BEACON of a key that was written down. */
  async receiptOf(key: Uint8Array): Promise<Uint8Array | undefined> {
    const receipt = (await this.#space.get(peers.ref(formatAgentId(key))))?.receipt;
    return receipt === undefined ? undefined : fromBase64(receipt);
  }

  /** The hubs a key keeps a session with, as its last BEACON says. */
  async hubsOf(key: Uint8Array): Promise<Uint8Array[]> {
    const peer = await this.get(formatAgentId(key));
    return (peer?.hubs ?? []).flatMap((hub) => parseAgentId(hub) ?? []);
  }

  /** The most recently heard first. */
  async recent(limit: number): Promise<{ key: string; peer: PeerRecord }[]> {
    const rows = await this.#space.page(peers, { index: 'seen', reverse: true, limit });
    const found = rows.map(({ id, value }) => ({ key: id, peer: this.#heard.get(id)?.peer ?? value }));
    return found.sort((one, other) => other.peer.seen_at - one.peer.seen_at);
  }

  async #write(key: string, peer: PeerRecord): Promise<void> {
    const ref = peers.ref(key);
    const { value: isNew } = await this.#space.tx([ref], (tx) => {
      const before = tx.get(ref);
      if (before && before.sent_at >= peer.sent_at) return false;
      tx.put(ref, peer);
      if (!before) tx.add(known, 1);
      return !before;
    });
    if (isNew) await this.#makeRoom();
  }

  async #makeRoom(): Promise<void> {
    if ((await this.#space.total(known)) <= BigInt(MOST)) return;
    const [oldest] = await this.#space.page(peers, { index: 'seen', limit: 1 });
    if (!oldest) return;
    await this.#space.tx([], (tx) => {
      tx.del(peers.ref(oldest.id));
      tx.add(known, -1);
    });
  }
}

export const Peers = token<PeerDirectory>('peers');

function saysTheSame(one: PeerRecord, other: PeerRecord): boolean {
  const sameHubs = one.hubs.length === other.hubs.length && one.hubs.every((hub, index) => hub === other.hubs[index]);
  return sameHubs && one.url === other.url && one.name === other.name;
}

import type { SchemaTypes } from '../../../schemas/types.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { fromBase64 } from '../../platform/bytes.ts';
import type { Clock } from '../../platform/clock.ts';
import { internalToken } from '../../platform/token.ts';
import { capabilitiesOf } from '../../protocol/envelopes/payloads/capabilities.ts';
import type { AdvertisePayload, BeaconPayload } from '../../protocol/envelopes/payloads/payloads.ts';
import { formatAgentId, parseAgentId } from '../../protocol/identity/ids.ts';
import { MAX_PAGE } from '../../storage/adapter.ts';
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

/**
 * How long BEACONs that say nothing new stay in memory only. A mesh sends many, and each write costs the disk; then they
 * are written together.
 */
const REFRESH = 6 * 3_600_000;
/** Peers written in one transaction. */
const BATCH = 500;

/** The newest header and signature of a key, in base64; undefined when there is none. */
export type ReceiptOf = (key: string) => string | undefined;

type Advertised = NonNullable<PeerRecord['advertised']>;

/** The agents that announced themselves: the address book of the mesh, from signed BEACONs and the ADVERTISEs of the same keys. */
export class PeerDirectory {
  readonly #space: Space;
  readonly #clock: Clock;
  /** Each key's last BEACON, without its receipt. */
  readonly #heard = new BoundedMap<string, PeerRecord>(MOST);
  /** Each key's last ADVERTISE, also of keys whose BEACON has not come yet. */
  readonly #advertised = new BoundedMap<string, Advertised>(MOST);
  readonly #watchers = new Set<(key: string) => void>();
  /** Keys heard again, with an unchanged BEACON, since they were last stored. */
  #unwritten = new Set<string>();
  /** When the first of them was heard. */
  #since = 0;

  constructor(space: Space, clock: Clock) {
    this.#space = space;
    this.#clock = clock;
  }

  /**
   * Takes a BEACON, unless a later one of the same key is known. A change is stored at once, with the receipt, which is
   * asked for only then; an unchanged BEACON is stored with others later.
   */
  async heard(key: string, sentAt: number, beacon: BeaconPayload, receiptOf: ReceiptOf): Promise<void> {
    const before = this.#heard.get(key);
    if (before && before.sent_at >= sentAt) return;
    const now = this.#clock.now();
    const { name, hubs, url = null } = beacon;
    const peer = { name, url, hubs, sent_at: sentAt, seen_at: now };
    this.#heard.set(key, peer);
    if (!before || !saysTheSame(before, peer)) {
      this.#unwritten.delete(key);
      await this.#write([[key, peer]], receiptOf);
      this.#tell(key);
      return;
    }
    if (this.#unwritten.size === 0) this.#since = now;
    this.#unwritten.add(key);
    if (now - this.#since >= REFRESH) await this.#refresh(receiptOf);
  }

  /** Takes the capabilities of an ADVERTISE, unless a later one of the same key is known or it names none. */
  async advertised(key: string, at: number, { capabilities: words }: AdvertisePayload): Promise<void> {
    if (words === undefined) return;
    const before = await this.#advertisedBy(key);
    if (before && before.at >= at) return;
    const advertised = { at, capabilities: capabilitiesOf(words) };
    this.#advertised.set(key, advertised);
    if (before?.capabilities.join() === advertised.capabilities.join()) return;
    const ref = peers.ref(key);
    await this.#space.tx([ref], (tx) => {
      const peer = tx.get(ref);
      if (peer && (peer.advertised?.at ?? 0) < at) tx.put(ref, { ...peer, advertised });
    });
    this.#tell(key);
  }

  /** The capabilities that a key advertises. */
  async capabilitiesOf(key: string): Promise<readonly string[]> {
    return (await this.#advertisedBy(key))?.capabilities ?? [];
  }

  /** Tells of keys that say something else than before. */
  watch(told: (key: string) => void): () => void {
    this.#watchers.add(told);
    return () => void this.#watchers.delete(told);
  }

  async get(key: string): Promise<PeerRecord | undefined> {
    return this.#heard.get(key) ?? (await this.#space.get(peers.ref(key)));
  }

  /** The newest header and signature of a key that were written down. */
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
    const found: { key: string; peer: PeerRecord }[] = [];
    for (let full = true; full && found.length < limit; ) {
      const most = Math.min(limit - found.length, MAX_PAGE);
      const rows = await this.#space.page(peers, { index: 'seen', reverse: true, limit: most, offset: found.length });
      for (const { id, value } of rows) found.push({ key: id, peer: this.#heard.get(id) ?? value });
      full = rows.length === most;
    }
    return found.sort((one, other) => other.peer.seen_at - one.peer.seen_at);
  }

  /** By key, those behind `key`. */
  async after(key: string, limit: number): Promise<{ key: string; peer: PeerRecord }[]> {
    const rows = await this.#space.page(peers, { limit, ...(key !== '' && { after: { key, id: key } }) });
    return rows.map(({ id, value }) => ({ key: id, peer: this.#heard.get(id) ?? value }));
  }

  async #advertisedBy(key: string): Promise<Advertised | undefined> {
    return this.#advertised.get(key) ?? (await this.#space.get(peers.ref(key)))?.advertised;
  }

  #tell(key: string): void {
    for (const watcher of this.#watchers) watcher(key);
  }

  async #refresh(receiptOf: ReceiptOf): Promise<void> {
    const all = [...this.#unwritten].flatMap((key): [string, PeerRecord][] => {
      const peer = this.#heard.get(key);
      return peer ? [[key, peer]] : [];
    });
    this.#unwritten = new Set();
    for (let at = 0; at < all.length; at += BATCH) await this.#write(all.slice(at, at + BATCH), receiptOf);
  }

  async #write(heard: readonly (readonly [key: string, peer: PeerRecord])[], receiptOf: ReceiptOf): Promise<void> {
    const rows = heard.map(([key, peer]) => {
      return { ref: peers.ref(key), peer, newest: receiptOf(key), said: this.#advertised.get(key) };
    });
    const { value: added } = await this.#space.tx(
      rows.map(({ ref }) => ref),
      (tx) => {
        let fresh = 0;
        for (const { ref, peer, newest, said } of rows) {
          const before = tx.get(ref);
          if (before && before.sent_at >= peer.sent_at) continue;
          const receipt = newest ?? before?.receipt;
          const advertised = said ?? before?.advertised;
          tx.put(ref, { ...peer, ...(receipt !== undefined && { receipt }), ...(advertised && { advertised }) });
          if (!before) fresh += 1;
        }
        if (fresh > 0) tx.add(known, fresh);
        return fresh;
      },
    );
    if (added > 0) await this.#makeRoom();
  }

  async #makeRoom(): Promise<void> {
    const surplus = Number(await this.#space.total(known)) - MOST;
    if (surplus <= 0) return;
    const oldest = await this.#space.page(peers, { index: 'seen', limit: Math.min(surplus, BATCH) });
    const refs = oldest.map(({ id }) => peers.ref(id));
    await this.#space.tx(refs, (tx) => {
      for (const ref of refs) {
        if (!tx.get(ref)) continue;
        tx.del(ref);
        tx.add(known, -1);
      }
    });
  }
}

export const AddressBook = internalToken<PeerDirectory>('address-book');

function saysTheSame(one: PeerRecord, other: PeerRecord): boolean {
  const sameHubs = one.hubs.length === other.hubs.length && one.hubs.every((hub, index) => hub === other.hubs[index]);
  return sameHubs && one.url === other.url && one.name === other.name;
}

import type { SchemaTypes } from '../../../schemas/types.ts';
import { fromBase64 } from '../../bytes.ts';
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

/** Who announced itself: the address book of the mesh, from signed BEACONs only. */
export class PeerDirectory {
  readonly #space: Space;

  constructor(space: Space) {
    this.#space = space;
  }

  /** Writes down a BEACON with its receipt (base64; empty for version 1), unless a later one of the same key is known. */
  async heard(key: string, sentAt: number, beacon: BeaconPayload, receipt = ''): Promise<void> {
    const ref = peers.ref(key);
    const { value: isNew } = await this.#space.tx([ref], (tx) => {
      const before = tx.get(ref);
      if (before && before.sent_at >= sentAt) return false;
      const record = {
        name: beacon.name,
        url: beacon.url ?? null,
        hubs: beacon.hubs,
        sent_at: sentAt,
        seen_at: tx.now,
        ...(receipt !== '' && { receipt }),
      };
      tx.put(ref, record);
      if (!before) tx.add(known, 1);
      return !before;
    });
    if (isNew) await this.#makeRoom();
  }

  get(key: string): Promise<PeerRecord | undefined> {
    return this.#space.get(peers.ref(key));
  }

  /** The header and signature of a key's last BEACON. */
  async receiptOf(key: Uint8Array): Promise<Uint8Array | undefined> {
    const receipt = (await this.get(formatAgentId(key)))?.receipt;
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
    return rows.map(({ id, value }) => ({ key: id, peer: value }));
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

import type { Peer, PeerChange, Peers } from '../../services.ts';

export interface FakePeers extends Peers {
  /** Makes a peer known, or another one under its id, and tells followers. */
  set(peer: Peer, kind: PeerChange['kind']): void;
}

/** `value(Peers, fakePeers([{ id, name: 'Ada', capabilities: [], hub: false, seen: 0 }]))`. */
export function fakePeers(known: readonly Peer[] = []): FakePeers {
  const peers = new Map(known.map((peer) => [peer.id, peer]));
  const followers = new Set<(change: PeerChange) => unknown>();
  return {
    set(peer, kind) {
      peers.set(peer.id, peer);
      for (const told of [...followers]) told({ kind, id: peer.id });
    },
    get: async (id) => peers.get(id),
    async page({ limit = 50, after = '' } = {}) {
      const ids = [...peers.keys()].filter((id) => id > after).sort();
      const shown = ids.slice(0, limit);
      const next = ids.length > limit ? shown.at(-1) : undefined;
      return { peers: shown.map((id) => peers.get(id)!), ...(next !== undefined && { next }) };
    },
    follow(told) {
      followers.add(told);
      return () => void followers.delete(told);
    },
  };
}

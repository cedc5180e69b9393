import { invalidField } from '../../contracts/errors.ts';
import { Mesh } from '../../internal-services.ts';
import type { PeerInfo } from '../../mesh/mesh-contract.ts';
import { formatAgentId, normaliseAgentId } from '../../protocol/identity/ids.ts';
import { PerPlugin, provider } from '../../provider.ts';
import { type Peer, type PeerChange, Peers } from '../../services.ts';
import { AddressBook, type PeerRecord } from '../services/peers.ts';

const PAGE = 50;
const LONGEST_PAGE = 200;

/** Whom this node knows, as plugins see it. */
export const peersProvider = provider(Peers, {
  uses: { book: AddressBook, mesh: Mesh },
  open({ book, mesh }, { log, defer }) {
    const followers = new Set<(change: PeerChange) => void>();
    const tell = (change: PeerChange) => {
      for (const follower of [...followers]) follower(change);
    };
    defer(
      mesh.watch({
        peerUp: ({ key }) => tell({ kind: 'connected', id: formatAgentId(key) }),
        peerDown: ({ key }) => tell({ kind: 'disconnected', id: formatAgentId(key) }),
      }),
    );
    defer(book.watch((id) => tell({ kind: 'announced', id })));
    defer(() => followers.clear());
    const sessions = () => new Map(mesh.peers().map((peer) => [formatAgentId(peer.key), peer]));

    return new PerPlugin<Peers>(({ name: plugin }) => ({
      async get(id) {
        const agentId = normaliseAgentId(id);
        if (agentId === undefined) return undefined;
        const session = sessions().get(agentId);
        const [record, advertised] = await Promise.all([book.get(agentId), book.capabilitiesOf(agentId)]);
        return session || record ? peerOf(agentId, advertised, record, session) : undefined;
      },
      async page({ limit = PAGE, after = '' } = {}) {
        if (!Number.isSafeInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
          throw invalidField('/limit', `must be a whole number from 1 to ${LONGEST_PAGE}`);
        const known = await book.after(after, limit + 1);
        const rows = new Map(known.map(({ key, peer }) => [key, peer]));
        const connected = sessions();
        const last = known.length > limit ? known.at(-1)!.key : undefined;
        const others = [...connected.keys()].filter((id) => id > after && (last === undefined || id <= last));
        const ids = [...new Set([...rows.keys(), ...others])].sort();
        const shown = ids.slice(0, limit);
        const peers = await Promise.all(
          shown.map(async (id) => peerOf(id, await book.capabilitiesOf(id), rows.get(id), connected.get(id))),
        );
        const next = ids.length > limit ? shown.at(-1) : undefined;
        return { peers, ...(next !== undefined && { next }) };
      },
      follow(told) {
        const follower = (change: PeerChange) => {
          const failed = (error: unknown) => log.error({ plugin, error }, 'a plugin failed at a change of a peer');
          // A throw and a rejection alike.
          void (async () => told(change))().catch(failed);
        };
        followers.add(follower);
        return () => void followers.delete(follower);
      },
    }));
  },
});

function peerOf(
  id: string,
  capabilities: readonly string[],
  record: PeerRecord | undefined,
  session: PeerInfo | undefined,
): Peer {
  const url = record?.url ?? session?.url;
  return {
    id,
    name: record?.name ?? session?.name ?? '',
    capabilities,
    hub: session?.hub ?? false,
    ...(url && { url }),
    ...(session?.state === 'open' && { since: session.since }),
    seen: Math.max(session?.lastSeen ?? 0, record?.seen_at ?? 0),
  };
}

import { Blobs, Identity, Mesh, MeshInbound } from '../../internal-services.ts';
import { toHex } from '../../platform/bytes.ts';
import { internalToken } from '../../platform/token.ts';
import { formatAgentId, parseAgentId } from '../../protocol/identity/ids.ts';
import { type Provider, provider } from '../../provider.ts';
import { Clock, Random } from '../../services.ts';
import { Hosts } from '../services/agents.ts';
import { NodeSpace } from '../services/messaging.ts';
import { deliveriesSettings } from './config.ts';
import { ExpectedBlobs } from './expected-blobs.ts';
import { FetchPlaces } from './fetch-places.ts';
import { KeptBlobs } from './kept-blobs.ts';

/** Large deliveries that this node keeps. */
export const Kept = internalToken<KeptBlobs>('kept-blobs');

/** Large deliveries to this node's own agent. */
export const Expected = internalToken<ExpectedBlobs>('expected-blobs');

/** Gets a blob from the node that acts for its keeper. */
export type BlobSource = Pick<Mesh, 'fetchBlob'>;
export const BlobSource = internalToken<BlobSource>('blob-source');
const sourceProvider = provider(BlobSource, {
  uses: { mesh: Mesh, hosts: Hosts },
  open: ({ mesh, hosts }) => ({
    fetchBlob: async (from, ...wanted) => mesh.fetchBlob((await hosts.hostOf(from)) ?? from, ...wanted),
  }),
});

/** Deliveries to this node's own agent that are fetched at the same time; unasked by it, so that its own calls find the others. */
const [PLACES, UNASKED] = [12, 6];

const keptProvider = provider(Kept, {
  uses: { space: NodeSpace, blobs: Blobs, clock: Clock, inbound: MeshInbound, hosts: Hosts },
  open({ inbound, hosts, ...services }, { settings }) {
    const kept = new KeptBlobs({ ...services, config: deliveriesSettings(settings) });
    const actsFor = async (peer: string, reader: string) => {
      const host = await hosts.hostOf(parseAgentId(reader)!);
      return host !== undefined && formatAgentId(host) === peer;
    };
    inbound.blob = (cid, peer) => kept.readFor(toHex(cid), formatAgentId(peer), actsFor);
    return kept;
  },
});

const expectedProvider = provider(Expected, {
  uses: {
    space: NodeSpace,
    mesh: BlobSource,
    identity: Identity,
    kept: Kept,
    clock: Clock,
    random: Random,
  },
  open(services, { log, defer }) {
    const places = new FetchPlaces({ most: PLACES, each: UNASKED });
    const blobs = new ExpectedBlobs({ ...services, places, log });
    defer(() => blobs.close());
    return blobs;
  },
});

export const deliveryProviders: readonly Provider[] = [keptProvider, sourceProvider, expectedProvider];

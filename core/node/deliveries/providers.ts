import { Blobs, Identity, Mesh, MeshInbound } from '../../internal-services.ts';
import { toHex } from '../../platform/bytes.ts';
import { internalToken } from '../../platform/token.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import { type Provider, provider } from '../../provider.ts';
import { Clock, Random } from '../../services.ts';
import { NodeSpace } from '../services/messaging.ts';
import { deliveriesSettings } from './config.ts';
import { ExpectedBlobs } from './expected-blobs.ts';
import { KeptBlobs } from './kept-blobs.ts';

/** Large deliveries that this node keeps. */
export const Kept = internalToken<KeptBlobs>('kept-blobs');

/** Large deliveries to this node. */
export const Expected = internalToken<ExpectedBlobs>('expected-blobs');

const keptProvider = provider(Kept, {
  uses: { space: NodeSpace, blobs: Blobs, clock: Clock, inbound: MeshInbound },
  open({ inbound, ...services }, { settings }) {
    const kept = new KeptBlobs({ ...services, config: deliveriesSettings(settings) });
    inbound.blob = (cid, peer) => kept.readFor(toHex(cid), formatAgentId(peer));
    return kept;
  },
});

const expectedProvider = provider(Expected, {
  uses: { space: NodeSpace, mesh: Mesh, identity: Identity, kept: Kept, clock: Clock, random: Random },
  open(services, { log, defer }) {
    const blobs = new ExpectedBlobs({ ...services, log });
    defer(() => blobs.close());
    return blobs;
  },
});

export const deliveryProviders: readonly Provider[] = [keptProvider, expectedProvider];

import type { Ack, AckReason } from '../protocol/envelopes/ack.ts';
import type { EnvelopeKind, EnvelopeOrigin } from './mesh-contract.ts';

/**
 * Where envelopes from the mesh go, and where a key can be dialled. Set by the profile's own services before the mesh
 * starts: the mesh is opened before them because they send through it.
 */
export interface MeshInbound {
  receive: (envelope: Uint8Array, from: EnvelopeOrigin, kind: EnvelopeKind) => Promise<Ack | AckReason>;
  lookup: (key: Uint8Array) => Promise<readonly string[]>;
  /** The hubs that a key keeps a session with, by their keys: whom to ask for a relay to it. */
  hubs: (key: Uint8Array) => Promise<readonly Uint8Array[]>;
  /** The blob of that CID, when this node keeps one for the peer. */
  blob: (cid: Uint8Array, peer: Uint8Array) => Promise<Uint8Array | undefined>;
  /** The newest header and signature that were verified of a key. */
  newest: (key: Uint8Array) => Promise<Uint8Array | undefined>;
}

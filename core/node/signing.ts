import type { Mesh, PeerInfo } from '../mesh/mesh-contract.ts';
import type { SigningGuard } from '../messaging/signing-guard.ts';
import type { Metrics } from '../platform/metrics.ts';
import { formatAgentId } from '../protocol/identity/ids.ts';

/** Has the guard hear of what peers know about our key. Gives what undoes it. */
export function watchPeers(mesh: Mesh, guard: SigningGuard): () => void {
  return mesh.watch({
    newestSeen: (newest, peer) => guard.foreignReceipt(newest, nameOf(peer)),
    identityInUse(remote, peer) {
      // Proven by a handshake, or said by a hub that the operator chose; anybody else may say what they like.
      if (!peer || peer.kept) guard.duplicateProcess(peer ? nameOf(peer) : remote);
    },
  });
}

/** Shows at /metrics whether this node may sign. */
export function countSigning(metrics: Metrics, mesh: Mesh, guard: SigningGuard): void {
  metrics.gauge('mesh_signing_stopped', '1 while this node signs nothing.', () =>
    /^(identity_in_use|clock_skewed)/.test(guard.health().detail ?? '') ? 1 : 0,
  );
  metrics.gauge('mesh_tainted_epochs', 'Recent epochs that are never batched.', () => guard.taints.length);
  metrics.gauge(
    'mesh_clock_offset_seconds',
    'By how much the hubs’ clocks are ahead of this one; 0 while unknown.',
    () => (mesh.clockOffset() ?? 0) / 1_000,
  );
}

function nameOf(peer: PeerInfo): string {
  return `${peer.hub ? 'hub' : 'peer'} ${formatAgentId(peer.key)}`;
}

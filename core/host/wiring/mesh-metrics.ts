import type { Mesh } from '../../mesh/mesh-contract.ts';
import type { Metrics } from '../../platform/metrics.ts';

/** Shows the mesh's counters at /metrics. */
export function countMesh(metrics: Metrics, mesh: Mesh): void {
  metrics.gauge('mesh_peers', 'Peers with an open session.', () => mesh.stats().peers);
  metrics.gauge('mesh_sessions_opened', 'Sessions opened since the start.', () => mesh.stats().sessionsOpened);
  metrics.gauge('mesh_dials_failed', 'Dials that reached nobody.', () => mesh.stats().dialsFailed);
  metrics.gauge('mesh_dials_refused', 'URLs not dialled because of where they lead.', () => mesh.stats().dialsRefused);
  metrics.gauge('mesh_upgrades', 'Relayed sessions that a direct one replaced.', () => mesh.stats().upgrades);
  metrics.gauge('mesh_connect_tests', 'Peers dialled back for them.', () => mesh.stats().tests);
  metrics.gauge(
    'mesh_reachable',
    '1 when a hub reached this node, -1 when none did, 0 while unknown.',
    () => ['unreachable', 'unknown', 'reachable'].indexOf(mesh.reachability()) - 1,
  );
  metrics.gauge('mesh_envelopes_in', 'Envelopes taken from peers.', () => mesh.stats().envelopesIn);
  metrics.gauge('mesh_envelopes_out', 'Envelopes handed to peers.', () => mesh.stats().envelopesOut);
  metrics.gauge('mesh_rate_limited', 'Envelopes refused because a peer was too fast.', () => mesh.stats().rateLimited);
  metrics.gauges('mesh_faults', 'Sessions ended by what the other side did.', 'fault', () => mesh.stats().faults);
  metrics.gauges('mesh_links_refused', 'Connections of peers turned away.', 'reason', () => refusedOf(mesh));
  metrics.gauge('mesh_relay_slots', 'Slots that leaves hold here.', () => mesh.stats().slots);
  metrics.gauge('mesh_relay_circuits', 'Relayed sessions through this hub now.', () => mesh.stats().circuits);
  metrics.gauge('mesh_relay_circuits_refused', 'Relayed sessions refused.', () => mesh.stats().circuitsRefused);
  metrics.gauge('mesh_relay_bytes', 'Bytes relayed.', () => mesh.stats().relayedBytes);
  metrics.gauge('mesh_broadcasts_refused', 'Broadcasts that were not accepted.', () => mesh.stats().broadcastsRefused);
  metrics.gauge('mesh_broadcasts_out', 'Copies of broadcasts sent.', () => mesh.stats().broadcastsOut);
  metrics.gauge('mesh_broadcasts_dropped', 'Copies of broadcasts not sent.', () => mesh.stats().broadcastsDropped);
}

/**
 * `busy`: too many handshakes at once. `displaced`: one of them made room for another address. `full`: too many peers.
 * `unfinished`: the connection ended before the peer had proven its key, also when it was displaced.
 */
function refusedOf(mesh: Mesh): Record<string, number> {
  const { refusedBusy, displaced, refusedFull, unfinished } = mesh.stats();
  return { busy: refusedBusy, displaced, full: refusedFull, unfinished };
}

import type { PeerInfo } from '../../mesh/mesh-contract.ts';
import { formatAgentId } from '../../protocol/identity/ids.ts';
import type { Space } from '../../storage/space.ts';
import { agents, type StoredAgent } from '../store/agents.ts';

/** Regions of one agent that are kept: aggregators that share a store may stand in several. */
const MAX_REGIONS = 8;
/** A round trip is written again when it differs by more than this share and by more than this many milliseconds. */
const SHARE = 0.2;
const LEAST_MS = 10;

/** Writes down how far agents are from this region, as the pings of their own direct sessions tell. */
export async function keepLatencies(space: Space, region: string, peers: readonly PeerInfo[]): Promise<void> {
  for (const { key, roundTrip, relayed } of peers) {
    if (roundTrip === undefined || relayed) continue;
    await keepRoundTrip(space, { agentId: formatAgentId(key), region, measured: Math.max(0, Math.round(roundTrip)) });
  }
}

export interface MeasuredTrip {
  readonly agentId: string;
  readonly region: string;
  /** Whole milliseconds. */
  readonly measured: number;
}

/** Writes a round trip down where it differs from the one of before; false for an agent that is not known. */
export async function keepRoundTrip(space: Space, { agentId, region, measured }: MeasuredTrip): Promise<boolean> {
  const ref = agents.ref(agentId);
  const known = await space.get(ref);
  if (!known) return false;
  if (!isNews(known, region, measured)) return true;
  await space.tx([ref], (tx) => {
    const agent = tx.get(ref);
    if (agent) tx.put(ref, { ...agent, latency: { ...agent.latency, [region]: measured } });
  });
  return true;
}

function isNews({ latency = {} }: StoredAgent, region: string, measured: number): boolean {
  const known = latency[region];
  if (known === undefined) return Object.keys(latency).length < MAX_REGIONS;
  return Math.abs(measured - known) > Math.max(LEAST_MS, SHARE * known);
}

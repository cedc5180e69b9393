import { collection } from '../../core/plugin.ts';
import type { SchemaTypes } from '../../schemas/types.ts';

export type HostingNode = SchemaTypes['stored-hosting-node'];

export const DAY = 86_400_000;
/** Milliseconds between two heartbeats. */
export const BEAT = 60_000;
/** Two heartbeats are missed when more than this has passed. */
export const LISTED_FOR = 120_000;
/** A heartbeat sooner than this after another fills no place in the count of a minute that was missed. */
const SOONEST = BEAT / 2;
/** Days that the uptime is about. */
const WINDOW = 30;

/** Hosting nodes by key. One that was silent for as long as its uptime looks back is forgotten, and begins anew. */
export const nodes = collection<HostingNode, 'seen'>('nodes', {
  schema: 'stored-hosting-node',
  ttl: WINDOW * DAY,
  indexes: { seen: ({ last_seen, node_id }) => [-last_seen, node_id] },
});

export interface Beat {
  readonly node_id: string;
  readonly name: string;
  readonly api_url: string;
  readonly fee_bps: number;
  readonly hosted: number;
  readonly signed: number;
  readonly time: number;
}

/** The node after a heartbeat. */
export function withBeat(known: HostingNode | undefined, beat: Beat, now: number): HostingNode {
  const { days, first_seen } = known ?? { days: [], first_seen: now };
  const counts = !known || now - known.last_seen >= SOONEST;
  return { ...beat, first_seen, last_seen: now, days: counts ? counted(days, Math.floor(now / DAY)) : days };
}

function counted(days: HostingNode['days'], today: number): HostingNode['days'] {
  const kept = days.filter(({ day }) => day > today - WINDOW && day < today);
  const beats = (days.find(({ day }) => day === today)?.beats ?? 0) + 1;
  return [...kept, { day: today, beats }];
}

/** Per cent with two decimals: received of expected, from the later of first seen and the begin of the window to now. */
export function uptimeOf({ days, first_seen }: HostingNode, now: number): number {
  const oldest = Math.floor(now / DAY) - WINDOW + 1;
  const received = days.reduce((sum, { day, beats }) => sum + (day >= oldest ? beats : 0), 0);
  const from = Math.max(first_seen, oldest * DAY);
  // One that is due in this minute may still come.
  const expected = Math.max(1, Math.floor((now - from) / BEAT));
  return Math.min(100, Math.round((received / expected) * 10_000) / 100);
}

/** The host as a client sees it. */
export function shown(node: HostingNode, now: number): SchemaTypes['hosting-node'] {
  const { node_id, name, api_url, fee_bps, hosted, signed } = node;
  const count = signed > 0 ? Math.min(hosted, signed) : hosted;
  return {
    node_id,
    name,
    api_url,
    fee_bps,
    uptime_pct: uptimeOf(node, now),
    hosted_agent_count: count,
    hosted_count: count,
    signed_agent_count: signed,
    first_seen: new Date(node.first_seen).toISOString(),
    last_seen: new Date(node.last_seen).toISOString(),
  };
}

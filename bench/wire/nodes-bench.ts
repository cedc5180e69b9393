import type { Bench, Figure, Prepared } from '../framework/bench.ts';
import type { Delivered } from './nodes.ts';

/**
 * Envelopes between two whole nodes, which also write every envelope, acknowledgement and report down; nothing to compare
 * it with does that.
 */
export const bench: Bench<Prepared<Delivered>> = {
  name: 'nodes',
  summary: 'envelopes between two whole nodes that write everything down',
  thorough: true,
  prepare({ quick, folder, prepared }) {
    return prepared<Delivered>('wire/nodes.ts', [folder(), ...(quick ? [3, 150, 12] : [5, 5_000, 300])]);
  },
  async run(_context, measure) {
    return betweenNodes(await measure());
  },
};

function betweenNodes(delivered: Delivered): Figure[] {
  return Object.entries(delivered).map(([adapter, { rate, trip, cpu }]) => ({
    name: `wire_nodes_${adapter}`,
    value: rate,
    unit: 'envelopes/s',
    from: { round_trip_us: trip, cpu_us: cpu },
  }));
}

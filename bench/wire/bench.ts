import type { Bench, Figure, Goal, Prepared } from '../framework/bench.ts';
import type { Delivered } from './nodes.ts';
import type { Measured } from './phase.ts';

const GOALS: Readonly<Record<string, Goal>> = {
  signed_rate: '>= 1.4',
  opaque_round_trip: '<= 0.5',
  relayed_rate: '>= 10',
};

/**
 * Envelopes from peer to peer and over a hub, beside js-libp2p on one persistent stream (TCP, Noise, Yamux, its relay
 * without limits). `signed` is written, signed, sent, decoded, checked, verified and answered by the same code on both
 * sides; `opaque` and `relayed` move bytes of the same length, which is where transports differ. `wire_nodes` is the
 * same between two whole nodes, which also write every envelope, acknowledgement and report down; nothing to compare
 * it with does that.
 */
export const bench: Bench<readonly [Prepared<Measured>, Prepared<Delivered>]> = {
  name: 'wire',
  summary: 'envelopes between peers and over a hub beside js-libp2p',
  rivals: true,
  async prepare({ quick, folder, prepared }) {
    const peers = await prepared<Measured>('wire/phase.ts', quick ? [3, 1_000, 60] : [7, 10_000, 1_000]);
    const numbers = quick ? [3, 150, 12] : [5, 5_000, 300];
    return [peers, await prepared<Delivered>('wire/nodes.ts', [folder(), ...numbers])];
  },
  async run(_context, [peers, nodes]) {
    return [...besideLibp2p(await peers()), ...betweenNodes(await nodes())];
  },
};

function besideLibp2p(measured: Measured): Figure[] {
  return Object.entries(measured).map(([name, { ours, libp2p }]) => {
    const unit = name.endsWith('rate') ? 'per_s' : 'us';
    return {
      name: `wire_${name}`,
      value: ours.value / libp2p.value,
      ...(GOALS[name] && { goal: GOALS[name] }),
      unit: 'ratio',
      from: {
        [`ours_${unit}`]: ours.value,
        [`libp2p_${unit}`]: libp2p.value,
        ours_cpu_us: ours.cpu,
        libp2p_cpu_us: libp2p.cpu,
      },
    };
  });
}

function betweenNodes(delivered: Delivered): Figure[] {
  return Object.entries(delivered).map(([adapter, { rate, trip, cpu }]) => ({
    name: `wire_nodes_${adapter}`,
    value: rate,
    unit: 'envelopes/s',
    from: { round_trip_us: trip, cpu_us: cpu },
  }));
}

import type { Bench, Figure, Goal, Prepared } from '../framework/bench.ts';
import type { Measured } from './phase.ts';

const GOALS: Readonly<Record<string, Goal>> = {
  signed_rate: '>= 1.4',
  opaque_round_trip: '<= 0.5',
  relayed_rate: '>= 10',
};

/**
 * Envelopes from peer to peer and over a hub, beside js-libp2p on one persistent stream (TCP, Noise, Yamux, its relay
 * without limits). `signed` is written, signed, sent, decoded, checked, verified and answered by the same code on both
 * sides; `opaque` and `relayed` move bytes of the same length, which is where transports differ.
 */
export const bench: Bench<Prepared<Measured>> = {
  name: 'wire',
  summary: 'envelopes between peers and over a hub beside js-libp2p',
  rivals: true,
  prepare: ({ quick, prepared }) => prepared<Measured>('wire/phase.ts', quick ? [3, 800, 100] : [7, 10_000, 1_000]),
  async run(_context, measure) {
    return besideLibp2p(await measure());
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

import type { Bench } from '../framework/bench.ts';
import type { Sold } from './phase.ts';

/** Calls that are sold by x402, beside the same route for nothing. */
export const bench: Bench = {
  name: 'x402',
  thorough: true,
  summary: 'calls sold by x402 on a localnet, and their offers, beside the same route unguarded',
  async run({ quick, phase }) {
    const { sold, offers, open, wait } = await phase<Sold>('x402/phase.ts', quick ? [2, 48] : [6, 96]);
    return [
      { name: 'x402_sold', value: sold, unit: 'calls/s', from: { unguarded_per_s: open, ms_per_call: wait } },
      { name: 'x402_sold_share', value: sold / open, unit: 'of unguarded calls' },
      { name: 'x402_offers', value: offers, unit: 'answers with 402/s', from: { unguarded_per_s: open } },
      { name: 'x402_offers_share', value: offers / open, unit: 'of unguarded calls' },
    ];
  },
};

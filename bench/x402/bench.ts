import type { Bench } from '../framework/bench.ts';
import type { Bought } from './buying-phase.ts';
import type { Sold } from './phase.ts';

/** Calls that are sold by x402, beside the same route for nothing; and what a node pays by x402, beside bare transfers. */
export const bench: Bench = {
  name: 'x402',
  thorough: true,
  summary:
    'calls sold by x402 on a localnet beside the same route unguarded, and payments by x402 beside bare transfers',
  async run({ quick, phase }) {
    const { sold, offers, open, wait } = await phase<Sold>('x402/phase.ts', quick ? [2, 48] : [6, 96]);
    const { bought, bare, wait: each } = await phase<Bought>('x402/buying-phase.ts', quick ? [2, 48] : [4, 96]);
    return [
      { name: 'x402_sold', value: sold, unit: 'calls/s', from: { unguarded_per_s: open, ms_per_call: wait } },
      { name: 'x402_sold_share', value: sold / open, unit: 'of unguarded calls' },
      { name: 'x402_offers', value: offers, unit: 'answers with 402/s', from: { unguarded_per_s: open } },
      { name: 'x402_offers_share', value: offers / open, unit: 'of unguarded calls' },
      {
        name: 'x402_bought',
        value: bought,
        unit: 'payments/s',
        from: { bare_transfers_per_s: bare, ms_per_payment: each },
      },
      { name: 'x402_bought_share', value: bought / bare, unit: 'of bare transfers' },
    ];
  },
};

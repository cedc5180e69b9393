import type { Bench } from '../framework/bench.ts';
import type { Settled } from './phase.ts';

/** Transactions of one life cycle: lock, deliver, approve. */
const STEPS = 3;

/** Escrows through two whole nodes, beside bare transfers of the same token on the same cluster. */
export const bench: Bench = {
  name: 'escrow',
  thorough: true,
  summary: 'escrow life cycles through two nodes beside bare USDC transfers on the same localnet',
  async run({ quick, phase }) {
    const { cycles, transfers, settled, wait } = await phase<Settled>('escrow/phase.ts', quick ? [1, 16] : [4, 40]);
    return [
      {
        name: 'escrow_cycles',
        value: cycles,
        unit: 'life cycles/s',
        from: { transactions_per_s: STEPS * cycles, bare_transfers_per_s: transfers, ms_per_cycle: wait },
      },
      { name: 'escrow_share', value: (STEPS * cycles) / transfers, unit: 'of bare transfers' },
      {
        name: 'settled_deals',
        value: settled,
        unit: 'deals/s',
        from: { transactions_per_s: STEPS * settled, bare_transfers_per_s: transfers },
      },
      { name: 'settled_share', value: (STEPS * settled) / transfers, unit: 'of bare transfers' },
    ];
  },
};

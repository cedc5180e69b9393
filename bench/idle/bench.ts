import type { Bench } from '../framework/bench.ts';
import type { IdleCalls } from './phase.ts';

/** What a node asks of its RPC while nothing happens: public RPCs are paid for by the call. */
export const bench: Bench = {
  name: 'idle',
  thorough: true,
  summary: "calls of an idle node to its ledger's RPC, with a stake and without",
  async run({ quick, phase }) {
    const { staked, unstaked } = await phase<IdleCalls>('idle/phase.ts', [quick ? 60 : 240]);
    const [all, bare] = [sum(staked), sum(unstaked)];
    return [
      { name: 'idle_rpc_calls', value: all, goal: '<= 1500', unit: 'calls/hour', from: named(staked) },
      {
        name: 'idle_rpc_calls_of_stake',
        value: all - bare,
        goal: '<= 600',
        unit: 'calls/hour',
        from: { staked_per_hour: all, unstaked_per_hour: bare },
      },
    ];
  },
};

function sum(calls: Readonly<Record<string, number>>): number {
  return Object.values(calls).reduce((total, count) => total + count, 0);
}

function named(calls: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(calls).map(([method, count]) => [`${method}_per_hour`, count]));
}

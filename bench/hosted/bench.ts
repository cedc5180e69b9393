import type { Bench } from '../framework/bench.ts';
import type { HostedCosts } from './phase.ts';

/** What agents cost a node that nobody uses: a host keeps a thousand of them, most of which are away. */
export const bench: Bench = {
  name: 'hosted',
  thorough: true,
  summary: 'memory and timers of hosted agents at rest',
  async run({ quick, phase }) {
    const { agents, bytes, timers, awake, added_ms, told_ms } = await phase<HostedCosts>('hosted/phase.ts', [
      quick ? 200 : 1_000,
    ]);
    const from = { agents, heap_bytes: bytes, awake, added_ms, told_ms };
    return [
      { name: 'hosted_idle_kilobytes', value: bytes / agents / 1_000, goal: '<= 20', unit: 'kB/agent', from },
      { name: 'hosted_idle_timers', value: timers, goal: '<= 5', unit: 'timers', from: { agents } },
    ];
  },
};

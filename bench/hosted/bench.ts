import type { Bench } from '../framework/bench.ts';
import type { HostedCosts } from './phase.ts';
import type { Replay } from './replay.ts';
import type { Sends } from './sends.ts';
import type { Wake } from './wake.ts';

/** Messages of each side in a round. */
const MESSAGES = 140;

/** A host keeps a thousand agents, most of which are away: their cost while nobody uses them. Then its sends, and how agents come back. */
export const bench: Bench = {
  name: 'hosted',
  thorough: true,
  summary: 'hosted agents at rest and writing, replay of a large inbox, from wake to drained',
  async run({ quick, phase }) {
    const count = quick ? 200 : 1_000;
    const { agents, bytes, timers, awake, added_ms, told_ms } = await phase<HostedCosts>('hosted/phase.ts', [count]);
    const sends = await phase<Sends>('hosted/sends.ts', [count, MESSAGES]);
    const letters = quick ? 10_000 : 100_000;
    const replay = await phase<Replay>('hosted/replay.ts', [letters]);
    const wake = await phase<Wake>('hosted/wake.ts', [quick ? 1 : 3]);
    const from = { agents, heap_bytes: bytes, awake, added_ms, told_ms };
    return [
      { name: 'hosted_idle_kilobytes', value: bytes / agents / 1_000, goal: '<= 20', unit: 'kB/agent', from },
      { name: 'hosted_idle_timers', value: timers, goal: '<= 5', unit: 'timers', from: { agents } },
      {
        name: 'hosted_sends',
        value: sends.hosted / sends.own,
        unit: "of the own agent's sends",
        from: { agents: count, hosted_per_s: sends.hosted, own_per_s: sends.own, registered_ms: sends.registered_ms },
      },
      {
        name: 'inbox_replay',
        value: replay.stream,
        unit: 'letters/s',
        from: { letters, pages_per_s: replay.pages, start_ms: replay.start_ms, peak_mb: replay.peak_mb },
      },
      {
        name: 'wake_drained',
        value: wake.ms,
        unit: 'ms',
        from: { queued: 100, longest_ms: wake.longest_ms, start_ms: wake.start_ms },
      },
    ];
  },
};

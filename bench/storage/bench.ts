import { join } from 'node:path';
import type { Bench, Figure } from '../framework/bench.ts';
import type { Loaded, Recovered } from './phase.ts';

const FEW = 5_000;

/**
 * What the storage does per second, how long it makes everybody else wait, and how fast it starts again. One record is
 * one transaction as the aggregator makes them: a conversation document that expires, an agent's document with a rank, a
 * log record with two postings, and a counter.
 */
export const bench: Bench = {
  name: 'storage',
  summary: 'transactions, stalls, memory and recovery of the storage alone',
  onDemand: true,
  async run({ events, folder, phase }) {
    const dir = folder();
    const records = events.large;
    const load = (adapter: string, to: string, count: number, tasks: number, from = 0) =>
      phase<Loaded>('storage/phase.ts', ['load', adapter, join(dir, to), count, tasks, from]);
    return [
      ...loaded('storage_memory_64', await load('memory', '', Math.min(records, 100_000), 64)),
      ...loaded('storage_lowdb_1', await load('lowdb', 'one', FEW, 1)),
      ...loaded('storage_lowdb_64', await load('lowdb', 'many', records, 64)),
      ...recovered(await phase<Recovered>('storage/phase.ts', ['recover', 'lowdb', join(dir, 'many'), records])),
      ...loaded('storage_lowdb_full_64', await load('lowdb', 'many', Math.min(records, 100_000), 64, records)),
    ];
  },
};

function loaded(
  name: string,
  { commits_per_second, cpu_microseconds_per_commit, wait, stall, heap }: Loaded,
): Figure[] {
  const from = {
    cpu_us_per_commit: cpu_microseconds_per_commit,
    p50_ms: wait.p50,
    p99_ms: wait.p99,
    most_ms: wait.most,
  };
  const { clock, cpu = 0, garbage, over20, over50 } = stall;
  const stalls = { cpu_ms: cpu, garbage_ms: garbage, over_20_ms: over20, over_50_ms: over50, heap_mb: heap };
  return [
    { name, value: commits_per_second, unit: 'commits/s', from },
    { name: `${name}_stall`, value: clock, unit: 'ms', from: stalls },
  ];
}

function recovered({ took, cpu, megabytes, cold_page, heap, heap_per_record }: Recovered): Figure[] {
  const from = { cpu_ms: cpu, disk_mb: megabytes, cold_page_ms: cold_page, heap_bytes_per_record: heap_per_record };
  return [
    { name: 'storage_recovery', value: took, unit: 'ms', from },
    { name: 'storage_heap', value: heap, unit: 'MB' },
  ];
}

import type { Bench, Figure } from '../framework/bench.ts';
import type { Filled } from './fill.ts';
import type { Served } from './phase.ts';
import { ROUTES, type Route } from './routes.ts';

/** Filling is not measured: fewer collections make it a fifth faster. */
const LARGE_NURSERY = ['--max-semi-space-size=64'];

/** A whole aggregator on a small and a large store: reads beside a bare koa, start, memory, recovery. */
export const bench: Bench<readonly string[]> = {
  name: 'serve',
  summary: 'reads beside a bare koa, start, memory and recovery of the aggregator',
  async prepare({ events, folder, phase, say }) {
    const fill = async (count: number) => {
      const dir = folder();
      const began = performance.now();
      const { agents, events: held } = await phase<Filled>('serve/fill.ts', [dir, count], { node: LARGE_NURSERY });
      say(`  filled a store with ${held} events in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
      return JSON.stringify({ dir, agents: agents.slice(0, 200) });
    };
    return Promise.all([fill(events.small), fill(events.large)]);
  },
  async run({ quick, phase }, stores) {
    const served = await phase<Served>('serve/phase.ts', [quick ? 250 : 3_000, ...stores]);
    return [...ROUTES.flatMap((route) => readFigures(route, served)), ...sizeFigures(served)];
  },
};

function readFigures(route: Route, { small, large }: Served): Figure[] {
  const [few, many] = [small.routes[route], large.routes[route]];
  const rate = (name: string, { per_s, bare_per_s, cpu, bare_cpu, bytes }: typeof few): Figure => ({
    name,
    value: per_s / bare_per_s,
    goal: '>= 0.7',
    unit: 'of a bare koa route',
    from: { per_s, bare_per_s, cpu_us: cpu, bare_cpu_us: bare_cpu, bytes },
  });
  return [
    rate(`read_${route}_small`, few),
    rate(`read_${route}_large`, many),
    {
      name: `read_${route}_p99`,
      value: many.p99 / few.p99,
      goal: '<= 1.5',
      unit: 'of p99 at the small store',
      from: { large_ms: many.p99, small_ms: few.p99, bare_ms: few.bare_p99 },
    },
  ];
}

function sizeFigures({ small, large }: Served): Figure[] {
  const megabytes = (bytes: number) => bytes / 2 ** 20;
  return [
    { name: 'start', value: small.ready / 1_000, goal: '<= 1', unit: 's' },
    { name: 'recovery', value: large.ready / 1_000, goal: '<= 5', unit: 's' },
    {
      name: 'memory_small',
      value: megabytes(small.resident),
      unit: 'MB',
      from: { heap_mb: megabytes(small.heap), live_mb: megabytes(small.live) },
    },
    {
      name: 'memory_large',
      value: megabytes(large.resident),
      goal: '<= 350',
      unit: 'MB',
      from: { heap_mb: megabytes(large.heap), live_mb: megabytes(large.live) },
    },
  ];
}

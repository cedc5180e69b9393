import type { Bench } from '../framework/bench.ts';
import type { Calls } from './calls.ts';
import { clientBytes } from './client-bytes.ts';
import type { Resumed } from './cuts.ts';

/** The doors of agents: calls over MCP and A2A beside the same read over the plain API, the client's bytes, and a stream over a line that is cut. */
export const bench: Bench = {
  name: 'doors',
  thorough: true,
  summary: 'calls over MCP and A2A beside the plain API, the bytes of the client, and a stream that resumes after cuts',
  async run({ quick, phase }) {
    const { mcp, deals, a2a, deal } = await phase<Calls>('doors/calls.ts', [quick ? 500 : 2_000, quick ? 3 : 7]);
    const client = await clientBytes();
    const { cuts, frames, missing, seconds } = await phase<Resumed>('doors/cuts.ts', [quick ? 30 : 1_000]);
    return [
      { name: 'doors_mcp', value: mcp / deals, unit: 'of the plain route', from: { per_s: mcp, plain_per_s: deals } },
      { name: 'doors_a2a', value: a2a / deal, unit: 'of the plain route', from: { per_s: a2a, plain_per_s: deal } },
      {
        name: 'doors_client_bytes',
        value: client.gzip,
        goal: '<= 15360',
        unit: 'bytes, gzip',
        exact: true,
        from: { minified_bytes: client.minified },
      },
      {
        name: 'doors_stream_missing',
        value: missing,
        goal: '<= 0',
        unit: 'frames missed or twice',
        from: { cuts, frames, ms_per_cut: (seconds * 1_000) / cuts },
      },
    ];
  },
};

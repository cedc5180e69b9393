import assert from 'node:assert/strict';
import { definePlugin } from '../../core/plugin.ts';
import { eventually } from '../support/eventually.ts';
import { testNode } from '../support/node.ts';

describe('jobs', () => {
  it('do not overlap, and a failing one is counted and shown as degraded', async () => {
    let runs = 0;
    let open = 0;
    let most = 0;
    let failing = true;
    const worker = definePlugin({
      name: 'worker',
      api: '2.0',
      node: {
        setup: () => ({
          jobs: [
            {
              name: 'tick',
              every: 2,
              first: 0,
              async run() {
                most = Math.max(most, ++open);
                await new Promise((resolve) => setTimeout(resolve, 10));
                open -= 1;
                runs += 1;
                if (failing) throw new Error('upstream is away');
              },
            },
          ],
        }),
      },
    });
    const node = await testNode({ plugins: [worker] });
    const health = async () => ((await (await fetch(`${node.url}/health`)).json()) as any).plugins.worker;
    await eventually(() => runs >= 3);
    assert.deepEqual(await health(), { state: 'degraded', detail: 'the job tick failed' });
    failing = false;
    await eventually(() => runs >= 6);
    assert.deepEqual(await health(), { state: 'ok' });
    assert.equal(most, 1);
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    assert.match(metrics, /mesh_job_runs_total\{plugin="worker",job="tick",result="failed"\} \d/);
    await node.stop();
  });
});

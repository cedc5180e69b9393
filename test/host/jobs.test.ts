import assert from 'node:assert/strict';
import { definePlugin, type Job } from '../../core/plugin.ts';
import { eventually } from '../support/eventually.ts';
import { testNode } from '../support/node.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';

/** Five seconds, which a job gets at stop, pass in a tenth of one. */
class Shortened extends ShiftedClock {
  override after(ms: number, run: () => void): () => void {
    return super.after(ms === 5_000 ? 100 : ms, run);
  }
}

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

  const wrong: [string, unknown, RegExp][] = [
    ['are no list', { name: 'tick' }, /jobs that are no list/],
    ['hold none', [null], /a job that is no object/],
    ['have no name', [{ every: 1, run() {} }], /a job that has no name/],
    ['never run again', [{ name: 'tick', run() {} }], /a job tick that does not say .* \(`every`\)/],
    ['run again at once', [{ name: 'tick', every: 0, run() {} }], /a job tick that does not say/],
    ['have no function', [{ name: 'tick', every: 1, run: 'now' }], /a job tick that has no function `run`/],
    ['vary too much', [{ name: 'tick', every: 1, jitter: 2, run() {} }], /a `jitter` that is not from 0 to 1/],
    ['begin never', [{ name: 'tick', every: 1, first: Number.NaN, run() {} }], /a `first` that is no number/],
    ['share a name', [1, 2].map((every) => ({ name: 'tick', every, run() {} })), /two jobs tick/],
  ];
  const withJobs = (jobs: unknown) =>
    definePlugin({ name: 'worker', api: '2.0', node: { setup: () => ({ jobs: jobs as Job[] }) } });
  for (const [how, jobs, said] of wrong) {
    it(`that ${how} are named with their plugin`, async () => {
      const refused = await testNode({ plugins: [withJobs(jobs)] }).then(String, (error: Error) => error.message);
      assert.match(refused, new RegExp(`worker: setup failed: .*${said.source}`));
    });
  }

  it('of a wrong shape leave out an optional plugin, and the node goes on', async () => {
    const settings = { plugins: { worker: { optional: true } } };
    const node = await testNode({ plugins: [withJobs('all day')], settings });
    const { plugins } = (await (await fetch(`${node.url}/health`)).json()) as any;
    assert.equal(plugins.worker.state, 'out');
    assert.match(plugins.worker.detail, /setup failed: setup returned jobs that are no list/);
    assert.deepEqual(await node.stop(), []);
  });

  it('that hang are named at /health and at stop, and hold up nobody', async () => {
    const clock = new Shortened();
    let ticks = 0;
    const never = () => new Promise<void>(() => {});
    const job = (name: string, run: () => Promise<void>, more = {}) => ({ name, every: 5, first: 0, run, ...more });
    const stuck = definePlugin({
      name: 'stuck',
      api: '2.0',
      node: { setup: () => ({ jobs: [job('upload', never)] }) },
    });
    const well = definePlugin({
      name: 'well',
      api: '2.0',
      node: {
        setup: () => ({
          jobs: [
            job('tick', async () => {
              ticks += 1;
            }),
            job(
              'follow',
              (async (signal: AbortSignal) => {
                await new Promise((resolve) => signal.addEventListener('abort', resolve));
              }) as () => Promise<void>,
              { endless: true },
            ),
          ],
        }),
      },
    });
    const node = await testNode({ plugins: [stuck, well], clock });
    const health = async () => ((await (await fetch(`${node.url}/health`)).json()) as any).plugins;
    await eventually(() => ticks > 2);
    assert.deepEqual((await health()).stuck, { state: 'ok' });
    clock.shift(601_000);
    await eventually(async () => (await health()).stuck.state === 'degraded');
    assert.deepEqual((await health()).stuck, {
      state: 'degraded',
      detail: 'the job upload has been running for more than 10 minutes',
    });
    assert.deepEqual((await health()).well, { state: 'ok' });
    const before = ticks;
    await eventually(() => ticks > before);
    assert.deepEqual(await node.stop(), [
      { where: 'stuck', what: 'the job upload was left behind: it did not finish within 5 seconds' },
    ]);
  });
});

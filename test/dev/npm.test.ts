import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { isFree, MeshProcess, ownPorts } from '../support/mesh-process.ts';
import { processesOfGroup } from '../support/process-group.ts';

describe('npm start', function () {
  this.timeout(90_000);
  let npm: MeshProcess;

  beforeEach(async () => {
    npm = new MeshProcess(['start', '--', '--json', ...(await ownPorts())], { by: 'npm' });
  });

  afterEach(() => npm.kill());

  it('stops cleanly at Ctrl-C, which reaches every process of the group', async () => {
    await ready();
    await tell('step');
    const start = performance.now();
    process.kill(-npm.pid, 'SIGINT');
    await npm.ended;
    assert.ok(performance.now() - start < 9_000);
    assert.equal(events().at(-1)?.event, 'stopped');
    assert.deepEqual(processesOfGroup(npm.pid), []);
  });

  it('leaves nothing behind when npm is killed: the mesh ends by itself', async () => {
    const { state, aggregator } = await ready();
    await tell('step');
    process.kill(npm.pid, 'SIGKILL');
    const end = performance.now() + 6_000;
    while (processesOfGroup(npm.pid).length > 0 && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(processesOfGroup(npm.pid), []);
    assert.equal(existsSync(state), false);
    assert.ok(await isFree(Number(new URL(aggregator).port)));
  });

  /** What npm itself prints stands above the first event. */
  function events(): { event: string; [name: string]: any }[] {
    const lines = npm.out.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line));
  }

  async function tell(event: string) {
    await npm.until(() => events().some((one) => one.event === event), event);
    return events().find((one) => one.event === event)!;
  }

  async function ready(): Promise<{ state: string; aggregator: string }> {
    const { state, aggregator } = await tell('ready');
    return { state, aggregator };
  }
});

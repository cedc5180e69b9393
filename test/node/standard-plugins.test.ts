import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import type { Profile } from '../../core/plugin.ts';
import { plugins, standard } from '../../plugins/index.ts';

const parts = { adapters, plugins, standard };

/** Which of them are switched on, each way once: none, all, each alone, all but one, two by two. */
function combinations(names: readonly string[]): string[][] {
  const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other]));
  const sets = [
    [],
    [...names],
    ...names.map((name) => [name]),
    ...names.map((out) => names.filter((name) => name !== out)),
    ...pairs,
  ];
  return [...new Map(sets.map((set) => [set.join(), set])).values()];
}

for (const profile of ['node', 'aggregator'] as const satisfies Profile[]) {
  describe(`a${profile === 'node' ? ' node' : 'n aggregator'} with some of its standard plugins`, function () {
    this.timeout(30_000);
    let dataDir = '';
    before(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'mesh-standard-'));
    });
    after(() => rm(dataDir, { recursive: true, force: true }));
    const start = (lines: object, more: object = {}) => {
      const value = { profile, listen: '127.0.0.1:0', dataDir, storage: { use: 'memory' }, plugins: lines, ...more };
      return startNode({ parts, config: { value }, log: silentLog, grace: 200 });
    };

    for (const on of combinations(standard[profile]))
      it(`is ready with ${on.join(', ') || 'none of them'}`, async () => {
        const off = standard[profile].filter((name) => !on.includes(name));
        const node = await start(Object.fromEntries(off.map((name) => [name, false])));
        try {
          const ready = await fetch(`${node.url}/ready`);
          const { status, plugins: states } = (await ready.json()) as any;
          assert.deepEqual([ready.status, status], [200, 'ok'], JSON.stringify(states));
          assert.deepEqual(
            standard[profile].filter((name) => states[name] !== undefined),
            standard[profile].filter((name) => on.includes(name)),
          );
        } finally {
          assert.deepEqual(await node.stop(), []);
        }
      });

    it('is refused with the line to write where its settings stand in core', async () => {
      const [name] = standard[profile];
      const error = await start({}, { core: { [name!]: {} } }).then(
        () => assert.fail('it booted'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof BootError, String(error));
      assert.ok(error.message.includes(`core.${name}: ${name} is a plugin now`), error.message);
      assert.ok(error.message.includes(`move the line: "plugins": { "${name}": {} }`), error.message);
    });
  });
}

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';

const SOURCE = `import { definePlugin, appendLog, route, type AppendLog, typed } from 'agent-mesh/plugin';
import { Clock } from 'agent-mesh/services';
import { NodeClient, AggregatorClient } from 'agent-mesh';
import { testNode } from 'agent-mesh/testing';
import type { StorageAdapter } from 'agent-mesh/storage';
import { adapters } from 'agent-mesh/adapters';
export type Kept = StorageAdapter;
export const entries: AppendLog<{ readonly text: string }> = appendLog('entries', { schema: () => [] });
export const plugin = definePlugin({
  name: 'sample',
  api: '2.0',
  node: {
    uses: { clock: Clock },
    routes: { now: route('GET /now', { auth: 'open', summary: 'Now.', reply: typed<number>({ type: 'integer' }) }) },
    setup: ({ clock }) => ({ routes: { now: () => clock.now() } }),
  },
});
export const clients = [NodeClient, AggregatorClient, testNode, adapters];
`;

interface Locked {
  readonly dev?: boolean;
}

describe('the types of the package', function () {
  this.timeout(120_000);
  let folder = '';

  before(async () => {
    const built = spawnSync(
      process.execPath,
      ['-e', "import('./bin/prepare.js').then(({ build }) => build({ declarations: true }))"],
      {
        cwd: packageRoot,
      },
    );
    assert.equal(built.status, 0, String(built.stderr));
    folder = await mkdtemp(join(tmpdir(), 'mesh-types-'));
    const lock = JSON.parse(await readFile(join(packageRoot, 'package-lock.json'), 'utf8'));
    const own = Object.entries(lock.packages as Record<string, Locked>)
      .filter(([path, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev)
      .map(([path]) => path);
    await mkdir(join(folder, 'node_modules'));
    for (const path of own) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await symlink(join(packageRoot, path), join(folder, path));
    }
    await symlink(packageRoot, join(folder, 'node_modules/agent-mesh'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'plugin.ts'), SOURCE);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('are whole with what an installation brings along, without any other package', () => {
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--preserveSymlinks'];
    const tsc = join(packageRoot, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, ...flags, 'plugin.ts'], { cwd: folder, encoding: 'utf8' });
    const ours = stdout.split('\n').filter((line) => /^(plugin\.ts|node_modules\/agent-mesh\/)/.test(line));
    assert.deepEqual(ours, []);
  });
});

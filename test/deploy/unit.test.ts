import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { eventually } from '../support/eventually.ts';
import { freePort, MeshProcess } from '../support/mesh-process.ts';
import { findProgram } from './programs.ts';

const NAME = 'agent-mesh@.service';

describe('deploy/agent-mesh@.service', function () {
  this.timeout(60_000);
  let folder = '';
  let unit = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-unit-'));
    unit = await readFile(join(packageRoot, 'deploy', NAME), 'utf8');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** The value of a key that the unit sets once. */
  function value(key: string): string {
    const found = [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))];
    assert.equal(found.length, 1, key);
    return found[0]![1]!;
  }

  it('is understood by systemd, which finds it safe', async function () {
    const analyze = findProgram('systemd-analyze');
    if (analyze === undefined) return this.skip();
    const file = join(folder, NAME);
    await writeFile(file, unit.replace('/usr/local/bin/mesh', '/bin/true'));
    const verified = spawnSync(analyze, ['verify', file], { encoding: 'utf8' });
    assert.deepEqual([verified.status, verified.stderr], [0, '']);
    const rated = spawnSync(analyze, ['security', '--offline=true', '--threshold=20', '--no-pager', file], {
      encoding: 'utf8',
    });
    assert.equal(rated.status, 0, rated.stdout);
  });

  it('lets V8 have memory keys, which it asks for at its start, and ends Node for no other call', () => {
    assert.match(unit, /^SystemCallFilter=@system-service @pkey$/m);
    assert.equal(value('SystemCallErrorNumber'), 'EPERM');
  });

  it('starts with a command line that works, and stops in order within its time', async () => {
    const [program, ...args] = value('ExecStart').split(' ');
    assert.equal(program, '/usr/local/bin/mesh');
    const settings = JSON.parse(await readFile(join(packageRoot, 'deploy/aggregator.json'), 'utf8'));
    const port = await freePort();
    const dataDir = settings.dataDir.replace(/^\/var\/lib\/agent-mesh/, folder);
    await writeFile(join(folder, 'main.json'), JSON.stringify({ ...settings, dataDir, listen: `127.0.0.1:${port}` }));
    const own = args.map((arg) => arg.replace('/etc/agent-mesh/%i', join(folder, 'main')));
    const mesh = new MeshProcess(own);
    try {
      await eventually(async () => (await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined))?.ok === true);
      mesh.child.kill('SIGHUP');
      await mesh.until(() => mesh.out.includes('configuration'), 'a line about the configuration');
      const { code, ms } = await mesh.stop();
      assert.equal(code, 0, mesh.err);
      assert.ok(ms < Number(value('TimeoutStopSec')) * 1_000);
    } finally {
      await mesh.kill();
    }
  });
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { eventually } from '../support/eventually.ts';
import { freePort, MeshProcess, runMesh } from '../support/mesh-process.ts';

describe('docs/operate.md', function () {
  this.timeout(120_000);
  let page = '';
  let folder = '';
  before(async () => {
    page = await readFile(join(packageRoot, 'docs/operate.md'), 'utf8');
    folder = await mkdtemp(join(tmpdir(), 'mesh-operate-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('names files of deploy/ that are there', () => {
    const named = [...page.matchAll(/deploy\/[\w./@-]*\w/g)].map(([path]) => path);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((path) => !existsSync(join(packageRoot, path))),
      [],
    );
  });

  it('leaves the optional packages out where npm heeds it: a global install takes them all the same', async () => {
    const image = await readFile(join(packageRoot, 'deploy/Dockerfile'), 'utf8');
    const installs = `${page}\n${image}`.match(/npm install -.*(agent-mesh|tgz).*/g) ?? [];
    assert.equal(installs.length, 3);
    for (const line of installs) assert.match(line, /^npm install --prefix \/opt\/agent-mesh --omit=optional /);
  });

  it('has a drill that brings a backup back', async () => {
    const commands = [...page.matchAll(/^(?:runuser -u agent-mesh -- )?mesh ((?:backup|restore|check|doctor) .*)$/gm)];
    const lines = commands.map(([, line]) => line!.replace(/\s*#.*/, ''));
    const drill = [
      lines.find((line) => line.startsWith('backup'))!,
      lines.find((line) => line.startsWith('restore'))!,
      lines.find((line) => line.startsWith('check --config /tmp'))!,
    ];
    const settings = JSON.parse(await readFile(join(packageRoot, 'deploy/node.json'), 'utf8'));
    const port = await freePort();
    const own = { ...settings, listen: `127.0.0.1:${port}`, mesh: {} };
    await writeFile(join(folder, 'node.json'), JSON.stringify({ ...own, dataDir: join(folder, 'data') }));
    await writeFile(join(folder, 'drill.json'), JSON.stringify({ ...own, dataDir: join(folder, 'drill') }));
    await mkdir(join(folder, 'backups'));
    const agentOf = async (config: string) => {
      const node = new MeshProcess(['start', '--config', config]);
      try {
        const url = `http://127.0.0.1:${port}`;
        await eventually(async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true);
        return ((await (await fetch(`${url}/identity`)).json()) as { agent_id: string }).agent_id;
      } finally {
        await node.stop();
      }
    };
    const agent = await agentOf(join(folder, 'node.json'));
    for (const line of drill) {
      const args = line
        .replaceAll('/var/backups/agent-mesh', join(folder, 'backups'))
        .replaceAll('/etc/agent-mesh', folder)
        .replaceAll('/tmp/drill', join(folder, 'drill'))
        .split(' ');
      const { code, err } = await runMesh(args);
      assert.equal(code, 0, `${line}: ${err}`);
    }
    assert.equal(await agentOf(join(folder, 'drill.json')), agent);
  });
});

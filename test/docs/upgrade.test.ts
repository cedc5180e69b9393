import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mesh } from '../cli/terminal.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('docs/upgrade.md', function () {
  this.timeout(60_000);

  it('its commands do what they say, on the data folder of an earlier build', async () => {
    const page = await readFile(join(ROOT, 'docs/upgrade.md'), 'utf8');
    const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!.trim());
    const commands = blocks.flatMap((block) => block.split('\n')).map((line) => line.split('#')[0]!.trim());
    assert.deepEqual(
      commands.map((line) => line.split(' ')[line.startsWith('mesh') ? 1 : 0]),
      ['cp', 'doctor', 'restore', 'export', 'import'],
    );
    const folder = await mkdtemp(join(tmpdir(), 'mesh-upgrade-'));
    const here = process.cwd();
    try {
      execFileSync('tar', ['-xzf', join(ROOT, 'test/storage/formats/node-untied-ended.tar.gz'), '-C', folder]);
      execFileSync('mv', [join(folder, 'node-untied-ended'), join(folder, 'data')]);
      const config = { listen: '127.0.0.1:0', dataDir: './data', network: { id: 'mesh-tests' }, plugins: {} };
      await writeFile(join(folder, 'plugins.json'), JSON.stringify(config));
      await writeFile(join(folder, 'elsewhere.json'), JSON.stringify({ ...config, dataDir: './elsewhere' }));
      process.chdir(folder);
      for (const line of commands) {
        const [program, ...args] = line.split(' ');
        if (program === 'cp') {
          execFileSync(program, args);
          continue;
        }
        const { code, out, error } = await mesh(args);
        assert.equal(code, 0, `${line}: ${error}${out}`);
      }
    } finally {
      process.chdir(here);
      await rm(folder, { recursive: true });
    }
  });

  it('names every format for which a store is kept', async () => {
    const page = await readFile(join(ROOT, 'docs/upgrade.md'), 'utf8');
    for (const format of ['format 1', 'Format 2', 'Format 3', 'do not show who pays', 'An aggregator of then'])
      assert.ok(page.includes(format), format);
  });
});

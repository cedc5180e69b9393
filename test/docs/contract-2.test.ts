import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { mesh } from '../cli/terminal.ts';

/** The example of contract 1, as it was. */
const OLD = `import { definePlugin, route, typed } from 'agent-mesh/plugin';
import { Clock } from 'agent-mesh/ports';
export default definePlugin({
  name: 'hello',
  api: '1.0',
  node: {
    uses: { clock: Clock },
    routes: { now: route('GET /hello', { auth: 'open', reply: typed({ type: 'integer' }) }) },
    setup: ({ clock }) => ({ routes: { now: () => clock.now() } }),
  },
});
`;
const manifest = (api: string) =>
  JSON.stringify({ name: 'hello', version: '1.0.0', type: 'module', mesh: { plugin: './index.js', api } });

describe('docs/plugin-guide.md, from contract 1 to 2', function () {
  this.timeout(120_000);
  let folder = '';
  before(async () => {
    const built = ['-e', "import('./bin/prepare.js').then(({ build }) => build({ declarations: true }))"];
    assert.equal(spawnSync(process.execPath, built, { cwd: packageRoot }).status, 0);
    folder = await mkdtemp(join(tmpdir(), 'mesh-moved-'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(packageRoot, join(folder, 'node_modules/agent-mesh'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function checked(name: string, api: string, source: string) {
    const home = join(folder, name);
    await mkdir(home);
    await writeFile(join(home, 'package.json'), manifest(api));
    await writeFile(join(home, 'index.js'), source);
    return mesh(['check', home]);
  }

  it('a plugin of contract 1 is refused with the section that moves it, and keeps contract 2 once it is moved', async () => {
    const page = await readFile(join(packageRoot, 'docs/plugin-guide.md'), 'utf8');
    const [, section = ''] = /## From contract 1 to 2\n([\s\S]*?)\n## /.exec(page) ?? [];
    const old = await checked('old', '1.0', OLD);
    assert.equal(old.code, 1);
    assert.match(
      old.error,
      /needs plugin API 1\.0, this node offers 2\.2; move it as docs\/plugin-guide\.md says under "From contract 1 to 2"/,
    );

    assert.match(section, /write `api: '2\.0'` in its code and in `mesh\.api` of its `package\.json`/);
    const half = await checked('half', '2.0', OLD);
    assert.match(half.error, /its package\.json says plugin API 2\.0, its code 1\.0/);

    assert.match(section.replaceAll('\n', ' '), /import services from `agent-mesh\/services`/);
    const moved = OLD.replace("api: '1.0'", "api: '2.0'").replace('agent-mesh/ports', 'agent-mesh/services');
    const { code, out, error } = await checked('moved', '2.0', moved);
    assert.deepEqual([code, error], [0, ''], out);
    assert.match(out, /hello keeps the plugin contract\.$/);

    const [, gone = ''] = /([^.]*) are core's own\s+now/.exec(section) ?? [];
    for (const [, service] of gone.matchAll(/`(\w+)`/g)) {
      const source = moved.replaceAll('Clock', service!);
      const refused = await checked(`with-${service}`, '2.0', source);
      assert.match(
        refused.error,
        new RegExp(`agent-mesh/services exports no ${service} at .*/index\\.js:2:10; docs/services\\.md`),
      );
    }
  });
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';

import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { Installed } from './installed.ts';

const SECRET = 'a-secret-for-tests-only';

describe('a plugin as an npm package', function () {
  this.timeout(120_000);
  let place: Installed;
  before(async () => {
    place = await Installed.make();
    await place.write('plugins.json', {
      listen: '127.0.0.1:0',
      api: { secret: SECRET },
      storage: { use: 'memory' },
      plugins: { 'hello-plugin': { greeting: 'Ahoy' } },
    });
  });
  after(() => place?.remove());

  it('is found beside plugins.json by the installed package, and checked', () => {
    const { code, out, error } = place.mesh('check', '--json');
    assert.equal(code, 0, error);
    assert.equal(JSON.parse(out).ok, true);
  });

  it('keeps the plugin contract, as JSON and in words', () => {
    const { code, out, error } = place.mesh('check', 'hello-plugin', '--json');
    assert.equal(code, 0, out + error);
    const facts = JSON.parse(out);
    assert.deepEqual([facts.ok, facts.plugin, facts.version, facts.checks.length], [true, 'hello-plugin', '1.0.0', 8]);
    const words = place.mesh('check', './node_modules/hello-plugin');
    assert.match(words.out, /^ok {5}starts, stops and starts again/m);
    assert.match(words.out, /hello-plugin keeps the plugin contract\.$/m);
  });

  it('runs in a node that `mesh start` boots', async () => {
    const code = await place.started(async (url) => {
      const headers = { authorization: `Bearer ${SECRET}`, connection: 'close' };
      const response = await fetch(`${url}/hello-plugin/Bo`, { method: 'POST', headers });
      assert.equal(response.status, 200);
      assert.equal(((await response.json()) as { text: string }).text, 'Ahoy, Bo!');
    });
    assert.equal(code, 0);
  });

  it('is what `mesh new plugin` starts from: names replaced, types sound, tests green', async () => {
    await rm(join(place.folder, 'weather'), { recursive: true, force: true });
    const { code, out, error } = place.mesh('new', 'plugin', '@acme/weather');
    assert.equal(code, 0, error);
    const manifest = JSON.parse(await readFile(join(place.folder, 'weather/package.json'), 'utf8'));
    assert.equal(manifest.name, '@acme/weather');
    const source = await readFile(join(place.folder, 'weather/index.js'), 'utf8');
    assert.match(source, /route\('POST \/weather\/:name'/);
    assert.doesNotMatch(source, /hello-plugin/);

    assert.deepEqual(manifest.keywords, ['agent-mesh-plugin']);
    const readme = await readFile(join(place.folder, 'weather/README.md'), 'utf8');
    assert.match(readme, /^npm install @acme\/weather$/m);
    assert.match(readme, /"plugins": \{ "@acme\/weather": /);
    assert.match(readme, /`POST \/weather\/:name`/);

    const tsc = join(packageRoot, 'node_modules/typescript/bin/tsc');
    const types = place.run(tsc, '-p', 'weather/jsconfig.json');
    assert.equal(types.code, 0, types.out);

    const lines = out
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
    assert.deepEqual(lines.slice(0, 2), ['cd weather', 'npx mesh check .']);
    assert.deepEqual(lines.slice(-2), ['npx mesh start --watch', '']);
    const pasted = place.shell(lines.slice(0, -2).join('\n'));
    assert.equal(pasted.code, 0, pasted.out + pasted.error);
    assert.match(pasted.out, /weather keeps the plugin contract\.\n[\s\S]*# fail 0|weather keeps[\s\S]*fail 0/);
    const packed = pasted.error.match(/(?<=npm notice [\d.]+ ?k?B )\S+/g);
    assert.deepEqual(packed?.sort(), ['README.md', 'index.js', 'package.json']);

    const started = await place.started(
      async (url) => {
        const { agent_id } = (await (await fetch(`${url}/identity`)).json()) as { agent_id: string };
        assert.ok(agent_id);
        const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, unknown> };
        assert.ok(paths['/weather/{name}'], 'the plugin is served');
      },
      'weather',
      '--watch',
      '--api-addr',
      '127.0.0.1:0',
    );
    assert.equal(started, 0);

    const again = place.mesh('new', 'plugin', 'weather');
    assert.deepEqual([again.code, /is there already/.test(again.error)], [1, true]);
  });

  it('finds in the package every page that the README and the guide name', async () => {
    const home = join(place.folder, 'node_modules/agent-mesh');
    for (const page of ['README.md', 'docs/plugin-guide.md']) {
      const text = await readFile(join(home, page), 'utf8');
      const links = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, link]) => link!);
      for (const link of links) assert.ok(existsSync(join(home, dirname(page), link)), `${page}: ${link}`);
      if (page === 'README.md') assert.ok(links.length > 5);
    }
  });

  it('is told in plain sentences what it breaks', async () => {
    await place.write('settings.json', { greeting: 7 });
    const { code, out, error } = place.mesh('check', 'hello-plugin', '--settings', 'settings.json');
    assert.equal(code, 1);
    assert.match(out, /^wrong {2}refuses the configurations its schema refuses\n.*\/greeting must be /m);
    assert.match(error, /hello-plugin breaks the plugin contract\./);
  });
});

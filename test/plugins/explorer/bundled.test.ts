import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundlePages } from '../../../bin/bundle-pages.js';
import { hasHash } from '../../../core/http/media-types.ts';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { bundled } from '../../support/bundled.ts';

const LINK = /(?:href|src)="(?:\.\.\/|\{\{up\}\})?explorer\/([^"]+)"/g;

describe('the pages as they are built', function () {
  this.timeout(120_000);
  let folder: string;
  let documents: string[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pages-built-'));
    await bundlePages(folder);
    documents = (await readdir(folder)).filter((name) => name.endsWith('.html') && name !== 'index.html');
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const text = (name: string) => readFile(join(folder, name), 'utf8');
  const filesOf = async (document: string) => {
    const names = [...(await text(document)).matchAll(LINK)].map(([, name]) => name!);
    return names.filter((name) => name !== 'icon.svg');
  };
  const packed = async (names: readonly string[]) => {
    let sum = 0;
    for (const name of names) sum += gzipSync(await readFile(join(folder, name))).length;
    return sum;
  };

  it('are two scripts and a style sheet for each document, which browsers keep for good', async () => {
    const written = (await readdir(join(packageRoot, 'plugins/explorer/public'))).filter((name) =>
      /\.html$/.test(name),
    );
    assert.deepEqual([...documents, 'index.html'].sort(), written.sort());
    for (const document of documents) {
      const names = await filesOf(document);
      assert.deepEqual(
        names.map((name) => name.replace(/-[0-9a-f]{12}/, '')),
        [
          'begin.js',
          document.includes('console') ? 'console.css' : document.includes('docs') ? 'docs.css' : 'mesh.css',
          document.includes('console') ? 'console.js' : document.includes('docs') ? 'docs.js' : 'app.js',
        ],
        document,
      );
      for (const name of names) {
        assert.match(name, /-[0-9a-f]{12}\./);
        assert.ok((await text(name)).length > 1_000, name);
      }
    }
    assert.equal(hasHash('app-0a1b2c3d4e5f.js'), true);
  });

  it('name no other file than those, besides the programs that are loaded when they are asked for', async () => {
    for (const name of await readdir(folder)) {
      if (!name.endsWith('.js')) continue;
      const code = await text(name);
      assert.doesNotMatch(code, /(?:^|[;}])import[{*"' ]|\bimport\(\s*["'`]/, name);
    }
  });

  it('are the sources, which a map shows', async () => {
    const [app] = (await filesOf('home.html')).filter((name) => name.startsWith('app'));
    assert.ok((await text(app!)).trimEnd().endsWith(`//# sourceMappingURL=${app}.map`));
    const { sources, sourcesContent } = JSON.parse(await text(`${app}.map`));
    const home = sources.findIndex((name: string) => name.endsWith('public/views/home.js'));
    assert.equal(
      sourcesContent[home],
      await readFile(join(packageRoot, 'plugins/explorer/public/views/home.js'), 'utf8'),
    );
  });

  it('have other names with another content, and the same with the same', async () => {
    const again = await mkdtemp(join(tmpdir(), 'pages-again-'));
    try {
      await bundlePages(again);
      assert.deepEqual((await readdir(again)).sort(), (await readdir(folder)).sort());
    } finally {
      await rm(again, { recursive: true, force: true });
    }
  });

  it('are small: at most 9 kB packed before the first figures of the overview, which its document has, and 45 kB for any page', async () => {
    const [begin, sheet, script] = await filesOf('home.html');
    const first = await packed(['home.html', begin!, sheet!]);
    assert.ok(first < 9_000, `${first} bytes`);
    for (const document of documents) {
      const sum = (await packed(await filesOf(document))) + (await packed([document]));
      assert.ok(sum < 45_000, `${document}: ${sum} bytes`);
    }
    assert.ok(script);
  });

  it('have three weights of text, since a slow processor takes its time over the font of each', async () => {
    const sheets = (await readdir(folder)).filter((name) => name.endsWith('.css'));
    assert.equal(sheets.length, 3);
    for (const sheet of sheets) {
      const weights = [...(await text(sheet)).matchAll(/font-weight:([^;}]+)/g)].map(([, weight]) => weight);
      assert.deepEqual([...new Set(weights)].sort(), ['400', '540', '620'], sheet);
    }
  });

  it('lie in the package, with their maps, and no source beside them', () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const shell = process.platform === 'win32';
    const { stdout } = spawnSync('npm', args, { cwd: packageRoot, encoding: 'utf8', shell });
    const [{ files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    for (const pattern of [
      /^dist\/pages\/home\.html$/,
      /^dist\/pages\/app-[0-9a-f]{12}\.js$/,
      /^dist\/pages\/app-.*\.js\.map$/,
    ])
      assert.ok(
        paths.some((path) => pattern.test(path)),
        String(pattern),
      );
    assert.deepEqual(
      paths.filter((path) => path.startsWith('plugins/') || (path.endsWith('.map') && !path.startsWith('dist/pages/'))),
      [],
    );
  });

  it('are served by a built program, and the sources by sources', async () => {
    const built = await bundled('plugins/explorer/index.ts');
    try {
      const { explorer } = await import(pathToFileURL(built.path).href);
      const { folder: served } = explorer.aggregator.routes.pages.spec;
      assert.match(served.pathname, /\/dist-tests-[^/]+\/pages\/$/);
      assert.match(await readFile(new URL('home.html', served), 'utf8'), /explorer\/app-[0-9a-f]{12}\.js/);
    } finally {
      await built.remove();
    }
    const { explorer } = await import('../../../plugins/explorer/index.ts');
    assert.match(explorer.aggregator!.routes!.pages.spec.folder.pathname, /\/plugins\/explorer\/public\/$/);
  });
});

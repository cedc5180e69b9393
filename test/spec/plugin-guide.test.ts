import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { adapters } from '../../adapters/index.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { freePort } from '../support/mesh-process.ts';
import { type Block, blocksOf, matches } from './guide-blocks.ts';

const run = promisify(execFile);
const PORT_OF_PAGE = '9190';

/**
 * The page is followed in a folder laid out like an installed package: built, and without sources, so that the launcher
 * installs and builds nothing.
 */
describe('docs/plugin-guide.md, followed to the letter', () => {
  const page = readFileSync(join(packageRoot, 'docs/plugin-guide.md'), 'utf8');
  let folder: string;
  let port: string;
  let node: ChildProcess | undefined;
  let printed = '';

  before(async function () {
    this.timeout(120_000);
    folder = await mkdtemp(join(tmpdir(), 'guide-'));
    port = String(await freePort());
    const build = "import('./bin/prepare.js').then(({ build }) => build({ declarations: true }))";
    await run(process.execPath, ['-e', build], { cwd: packageRoot });
    for (const name of ['package.json', 'bin', 'dist', 'schemas', 'examples', 'docs']) {
      await cp(join(packageRoot, name), join(folder, name), { recursive: true });
    }
    await symlink(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  });
  after(async () => {
    await stopped();
    await rm(folder, { recursive: true, force: true });
  });

  const blocks = blocksOf(page);
  for (const block of blocks) {
    const what =
      block.label === '' && block.language === 'json' ? 'the answer' : block.label || block.text.split('\n')[0];
    it(`line ${block.line}: ${what}`, async function () {
      this.timeout(60_000);
      await follow({ ...block, text: block.text.replaceAll(PORT_OF_PAGE, port) });
    });
  }

  it('has a test that passes, and fails when the plugin is broken', async function () {
    this.timeout(60_000);
    const file = join(folder, 'local/guestbook.js');
    const plugin = readFileSync(file, 'utf8');
    const test = ['--test', 'local/guestbook.test.js'];
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    assert.match((await run(process.execPath, test, { cwd: folder, env })).stdout, /pass 11\n/);
    await writeFile(file, plugin.replace("auth: 'api'", "auth: 'open'"));
    await assert.rejects(run(process.execPath, test, { cwd: folder, env }), /Command failed/);
    await writeFile(file, plugin);
  });

  it('says the truth about wrong configurations', async () => {
    const file = join(folder, 'local/wrong.json');
    await writeFile(file, JSON.stringify({ plugins: { './guestbook.js': { keep: 0 } } }));
    const checked = run(process.execPath, [join(folder, 'bin/mesh.js'), 'check', '--config', file]);
    await assert.rejects(checked, (error: { stderr: string }) => /guestbook: .*keep must be >= 1/.test(error.stderr));
  });

  it('shows the plugin in the API document of the node', async () => {
    const { paths } = (await (await fetch(`http://127.0.0.1:${port}/openapi.json`)).json()) as any;
    assert.deepEqual(
      Object.keys(paths).filter((path) => /hello|guestbook/.test(path)),
      ['/guestbook', '/hello/{name}', '/ws/guestbook'],
    );
    const docs = await (await fetch(`http://127.0.0.1:${port}/docs`)).text();
    assert.ok(docs.includes('Signs the guestbook.'));
  });

  it('has a TypeScript plugin that compiles and runs', async function () {
    this.timeout(60_000);
    const file = join(folder, 'local/rates.ts');
    const compiler = join(packageRoot, 'node_modules/typescript/bin/tsc');
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--skipLibCheck',
      '--types',
      'node',
    ];
    await run(process.execPath, [compiler, ...options, file], { cwd: folder });
    const booted = await startNode({
      parts: { adapters, plugins: {} },
      log: silentLog,
      config: {
        folder: join(folder, 'local'),
        value: {
          listen: '127.0.0.1:0',
          dataDir: join(folder, 'rates'),
          storage: { use: 'memory' },
          plugins: { './rates.ts': { eurPerUsdc: 0.9 } },
        },
      },
    });
    try {
      const rate = (await (await fetch(`${booted.url}/rates/eur`)).json()) as { eur: number };
      assert.equal(rate.eur, 0.9);
    } finally {
      await booted.stop();
    }
  });

  async function follow({ language, label, text, line }: Block): Promise<void> {
    if (label.includes('/')) {
      await mkdir(dirname(join(folder, label)), { recursive: true });
      await writeFile(join(folder, label), text);
    } else if (language === 'sh' && label === 'start') {
      await stopped();
      node = await started(text);
    } else if (label === 'install') {
      await installed(text);
    } else if (language === 'sh') {
      printed = (await run('sh', ['-ec', text], { cwd: folder, env: { ...process.env, NODE_TEST_CONTEXT: undefined } }))
        .stdout;
    } else if (language === 'json') {
      assert.ok(matches(JSON.parse(text), JSON.parse(printed)), printed);
    } else assert.fail(`line ${line}: nobody knows what to do with this block`);
  }

  /** What `npm install` of a folder leaves, without asking a registry. */
  async function installed(text: string): Promise<void> {
    const [, plugin, source] = /^cd (\S+)\nnpm install --no-save --install-links (\S+)\n$/.exec(text)!;
    const modules = join(folder, plugin!, 'node_modules');
    await mkdir(join(modules, '.bin'), { recursive: true });
    await symlink(join(folder, plugin!, source!), join(modules, 'agent-mesh'));
    await symlink('../agent-mesh/bin/mesh.js', join(modules, '.bin/mesh'));
  }

  /** Runs a command that keeps running; resolves once the node says where it is. */
  function started(text: string): Promise<ChildProcess> {
    const child = spawn('sh', ['-ec', `exec ${text}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    return new Promise((resolve, reject) => {
      let said = '';
      child.stderr!.on('data', (chunk) => {
        said += chunk;
        if (said.includes(`at http://127.0.0.1:${port}`)) resolve(child);
      });
      child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
    });
  }

  /** Ctrl-C: the whole process group is told, as a terminal does. */
  async function stopped(): Promise<void> {
    if (!node?.pid) return;
    const gone = new Promise((resolve) => node!.once('exit', resolve));
    process.kill(-node.pid, 'SIGINT');
    await gone;
    node = undefined;
  }
});

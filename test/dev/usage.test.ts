import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Call, command, UsageError } from '../../core/cli/command.ts';
import { devCommand } from '../../core/cli/dev/command.ts';
import { freePorts } from '../../core/cli/dev/free-ports.ts';
import { DEV_OPTIONS, devOptions } from '../../core/cli/dev/options.ts';
import { readLine } from '../../core/cli/read-line.ts';
import { freePort, ownPorts, runMesh } from '../support/mesh-process.ts';

describe('the command line of mesh dev', function () {
  this.timeout(90_000);
  let folder = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const WRONG: Record<string, [args: string[], message: RegExp]> = {
    'an unknown option': [['--deal', '3'], /--deal is not an option of mesh dev; did you mean --deals\?/],
    'a word that is no option': [['3'], /it takes no "3"/],
    'no number of deals': [['--deals', 'many'], /--deals takes a whole number from 1 to 999999, not "many"/],
    'zero deals': [['--deals', '0'], /--deals takes/],
    'an option without its value': [['--data'], /--data/],
    'no port': [['--port', 'http'], /--port takes a port from 1 to 65534, not "http"/],
    'a port out of range': [['--rpc-port', '65535'], /--rpc-port takes a port/],
    'port zero': [['--aggregator-port', '0'], /--aggregator-port takes a port/],
  };
  const mesh = command({ summary: '', options: DEV_OPTIONS, examples: [], run: async () => 0 });
  for (const [what, [args, message]] of Object.entries(WRONG)) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => devOptions((readLine('dev', mesh, args) as Call<typeof DEV_OPTIONS>).options, '/README.md'),
        (error) => error instanceof UsageError && message.test(error.message),
      );
    });
  }

  it('ends with code 2 and the usage for a wrong option', async () => {
    const { code, out, err } = await runMesh(['dev', '--colour']);
    assert.equal(code, 2);
    assert.equal(out, '');
    assert.match(err, /^--colour is not an option of mesh dev\nusage: mesh dev \[options\]\n$/m);
  });

  it('says that an installed package has no stand-ins, and starts nothing', async () => {
    const parts = { adapters: {}, plugins: {}, standard: {} } as never;
    const localnet = () => assert.fail('nothing starts');
    const dev = devCommand({ parts, localnet, isOrphan: () => false });
    const line = readLine('dev', dev, ['--with-upstreams', '--data', join(folder, 'none')]);
    await assert.rejects(
      async () => dev.run(line as never, {} as never, {} as never),
      (error) => error instanceof UsageError && /--with-upstreams needs a clone of the repository/.test(error.message),
    );
  });

  it('shows the usage when asked, and starts nothing', async () => {
    const { code, out } = await runMesh(['dev', '--help']);
    assert.equal(code, 0);
    assert.match(out, /Exit codes: 0 /);
    assert.doesNotMatch(out, /NODE_/);
  });

  it('says in a sentence that the file is missing, a folder, or no file at all', async () => {
    const missing = await runMesh(['dev', '--file', join(folder, 'none.txt')]);
    assert.deepEqual([missing.code, missing.out], [2, '']);
    assert.equal(missing.err, `--file: ${join(folder, 'none.txt')} does not exist.\n`);
    const isFolder = await runMesh(['dev', '--file', folder]);
    assert.equal(isFolder.code, 2);
    assert.equal(isFolder.err, `--file: ${folder} is a folder, not a file.\n`);
    const through = await runMesh(['dev', '--file', '/dev/null/x']);
    assert.equal(through.code, 2);
    assert.match(through.err, /^--file: \/dev\/null\/x cannot be read \(ENOTDIR\)\.\n$/);
  });

  it('says in a sentence that --data is a file', async () => {
    const path = join(folder, 'a-file');
    await writeFile(path, '');
    const { code, err } = await runMesh(['dev', '--data', path]);
    assert.equal(code, 2);
    assert.equal(err, `--data ${path} cannot be used as a folder (EEXIST).\n`);
  });

  it('says in a sentence that --data cannot be written to', async function () {
    if (process.getuid?.() === 0) return this.skip();
    const path = join(folder, 'locked');
    await mkdtemp(path);
    await chmod(path, 0o500);
    const { code, err } = await runMesh(['dev', '--data', path]);
    assert.equal(code, 2);
    assert.match(err, /cannot be written to/);
  });

  it('names the flag of a port that is busy and asked for', async () => {
    const [flag1, first, ...others] = await ownPorts();
    const blocker = await listen(Number(first) + 1);
    try {
      const { code, err, out } = await runMesh(['dev', '--json', flag1!, first!, ...others]);
      assert.equal(code, 2);
      assert.equal(err, `--port ${first}: port ${Number(first) + 1} is busy. Choose another, or leave out --port.\n`);
      assert.doesNotMatch(out, /started/);
    } finally {
      blocker.close();
    }
  });
});

describe('the ports of mesh dev', () => {
  const wish = (standard: number, count: number, asked?: number) => ({ flag: '--x', asked, standard, count });

  it('are the defaults when they are free', async () => {
    const first = await freePort(3);
    assert.deepEqual(await freePorts({ a: wish(first, 2), b: wish(first + 2, 1) }), { a: first, b: first + 2 });
  });

  it('move up as neighbours when one of them is busy', async () => {
    const first = await freePort(4);
    const blocker = await listen(first + 1);
    try {
      assert.deepEqual(await freePorts({ a: wish(first, 2) }), { a: first + 2 });
    } finally {
      blocker.close();
    }
  });

  it('go first to those who ask: a default gives way', async () => {
    const first = await freePort(3);
    const granted = await freePorts({ nodes: wish(first, 2), aggregator: wish(first + 9, 1, first) });
    assert.deepEqual(granted, { nodes: first + 1, aggregator: first });
  });

  it('are not promised twice', async () => {
    const first = await freePort(2);
    await assert.rejects(freePorts({ a: wish(1, 2, first), b: wish(1, 1, first + 1) }), /asked for twice/);
  });
});

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

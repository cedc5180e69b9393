import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../core/platform/package-root.ts';

describe('the Redis that npm test needs', function () {
  this.timeout(30_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-provide-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function tool(name: string, script = ''): Promise<void> {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }

  /** What it says, as this user on a system that has these tools only. */
  function provide(env: Record<string, string> = {}, uid = 0): string {
    const from = pathToFileURL(join(packageRoot, 'bin/provide-redis.js')).href;
    const script = `process.getuid = () => ${uid}; (await import(${JSON.stringify(from)})).provideRedis(console.log)`;
    const args = ['--input-type=module', '-e', script];
    return spawnSync(process.execPath, args, { env: { PATH: folder, ...env }, encoding: 'utf8' }).stdout;
  }

  const SKIPPED = /^The Redis tests are skipped: install redis-server, or set REDIS_URL .*\n$/;

  it('is what is there, or what REDIS_URL names', async () => {
    assert.equal(provide({ REDIS_URL: 'redis://127.0.0.1' }), '');
    await tool('valkey-server');
    assert.equal(provide(), '');
  });

  it('is installed by the package manager there is, when root asks, with a second try where that helps', async function () {
    if (process.platform === 'win32') return this.skip();
    await tool(
      'apt-get',
      `echo "$@" >> ${folder}/asked\n[ -e ${folder}/fresh ] && : > ${folder}/redis-check-rdb\n: > ${folder}/fresh`,
    );
    assert.equal(provide(), 'Installing a Redis with apt-get for the Redis tests ...\n');
    assert.match(await readFile(join(folder, 'asked'), 'utf8'), /^install .*redis-tools\nupdate\n$/);
    for (const name of ['apt-get', 'redis-check-rdb']) await rm(join(folder, name));
    await tool('apk', `: > ${folder}/redis-server`);
    assert.match(provide(), /^Installing a Redis with apk/);
  });

  it('is asked for in one sentence otherwise', async () => {
    assert.match(provide(), SKIPPED);
    await tool('dnf', 'exit 1');
    assert.match(provide({}, 1_000), SKIPPED);
    assert.match(provide(), /^Installing .*\nThe Redis tests are skipped/);
  });
});

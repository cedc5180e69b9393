import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/mesh-process.ts';
import { mesh, meshWithPlugins } from './terminal.ts';

describe('the flags of plugins', function () {
  this.timeout(120_000);
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-plugin-flags-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const environment = process.env as Record<string, string>;

  it('are taken by mesh start --background, and by the commands that keep and move its store', async () => {
    const data = ['--data-dir', join(folder, 'data')];
    const flags = [...data, '--hosting', '--hosting-fee-bps', '50'];
    const address = ['--api-addr', `127.0.0.1:${await freePort()}`];
    const started = await meshWithPlugins(['start', '--background', ...flags, ...address, '--json'], environment);
    assert.equal(started.code, 0, started.error);
    const { url } = JSON.parse(started.out);
    try {
      assert.deepEqual(await (await fetch(`${url}/hosted/ping`)).json(), { ok: true });
    } finally {
      const stopped = await mesh(['stop', ...data]);
      assert.equal(stopped.code, 0, stopped.error);
    }
    for (const line of [
      ['export', join(folder, 'store.jsonl'), ...flags],
      ['backup', join(folder, 'backup'), ...flags],
      ['restore', join(folder, 'backup'), '--hosting', '--data-dir', join(folder, 'restored')],
      ['import', join(folder, 'store.jsonl'), '--hosting', '--data-dir', join(folder, 'imported')],
    ]) {
      const { code, error } = await meshWithPlugins(line, environment);
      assert.equal(code, 0, `${line[0]}: ${error}`);
    }
  });

  it('are named where their value is wrong', async () => {
    const line = ['start', '--data-dir', join(folder, 'wrong'), '--hosting', '--hosting-fee-bps', '20000'];
    const { code, error } = await meshWithPlugins(line, environment);
    assert.equal(code, 1);
    assert.match(
      error,
      /feeBps must be <= 10000; correct it in plugins\.json, --hosting-fee-bps or NODE_HOSTING_FEE_BPS, /,
    );
  });

  it('that no plugin has are refused by each of them', async () => {
    for (const command of [
      ['start', '--background'],
      ['export', join(folder, 'none.jsonl')],
      ['backup', join(folder, 'none')],
    ]) {
      const { code, error } = await meshWithPlugins([...command, '--data-dir', join(folder, 'none'), '--hostng']);
      assert.deepEqual([code, /--hostng/.test(error)], [2, true], error);
    }
  });
});

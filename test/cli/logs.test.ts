import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logFile, logFilesOf } from '../../core/platform/log-file.ts';
import { MeshProcess, runMesh } from '../support/mesh-process.ts';
import { mesh } from './terminal.ts';

const line = (level: number, msg: string, more = {}) =>
  `${JSON.stringify({ level, time: 1_700_000_000_000, msg, ...more })}\n`;

describe('the log file of a node', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is bounded, kept from others, and loses no line between its parts', () => {
    const path = join(folder, 'logs', 'mesh.log');
    const write = logFile(path, 1_000);
    const lines = Array.from({ length: 200 }, (_, at) => line(30, `line ${at}`));
    for (const one of lines) write(one);
    const files = logFilesOf(path);
    assert.equal(readdirSync(join(folder, 'logs')).length, 5);
    assert.ok(files.every((file) => statSync(file).size <= 1_000 && (statSync(file).mode & 0o777) === 0o600));
    const kept = [...files]
      .reverse()
      .map((file) => readFileSync(file, 'utf8'))
      .join('');
    assert.equal(kept, lines.slice(-kept.split('\n').length + 1).join(''));
  });

  it('goes on after a time without room, and says how many lines were lost', () => {
    const path = join(folder, 'mesh.log');
    const write = logFile(path);
    write(line(30, 'before'));
    rmSync(path);
    mkdirSync(path);
    write(line(30, 'lost'));
    write(line(30, 'lost too'));
    rmSync(path, { recursive: true });
    write(line(30, 'after'));
    const [said, after] = readFileSync(path, 'utf8')
      .split('\n')
      .map((one) => (one ? JSON.parse(one) : undefined));
    assert.deepEqual([said.lost, said.msg, after.msg], [2, 'log lines were lost', 'after']);
  });
});

describe('mesh logs', function () {
  this.timeout(60_000);
  let folder = '';
  let file = '';
  let at: string[] = [];
  const started: MeshProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
    file = join(folder, 'mesh.log');
    at = ['logs', '--log-file', file];
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  it('shows the last lines for people, by level, over the files of before', async () => {
    await writeFile(`${file}.1`, line(30, 'old') + line(50, 'older trouble', { plugin: 'mesh', peer: 'x' }));
    await writeFile(file, `${line(30, 'new', { plugin: 'deals' })}no json\n`);
    const { code, out } = await mesh(at);
    assert.equal(code, 0);
    assert.deepEqual(out.split('\n'), [
      '2023-11-14 22:13:20.000 info  old',
      '2023-11-14 22:13:20.000 error older trouble plugin=mesh peer=x',
      '2023-11-14 22:13:20.000 info  new plugin=deals',
      'no json',
    ]);
    assert.deepEqual((await mesh([...at, '--level', 'error', '--lines', '3'])).out.split('\n'), [
      '2023-11-14 22:13:20.000 error older trouble plugin=mesh peer=x',
      'no json',
    ]);
    const json = (await mesh([...at, '-n', '2', '--json'])).out.split('\n').map((one) => JSON.parse(one));
    assert.deepEqual(
      json.map(({ msg }) => msg),
      ['new', 'no json'],
    );
  });

  it('says what to do where there is no file', async () => {
    assert.match((await mesh(at)).error, /there is no .*mesh\.log; has the node been started\?/);
    const config = join(folder, 'plugins.json');
    await writeFile(config, '{ "plugins": {} }');
    const { code, error } = await mesh(['logs', '--config', config]);
    assert.equal(code, 1);
    assert.match(error, /writes its log to standard output and keeps none; set log\.file in plugins\.json, or/);
    assert.equal((await mesh([...at, '--lines', 'many'])).code, 2);
  });

  it('follows what comes, over the change of files, and ends at Ctrl-C with 0', async () => {
    await writeFile(file, line(30, 'first'));
    const run = new MeshProcess([...at, '--follow']);
    started.push(run);
    await run.until(() => run.out.includes('first'), 'the first line');
    const whole = line(30, 'in two halves');
    await appendFile(file, whole.slice(0, 20));
    await new Promise((done) => setTimeout(done, 500));
    await appendFile(file, whole.slice(20) + line(30, 'last of this file'));
    renameSync(file, `${file}.1`);
    await writeFile(file, line(40, 'first of the next'));
    await run.until(() => run.out.includes('first of the next'), 'the next file');
    assert.deepEqual(
      run.out
        .trimEnd()
        .split('\n')
        .map((one) => one.slice(24)),
      ['info  first', 'info  in two halves', 'info  last of this file', 'warn  first of the next'],
    );
    assert.equal((await run.stop('SIGINT')).code, 0, run.err);
  });

  it('has colours where they are asked for, and none with NO_COLOR', async () => {
    await writeFile(file, line(50, 'trouble'));
    const coloured = await runMesh(at, { env: { FORCE_COLOR: '1', NO_COLOR: '' } });
    assert.ok(coloured.out.includes('\u001B[31merror\u001B[0m trouble'), coloured.out);
    for (const env of [{ FORCE_COLOR: '1', NO_COLOR: '1' }, {}]) {
      assert.ok(!(await runMesh(at, { env: { NO_COLOR: '', ...env } })).out.includes('\u001B'));
    }
  });
});

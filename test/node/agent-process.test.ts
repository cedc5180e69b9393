import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { factsByPs, factsOf } from '../../core/node/agent-process/process-facts.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import { collection } from '../../core/storage/declarations.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const STUBBORN = 'trap "" TERM; echo up; while :; do sleep 0.2; done';

describe('the background process of an agent', function () {
  this.timeout(60_000);
  if (process.platform !== 'linux') return;
  let mesh: Mesh<'one' | 'closed'>;
  let one: Member;
  let folder = '';
  let program = '';
  const begun: number[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-agent-'));
    program = join(folder, 'my agent');
    copyFileSync('/bin/sleep', program);
    const core = { 'agent-process': { allow: true, graceSecs: 1 } };
    const own = { one: { core }, closed: { api: { openLoopback: true } } };
    mesh = await startMesh({ nodes: ['one', 'closed'], storage: 'lowdb', isolated: true, own });
    one = mesh.nodes.one;
  });
  after(async () => {
    for (const pid of begun) if (await factsOf(pid)) process.kill(pid, 'SIGKILL');
    await mesh.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function agent(file: string, args: string[], out?: string): Promise<ChildProcess & { pid: number }> {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const child = spawn(file, args, {
      cwd: folder,
      env: { PATH: process.env['PATH']!, AGENT_TOKEN: 'kept' },
      stdio: [...stdio],
    });
    await new Promise((up) => child.once('spawn', up));
    if (out) await new Promise((up) => child.stdout!.once('data', up));
    begun.push(child.pid!);
    return child as ChildProcess & { pid: number };
  }
  const register = (pid: unknown) => one.post('/agent/register-pid', { pid });
  async function reload() {
    mesh.advance(61);
    const answer = await one.post('/agent/reload');
    if (answer.body.pid) begun.push(answer.body.pid);
    return answer;
  }
  const argvOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);

  it('is ended and started again at its path, with its arguments, folder and variables, when its program was replaced', async () => {
    const old = await agent(program, ['1000']);
    const registered = await register(old.pid);
    assert.deepEqual(registered.body, { ok: true, pid: old.pid, executable: program });
    copyFileSync('/bin/sleep', `${program}.new`);
    renameSync(`${program}.new`, program);
    const { status, body } = await reload();
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.old_pid, body.stopped], [old.pid, 'gracefully']);
    assert.equal(await factsOf(old.pid), undefined);
    assert.equal(readlinkSync(`/proc/${body.pid}/exe`), program, 'the new file at the path');
    assert.deepEqual(argvOf(body.pid), [program, '1000']);
    assert.equal(readlinkSync(`/proc/${body.pid}/cwd`), folder);
    assert.match(readFileSync(`/proc/${body.pid}/environ`, 'utf8'), /AGENT_TOKEN=kept\0/);
    await one.restart();
    const again = await reload();
    assert.deepEqual([again.body.old_pid, again.body.stopped], [body.pid, 'gracefully'], 'the node remembers it');
    assert.match(readFileSync(`/proc/${again.body.pid}/environ`, 'utf8'), /AGENT_TOKEN=kept\0/);
    process.kill(again.body.pid, 'SIGKILL');
    await happens('it is gone', async () => !(await factsOf(again.body.pid)) || undefined);
    assert.equal((await reload()).body.stopped, 'was_gone');
  });

  it('is killed after the grace when it does not end by itself', async () => {
    const old = await agent('/bin/bash', ['-c', STUBBORN], 'up');
    await register(old.pid);
    const { body } = await reload();
    assert.deepEqual([body.old_pid, body.stopped], [old.pid, 'forced']);
    assert.deepEqual(argvOf(body.pid), ['/bin/bash', '-c', STUBBORN]);
  });

  it('is never signalled once its pid is another process’s', async () => {
    const innocent = await agent(program, ['1000']);
    await register(innocent.pid);
    await one.restart();
    const ref = collection<object>('agent-process', { schema: () => [] }).ref('agent');
    const space = one.node.get(NodeSpace);
    await space.put(ref, { ...(await space.get(ref))!, started: 'before' });
    const { status, body } = await reload();
    assert.equal(status, 409);
    assert.match(body.detail, /has ended.*register it again/);
    assert.ok(await factsOf(innocent.pid));
  });

  it('is left alone while there is no program to start, and a new one that ends at once is told of', async () => {
    const file = join(folder, 'other');
    copyFileSync('/bin/sleep', file);
    const old = await agent(file, ['1000']);
    await register(old.pid);
    rmSync(file);
    assert.match((await reload()).body.detail, /nothing was ended/);
    assert.ok(await factsOf(old.pid));
    writeFileSync(file, '#!/bin/sh\nexit 3\n', { mode: 0o755 });
    const { status, body } = await reload();
    assert.equal(status, 409);
    assert.match(body.detail, /stopped \(gracefully\), and the new one ended at once with code 3/);
  });

  it('is no process of others, of this node, or none', async () => {
    for (const pid of [1.5, -1, 0, 1, 4_194_305, '12', process.pid, process.ppid]) {
      const { status, body } = await register(pid);
      assert.deepEqual([status, body.fields?.[0].pointer], [400, '/pid'], `${pid}: ${JSON.stringify(body)}`);
    }
    const child = await agent('/bin/true', []);
    await new Promise((ended) => child.once('exit', ended));
    assert.match((await register(child.pid)).body.detail, /no running process/);
  });

  it('is nobody’s business unless the operator allows it, and without the secret', async () => {
    const { closed } = mesh.nodes;
    for (const path of ['/agent/register-pid', '/agent/reload']) {
      const { status, body } = await closed.post(path, { pid: 4711 });
      assert.equal(status, 403);
      assert.match(body.detail, /core\.agent-process\.allow/);
      const headers = { 'content-type': 'application/json' };
      const open = await fetch(closed.url + path, { method: 'POST', headers, body: '{"pid":4711}' });
      assert.equal(open.status, 401);
    }
  });

  it('is told apart from later ones with its pid by ps too', async () => {
    const [one, two] = await Promise.all([factsByPs(process.pid), factsByPs(process.pid)]);
    assert.deepEqual(one, two);
    assert.deepEqual([one?.pid, one?.users], [process.pid, [process.getuid!()]]);
    assert.match(one!.started, /\d{4}$/);
    assert.equal(await factsByPs(4_194_304), undefined);
  });
});

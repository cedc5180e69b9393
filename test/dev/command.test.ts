import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isFree, MeshProcess, ownPorts } from '../support/mesh-process.ts';

const TEXT = `The quick brown fox jumps over the lazy dog.
The dog doesn't mind; the fox does not care.

Çava? Ça va, the fox says: 3 times 3 is 9.
`;

describe('mesh dev', function () {
  this.timeout(90_000);
  const started: MeshProcess[] = [];
  let folder = '';

  function start(args: readonly string[]): MeshProcess {
    const mesh = new MeshProcess(['dev', ...args]);
    started.push(mesh);
    return mesh;
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((mesh) => mesh.kill()));
    await rm(folder, { recursive: true, force: true });
  });

  it('makes a deal from proposal to rating, and tells it as JSON', async () => {
    const file = join(folder, 'text.txt');
    await writeFile(file, TEXT);
    const mesh = start(['--deals', '1', '--json', '--file', file, ...(await ownPorts())]);
    assert.deepEqual(await mesh.ended, { code: 0, signal: null }, mesh.err);

    const { events } = mesh;
    assert.deepEqual(
      events.filter(({ event }) => event === 'started').map(({ name }) => name),
      ['ledger', 'aggregator', 'requester', 'word-counter'],
    );
    const { network_id, program, config } = events.find(({ event }) => event === 'settlement')!;
    assert.deepEqual([network_id, program.length > 31, config.length > 31], ['localnet', true, true]);
    const steps = events.filter(({ event, step }) => event === 'step' && step !== undefined);
    const told = steps.filter(({ who, step }) => who === 'requester' || step !== 'rate');
    assert.deepEqual(
      told.map(({ who, step, state, amount_usdc }) => [who, step, state, amount_usdc]),
      [
        ['requester', 'propose', 'proposed', '1'],
        ['word-counter', 'counter', 'countered', '1.5'],
        ['requester', 'accept', 'accepted', '1.5'],
        ['requester', 'lock', 'accepted', '1.5'],
        ['word-counter', 'deliver', 'delivered', '1.5'],
        ['requester', 'approve', 'settled', '1.5'],
        ['requester', 'rate', 'settled', '1.5'],
      ],
    );
    const { result } = told[4]!;
    assert.deepEqual(result, { lines: 4, words: 29, most_frequent_word: { word: 'the', count: 5 } });
    const [lock, approve] = [told[3]!, told[5]!];
    for (const step of [lock, approve]) assert.match(step['transaction'], /^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
    assert.equal(lock['bond_usdc'], '0.75');
    assert.match(approve['text'], /releases 1\.50 USDC to .*, gets the bond of 0\.75 back/);
    const spelt = steps.flatMap(({ text }) => [...text.matchAll(/(\S+) USDC/g)].map(([, amount]) => amount));
    assert.deepEqual([...new Set(spelt)], ['1.00', '1.50']);
    assert.match(lock['escrow'], /^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    assert.deepEqual([approve['escrow'], approve['vault']], [lock['escrow'], lock['vault']]);
    const score = events.find(({ event }) => event === 'score')!;
    assert.equal(score['before'], 0);
    assert.ok(score['score'] > 0, `the score is ${score['score']}`);
    assert.equal(events.at(-1)!.event, 'stopped');
  });

  it('shows people ids, addresses and a next command that works, and stops whole at Ctrl-C', async () => {
    const mesh = start(await ownPorts());
    await mesh.until(() => /curl \S+\n/.test(mesh.out), 'the next command');
    const [, command] = /^ {2}(curl \S+)$/m.exec(mesh.out)!;
    const reputation = JSON.parse(execFileSync('sh', ['-c', `${command} --silent --fail`], { encoding: 'utf8' }));
    assert.equal(reputation.feedback_count, 1);
    assert.ok(mesh.out.includes(`agent ${reputation.agent_id}`));
    const [deal] = /(?<=^deal )[0-9a-f]{32}$/m.exec(mesh.out)!;
    const [first] = /(?<=^Open )http\S+(?= in a browser)/m.exec(mesh.out)!;
    assert.equal(mesh.out.indexOf('http'), mesh.out.indexOf(first), 'the address to open stands before all others');
    assert.match(
      await (await fetch(first, { headers: { accept: 'text/html' } })).text(),
      /explorer\/app-[0-9a-f]{12}\.js/,
    );
    const urls = [...new Set(mesh.out.match(/http:\/\/127\.0\.0\.1:\d+/g))];
    assert.equal(urls.length, 4);
    const shown = await fetch(`${/requester +(\S+)/.exec(mesh.out)![1]}/deals/${deal}`);
    assert.equal(((await shown.json()) as { state: string }).state, 'settled');
    const state = /state +(\S+)/.exec(mesh.out)![1]!;
    assert.ok(existsSync(state));

    const before = mesh.out.length;
    await mesh.until(() => /offers/.test(mesh.out.slice(before)), 'the next deal');
    const { code, ms } = await mesh.stop('SIGINT');
    assert.equal(code, 0, mesh.err);
    assert.ok(ms < 9_000, `it took ${ms} ms`);
    assert.equal(mesh.err, '');
    assert.match(mesh.out, /Stopped\.\n$/);
    assert.equal(existsSync(state), false);
    for (const url of urls) assert.ok(await isFree(Number(new URL(url).port)), `${url} is still there`);
  });

  it('stops whole at SIGTERM while it is still starting', async () => {
    const ports = await ownPorts();
    const mesh = start(['--json', ...ports]);
    await mesh.event({ event: 'started', name: 'ledger' });
    const { code, ms } = await mesh.stop('SIGTERM');
    assert.equal(code, 0, mesh.err);
    assert.ok(ms < 9_000, `it took ${ms} ms`);
    assert.equal(mesh.events.at(-1)!.event, 'stopped');
    for (const port of [ports[1], ports[3], ports[5]]) assert.ok(await isFree(Number(port)));
  });

  it('fails with a reason when it is stopped before the deals it was asked for', async () => {
    const mesh = start(['--json', '--deals', '9', ...(await ownPorts())]);
    await mesh.event({ event: 'settled', settled: 1 });
    assert.equal((await mesh.stop()).code, 1);
    assert.match(mesh.err, /^Stopped after 1 of 9 deals\.$/m);
  });

  it('moves a busy default port up, and says so', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.once('error', () => resolve()).listen(9080, '127.0.0.1', resolve));
    const first = await freePort(4);
    const mesh = start(['--json', '--port', `${first}`, '--rpc-port', `${first + 2}`]);
    try {
      const aggregator = await mesh.event({ event: 'started', name: 'aggregator' });
      assert.equal(aggregator['instead_of_port'], 9080);
      assert.notEqual(new URL(aggregator['url']).port, '9080');
      assert.equal((await fetch(`${aggregator['url']}/health`)).status, 200);
    } finally {
      blocker.close();
    }
    assert.equal((await mesh.stop()).code, 0, `${mesh.out}${mesh.err}`);
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { rpc } from '../localnet/cluster.ts';
import { happens } from '../support/happens.ts';
import { freePort, isFree, MeshProcess, runMesh } from '../support/mesh-process.ts';

describe('mesh localnet and mesh faucet', function () {
  this.timeout(90_000);
  let folder = '';
  const started: MeshProcess[] = [];
  const servers: Server[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-test-'));
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.kill()));
    for (const server of servers.splice(0)) server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function localnet(...args: string[]) {
    const port = await freePort(2);
    const process = new MeshProcess(['localnet', '--rpc-port', `${port}`, ...args]);
    started.push(process);
    return { process, port };
  }

  async function ready(...args: string[]) {
    const { process, port } = await localnet('--json', ...args);
    return { process, port, facts: await process.event({ event: 'ready' }) };
  }

  const address = () => Keypair.generate().publicKey.toBase58();

  it('say in words how to use the cluster, and end at a signal', async () => {
    const { process, port } = await localnet('--network-id', 'harbour');
    await process.until(() => process.out.includes('Ctrl-C stops it.'), 'the localnet is up');
    const url = `http://127.0.0.1:${port}`;
    for (const part of [`${url}, WebSocket ws://127.0.0.1:${port + 1}`, 'harbour', `mesh faucet ADDRESS --sol 1`]) {
      assert.ok(process.out.includes(part), part);
    }
    const [, program] = /--ledger-program (\S+) --ledger-config/.exec(process.out)!;
    const { result } = await rpc(url, 'getAccountInfo', [program, { encoding: 'base64' }]);
    assert.equal(result.value.executable, true);
    const { code, ms } = await process.stop('SIGINT');
    assert.equal(code, 0, process.err);
    assert.ok(ms < 5_000, `${ms} ms`);
    assert.ok((await isFree(port)) && (await isFree(port + 1)));
  });

  it('have a config for the mesh that is named, and money for any address', async () => {
    const { facts } = await ready('--network-id', 'harbour');
    const { rpc_url: url, program, config, network_id, settings } = facts;
    assert.deepEqual(settings, { network: { id: 'harbour' }, ledger: { rpcUrls: [url], program, config } });
    assert.deepEqual([network_id, (await rpc(url, 'getGenesisHash')).result], ['harbour', facts['genesis_hash']]);
    const args = ['--rpc-url', url, '--program', program, '--config', config, '--network-id', 'harbour', '--json'];
    const verified = await runMesh(['program', 'verify', ...args]);
    assert.deepEqual([verified.code, JSON.parse(verified.out).problems], [0, []], verified.err);

    const to = address();
    const given = await runMesh(['faucet', to, '--sol', '1.5', '--usdc', '0.25', '--rpc-url', url, '--json']);
    assert.equal(given.code, 0, given.err);
    const { sol, usdc, sol_signature, usdc_signature } = JSON.parse(given.out);
    assert.deepEqual([sol, usdc], ['1.5', '0.25']);
    assert.equal((await rpc(url, 'getBalance', [to])).result.value, 1_500_000_000);
    const statuses = await rpc(url, 'getSignatureStatuses', [[sol_signature, usdc_signature]]);
    assert.ok(statuses.result.value.every(({ err }: any) => err === null));
    const holdings = await rpc(url, 'getTokenAccountsByOwner', [
      to,
      { mint: facts['usdc_mint'] },
      { encoding: 'jsonParsed' },
    ]);
    assert.equal(holdings.result.value[0].account.data.parsed.info.tokenAmount.uiAmountString, '0.25');
    const told = await runMesh(['faucet', to, '--usdc', '3'], { env: { NODE_RPC_URL: url } });
    assert.match(told.out, new RegExp(`^3 USDC to ${to}: [1-9A-Za-z]{80,90}\n$`));
  });

  it('go on with a chain that is kept', async () => {
    const dir = join(folder, 'chain');
    const first = await ready('--data', dir);
    const to = address();
    const { rpc_url: url } = first.facts;
    assert.equal((await runMesh(['faucet', to, '--sol', '2', '--rpc-url', url])).code, 0);
    assert.equal((await first.process.stop()).code, 0);
    const second = await ready('--data', dir);
    assert.equal(second.facts['config'], first.facts['config']);
    assert.equal((await rpc(second.facts['rpc_url'], 'getBalance', [to])).result.value, 2_000_000_000);
  });

  it('play the faults of a file, from the moment it is up', async () => {
    const file = join(folder, 'faults.json');
    const rules = [{ method: 'getHealth', fault: 'error', code: -32005, message: 'Node is behind by 42 slots' }];
    await writeFile(file, JSON.stringify({ seed: 1, views: [{ rules }, { lag: 2 }] }));
    const { facts } = await ready('--rpc-faults', file);
    const [own, other] = facts['rpc_urls'];
    assert.deepEqual(facts['settings'].ledger.rpcUrls, [own, other]);
    assert.equal((await rpc(own, 'getHealth')).error.message, 'Node is behind by 42 slots');
    assert.equal((await rpc(other, 'getHealth')).result, 'ok');
    const slotOf = async (url: string) => (await rpc(url, 'getSlot')).result as number;
    await happens('some slots', async () => (await slotOf(own)) > 4 || undefined);
    const [behind, newest] = [await slotOf(other), await slotOf(own)];
    assert.ok(newest - behind >= 2 && newest - behind <= 4, `${newest} ${behind}`);

    await writeFile(file, JSON.stringify({ views: [{ lag: -1, rules: [{ method: 'getSlot' }] }] }));
    const refused = await runMesh(['localnet', '--rpc-faults', file]);
    assert.equal(refused.code, 2);
    assert.match(refused.err, /faults\.json: .*\/views\/0\/lag.*/);
    assert.match(refused.err, /fault/);
    await writeFile(file, '{');
    assert.match((await runMesh(['localnet', '--rpc-faults', file])).err, /--rpc-faults .*JSON/);
  });

  it('end with the npm that started them', async () => {
    const port = await freePort(2);
    const npm = new MeshProcess(['run', '--silent', 'mesh', '--', 'localnet', '--json', '--rpc-port', `${port}`], {
      by: 'npm',
    });
    started.push(npm);
    await npm.event({ event: 'ready' });
    const group = () => processesOf(npm.pid);
    assert.ok(group().length > 0);
    process.kill(npm.pid, 'SIGKILL');
    for (const end = performance.now() + 6_000; group().length > 0 && performance.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.deepEqual(group(), []);
    assert.ok(await isFree(port));
  });

  it('refuse what they do not understand, with code 2', async () => {
    const to = address();
    const cases: [args: string[], reason: RegExp][] = [
      [['localnet', '--rpc-port', 'x'], /--rpc-port takes a port/],
      [['localnet', '--colour'], /--colour is not an option/],
      [['faucet'], /ADDRESS is missing: who gets it/],
      [['faucet', 'nobody', '--sol', '1'], /nobody is no address/],
      [['faucet', to], /--sol or --usdc/],
      [['faucet', to, '--sol', '-1'], /--sol takes an amount/],
      [['faucet', to, '--sol', '0'], /--sol takes an amount/],
      [['faucet', to, '--sol', '1001'], /up to 1000/],
      [['faucet', to, '--usdc', '0.0000001'], /at most 6 decimals/],
      [['faucet', to, '--sol', '1', '--rpc-url', 'ftp://x'], /http address/],
    ];
    for (const [args, reason] of cases) {
      const { code, err } = await runMesh(args);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, reason);
    }
    assert.match((await runMesh(['localnet', '--help'])).out, /--rpc-faults FILE/);
    assert.match((await runMesh(['help'])).out, /faucet +Gives SOL and USDC/);
  });

  it('give nothing where there is no localnet', async () => {
    async function serving(genesis: string, answer: object = { result: genesis }): Promise<string> {
      const server = createServer((request, response) => {
        request.resume().on('end', () => response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer })));
      });
      servers.push(server);
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/?api-key=secret`;
    }
    const mainnet = await serving('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d');
    const cases: [url: string, reason: RegExp][] = [
      [mainnet, /is mainnet-beta: only a localnet has a faucet/],
      [await serving('nonsense'), /no localnet: only a localnet has a faucet/],
      [await serving('', { error: 'not_found' }), /is no Solana RPC node: getGenesisHash/],
      [`http://127.0.0.1:${await freePort()}`, /Nothing answers at .*mesh localnet/],
    ];
    for (const [url, reason] of cases) {
      const { code, err, out } = await runMesh(['faucet', address(), '--sol', '1', '--rpc-url', url]);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, reason);
      assert.doesNotMatch(err, /secret/);
    }
  });
});

/** The living processes of a group. */
function processesOf(group: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,pgid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, pgid, state]) => Number(pgid) === group && !state?.startsWith('Z'))
    .map(([pid]) => Number(pid));
}

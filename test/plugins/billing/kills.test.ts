import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SettledLocalnet, startSettledLocalnet } from '../../../adapters/localnet-settlement.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { Self } from '../../../core/services.ts';
import { MESSAGE_TRANSMITTER, TOKEN_MESSENGER } from '../../../plugins/billing/settlement/index.ts';
import { tokenAccountOf } from '../../../plugins/billing/settlement/solana/addresses.ts';
import type { TestAgent } from '../../aggregator/support/agent.ts';
import { type Bundled, bundled } from '../../support/bundled.ts';
import { happens } from '../../support/happens.ts';
import { newWallet } from '../../support/wallet.ts';
import { AttestationStandIn } from '../../upstreams/transfer/attestation-service.ts';
import { transferProgram } from '../../upstreams/transfer/program.ts';
import { NETWORK, PluginAggregator, tokenOf } from '../support/aggregator.ts';
import { EVM, USDC } from './support.ts';

const KILLS = Number(process.env['MESH_TEST_ROUNDS'] ?? 6);
const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

describe('billing in a process that is killed again and again', function () {
  this.timeout(300_000);
  let dir: string;
  let port: number;
  let localnet: SettledLocalnet;
  let service: AttestationStandIn;
  let agent: TestAgent;
  let wallet: string;
  let config: object;
  let script: Bundled;
  let child: ChildProcess | undefined;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'mesh-billing-kills-'));
    port = await freePort();
    const elf = transferProgram();
    const programs = [TOKEN_MESSENGER, MESSAGE_TRANSMITTER].map((address) => ({ address, elf }));
    localnet = await startSettledLocalnet({ log: silentLog, admin: true, networkId: NETWORK, slotMs: 50, programs });
    service = await AttestationStandIn.start(() => localnet.url);
    const storage = { use: 'lowdb' };
    const settings = {
      ...{ listen: `127.0.0.1:${port}`, mesh: { allowPrivatePeers: true } },
      core: { ingest: { newKeysPerHour: 10_000 } },
      ledger: { rpcUrl: localnet.url, maxSolPerDay: '50', ...localnet.settlement },
    };
    const plugins = { billing: { attestationUrl: service.url } };
    const value = { profile: 'aggregator', dataDir: join(dir, 'data'), network: { id: NETWORK }, storage, ...settings };
    config = { ...value, plugins };
    script = await bundled('test/plugins/billing/aggregator-process.ts');
    // The agent is made known by an aggregator in this process; those that follow take its store.
    const first = await PluginAggregator.start({ dir, storage, plugins, settings });
    agent = first.agent('ann');
    await first.introduce(agent);
    wallet = first.node.get(Self).address;
    await first.halt();
    await localnet.faucet.sol(wallet, 20_000_000_000n);
  });
  after(async () => {
    child?.kill('SIGKILL');
    await script?.remove();
    await service?.stop();
    await localnet?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  async function begin(): Promise<void> {
    const started = spawn(process.execPath, [script.path, JSON.stringify(config)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = started;
    await Promise.race([
      once(started.stdout, 'data'),
      once(started, 'exit').then(([code]) => assert.fail(`the aggregator ended with ${code}`)),
    ]);
  }

  async function ask(line: string, body?: object): Promise<any> {
    const [method, target] = line.split(' ') as [string, string];
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const token = tokenOf(agent, { audience: `http://127.0.0.1:${port}`, method, target, body: bytes }, Date);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const init = { method, headers, ...(body && { body: bytes }) };
    const response = await fetch(`http://127.0.0.1:${port}${target}`, init);
    const answer = await response.json();
    assert.ok(response.status < 300, JSON.stringify(answer));
    return answer;
  }

  it('pays every acknowledged withdrawal once, and no other', async () => {
    const outside = newWallet().address;
    await localnet.faucet.usdc(outside, 1n);
    await begin();
    const { address } = await ask('POST /billing/deposit', { chain: 'solana', amount_usdc: '100' });
    await localnet.faucet.usdc(address, 100n * USDC);
    const balance = () => ask(`GET /billing/balance/${agent.id}`);
    await happens('it is credited', async () => ((await balance()).balance_usdc === '100' ? true : undefined));

    const wanted: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      for (const to of [
        { destination_chain: 'solana', destination_address: outside },
        { destination_chain: 'base', destination_address: EVM },
      ]) {
        const answer = await ask('POST /billing/withdraw', { amount_usdc: '2', ...to });
        wanted.push(answer.withdrawal_id);
      }
      // At another moment of the way each time.
      await new Promise((resolve) => setTimeout(resolve, (kill * 397) % 1_600));
      const ended = once(child!, 'exit');
      child!.kill('SIGKILL');
      await ended;
      await begin();
    }
    for (const id of wanted)
      await happens(
        `${id} is done`,
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 200));
          return (await ask(`GET /billing/withdrawals/${id}`)).status === 'done' || undefined;
        },
        120_000,
      );
    assert.equal(await held(outside), BigInt(KILLS) * 2n * USDC + 1n);
    assert.equal(service.mints.size, KILLS);
    for (const { amount, recipient } of service.mints.values()) {
      // 1.98 less 1.3 bps, rounded up, and 0.15 for the mint.
      assert.deepEqual([amount, recipient], [1_829_742n, EVM]);
    }
    const left = 100 - KILLS * 4;
    assert.deepEqual(await balance(), { agent_id: agent.id, balance_usdc: String(left), reserved_usdc: '0' });
    // What is left in the wallet is what is left to the agent, and the fees.
    const fees = BigInt(KILLS) * 20_000n;
    assert.equal((await held(wallet)) + (await held(address)), BigInt(left) * USDC + fees);
    const { plugins } = (await (await fetch(`http://127.0.0.1:${port}/health`)).json()) as any;
    assert.equal(plugins.billing.state, 'ok', JSON.stringify(plugins.billing));
    assert.deepEqual(service.complaints, []);
  });

  async function held(owner: string): Promise<bigint> {
    const body = { jsonrpc: '2.0', id: 1, method: 'getTokenAccountBalance', params: [tokenAccountOf(owner, MINT)] };
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const { result } = (await (await fetch(localnet.url, init)).json()) as any;
    return BigInt(result.value.amount);
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair, NONCE_ACCOUNT_LENGTH, SystemProgram, Transaction } from '@solana/web3.js';
import { type Localnet, startLocalnet } from '../../adapters/localnet/localnet.ts';
import { silentLog } from '../../core/platform/log.ts';
import { type Bundled, bundled } from '../support/bundled.ts';
import { connect, disconnect, rpc } from './cluster.ts';

const OPTIONS = { log: silentLog, admin: true } as const;

describe('a localnet folder', () => {
  let dir: string;
  const children: ChildProcess[] = [];
  let script: Bundled;
  before(async () => {
    script = await bundled('test/localnet/serve-child.ts');
  });
  after(() => script.remove());
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'localnet-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  async function running<T>(use: (net: Localnet) => Promise<T>): Promise<T> {
    const net = await startLocalnet({ ...OPTIONS, dir });
    try {
      return await use(net);
    } finally {
      await net.stop();
    }
  }

  async function spawnLocalnet(): Promise<{ url: string; kill(): Promise<void> }> {
    const child = spawn(process.execPath, [script.path, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    const [line] = await once(child.stdout!, 'data');
    return {
      url: String(line).trim(),
      async kill() {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  }

  function journalPath(): string {
    const names = readdirSync(dir).filter((name) => name.startsWith('journal-'));
    return join(dir, names.sort().at(-1)!);
  }

  async function stateOf(url: string, address: string): Promise<unknown> {
    const balance = await rpc(url, 'getBalance', [address]);
    const history = await rpc(url, 'getSignaturesForAddress', [address]);
    const details = [];
    for (const { signature } of history.result) details.push((await rpc(url, 'getTransaction', [signature])).result);
    return {
      genesis: (await rpc(url, 'getGenesisHash')).result,
      balance: balance.result.value,
      history: history.result,
      details,
    };
  }

  it('keeps balances, signatures and history over a restart', async () => {
    const address = Keypair.generate().publicKey.toBase58();
    const [before, slot] = await running(async (net) => {
      for (let gift = 1n; gift <= 3n; gift++) await net.faucet.sol(address, gift * 1_000_000n);
      await net.faucet.usdc(address, 5n);
      await rpc(net.url, 'localnet_warp', [{ slots: 500, seconds: 3600 }]);
      return [await stateOf(net.url, address), (await rpc(net.url, 'getSlot')).result];
    });
    await running(async (net) => {
      assert.deepEqual(await stateOf(net.url, address), before);
      const now = (await rpc(net.url, 'getSlot')).result;
      assert.ok(now >= slot && now < slot + 100);
      assert.ok((await rpc(net.url, 'getBlockTime', [now])).result > Date.now() / 1000 + 3500);
      await net.faucet.sol(address, 4_000_000n);
      assert.equal((await rpc(net.url, 'getBalance', [address])).result.value, 10_000_000);
    });
  });

  it('keeps the rent that was set', async () => {
    const rent = async (net: Localnet) => (await rpc(net.url, 'getMinimumBalanceForRentExemption', [0])).result;
    assert.equal(await running(rent), 128 * 6_960);
    await running(async (net) => net.setRent(5_080n));
    assert.equal(await running(rent), 128 * 5_080);
    const other = await startLocalnet({ ...OPTIONS, dir, rentPerByte: 2_575n });
    assert.equal(await rent(other).finally(() => other.stop()), 128 * 2_575);
  });

  it('keeps everything that was acknowledged before kill -9', async () => {
    const address = Keypair.generate().publicKey.toBase58();
    const written = Keypair.generate().publicKey.toBase58();
    const first = await spawnLocalnet();
    const acknowledged: string[] = [];
    const account = { lamports: 5_000_000, data: Buffer.from('data').toString('base64'), owner: address };
    await rpc(first.url, 'localnet_setAccount', [written, account]);
    const before = await stateOf(first.url, written);
    // One client goes on until the kill cuts it off in the middle of its work.
    const client = (async () => {
      for (;;) acknowledged.push((await rpc(first.url, 'requestAirdrop', [address, 1_000_000])).result);
    })();
    const cut = assert.rejects(client);
    while (acknowledged.length < 40) await new Promise((resolve) => setTimeout(resolve, 10));
    await first.kill();
    await cut;
    const second = await spawnLocalnet();
    const { result } = await rpc(second.url, 'getSignaturesForAddress', [address]);
    const kept = new Set(result.map((entry: { signature: string }) => entry.signature));
    assert.deepEqual(
      acknowledged.filter((signature) => !kept.has(signature)),
      [],
    );
    // The last one may have landed without its answer reaching the client.
    assert.ok(kept.size - acknowledged.length <= 1);
    assert.equal((await rpc(second.url, 'getBalance', [address])).result.value, kept.size * 1_000_000);
    assert.deepEqual(await stateOf(second.url, written), before);
    await second.kill();
  });

  it('replays durable nonces to the same values after kill -9', async () => {
    const first = await spawnLocalnet();
    const connection = connect(first.url);
    const [payer, nonce] = [Keypair.generate(), Keypair.generate()];
    await connection.requestAirdrop(payer.publicKey, 1e9);
    const keys = { fromPubkey: payer.publicKey, noncePubkey: nonce.publicKey, authorizedPubkey: payer.publicKey };
    const lamports = await connection.getMinimumBalanceForRentExemption(NONCE_ACCOUNT_LENGTH);
    const create = new Transaction().add(SystemProgram.createNonceAccount({ ...keys, lamports }));
    await connection.sendTransaction(create, [payer, nonce]);
    await rpc(first.url, 'localnet_warp', [{}]);
    const advance = SystemProgram.nonceAdvance(keys);
    await connection.sendTransaction(new Transaction().add(advance), [payer], { skipPreflight: true });
    const { nonce: value } = (await connection.getNonce(nonce.publicKey))!;
    await rpc(first.url, 'localnet_warp', [{}]);
    await first.kill();
    disconnect(connection);
    await running(async (net) => {
      const again = connect(net.url);
      assert.equal((await again.getNonce(nonce.publicKey))?.nonce, value);
      const used = new Transaction({
        feePayer: payer.publicKey,
        nonceInfo: { nonce: value, nonceInstruction: advance },
      });
      used.sign(payer);
      await again.sendRawTransaction(used.serialize());
      assert.notEqual((await again.getNonce(nonce.publicKey))?.nonce, value);
    });
  });

  it('goes on from its newest snapshot after kill -9', async () => {
    const address = Keypair.generate().publicKey.toBase58();
    const first = await spawnLocalnet();
    const gift = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [address, 1_000_000] };
    const headers = { 'content-type': 'application/json' };
    for (let batch = 0; batch < 6; batch++) {
      const body = JSON.stringify(Array(100).fill(gift));
      const answers = (await (await fetch(first.url, { method: 'POST', headers, body })).json()) as {
        result?: string;
      }[];
      assert.ok(answers.every(({ result }) => result));
    }
    await first.kill();
    assert.equal(readdirSync(dir).filter((name) => name.startsWith('journal-')).length, 2);
    await running(async (net) => {
      assert.equal((await rpc(net.url, 'getBalance', [address])).result.value, 600_000_000);
      assert.equal((await rpc(net.url, 'getTransactionCount')).result, 600);
      const newest = (await rpc(net.url, 'getSignaturesForAddress', [address, { limit: 1000 }])).result;
      assert.equal(newest.length, 600);
    });
  });

  it('a torn tail is cut, and the chain goes on', async () => {
    const address = Keypair.generate().publicKey.toBase58();
    await running(async (net) => {
      await net.faucet.sol(address, 1_000_000n);
      await net.faucet.sol(address, 1_000_000n);
    });
    const tails = ['deadbeef {"kind":"tran', '\0'.repeat(300), '\n'];
    for (const [index, tail] of tails.entries()) {
      appendFileSync(journalPath(), tail);
      await running(async (net) => {
        await net.faucet.sol(address, 1_000_000n);
        assert.equal((await rpc(net.url, 'getBalance', [address])).result.value, (3 + index) * 1_000_000);
        assert.equal((await rpc(net.url, 'getSignaturesForAddress', [address])).result.length, 3 + index);
      });
    }
  });

  it('a damaged folder is refused in plain words', async () => {
    await running(async (net) => {
      for (let gift = 0; gift < 5; gift++) await net.faucet.sol(Keypair.generate().publicKey.toBase58(), 1_000_000n);
    });
    const journal = readdirSync(dir)
      .filter((name) => name.startsWith('journal-'))
      .sort()[0]!;
    const path = join(dir, journal);
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped[20]! ^= 1;
    writeFileSync(path, flipped);
    await assert.rejects(startLocalnet({ ...OPTIONS, dir }), /journal .* is damaged at byte 0/);
    writeFileSync(path, whole);
    truncateSync(path, whole.lastIndexOf(0x0a, whole.length - 2) + 1);
    await assert.rejects(startLocalnet({ ...OPTIONS, dir }), /lacks journal entry 4/);
    writeFileSync(path, whole);
    const snapshot = readFileSync(join(dir, 'snapshot'));
    truncateSync(join(dir, 'snapshot'), snapshot.length - 1);
    await assert.rejects(startLocalnet({ ...OPTIONS, dir }), /snapshot .* is damaged/);
    writeFileSync(
      join(dir, 'snapshot'),
      snapshot
        .toString('latin1')
        .replace('"engine":"1.5.0"', '"engine":"1.4.0"')
        .replace(/,"head":\d+/, ''),
      'latin1',
    );
    await assert.rejects(startLocalnet({ ...OPTIONS, dir }), /written by litesvm 1\.4\.0/);
    rmSync(join(dir, 'snapshot'));
    await assert.rejects(startLocalnet({ ...OPTIONS, dir }), /a journal but no snapshot/);
    writeFileSync(join(dir, 'snapshot'), snapshot);
    await running(async (net) => assert.ok((await rpc(net.url, 'getTransactionCount')).result >= 5));
  });

  it('serves one process at a time, and belongs to its owner only', async () => {
    await running(async () => {
      await assert.rejects(startLocalnet({ ...OPTIONS, dir }), /in use by process \d+/);
      assert.equal(statSync(join(dir, 'faucet.json')).mode & 0o777, 0o600);
      assert.equal(statSync(join(dir, 'snapshot')).mode & 0o777, 0o600);
    });
    const other = await spawnLocalnet();
    await assert.rejects(startLocalnet({ ...OPTIONS, dir }), /in use by process \d+/);
    await other.kill();
    await running(async (net) => assert.equal((await rpc(net.url, 'getHealth')).result, 'ok'));
  });

  it('forgets the oldest transactions beyond its limit, on disk too', async () => {
    const address = Keypair.generate().publicKey.toBase58();
    const limited = { ...OPTIONS, dir, historyLimit: 3 };
    let oldest = '';
    for (let round = 0; round < 3; round++) {
      const net = await startLocalnet(limited);
      for (let gift = 0; gift < 3; gift++) {
        const signature = await net.faucet.sol(address, 1_000_000n);
        oldest ||= signature;
      }
      await rpc(net.url, 'localnet_warp', [{ slots: 200, blocks: 200 }]);
      await net.stop();
    }
    const net = await startLocalnet(limited);
    assert.equal((await rpc(net.url, 'getBalance', [address])).result.value, 9_000_000);
    await net.faucet.sol(address, 1_000_000n);
    assert.equal((await rpc(net.url, 'getSignaturesForAddress', [address])).result.length, 3);
    assert.equal((await rpc(net.url, 'getTransaction', [oldest])).result, null);
    await net.stop();
    assert.ok(readdirSync(dir).filter((name) => name.startsWith('journal-')).length <= 3);
  });
});

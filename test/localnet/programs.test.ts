import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { type Localnet, startLocalnet } from '../../adapters/localnet/localnet.ts';
import { silentLog } from '../../core/platform/log.ts';
import { connect, rpc } from './cluster.ts';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const CHILD = fileURLToPath(new URL('./serve-child.ts', import.meta.url));

describe('the engine of the localnet', () => {
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'localnet-'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  async function withPrograms<T>(programs: [string, Uint8Array][], use: (net: Localnet) => Promise<T>): Promise<T> {
    const loaded = programs.map(([address, elf]) => ({ address, elf }));
    const net = await startLocalnet({ log: silentLog, dir, programs: loaded });
    try {
      return await use(net);
    } finally {
      await net.stop();
    }
  }

  async function logsOf(net: Localnet, program: string): Promise<string[]> {
    const connection = connect(net.url);
    const payer = Keypair.generate();
    await net.faucet.sol(payer.publicKey.toBase58(), 1_000_000_000n);
    const { blockhash } = await connection.getLatestBlockhash();
    const call = new TransactionInstruction({ programId: new PublicKey(program), keys: [], data: Buffer.from('hi') });
    const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash: blockhash }).add(call);
    transaction.sign(payer);
    const skipPreflight = { skipPreflight: true };
    const signature = await connection.sendRawTransaction(transaction.serialize(), skipPreflight);
    return (await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }))!.meta!.logMessages!;
  }

  it('runs programs given at start, and the newer of two, over restarts', async () => {
    const program = Keypair.generate().publicKey.toBase58();
    const [memo, token] = await withPrograms([], (net) =>
      Promise.all(
        [MEMO, 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'].map(async (address) => {
          const { result } = await rpc(net.url, 'getAccountInfo', [address, { encoding: 'base64' }]);
          return Buffer.from(result.value.data[0], 'base64');
        }),
      ),
    );
    const entries = async (net: Localnet) => (await rpc(net.url, 'getTransactionCount')).result;
    const loaded = await withPrograms([[program, memo!]], async (net) => {
      assert.ok((await logsOf(net, program)).some((line) => line.includes('Memo (len 2)')));
      return entries(net);
    });
    await withPrograms([[program, memo!]], async (net) => assert.equal(await entries(net), loaded));
    await withPrograms([[program, token!]], async (net) => {
      assert.equal(await entries(net), loaded + 1);
      assert.ok(!(await logsOf(net, program)).some((line) => line.includes('Memo (len 2)')));
    });
    await withPrograms([], async (net) => {
      assert.ok(!(await logsOf(net, program)).some((line) => line.includes('Memo (len 2)')));
    });
  });

  it('is asked for in plain words when it is not installed', () => {
    const env = { ...process.env, NAPI_RS_NATIVE_LIBRARY_PATH: join(dir, 'missing.node') };
    const { stderr, status } = spawnSync(
      process.execPath,
      ['--import', 'ts-blank-space/register', CHILD, join(dir, 'none')],
      { env },
    );
    assert.notEqual(status, 0);
    assert.match(
      String(stderr),
      /needs the engine litesvm-\S+ 1\.5\.0, which is not installed: run "npm install".*--rpc-url/,
    );
  });
});

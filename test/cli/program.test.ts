import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { adapters, program } from '../../adapters/index.ts';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import { type Localnet, startLocalnet } from '../../adapters/localnet/localnet.ts';
import { runCommand } from '../../core/cli/main.ts';
import { programCommand } from '../../core/cli/program.ts';
import { silentLog } from '../../core/log.ts';
import { systemClock } from '../../core/system-clock.ts';
import { composition } from '../../core/wiring/composition.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

const SOL = 1_000_000_000n;

describe('mesh program', function () {
  this.timeout(120_000);
  let folder = '';
  let net: Localnet;
  let proxy: RpcProxy;
  let payer: Keypair;
  let stop: () => void;

  before(async () => {
    net = await startLocalnet({ log: silentLog, admin: true });
    proxy = await RpcProxy.start();
    proxy.target = net.url;
    folder = await mkdtemp(join(tmpdir(), 'mesh-program-'));
    payer = Keypair.generate();
    await net.faucet.sol(payer.publicKey.toBase58(), 10n * SOL);
    await writeFile(join(folder, 'payer.json'), JSON.stringify([...payer.secretKey]));
  });
  after(async () => {
    await proxy.stop();
    await net.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function mesh(...args: string[]) {
    const [out, error]: string[][] = [[], []];
    const stopped = new Promise<void>((done) => {
      stop = done;
    });
    const terminal = {
      out: (text: string) => void out!.push(text),
      error: (text: string) => void error!.push(text),
      env: { NODE_RPC_URL: proxy.url },
      untilStopped: () => stopped,
    };
    const commands = { program: programCommand(program) };
    const code = await runCommand(['program', ...args], composition({ adapters, plugins: {} }), terminal, commands);
    return { code, out: out!.join('\n'), error: error!.join('\n') };
  }

  const file = (name: string) => join(folder, name);
  const deployArgs = (keys: string, ...more: string[]) => [
    ...['deploy', '--keypair', file('payer.json'), '--network-id', 'cli-tests', '--keys', file(keys)],
    ...more,
  ];

  it('deploys by ordinary transactions, goes on after an interruption, and does nothing twice', async () => {
    const sent = () => proxy.passed['sendTransaction'] ?? 0;
    const running = mesh(...deployArgs('keys.json'));
    while (sent() < 10) await new Promise((done) => setTimeout(done, 5));
    stop();
    const interrupted = await running;
    assert.deepEqual([interrupted.code, interrupted.error], [1, 'Stopped; run the same command again to go on.']);
    assert.equal((await stat(file('keys.json'))).mode & 0o777, 0o600);
    const before = sent();
    assert.ok(before < 40, `${before} were sent before the interruption`);

    const { code, out, error } = await mesh(...deployArgs('keys.json', '--json'));
    assert.equal(code, 0, error);
    const deployed = JSON.parse(out);
    assert.equal(deployed.cluster, 'localnet');
    assert.equal(deployed.upgradeAuthority, payer.publicKey.toBase58());
    assert.equal(deployed.treasury, payer.publicKey.toBase58());
    assert.deepEqual(deployed.settings.network, { id: 'cli-tests' });
    assert.ok(sent() < 41 + 10 + 8, `${sent()} transactions for 41 pieces`);

    const after = sent();
    const again = await mesh(...deployArgs('keys.json', '--json'));
    assert.deepEqual(JSON.parse(again.out), deployed);
    assert.equal(sent(), after);

    const { program: programId, config } = deployed;
    const settlement = { programId, config, networkId: 'cli-tests' };
    const ledger = await openSolanaLedger({ url: net.url, settlement, log: silentLog, clock: systemClock });
    assert.equal(ledger.settlement?.numbers.epochSecs, 86_400);
    await ledger.close();

    const verified = await mesh(
      'verify',
      '--program',
      programId,
      '--config',
      config,
      '--network-id',
      'cli-tests',
      '--json',
    );
    assert.equal(verified.code, 0, verified.out);
    const report = JSON.parse(verified.out);
    assert.deepEqual(
      [report.matches, report.upgradeAuthority, report.problems],
      [true, payer.publicKey.toBase58(), []],
    );
    assert.equal(report.config.numbers.minStake, '10000000');

    const elsewhere = await mesh('verify', '--program', programId, '--config', config, '--network-id', 'other');
    assert.equal(elsewhere.code, 1);
    assert.match(elsewhere.out, /problem: .*another network than "other"/);
    const wrong = await mesh('verify', '--program', programId, '--config', programId);
    assert.match(wrong.out, /problem: .* is no config account of the program/);
  });

  it('can be final, with numbers and a treasury of one’s own', async () => {
    await writeFile(
      file('numbers.json'),
      '{"epochSecs":3600,"minStake":5000000,"challengeSecs":7200,"responseSecs":3600}',
    );
    const treasury = Keypair.generate().publicKey.toBase58();
    const { code, out, error } = await mesh(
      ...deployArgs('final.json', '--final', '--treasury', treasury, '--numbers', file('numbers.json')),
    );
    assert.equal(code, 0, error);
    assert.match(out, /41 of 41 pieces/);
    assert.match(out, new RegExp(`Treasury: ${treasury}. Upgrades: nobody can change the program.`));
    const settings = JSON.parse(/\{\n[\s\S]*\n\}/.exec(out)![0]);
    const { program: programId, config } = settings.ledger;
    const verified = await mesh('verify', '--program', programId, '--config', config);
    assert.equal(verified.code, 0, verified.out);
    assert.match(verified.out, /upgrades +nobody can change the program/);
    assert.match(verified.out, /epochSecs +3600/);
  });

  it('says what is missing', async () => {
    const poor = Keypair.generate();
    await writeFile(file('poor.json'), JSON.stringify([...poor.secretKey]));
    await writeFile(file('nonsense'), 'nonsense');
    await writeFile(file('bad.json'), '{"epochs":1}');
    const cases: [code: number, message: RegExp, args: string[]][] = [
      [2, /say deploy or verify/, []],
      [2, /--network-id is needed/, ['deploy']],
      [2, /--keypair is needed/, ['deploy', '--network-id', 'x']],
      [2, /there is no file/, ['deploy', '--network-id', 'x', '--keypair', file('gone')]],
      [2, /neither a Solana keypair/, ['deploy', '--network-id', 'x', '--keypair', file('nonsense')]],
      [2, /there is no number epochs/, deployArgs('unused.json', '--numbers', file('bad.json'))],
      [2, /--fast is not an option/, ['deploy', '--fast']],
      [2, /--program is needed/, ['verify']],
      [
        1,
        /holds 0 SOL/,
        ['deploy', '--network-id', 'x', '--keypair', file('poor.json'), '--keys', file('poor-keys.json')],
      ],
      [1, /must be a base58 public key/, ['verify', '--program', 'nobody']],
    ];
    for (const [code, message, args] of cases) {
      const found = await mesh(...args);
      assert.equal(found.code, code, found.error);
      assert.match(found.error, message);
    }
    const none = await mesh('verify', '--program', Keypair.generate().publicKey.toBase58());
    assert.equal(none.code, 1);
    assert.match(none.out, /There is no program at/);
    const token = await mesh('verify', '--program', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
    assert.match(token.out, /not the one of this version|no program/);
    assert.ok(existsSync(file('keys.json')));
  });
});

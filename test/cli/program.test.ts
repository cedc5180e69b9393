import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { adapters, program } from '../../adapters/index.ts';
import { openSolanaLedger } from '../../adapters/ledger-solana/ledger.ts';
import { readProgram, WRITE_SIZE } from '../../adapters/ledger-solana/program/index.ts';
import { type Localnet, startLocalnet } from '../../adapters/localnet/localnet.ts';
import { runCommand } from '../../core/cli/main.ts';
import { programCommand } from '../../core/cli/program.ts';
import { composition } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { happens } from '../support/happens.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';

const SOL = 1_000_000_000n;
const PIECES = Math.ceil(readProgram().length / WRITE_SIZE);
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const DEVNET_USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

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

  function mesh(...args: string[]) {
    return meshAt(undefined, ...args);
  }

  /** With a person at the terminal who answers. */
  async function meshAt(answer: string | undefined, ...args: string[]) {
    const questions: string[] = [];
    const [out, error]: string[][] = [[], []];
    const stopped = new Promise<void>((done) => {
      stop = done;
    });
    const terminal = {
      out: (text: string) => void out!.push(text),
      error: (text: string) => void error!.push(text),
      env: { NODE_RPC_URL: proxy.url },
      untilStopped: () => stopped,
      ...(answer !== undefined && {
        async ask(question: string) {
          questions.push(question);
          return answer;
        },
      }),
    };
    const commands = { program: programCommand(program) };
    const code = await runCommand(['program', ...args], composition({ adapters, plugins: {} }), terminal, commands);
    return { code, out: out!.join('\n'), error: error!.join('\n'), questions };
  }

  /** What is answered instead of the result; undefined leaves it as it is. */
  function forge(method: string, forged: (result: any, params: readonly any[]) => unknown): void {
    proxy.changed.set(method, async ({ params, pass }) => {
      const answer = await pass();
      const result = forged(answer.result, params);
      return result === undefined ? answer : { ...answer, result };
    });
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
    assert.ok(sent() < PIECES + 10 + 8, `${sent()} transactions for ${PIECES} pieces`);

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
    assert.match(out, new RegExp(`${PIECES} of ${PIECES} pieces`));
    assert.match(out, new RegExp(`Treasury: ${treasury}. Upgrades: nobody can change the program.`));
    const settings = JSON.parse(/\{\n[\s\S]*\n\}/.exec(out)![0]);
    const { program: programId, config } = settings.ledger;
    const verified = await mesh('verify', '--program', programId, '--config', config);
    assert.equal(verified.code, 0, verified.out);
    assert.match(verified.out, /upgrades +nobody can change the program/);
    assert.match(verified.out, /epochSecs +3600/);
  });

  describe('asks who may change the program', () => {
    const multisig = Keypair.generate().publicKey.toBase58();
    const sent = () => proxy.passed['sendTransaction'] ?? 0;
    const onCluster = (genesisHash: string) => forge('getGenesisHash', () => genesisHash);
    afterEach(() => proxy.changed.clear());

    it('and refuses to begin without an answer, on any cluster that is no localnet', async () => {
      onCluster(Keypair.generate().publicKey.toBase58());
      const before = sent();
      for (const more of [[], ['--json']]) {
        const { code, error } = await mesh(...deployArgs('asked.json', '--usdc-mint', DEVNET_USDC, ...more));
        assert.equal(code, 2);
        assert.match(error, /Say who may change the program later/);
        assert.match(error, /--upgrade-authority ADDRESS.*multisig/);
      }
      const { code, error, questions } = await meshAt(
        'final',
        ...deployArgs('asked.json', '--usdc-mint', DEVNET_USDC, '--json'),
      );
      assert.deepEqual([code, questions], [2, []], error);
      assert.equal(sent(), before);
    });

    it('refuses an answer that cannot be meant, before anything is sent', async () => {
      const before = sent();
      const keys = Keypair.generate();
      const cases: [code: number, message: RegExp, args: string[]][] = [
        [1, /The upgrade authority is the paying key/, ['--upgrade-authority', payer.publicKey.toBase58()]],
        [1, /must be a base58 public key/, ['--upgrade-authority', 'my-multisig']],
        [1, /is the System program; --final says/, ['--upgrade-authority', '11111111111111111111111111111111']],
        [1, /is a program or a token account/, ['--upgrade-authority', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA']],
        [1, /is a program or a token account/, ['--upgrade-authority', DEVNET_USDC]],
        [2, /exclude each other/, ['--final', '--upgrade-authority', keys.publicKey.toBase58()]],
      ];
      for (const [code, message, args] of cases) {
        const found = await mesh(...deployArgs('refused.json', ...args));
        assert.match(found.error, message);
        assert.equal(found.code, code);
      }
      onCluster(MAINNET);
      const hot = await mesh(...deployArgs('refused.json', '--upgrade-authority', 'payer'));
      assert.equal(hot.code, 1);
      assert.match(hot.error, /may not change the program on mainnet-beta/);
      assert.equal(sent(), before);
    });

    it('hands it over, shows what the ledger says, and goes on to do nothing when it is done', async () => {
      const args = deployArgs('multisig.json', '--upgrade-authority', multisig, '--json');
      const { code, out, error } = await mesh(...args);
      assert.equal(code, 0, error);
      const deployed = JSON.parse(out);
      assert.equal(deployed.upgradeAuthority, multisig);
      assert.match(deployed.network, /^[0-9a-f]{64}$/);
      const after = sent();
      assert.deepEqual(JSON.parse((await mesh(...args)).out), deployed);
      assert.equal(sent(), after);

      const place = ['--program', deployed.program, '--config', deployed.config, '--network-id', 'cli-tests'];
      const verified = await mesh('verify', ...place, '--upgrade-authority', multisig);
      assert.equal(verified.code, 0, verified.out);
      for (const row of [
        /as of +finalised slot \d+, 20/,
        new RegExp(`upgrades +${multisig} can change`),
        /network id +cli-tests/,
        new RegExp(`network hash +${deployed.network}`),
        new RegExp(`mint +${DEVNET_USDC}`),
        new RegExp(`treasury +${deployed.treasury}`),
        /bytes +\d+, SHA-256 [0-9a-f]{64}/,
      ])
        assert.match(verified.out, row);
      const final = await mesh('verify', ...place, '--final');
      assert.equal(final.code, 1);
      assert.match(final.out, new RegExp(`problem: ${multisig} can change the program, and not nobody`));

      const mine = await mesh(...deployArgs('multisig.json', '--upgrade-authority', 'payer'));
      assert.equal(mine.code, 1);
      assert.match(mine.error, /only .* can hand that over/);
      assert.equal(sent(), after);
    });

    it('with a question to the person at the terminal', async () => {
      onCluster(Keypair.generate().publicKey.toBase58());
      const before = sent();
      const asked = (answer: string) => meshAt(answer, ...deployArgs('by-hand.json', '--usdc-mint', DEVNET_USDC));
      const { code, questions } = await asked('');
      assert.deepEqual([code, questions.length, sent()], [2, 1, before]);
      const done = await asked(multisig);
      assert.equal(done.code, 0, done.error);
      assert.match(done.out, new RegExp(`Upgrades: ${multisig} can change the program`));
    });
  });

  it('never writes over another program, and says what differs', async () => {
    await mesh(...deployArgs('other.json'));
    const sent = proxy.passed['sendTransaction'];
    const changed = (data: string) => {
      const bytes = Buffer.from(data, 'base64');
      if (bytes.length > 10_000) bytes[5_045]! ^= 1;
      return bytes.toString('base64');
    };
    forge('getMultipleAccounts', (result) => ({
      ...result,
      value: result.value.map((account: any) => account && { ...account, data: [changed(account.data[0]), 'base64'] }),
    }));
    const { code, error } = await mesh(...deployArgs('other.json'));
    const keys = await mesh('verify', '--program', /At (\w+) is another program/.exec(error)![1]!);
    proxy.changed.clear();
    assert.equal(code, 1);
    assert.match(error, /is another program, and it is not written over: .*they differ from byte 5000 on/);
    assert.equal(keys.code, 1);
    assert.match(keys.out, /NOT the bytes of this version/);
    assert.match(keys.out, /problem: .*SHA-256 [0-9a-f]{64}.*from byte 5000 on/);
    assert.equal(proxy.passed['sendTransaction'], sent);
  });

  it('is done only when the ledger has finalised it, and believes no node that is behind', async () => {
    let isBehind = true;
    /** A node whose finalised state is that of before, as one that lags. */
    const lag = (result: any, [, options]: readonly any[]) =>
      isBehind && options.commitment === 'finalized'
        ? { context: { slot: 1 }, value: result.value.map(() => null) }
        : undefined;
    forge('getMultipleAccounts', lag);
    const looks = () => proxy.passed['getMultipleAccounts'] ?? 0;
    let isOver = false;
    const running = mesh(...deployArgs('lagging.json', '--json')).finally(() => {
      isOver = true;
    });
    while (!proxy.passed['sendTransaction']) await new Promise((done) => setTimeout(done, 20));
    for (let quiet = 0, before = -1; quiet < 5; quiet++) {
      await new Promise((done) => setTimeout(done, 500));
      const now = proxy.passed['sendTransaction']!;
      if (now !== before) quiet = 0;
      before = now;
    }
    const looked = looks();
    await happens('it looks again', async () => looks() > looked || undefined);
    assert.equal(isOver, false);
    isBehind = false;
    const { code, out, error } = await running;
    assert.equal(code, 0, error);
    const { program: programId, config } = JSON.parse(out);

    isBehind = true;
    const blind = await mesh('verify', '--program', programId, '--config', config);
    assert.deepEqual([blind.code, blind.out], [1, '']);
    assert.match(blind.error, /does not tell its time/);
    isBehind = false;
    const HOUR = 3_600n;
    forge('getMultipleAccounts', (result) => {
      const [first, ...others] = result.value;
      const time = Buffer.from(first.data[0], 'base64');
      time.writeBigInt64LE(time.readBigInt64LE(32) - HOUR, 32);
      return { ...result, value: [{ ...first, data: [time.toString('base64'), 'base64'] }, ...others] };
    });
    const old = await mesh('verify', '--program', programId, '--config', config);
    proxy.changed.clear();
    assert.equal(old.code, 1);
    assert.match(old.out, /problem: The RPC node is behind: .* 36\d\d seconds old/);
    assert.equal((await mesh('verify', '--program', programId, '--config', config)).code, 0);
  });

  it('takes no broken answer for a success', async () => {
    const place = ['verify', '--program', Keypair.generate().publicKey.toBase58()];
    for (const broken of [null, {}, { context: { slot: 'x' }, value: [] }, { context: { slot: 9 }, value: [] }]) {
      forge('getMultipleAccounts', () => broken);
      const { code, out, error } = await mesh(...place);
      assert.deepEqual([code, out], [1, ''], JSON.stringify(broken));
      assert.match(error, /ledger/i);
      const deploy = await mesh(...deployArgs('broken.json'));
      assert.equal(deploy.code, 1);
    }
    proxy.changed.clear();
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
        new RegExp(`^The wallet ${poor.publicKey.toBase58()} holds 0 SOL`),
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

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLAIM } from '../../core/http/durable-idempotency.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { tokenClaims } from '../../core/protocol/signer/agent-token.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { type Bundled, bundled } from '../support/bundled.ts';
import { happens } from '../support/happens.ts';
import { describeRedis, RedisServer } from '../support/redis-server.ts';
import type { VaultSettings } from './vault-process.ts';

const AUDIENCE = 'https://vault.example';
const agent = identityFromSeed(new Uint8Array(32).fill(9));
let script: Bundled;

interface Answer {
  readonly status: number;
  readonly body: any;
  readonly replayed: boolean;
}

/** A vault in a process of its own. */
class Vault {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #secret: string;

  private constructor(child: ChildProcess, url: string, secret: string) {
    this.#child = child;
    this.#url = url;
    this.#secret = secret;
  }

  static async start(settings: Pick<VaultSettings, 'dataDir' | 'storage'> & { now?: number }): Promise<Vault> {
    const operand = JSON.stringify({ publicUrl: AUDIENCE, ...settings } satisfies VaultSettings);
    const child = spawn(process.execPath, [script.path, operand], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, MESH_TEST_WORKER: '1' },
    });
    let out = '';
    child.stdout!.on('data', (data) => {
      out += data;
    });
    await happens(
      'the vault listens',
      async () => {
        if (child.exitCode !== null) throw new Error(`the vault ended with ${child.exitCode}`);
        return out.endsWith('\n') || undefined;
      },
      60_000,
    );
    const { url, secret } = JSON.parse(out) as { url: string; secret: string };
    return new Vault(child, url, secret);
  }

  deposit(key: string, body: object): Promise<Answer> {
    return this.#post('/vault', { authorization: `Bearer ${this.#secret}`, 'idempotency-key': key }, body);
  }

  signed(token: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#post('/vault/signed', { authorization: `Bearer ${token}`, ...headers }, body);
  }

  async total(): Promise<number> {
    return ((await (await fetch(`${this.#url}/vault`)).json()) as { total: number }).total;
  }

  /** Without a chance to tidy up. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async #post(path: string, headers: Record<string, string>, body: object): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const replayed = response.headers.get('idempotency-replayed') === 'true';
    return { status: response.status, body: await response.json(), replayed };
  }
}

function tokenFor(body: object): string {
  const request = {
    audience: AUDIENCE,
    method: 'POST',
    target: '/vault/signed',
    body: Buffer.from(JSON.stringify(body)),
  };
  return agent.signAgentToken(tokenClaims(agent.address, request, Date.now(), systemRandom));
}

/** What each suite here starts. */
function bundles(): void {
  before(async () => {
    script = await bundled('test/http/vault-process.ts');
  });
  after(() => script.remove());
}

/** The same on every store; `settings` are those of one store that outlives its processes. */
function survives(settings: () => Pick<VaultSettings, 'dataDir' | 'storage'>, running: Vault[]): void {
  async function start(now?: number): Promise<Vault> {
    const vault = await Vault.start({ ...settings(), ...(now !== undefined && { now }) });
    running.push(vault);
    return vault;
  }

  const cut = { before: { amount: 1, hang: 'before' }, after: { amount: 10, hang: 'after' } };

  /** Calls that hang, once they do: of two copies one is told that the other is running. */
  async function hang(vault: Vault): Promise<{ readonly ended: Promise<unknown> }> {
    const pairs = Object.entries(cut).map(([key, body]) =>
      [0, 1].map(() => vault.deposit(key, body).catch(() => undefined)),
    );
    for (const pair of pairs) assert.equal((await Promise.race(pair))?.status, 409);
    return { ended: Promise.all(pairs.flat()) };
  }

  it('are remembered after a kill, and those it cut have their effect once', async () => {
    const first = await start();
    const token = tokenFor({ amount: 300 });
    const paid = await first.deposit('k', { amount: 200 });
    const signed = await first.signed(token, { amount: 300 });
    assert.deepEqual([paid.status, signed.status], [200, 200]);
    const { ended } = await hang(first);
    await happens('all effects are there', async () => (await first.total()) === 510 || undefined);
    await first.kill();
    const killed = Date.now();
    await ended;

    // However long a process takes to start, for those that follow it is as if it had taken no time.
    const second = await start(killed);
    assert.deepEqual(await second.deposit('k', { amount: 200 }), { ...paid, replayed: true });
    const other = await second.deposit('k', { amount: 4 });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
    assert.deepEqual(await second.signed(token, { amount: 300 }), { ...signed, replayed: true });
    const stolen = await second.signed(token, { amount: 300 }, { 'idempotency-key': 'another' });
    assert.deepEqual([stolen.status, stolen.body.code], [401, 'unauthorized']);
    for (const [key, body] of Object.entries(cut)) {
      const { status, body: problem } = await second.deposit(key, body);
      assert.deepEqual([status, problem.code], [409, 'request_in_progress']);
    }
    await second.kill();

    const later = await start(killed + CLAIM);
    assert.equal((await later.deposit('before', { amount: 2 })).status, 422);
    const again = await hang(later);
    assert.equal(await later.total(), 510);
    await later.kill();
    await again.ended;
  });
}

describe('idempotent calls on lowdb', function () {
  this.timeout(180_000);
  const running: Vault[] = [];
  let dataDir = '';
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'mesh-vault-'));
  });
  afterEach(async () => {
    for (const vault of running.splice(0)) await vault.kill();
    await rm(dataDir, { recursive: true, force: true });
  });
  bundles();
  survives(() => ({ dataDir, storage: { use: 'lowdb' } }), running);
});

describeRedis('idempotent calls on Redis', function () {
  this.timeout(180_000);
  const running: Vault[] = [];
  let server: RedisServer;
  let dataDir = '';
  const settings = () => ({ dataDir, storage: { use: 'redis', url: server.url, prefix: 'vault' } });
  beforeEach(async () => {
    server = await RedisServer.start();
    dataDir = await mkdtemp(join(tmpdir(), 'mesh-vault-'));
  });
  afterEach(async () => {
    for (const vault of running.splice(0)) await vault.kill();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  bundles();
  survives(settings, running);

  it('are done once by several processes', async () => {
    const other = await mkdtemp(join(tmpdir(), 'mesh-vault-'));
    try {
      const vaults = await Promise.all([Vault.start(settings()), Vault.start({ ...settings(), dataDir: other })]);
      running.push(...vaults);
      const [here, there] = vaults as [Vault, Vault];
      const token = tokenFor({ amount: 100 });
      const copies = await Promise.all(
        Array.from({ length: 10 }, (_, i) => (i % 2 ? here : there).signed(token, { amount: 100 })),
      );
      assert.ok(copies.every(({ status }) => status === 200 || status === 409));
      assert.equal(copies.filter(({ status, replayed }) => status === 200 && !replayed).length, 1);
      const [one, two] = [await here.signed(token, { amount: 100 }), await there.signed(token, { amount: 100 })];
      assert.deepEqual([one.replayed, one.body], [true, two.body]);
      const keyed = await here.deposit('k', { amount: 1 });
      assert.deepEqual(await there.deposit('k', { amount: 1 }), { ...keyed, replayed: true });
      assert.equal((await there.deposit('k', { amount: 2 })).status, 422);
      assert.equal(await there.total(), 101);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });
});

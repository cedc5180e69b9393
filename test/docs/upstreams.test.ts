import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { packageRoot } from '../../core/platform/package-root.ts';
import { freePort } from '../support/mesh-process.ts';

const page = readFileSync(join(packageRoot, 'docs', 'upstreams.md'), 'utf8');
/** Every shell block but the first, which starts the mesh. */
const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text!).slice(1);

describe('the walk of docs/upstreams.md', function () {
  this.timeout(300_000);
  let folder: string;
  let mesh: ChildProcess;
  let first: number;

  // A second try walks through a mesh of its own, for the walk names balances.
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agent-mesh-upstreams-'));
    first = await freePort(5);
    const ports = ['--port', first, '--aggregator-port', first + 2, '--rpc-port', first + 3].map(String);
    const args = ['dev', '--with-upstreams', '--json', '--data', join(folder, 'data'), ...ports];
    mesh = spawn(process.execPath, [join(packageRoot, 'bin', 'mesh.js'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: mesh.stdout! })) if (JSON.parse(line).event === 'ready') break;
    mesh.stdout!.resume();
  });

  afterEach(async () => {
    const ended = once(mesh, 'exit');
    mesh.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('launches, trades, deposits, withdraws, settles and registers, line by line as it is printed', async () => {
    const moved: Record<string, number> = { 9090: first, 9091: first + 1, 9080: first + 2, 8899: first + 3 };
    const script = blocks
      .join('\n')
      .replace(/(localhost|127\.0\.0\.1):(9090|9091|9080|8899)/g, (_, host, port) => `${host}:${moved[port]}`)
      .replaceAll('node bin/mesh.js', `node ${join(packageRoot, 'bin', 'mesh.js')}`);
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      maxBuffer: 16 * 1024 * 1024,
      timeout: 280_000,
    }).catch((error) => {
      throw new Error(
        `the walk ended with ${error.code ?? error.signal} behind:\n${error.stdout.slice(-2_000)}\n${error.stderr.slice(-1_000)}`,
      );
    });
    assert.doesNotMatch(stdout, /"code":"/, 'no call is refused');
    for (const expected of [
      /"token_mint":"\w+","sol_reserves":30000000000,/,
      /"txid":"\w+","amount_in":20000000,"amount_out":20000000000/,
      /"amount_in":5000000000,"amount_out":4995000/,
      /"claimable_lamports":250000/,
      /"txids":\["\w+"/,
      /"outAmount":"2000000"/,
      /"in_amount":"?1000000"?/,
      /"balance_usdc":"35"/,
      /"fee_usdc":"0\.2/,
      /"received_usdc":"4\.7/,
      /"kind":"payout","status":"done","amount_usdc":"2"/,
      /"asset_pubkey":"\w+"/,
      /"type":"launchpad"/,
    ])
      assert.match(stdout, expected);
  });
});

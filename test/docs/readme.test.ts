import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describeStatistics, textStatistics } from '../../core/cli/dev/text-statistics.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { freePort } from '../support/mesh-process.ts';

const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8');

describe('the README', function () {
  this.timeout(120_000);
  let folder: string;
  let mesh: ChildProcess;
  let ports: { node: number; aggregator: number; rpc: number };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agent-mesh-readme-'));
    const first = await freePort(5);
    ports = { node: first, aggregator: first + 2, rpc: first + 3 };
    const args = ['--data', join(folder, 'data'), '--port', ports.node, '--aggregator-port', ports.aggregator];
    mesh = spawn(
      process.execPath,
      [join(packageRoot, 'bin', 'mesh.js'), 'dev', '--json', ...args.map(String), '--rpc-port', String(ports.rpc)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    for await (const line of createInterface({ input: mesh.stdout! })) {
      if (JSON.parse(line).event === 'settled') break;
    }
    mesh.stdout!.resume();
  });

  after(async () => {
    const ended = once(mesh, 'exit');
    mesh.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('drives a deal by hand, line by line as it is printed', () => {
    const script = blocksOf('The same deal by hand')
      .slice(1)
      .join('\n')
      .replaceAll('localhost:9090', `localhost:${ports.node}`);
    const output = execFileSync(
      'bash',
      ['-euo', 'pipefail', '-c', script.replaceAll('localhost:9080', `localhost:${ports.aggregator}`)],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    assert.match(output, /"state":"countered"/);
    assert.match(output, /"amount_usdc":"1.5"/);
    assert.match(output, /\{"lines":1,"words":6,"most_frequent_word":\{"word":"the","count":2\}\}/);
    assert.match(output, /"state":"settled"/);
    assert.match(output, /"points":/);
  });

  it('makes a node of your own, pasted as it is printed into the folder of the repository', () => {
    const copy = join(folder, 'repository');
    mkdirSync(copy);
    for (const name of readdirSync(packageRoot)) symlinkSync(join(packageRoot, name), join(copy, name));
    // npm looks for the package where the command is called.
    const script = blocksOf('A node of your own')[0]!;
    // It prints a whole API document.
    const options = { cwd: copy, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
    const output = execFileSync('bash', ['-euo', 'pipefail', '-c', script], options);
    const made = join(copy, 'my-node', 'plugins.json');
    assert.ok(output.includes(`Made ${made}`));
    assert.match(output, new RegExp(`^listen +127\\.0\\.0\\.1:9090 +${made}$`, 'm'), 'it goes on with that file');
    assert.match(output, /^node: \d+ parts serve \d+ endpoints; nothing is wrong$/m);
    assert.ok(existsSync(join(copy, 'my-node', 'store.jsonl')));
  });

  it('shows the counts that the demo delivers of it', () => {
    const counts = describeStatistics(textStatistics(readme));
    assert.ok(readme.includes(`delivers: ${counts}`), `the sample output has to say: delivers: ${counts}`);
  });
});

/** The shell blocks below a heading, in order. */
function blocksOf(heading: string): string[] {
  const from = readme.indexOf(`## ${heading}`);
  assert.ok(from >= 0, heading);
  const to = readme.indexOf('\n## ', from + 3);
  return [...readme.slice(from, to < 0 ? undefined : to).matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]!);
}

/** A port of which the next one is free too, as the node and the ledger need. */

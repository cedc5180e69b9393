import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

  it('names commands of the node that work as printed', () => {
    for (const line of blocksOf('A node of your own').join('\n').split('\n')) {
      const command = line.replace(/#.*/, '').trim();
      if (!command.startsWith('npm run mesh -- ')) continue;
      const args = command.slice('npm run mesh -- '.length).split(' ');
      const output = execFileSync(process.execPath, [join(packageRoot, 'bin', 'mesh.js'), ...args], {
        encoding: 'utf8',
        cwd: folder,
        env: { ...process.env, NODE_DATA_DIR: join(folder, 'own') },
      });
      assert.ok(output.trim().length > 0, command);
    }
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

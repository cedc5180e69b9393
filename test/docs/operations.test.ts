import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RELOADED } from '../../core/host/boot/reload.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('docs/operations.md', function () {
  this.timeout(60_000);
  let mesh: Mesh<'node'>;
  let text = '';
  before(async () => {
    text = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    mesh = await startMesh({ nodes: ['node'], usdc: { node: '1' } });
  });
  after(() => mesh?.stop());

  /** The rows of the table whose first heading is this one, as cells without backticks. */
  function table(heading: string): string[][] {
    const lines = text.split('\n');
    const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
    const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
    const rows = lines.slice(start + 2, start + length);
    return rows.map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
  }

  async function metrics(url: string): Promise<Map<string, string>> {
    const answer = await (await fetch(`${url}/metrics`)).text();
    return new Map([...answer.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
  }

  it('lists every metric that a node and an aggregator show, with its type and where it is', async () => {
    const [node, aggregator] = await Promise.all([metrics(mesh.nodes.node.url), metrics(mesh.aggregatorNode.url)]);
    const names = [...new Set([...node.keys(), ...aggregator.keys()])].sort();
    const shown = names.map((name) => {
      const where = !node.has(name) ? 'aggregator' : aggregator.has(name) ? 'both' : 'node';
      return [name, node.get(name) ?? aggregator.get(name), where];
    });
    assert.deepEqual(
      table('Metric').map(([name, type, where]) => [name, type, where]),
      shown,
    );
  });

  it('names every metric of a plugin that has to be switched on, and no page names one that is not there', () => {
    const sources = filesBelow('plugins', '.ts').map((file) => readFileSync(file, 'utf8'));
    const ofPlugins = sources.flatMap((source) => [...source.matchAll(/'(mesh_[a-z_]+)'/g)].map(([, name]) => name!));
    assert.ok(ofPlugins.length > 8);
    assert.deepEqual(
      ofPlugins.filter((name) => !text.includes(`\`${name}\``)),
      [],
    );
    const known = new Set([...table('Metric').map(([name]) => name!), ...ofPlugins]);
    const named = filesBelow('docs', '.md').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/`(mesh_[a-z_]+)(?:\{[a-z,]+\})?`/g)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    );
    assert.ok(named.length > 50);
    assert.deepEqual(
      named.filter((one) => !known.has(one.split(': ')[1]!)),
      [],
    );
  });

  it('lists every service of /ready', async () => {
    const { body } = await mesh.nodes.node.get('/ready');
    const listed = new Set(table('Service').map(([name]) => name));
    assert.deepEqual([...listed].sort(), Object.keys(body.services).sort());
  });

  it('lists what SIGHUP takes over', () => {
    const listed = table('Setting').map(([name]) => name!);
    assert.deepEqual(listed.slice(0, -1), RELOADED);
  });

  it('names the paths that tell, which answer as it says', async () => {
    const rows = table('Path');
    assert.equal(rows.length, 3);
    for (const [path] of rows) {
      const answer = await fetch(mesh.nodes.node.url + path!.replace('GET ', ''));
      assert.equal(answer.status, 200, path);
    }
  });
});

function filesBelow(folder: string, ending: string): string[] {
  const entries = readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' });
  return entries.filter((name) => name.endsWith(ending)).map((name) => join(packageRoot, folder, name));
}

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { RELOADED } from '../../core/host/boot/reload.ts';
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

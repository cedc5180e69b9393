import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { withImports } from './support/packed.ts';

const FOLDER = join(packageRoot, 'plugins/explorer/public');
const ID = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';

interface Begun {
  readonly modules: string[];
  readonly reads: string[];
}

/** Runs the script that a document begins with, and gives what it asks for. */
async function begins(face: string, path: string, { secret = false, prefix = '/' } = {}): Promise<Begun> {
  const [modules, reads]: [string[], string[]] = [[], []];
  const origin = `http://mesh.test${prefix}`;
  const { pathname, search } = new URL(path, origin);
  runInNewContext(await readFile(join(FOLDER, 'begin.js'), 'utf8'), {
    URL,
    AbortSignal,
    location: { pathname, search },
    localStorage: { getItem: () => null },
    sessionStorage: { getItem: () => (secret ? 'a' : null) },
    fetch: (url: string) => {
      reads.push(url.slice(origin.length));
      return Promise.reject(new Error('offline'));
    },
    document: {
      currentScript: { dataset: { face }, src: `${origin}explorer/begin.js` },
      documentElement: { dataset: {} },
      createElement: () => ({}),
      head: { append: ({ href }: { href: string }) => modules.push(href.slice(`${origin}explorer/`.length)) },
    },
  });
  return { modules, reads };
}

async function preloaded(document: string): Promise<string[]> {
  const text = await readFile(join(FOLDER, document), 'utf8');
  return [...text.matchAll(/<link rel="modulepreload" href="explorer\/([^"]+)"/g)].map(([, name]) => name!);
}

const AGGREGATOR: readonly [path: string, view: string, reads: readonly string[]][] = [
  ['', 'home', ['activity?limit=100']],
  ['agents', 'agents', ['agents?limit=50&offset=0']],
  [`agents/${ID}`, 'agent', [`agents/${ID}/profile`, `reputation/${ID}`]],
  ['conversations/0001', 'conversation', ['conversations/0001?limit=200']],
  ['escrows/0001', 'conversation', ['conversations/0001?limit=200']],
  [`owners/${ID}`, 'owner', []],
  ['ledger', 'ledger', ['ledger/events?limit=100']],
  ['ledger?before=9', 'ledger', []],
  ...['receipts', 'analytics', 'bounties', 'campaigns', 'flows', 'hosts', 'search'].map(
    (path): [string, string, string[]] => [path, path, []],
  ),
];
const NODE: readonly [path: string, view: string][] = [
  ['', 'overview'],
  ['deals', 'deals'],
  ['deals/new', 'offer'],
  ['deals/0001', 'deal'],
  ['envelopes/0001', 'envelope'],
  [`agents/${ID}`, 'agent'],
  ...['compose', 'hosted', 'inbox', 'inspect', 'peers', 'plugins', 'settings', 'stake', 'wallet'].map(
    (path): [string, string] => [path, path],
  ),
];

describe('what a page begins with', () => {
  it('is every module that it imports, at once, and the reads of its first facts', async () => {
    const shared = [...(await preloaded('page.html')), 'app.js'];
    for (const [path, view, reads] of AGGREGATOR) {
      const begun = await begins('aggregator', path);
      const all = await withImports(['app.js', `views/${view}.js`]);
      assert.deepEqual([...new Set([...shared, ...begun.modules])].sort(), [...all].sort(), path);
      assert.deepEqual(begun.reads, reads, path);
    }
  });

  it('is so in the console, whose reads wait for the secret', async () => {
    const shared = [...(await preloaded('console.html')), 'console.js'];
    for (const [path, view] of NODE) {
      const begun = await begins('node', path, { secret: true });
      const all = await withImports(['console.js', `console/views/${view}.js`]);
      assert.deepEqual([...new Set([...shared, ...begun.modules])].sort(), [...all].sort(), path);
      assert.deepEqual(begun.reads, [], path);
    }
    const guest = await begins('node', 'deals');
    const all = await withImports(['console.js', 'console/guest.js']);
    assert.deepEqual([...new Set([...shared, ...guest.modules])].sort(), [...all].sort());
    assert.deepEqual(guest.reads, ['agent']);
  });

  it('is below the prefix that the page stands behind, and nothing for an address without a page', async () => {
    const begun = await begins('aggregator', 'agents', { prefix: '/mesh/' });
    assert.deepEqual(begun.reads[0], 'agents?limit=50&offset=0');
    assert.ok(begun.modules.includes('views/agents.js'));
    assert.deepEqual(await begins('aggregator', 'nothing/here'), { modules: [], reads: [] });
    assert.deepEqual(await begins('docs', 'docs'), { modules: [], reads: [] });
  });
});

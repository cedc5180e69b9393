import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { packageRoot } from '../../../core/platform/package-root.ts';

const FOLDER = join(packageRoot, 'plugins/explorer/public');
const ID = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';

const TALK = '01'.repeat(16);

interface Begun {
  readonly reads: string[];
  /** Reads whose answer the document has. */
  readonly sent: string[];
  readonly secrets: (string | undefined)[];
  /** Attributes that the script gives the document; by them its head has its controls in the first frame. */
  readonly told: string[];
}

/** Runs the script that a document begins with, and gives what it asks for. */
async function begins(face: string, path: string, { secret = false, prefix = '/' } = {}): Promise<Begun> {
  const [reads, secrets]: [string[], (string | undefined)[]] = [[], []];
  const dataset: Record<string, string> = {};
  const origin = `http://mesh.test${prefix}`;
  const { pathname, search } = new URL(path, origin);
  const own: { meshSent?: Set<string> } = {};
  runInNewContext(
    await readFile(join(FOLDER, 'begin.js'), 'utf8'),
    Object.assign(own, {
      URL,
      URLSearchParams,
      AbortSignal,
      location: { pathname, search },
      localStorage: { getItem: () => null },
      sessionStorage: { getItem: () => (secret ? 'a' : null) },
      fetch: (url: string, { headers }: { headers: Record<string, string> }) => {
        reads.push(url.slice(origin.length));
        secrets.push(headers['authorization']);
        return Promise.reject(new Error('offline'));
      },
      document: {
        currentScript: { dataset: { face }, src: `${origin}explorer/begin-0123456789ab.js` },
        documentElement: { dataset },
      },
    }),
  );
  const sent = [...own.meshSent!].map((url) => url.slice(origin.length));
  return { reads, sent, secrets, told: Object.keys(dataset) };
}

const AGGREGATOR: readonly [path: string, reads: readonly string[]][] = [
  ['', ['activity?limit=100', 'ledger/events?limit=100']],
  ['agents', ['capabilities?limit=12']],
  ['agents?sort=recent', []],
  [`agents/${ID}`, [`agents/${ID}/profile`]],
  [`conversations/${TALK}`, ['network']],
  ['agents/nobody', []],
  ['search?q=a+b%26c', ['search?q=a+b%26c&limit=20']],
  ['search?q=+', []],
  [`receipts?agent=${ID}&epoch=7&id=ab`, [`epochs/${ID}/7/envelopes?limit=1000`, 'network']],
  [`receipts?agent=${ID}`, ['network']],
  ['ledger?before=9', ['ledger']],
];
const SENT: readonly [path: string, read?: string][] = [
  ['', 'stats/network'],
  ['agents', 'agents?limit=50&offset=0'],
  ['agents?sort=recent'],
  [`agents/${ID}`, `reputation/${ID}`],
  [`conversations/${TALK}`, `conversations/${TALK}?limit=200`],
  [`escrows/${TALK}`, `conversations/${TALK}?limit=200`],
  ['analytics?window=7d', 'stats/network'],
  ['ledger', 'ledger/events?limit=100'],
  ['ledger?before=9'],
  ['flows'],
];

describe('what a page begins with', () => {
  it('is the reads of its first facts, at once', async () => {
    for (const [path, reads] of AGGREGATOR) assert.deepEqual((await begins('aggregator', path)).reads, reads, path);
  });

  it('is of the documentation what its page shows first: a guide, a group of the API, what a search finds in guides', async () => {
    for (const [path, reads] of [
      ['docs', ['openapi.json']],
      ['docs/agents', ['guides/agents.md']],
      ['docs/decision-030-no-framework', ['guides/decisions/030-no-framework.md']],
      ['docs/api-agent-process', ['openapi.json?tag=agent-process']],
      ['docs?q=dispute+bond', ['guide-sections?q=dispute+bond']],
      ['docs/..%2Fsecret', []],
      ['docs/agents/more', []],
    ] as const)
      assert.deepEqual((await begins('docs', path)).reads, reads, path);
  });

  it('tells the document that scripts run, that the tab has the secret of a node, and that words are looked for', async () => {
    assert.deepEqual((await begins('aggregator', 'agents', { secret: true })).told, ['scripted']);
    assert.deepEqual((await begins('node', 'deals')).told, ['scripted']);
    assert.deepEqual((await begins('node', 'deals', { secret: true })).told, ['scripted', 'entered']);
    assert.deepEqual((await begins('docs', 'docs?q=bond')).told, ['scripted', 'asked']);
    assert.deepEqual((await begins('docs', 'docs?q=+')).told, ['scripted']);
  });

  it('is no read that the document answers', async () => {
    for (const [path, read] of SENT)
      assert.deepEqual((await begins('aggregator', path)).sent, read === undefined ? [] : [read], path);
  });

  it('shows the secret to a node, which tells a guest who it is', async () => {
    const begun = await begins('node', 'deals', { secret: true });
    assert.deepEqual(
      [begun.reads, begun.secrets, begun.sent],
      [['agent', 'deals?limit=100'], ['Bearer a', 'Bearer a'], []],
    );
    const guest = await begins('node', 'deals?before=1');
    assert.deepEqual([guest.reads, guest.secrets, guest.sent], [['agent'], [undefined], []]);
    const elsewhere = await begins('aggregator', 'agents', { secret: true });
    assert.deepEqual(elsewhere.secrets, [undefined]);
  });

  it('is below the prefix that the page stands behind, and nothing for an address without a page', async () => {
    const begun = await begins('aggregator', 'agents', { prefix: '/mesh/' });
    assert.deepEqual([begun.reads[0], begun.sent[0]], ['capabilities?limit=12', 'agents?limit=50&offset=0']);
    for (const path of ['nothing', 'nothing/here', `agents/${ID}/more`])
      assert.deepEqual((await begins('aggregator', path)).reads, [], path);
  });
});

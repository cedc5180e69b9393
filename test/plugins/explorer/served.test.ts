import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SPACE } from '../../../core/aggregator/providers.ts';
import { ledgerEvents } from '../../../core/aggregator/store/ledger.ts';
import { Store } from '../../../core/internal-services.ts';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { signDeal, type TestAgent } from '../../aggregator/support/agent.ts';
import { rawExchange } from '../../support/raw-http.ts';
import { PluginAggregator } from '../support/aggregator.ts';

const FOLDER = join(packageRoot, 'plugins/explorer/public');
const AGENT = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
const CONVERSATION = '000102030405060708090a0b0c0d0e0f';
const OUTER = [
  '/',
  '/agents',
  '/analytics',
  '/bounties',
  '/campaigns',
  '/flows',
  '/hosts',
  '/ledger',
  '/receipts',
  '/search',
];
const INNER = [`/agents/${AGENT}`, `/conversations/${CONVERSATION}`, `/escrows/${CONVERSATION}`, `/owners/${AGENT}`];
const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

describe('the explorer over HTTP', () => {
  let aggregator: PluginAggregator;
  before(async () => {
    aggregator = await PluginAggregator.start();
  });
  after(async () => {
    assert.deepEqual(aggregator.errors, []);
    await aggregator.stop();
  });
  const page = (path: string) => aggregator.call(`GET ${path}`, { headers: HTML });

  it('answers a browser with a page at each of its paths, under its policy', async () => {
    for (const path of [...OUTER, ...INNER]) {
      const { status, headers, body } = await page(path);
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'], path);
      assert.equal(headers.get('content-security-policy'), POLICY, path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
      assert.equal(headers.get('cache-control'), 'public, no-cache', path);
      assert.match(body, /^<!doctype html>/, path);
    }
  });

  it('leads a browser from an address with a slash at its end to the page, and gives a program the same JSON', async () => {
    for (const path of [...OUTER.slice(1), ...INNER, '/docs', '/docs/agents']) {
      const { url, init } = { url: `${aggregator.url}${path}/?limit=2`, init: { headers: HTML } };
      const { status, headers } = await fetch(url, { ...init, redirect: 'manual' });
      assert.deepEqual(
        [status, new URL(headers.get('location')!, url).href],
        [308, `${aggregator.url}${path}?limit=2`],
      );
      assert.match(await (await fetch(url, init)).text(), /^<!doctype html>/);
    }
    const accept = { headers: { accept: 'application/json' } };
    const [plain, slashed] = [
      await aggregator.call('GET /agents', accept),
      await aggregator.call('GET /agents/', accept),
    ];
    assert.deepEqual([slashed.status, slashed.body], [plain.status, plain.body]);
  });

  it('leaves every answer of the API as it was for programs', async () => {
    for (const path of [
      '/agents',
      '/bounties',
      '/ledger/events',
      '/search?q=x',
      '/leaderboard',
      `/escrows/${CONVERSATION}`,
    ]) {
      for (const accept of ['application/json', '*/*']) {
        const { headers, body } = await aggregator.call(`GET ${path}`, { headers: { accept } });
        assert.match(headers.get('content-type') ?? '', /json/, `${path} ${accept}`);
        assert.equal(typeof body, 'object', path);
      }
    }
    const root = await aggregator.call('GET /', { headers: { accept: 'application/json' } });
    assert.deepEqual([root.status, root.body.code], [404, 'not_found']);
  });

  it('serves all that a page names, at the depth of the page, and asks no other host', async () => {
    for (const path of ['/agents', INNER[0]!]) {
      const { body } = await page(path);
      const links = [...body.matchAll(/(?:href|src)="([^"]*)"/g)].map(
        ([, link]) => new URL(link!, aggregator.url + path),
      );
      assert.ok(links.length > 10);
      for (const url of links) {
        if (url.hash !== '') continue;
        assert.equal(url.origin, aggregator.url);
        assert.equal((await page(url.pathname)).status, 200, url.pathname);
      }
    }
  });

  it('serves each file that a module imports', async () => {
    for (const file of (await filesOf(FOLDER)).filter((name) => name.endsWith('.js'))) {
      const path = `/explorer${file.slice(FOLDER.length)}`;
      const { status, headers, body } = await aggregator.call(`GET ${path}`);
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/javascript; charset=utf-8'], path);
      for (const [, name] of body.matchAll(/from '([^']+)'/g)) {
        const imported = new URL(name!, aggregator.url + path);
        assert.equal((await aggregator.call(`GET ${imported.pathname}`)).status, 200, `${path} imports ${name}`);
      }
    }
  });

  it('answers a browser with a page where nothing is, and programs as before', async () => {
    for (const [path, up] of [
      ['/nothing', './'],
      ['/agents/a/b', '../../'],
      ['/explorer/none.js', '../'],
    ] as const) {
      const { status, headers, body } = await page(path);
      assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=utf-8'], path);
      assert.equal(headers.get('content-security-policy'), POLICY);
      assert.match(body, /There is nothing at this address/);
      assert.ok(body.includes(`<form class="find big alone" action="${up}search"`), path);
      assert.doesNotMatch(body, /\{\{/);
      const links = [...body.matchAll(/(?:href|src)="([^"#]*)"/g)].map(
        ([, link]) => new URL(link!, aggregator.url + path),
      );
      for (const url of links) assert.equal((await page(url.pathname)).status, 200, `${path}: ${url.pathname}`);
      const program = await aggregator.call(`GET ${path}`, { headers: { accept: 'application/json' } });
      assert.deepEqual([program.status, program.body.code, program.headers.get('vary')], [404, 'not_found', 'Accept']);
    }
  });

  it('sends what a browser has not again', async () => {
    for (const path of ['/', '/explorer/app.js', '/explorer/mesh.css']) {
      const etag = (await page(path)).headers.get('etag')!;
      const again = await aggregator.call(`GET ${path}`, { headers: { ...HTML, 'if-none-match': etag } });
      assert.deepEqual([again.status, again.body], [304, ''], path);
    }
  });

  it('leads nowhere but into its folder', async () => {
    const { port } = new URL(aggregator.url);
    for (const path of [
      '/explorer/../package.json',
      '/explorer/..%2f..%2findex.ts',
      '/explorer/%2e%2e/index.ts',
      '/explorer//etc/passwd',
    ]) {
      const text = await rawExchange(
        Number(port),
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      assert.match(text, /^HTTP\/1\.1 40[04] /, path);
    }
    for (const path of ['/explorer/index.ts', '/explorer/views/', '/explorer/.env', '/explorer/page.html/x'])
      assert.equal((await page(path)).status, 404, path);
    const home = await page('/explorer/');
    assert.match(home.body, /url=\.\.\//);
  });

  it('is switched off by false', async () => {
    const without = await PluginAggregator.start({ plugins: { explorer: false } });
    try {
      const nothing = await without.call('GET /', { headers: HTML });
      assert.deepEqual([nothing.status, nothing.body.code], [404, 'not_found']);
      assert.equal((await without.call('GET /explorer/app.js')).status, 404);
      const agents = await without.call('GET /agents', { headers: HTML });
      assert.deepEqual([agents.body, agents.headers.get('vary')], [[], null]);
    } finally {
      await without.stop();
    }
  });
});

describe('the overview, before a script has run', () => {
  let aggregator: PluginAggregator;
  before(async () => {
    aggregator = await PluginAggregator.start();
  });
  after(() => aggregator.stop());
  const page = (headers: Record<string, string> = {}) => aggregator.call('GET /', { headers: { ...HTML, ...headers } });

  it('has the totals of the network in its document, as text and as they are', async () => {
    const ann = aggregator.agent('ann');
    await aggregator.call('POST /ingest/envelopes', { body: { items: [ann.beacon('ann').whole] } });
    const { headers, body } = await page();
    const stats = await aggregator.read('/stats/network');
    assert.match(body, /<dt>Agents online<\/dt><dd>1<small> of 1<\/small>/);
    // No ledger is read here, so nothing is known of escrows.
    assert.match(body, /<dt>In escrow now<\/dt><dd>\u2013</);
    assert.doesNotMatch(body, /\{\{/);
    const told = JSON.parse(/data-facts="([^"]*)"/.exec(body)![1]!.replaceAll('&quot;', '"'));
    assert.deepEqual({ ...told, beacon_bpm: 0 }, { ...stats, beacon_bpm: 0 });
    const etag = headers.get('etag')!;
    assert.equal((await page({ 'if-none-match': etag })).status, 304);
    const ben = aggregator.agent('ben');
    await aggregator.call('POST /ingest/envelopes', { body: { items: [ben.beacon('ben').whole] } });
    const fresh = await page({ 'if-none-match': etag });
    assert.equal(fresh.status, 200);
    assert.match(fresh.body, /<dd>2<small> of 2</);
  });

  it('says what organic figures are, and where the guide says it', async () => {
    const { body } = await page();
    const [, guide, part] = /Organic figures leave out [^<]*<a href="docs\/(\w+)#([\w-]+)">/.exec(body)!;
    const text = await aggregator.call(`GET /guides/${guide}.md`);
    assert.match(text.body, new RegExp(`^## ${part!.replaceAll('-', ' ')}$`, 'im'));
  });
});

describe('other pages, before a script has run', () => {
  const NAME = `"><script>alert(1)</script>'`;
  let aggregator: PluginAggregator;
  let ann: TestAgent;
  let ben: TestAgent;
  let talk: string;
  before(async () => {
    aggregator = await PluginAggregator.start();
    [ann, ben] = [aggregator.agent('ann'), aggregator.agent('ben')];
    const deal = signDeal(ann, ben, aggregator.clock.now());
    talk = deal.conversation;
    const items = [ann.beacon(NAME).whole, deal.propose.receipt, deal.accept.receipt];
    const { body } = await aggregator.call('POST /ingest/envelopes', { body: { items } });
    for (const { status } of body.results) assert.equal(status, 'accepted');
    const facts = { conversation_id: talk, requester: ann.id, provider: ben.id, amount: '9000000' };
    const event = { name: 'escrow_locked', signature: null, ordinal: 0, slot: 7, at: aggregator.clock.now(), facts };
    await aggregator.node.get(Store).space(SPACE).append(ledgerEvents, event);
  });
  after(() => aggregator.stop());
  const page = (path: string) => aggregator.call(`GET ${path}`, { headers: HTML });
  const factsIn = (body: string) => {
    const text = /data-facts="([^"]*)"/.exec(body)![1]!;
    const entities: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" };
    const plain = text.replace(/&(\w+|#39);/g, (_, name: string) => entities[name]!);
    return plain === '' ? undefined : JSON.parse(plain);
  };

  it('have their first facts in the document, which are those of the API', async () => {
    for (const [path, route, shown] of [
      ['/agents', '/agents?limit=50&offset=0', `<a class="agent" href="agents/${ann.id}">`],
      [`/agents/${ann.id}`, `/reputation/${ann.id}`, '<span class="score">0</span>'],
      [`/conversations/${talk}`, `/conversations/${talk}?limit=200`, `<code class="bytes">${talk}</code>`],
      [`/escrows/${talk}`, `/conversations/${talk}?limit=200`, `<code class="bytes">${talk}</code>`],
      ['/analytics?window=7d', '/stats/network', '<dt>Agents</dt>'],
    ] as const) {
      const { status, body } = await page(path);
      assert.equal(status, 200);
      assert.ok(body.includes(shown), path);
      assert.doesNotMatch(body, /\{\{/, path);
      // These two go by the moment of the call.
      const steady = (facts: object) =>
        JSON.stringify(facts, (name, value) => (['as_of', 'beacon_bpm'].includes(name) ? undefined : value));
      assert.equal(steady(factsIn(body)), steady(await aggregator.read(route)), path);
    }
  });

  it('never have the words of a stranger as markup, and show none of them', async () => {
    for (const path of ['/agents', `/agents/${ann.id}`, `/conversations/${talk}`]) {
      const { body } = await page(path);
      assert.ok(!body.includes('<script>alert'), path);
      assert.ok(JSON.stringify(factsIn(body)).includes(JSON.stringify(NAME).slice(1, -1)), path);
      assert.ok(!body.replace(/data-facts="[^"]*"/, '').includes('alert(1)'), path);
    }
  });

  it('are sent without, where there are none, or others are asked for', async () => {
    for (const path of [
      ...['/agents?sort=recent', '/ledger?before=9'],
      ...[`/agents/${AGENT}`, '/agents/nobody', `/conversations/${CONVERSATION}`, '/conversations/%3Cb%3E'],
    ]) {
      const { status, body } = await page(path);
      assert.deepEqual([status, factsIn(body)], [200, undefined], path);
    }
  });
});

describe('the files of the explorer', function () {
  this.timeout(120_000);

  it('are documents that differ by their depth and what stands in their main part only', async () => {
    const main = /<main[\s\S]*<\/main>/;
    const [outer, inner] = await Promise.all(
      ['page.html', 'inner.html'].map((name) => readFile(join(FOLDER, name), 'utf8')),
    );
    assert.equal(inner!.replaceAll('"../"', '"./"').replaceAll('"../', '"'), outer);
    for (const [like, names] of [
      [outer!, ['home.html', 'agents.html', 'analytics.html', 'ledger.html']],
      [inner!, ['agent.html', 'conversation.html']],
    ] as const)
      for (const name of names)
        assert.equal((await readFile(join(FOLDER, name), 'utf8')).replace(main, ''), like.replace(main, ''), name);
    const missing = (await readFile(join(FOLDER, 'missing.html'), 'utf8')).replace(
      'Nothing at this address \u00b7 ',
      '',
    );
    assert.equal(
      missing.replaceAll('"{{up}}"', '"./"').replaceAll('"{{up}}', '"').replace(main, ''),
      outer!.replace(main, ''),
    );
  });

  it('hold no script and no style of their own in a document', async () => {
    for (const name of (await readdir(FOLDER)).filter((one) => one.endsWith('.html'))) {
      const text = await readFile(join(FOLDER, name), 'utf8');
      assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i, name);
    }
  });

  it('never parse markup, nor run text', async () => {
    const files = (await filesOf(FOLDER)).filter((name) => name.endsWith('.js'));
    for (const file of files)
      assert.doesNotMatch(
        await readFile(file, 'utf8'),
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|setTimeout\('|srcdoc|\.style\b/,
        file,
      );
  });

  it('name every view that a path leads to', async () => {
    const app = await readFile(join(FOLDER, 'app.js'), 'utf8');
    const named = [...app.matchAll(/\$\/, '(\w+)'\]/g)].map(([, name]) => `${name}.js`);
    assert.deepEqual([...new Set(named)].sort(), (await readdir(join(FOLDER, 'views'))).sort());
  });
});

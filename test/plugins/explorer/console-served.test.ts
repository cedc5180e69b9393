import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { type Answer, type Mesh, startMesh } from '../../support/mesh.ts';

const FOLDER = join(packageRoot, 'plugins/explorer/public');
const AGENT = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
const CONVERSATION = '000102030405060708090a0b0c0d0e0f';
const OUTER = [
  '/',
  '/compose',
  '/deals',
  '/hosted',
  '/inbox',
  '/inspect',
  '/peers',
  '/plugins',
  '/settings',
  '/stake',
  '/wallet',
];
const INNER = [`/agents/${AGENT}`, `/deals/${CONVERSATION}`, '/deals/new', `/envelopes/${'ab'.repeat(32)}`];
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('the console over HTTP', () => {
  let mesh: Mesh<'ann' | 'off'>;
  before(async () => {
    mesh = await startMesh({
      nodes: ['ann', 'off'],
      isolated: true,
      settings: { api: { secret: 'a-secret-of-the-tests' } },
      own: {
        ann: { agent: { name: 'ann', capabilities: ['translate'], description: 'I translate.' } },
        off: { plugins: { explorer: false } },
      },
    });
  });
  after(() => mesh.stop());
  const page = (path: string, from: 'ann' | 'off' = 'ann') =>
    fetch(mesh.nodes[from].url + path, { headers: { accept: HTML } });
  const asked = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    mesh.nodes.ann.call('GET', path, undefined, { authorization: '', ...headers });

  it('answers a browser with a page at each of its paths, under its policy', async () => {
    for (const path of [...OUTER, ...INNER]) {
      const answer = await page(path);
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/html; charset=utf-8'], path);
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        /^default-src 'none'; script-src 'self'; /,
        path,
      );
      const text = await answer.text();
      assert.match(text, /console\.js/);
      const links = [...text.matchAll(/(?:href|src)="([^"#]*)"/g)].map(([, link]) => new URL(link!, answer.url));
      for (const { pathname } of links) assert.equal((await page(pathname)).status, 200, `${path} names ${pathname}`);
    }
  });

  it('answers a browser with a page where nothing is', async () => {
    for (const [path, up] of [
      ['/nothing', './'],
      ['/deals/a/b', '../../'],
    ] as const) {
      const answer = await page(path);
      const body = await answer.text();
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
      assert.match(body, /There is nothing at this address/);
      assert.ok(body.includes(`<form class="find big alone" action="${up}inspect"`), path);
    }
    const { status, body } = await asked('/nothing');
    assert.deepEqual([status, body.code], [404, 'not_found']);
  });

  it('leaves every answer of the API as it was for programs', async () => {
    for (const path of ['/deals', '/peers', '/inbox', '/stake', `/deals/${CONVERSATION}`, '/hosted/agents']) {
      const { headers, body } = await mesh.nodes.ann.get(path);
      assert.match(headers.get('content-type') ?? '', /json/, path);
      assert.equal(typeof body, 'object', path);
    }
    const root = await mesh.nodes.ann.get('/');
    assert.deepEqual([root.status, root.body.code], [404, 'not_found']);
  });

  it('is switched off by false', async () => {
    assert.equal((await page('/', 'off')).status, 404);
    assert.equal((await page('/explorer/console.js', 'off')).status, 404);
    assert.match((await page('/deals', 'off')).headers.get('content-type') ?? '', /json/);
  });

  it('tells anybody who the agent is', async () => {
    const { status, body } = await asked('/agent');
    const { agent_id, name, capabilities, description, network } = body;
    assert.deepEqual(
      [status, agent_id, name, capabilities, description],
      [200, mesh.nodes.ann.id, 'ann', ['translate'], 'I translate.'],
    );
    assert.deepEqual([network.network_id, network.envelope_version, network.epoch_secs], ['mesh-tests', 2, 86_400]);
  });

  it('tells its plugins and settings to whoever shows the secret, and hides what is secret there', async () => {
    for (const path of ['/plugins', '/settings'])
      for (const headers of [{}, { authorization: 'Bearer wrong' }])
        assert.equal((await asked(path, headers)).status, 401, path);
    const { plugins } = (await mesh.nodes.ann.get('/plugins')).body;
    const explorer = plugins.find(({ name }: any) => name === 'explorer');
    assert.deepEqual([explorer.from, explorer.state, explorer.permissions], ['built-in', 'ok', []]);
    assert.ok(explorer.serves.some((line: string) => line.includes('/explorer')));
    const ownership = plugins.find(({ name }: any) => name === 'ownership');
    assert.ok(ownership.permissions.includes('owner-links'));
    const { body } = await mesh.nodes.ann.get('/settings');
    const shown = (wanted: string) => body.settings.find(({ key }: any) => key === wanted);
    assert.equal(shown('api.secret').value, '(hidden)');
    assert.deepEqual(shown('agent.name').value, 'ann');
    assert.equal(shown('log.level').source, 'default');
    assert.ok(!JSON.stringify(body).includes('a-secret-of-the-tests'));
  });
});

describe('the files of the console', () => {
  it('are two documents that differ by their depth only', async () => {
    const [outer, inner] = await Promise.all(
      ['console.html', 'inner-console.html'].map((name) => readFile(join(FOLDER, name), 'utf8')),
    );
    assert.equal(inner!.replaceAll('"../"', '"./"').replaceAll('"../', '"'), outer);
    const missing = (await readFile(join(FOLDER, 'missing-console.html'), 'utf8')).replace(
      'Nothing at this address \u00b7 ',
      '',
    );
    const main = /<main[\s\S]*<\/main>/;
    assert.equal(
      missing.replaceAll('"{{up}}"', '"./"').replaceAll('"{{up}}', '"').replace(main, ''),
      outer!.replace(main, ''),
    );
    assert.doesNotMatch(outer!, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i);
  });

  it('name every view that a path leads to', async () => {
    const app = await readFile(join(FOLDER, 'console.js'), 'utf8');
    const named = [...app.matchAll(/\$\/, '(\w+)'\]/g)].map(([, name]) => `${name}.js`);
    assert.deepEqual([...new Set(named)].sort(), (await readdir(join(FOLDER, 'console/views'))).sort());
  });
});

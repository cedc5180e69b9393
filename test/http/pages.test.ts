import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { definePlugin, files, route, typed } from '../../core/plugin.ts';
import { SECRET, type TestNode, testNode } from '../support/node.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';
const Note = typed<{ note: string }>({ type: 'object', required: ['note'], properties: { note: { type: 'string' } } });

const Sum = typed<object>({ type: 'object' });
const List = typed<object[]>({ type: 'array', items: { type: 'object' } });
const ShortId = typed<string>({ type: 'string', maxLength: 8 });
const Limit = typed<{ limit?: number }>({
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 10 } },
});

describe('pages of a folder at other paths', () => {
  let folder: string;
  let node: TestNode;

  function site(
    name: string,
    pages: Record<string, string>,
    auth = 'open',
    facts: Record<string, `/${string}`> = {},
    missing?: string,
  ) {
    const url = pathToFileURL(`${join(folder, 'public')}/`);
    const own = { auth, folder: url, pages, facts, ...(missing !== undefined && { missing }) };
    return definePlugin({
      name,
      api: '2.2',
      node: { routes: { ui: files(`/${name}`, own) }, setup: () => ({}) },
    });
  }
  let sum: object | Error = {};
  const sums = definePlugin({
    name: 'sums',
    api: '2.2',
    node: {
      routes: {
        sum: route('GET /sum', { auth: 'open', reply: Sum, limit: { per: 'ip', rate: 40, window: 3_600 } }),
        own: route('GET /own', { auth: 'api-secret', reply: Sum }),
        sum_of: route('GET /sums/:id', { auth: 'open', reply: Sum, params: { id: ShortId } }),
        list: route('GET /list', { auth: 'open', reply: List, query: Limit }),
      },
      setup: () => ({
        routes: {
          sum() {
            if (sum instanceof Error) throw sum;
            return sum;
          },
          own: () => ({}),
          sum_of: ({ params }) => ({ id: params.id }),
          list: ({ query: { limit = 9 } }) => Array.from({ length: limit }, (_, n) => ({ n: n + 1 })),
        },
      }),
    },
  });
  const notes = definePlugin({
    name: 'notes',
    api: '2.1',
    node: {
      routes: {
        note: route('GET /notes/:id', { auth: 'open', reply: Note }),
        add: route('POST /notes/:id', { auth: 'open', reply: Note }),
      },
      setup: () => ({ routes: { note: ({ params }) => ({ note: params.id }), add: () => ({ note: 'added' }) } }),
    },
  });
  const refusal = (...plugins: NonNullable<NonNullable<Parameters<typeof testNode>[0]>['plugins']>) =>
    testNode({ plugins }).then(
      () => assert.fail('it booted'),
      (error: Error) => error.message,
    );

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pages-'));
    await mkdir(join(folder, 'public/inner'), { recursive: true });
    for (const name of ['index', 'note', 'secret']) await writeFile(join(folder, `public/${name}.html`), name);
    await writeFile(
      join(folder, 'public/sum.html'),
      '<p title="{{.}}">{{many}} of {{of.all}}, {{of}} {{no.one}} {{0}}</p>',
    );
    await writeFile(join(folder, 'public/one-sum.html'), '<p>{{id}}</p>');
    await writeFile(join(folder, 'public/list.html'), '<p title="{{.}}">{{0.n}} {{1.n}} {{2.n}}</p>');
    node = await testNode({
      plugins: [
        notes,
        sums,
        site('summed', { '/sums': 'sum.html' }, 'open', { 'sum.html': '/sum' }),
        site('one-sum', { '/sums/:id': 'one-sum.html', '/others/:id': 'one-sum.html' }, 'open', {
          'one-sum.html': '/sums/:id',
        }),
        site('listed', { '/list': 'list.html' }, 'open', { 'list.html': '/list?limit=2' }),
        site('site', { '/': 'index.html', '/notes/:id': 'note.html', '/only-a-page': 'note.html' }),
        site('private', { '/secrets': 'secret.html' }, 'api-secret'),
      ],
    });
  });
  after(async () => {
    await node.stop();
    await rm(folder, { recursive: true });
  });
  const read = (path: string, accept?: string, init: RequestInit = {}) =>
    fetch(node.url + path, { ...init, headers: { ...(accept !== undefined && { accept }), ...init.headers } });
  const bodyOf = async (path: string, accept?: string) => (await read(path, accept)).text();

  it('come to browsers, where programs get the answer of the route', async () => {
    assert.equal(await bodyOf('/notes/7', BROWSER), 'note');
    for (const accept of [
      'application/json',
      '*/*',
      'application/json, text/html;q=0.9',
      'text/html;q=0',
      'text/plain',
    ])
      assert.equal(await bodyOf('/notes/7', accept), '{"note":"7"}', accept);
    for (const accept of ['text/html', 'text/html, application/json', 'TEXT/HTML;q=0.5', 'application/xhtml+xml'])
      assert.equal(await bodyOf('/notes/7', accept), 'note', accept);
  });

  it('are where a slash behind their address leads a browser, behind a prefix too, and a program gets the answer of the route', async () => {
    for (const [path, to] of [
      ['/notes/7/', '/notes/7'],
      ['/notes/a%2Fb/?x=1&y=%20', '/notes/a%2Fb?x=1&y=%20'],
      ['/only-a-page/', '/only-a-page'],
    ] as const) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await read(path, BROWSER, { method, redirect: 'manual' });
        assert.deepEqual(
          [status, headers.get('vary'), headers.get('cache-control')],
          [308, 'Accept', 'no-cache'],
          path,
        );
        for (const before of ['', '/pre/fix'])
          assert.equal(new URL(headers.get('location')!, node.url + before + path).href, node.url + before + to);
      }
      assert.equal(await bodyOf(path, BROWSER), 'note');
    }
    const { status, headers } = await read('/notes/7/', 'application/json', { redirect: 'manual' });
    assert.deepEqual([status, headers.get('vary')], [200, 'Accept']);
    assert.equal(await bodyOf('/notes/7/', 'application/json'), '{"note":"7"}');
    for (const path of ['//', '/notes//', '/only-a-page//', '/no-page/'])
      assert.notEqual((await read(path, BROWSER, { redirect: 'manual' })).status, 308, path);
    const asked = await read('/secrets/', BROWSER, { redirect: 'manual' });
    assert.equal(asked.status, 401, 'whoever may not see a page learns of no way to it');
  });

  it('tell caches that the answer goes by Accept, whichever it is', async () => {
    for (const accept of [BROWSER, 'application/json']) {
      assert.equal((await read('/notes/7', accept)).headers.get('vary'), 'Accept');
      assert.equal(
        (await read('/notes/7', accept, { headers: { 'if-none-match': '*' } })).headers.get('vary'),
        'Accept',
      );
    }
    assert.equal((await read('/site/', BROWSER)).headers.get('vary'), null);
  });

  it('are files with an etag and the policy of their folder', async () => {
    const { headers, status } = await read('/', BROWSER);
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    assert.match(headers.get('content-security-policy') ?? '', /^default-src 'self'/);
    assert.equal(headers.get('cache-control'), 'public, no-cache');
    const known = await read('/', BROWSER, { headers: { 'if-none-match': headers.get('etag')! } });
    assert.equal(known.status, 304);
    const head = await read('/notes/7', BROWSER, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '4', '']);
  });

  it('are nothing to a program where no route is', async () => {
    for (const path of ['/', '/only-a-page']) {
      const response = await read(path, 'application/json');
      assert.deepEqual([response.status, ((await response.json()) as any).code], [404, 'not_found'], path);
    }
  });

  it('stand at their own depth only, whatever the parameter is', async () => {
    assert.equal(await bodyOf('/notes/%2e%2e%2fsecret?x=1', BROWSER), 'note');
    for (const path of ['/notes/7/x', '/notes', '/Only-a-page', '/Only-a-page/'])
      assert.notEqual(await bodyOf(path, BROWSER), 'note', path);
  });

  it('leave other methods to the routes', async () => {
    assert.equal(await (await read('/notes/7', BROWSER, { method: 'POST' })).text(), '{"note":"added"}');
    assert.equal((await read('/only-a-page', BROWSER, { method: 'DELETE' })).status, 404);
  });

  it('ask for the credential of their folder', async () => {
    assert.equal((await read('/secrets', BROWSER)).status, 401);
    const response = await read('/secrets', BROWSER, { headers: { authorization: `Bearer ${SECRET}` } });
    assert.deepEqual([await response.text(), response.headers.get('cache-control')], ['secret', 'private, no-cache']);
  });

  it('stand in the API document with their folder', async () => {
    const { paths } = (await (await read('/openapi.json')).json()) as any;
    assert.deepEqual(paths['/private/{path}'].get['x-pages'], { '/secrets': 'secret.html' });
  });

  it('have facts of a route in them, as text', async () => {
    sum = { many: 3, of: { all: '<b>"\'&' } };
    const first = await read('/sums', BROWSER);
    const whole = '{&quot;many&quot;:3,&quot;of&quot;:{&quot;all&quot;:&quot;&lt;b&gt;\\&quot;&#39;&amp;&quot;}}';
    const text = `<p title="${whole}">3 of &lt;b&gt;&quot;&#39;&amp;, \u2013 \u2013 \u2013</p>`;
    assert.equal(await first.text(), text);
    assert.deepEqual(
      [first.headers.get('content-length'), first.headers.get('cache-control'), first.headers.get('vary')],
      [String(Buffer.byteLength(text)), 'public, no-cache', 'Accept'],
    );
    const etag = first.headers.get('etag')!;
    const again = () => read('/sums', BROWSER, { headers: { 'if-none-match': etag } });
    assert.equal((await again()).status, 304);
    const head = await read('/sums', BROWSER, { method: 'HEAD' });
    assert.deepEqual([head.headers.get('etag'), await head.text()], [etag, '']);
    sum = { many: 4 };
    const fresh = await again();
    assert.deepEqual([fresh.status, (await fresh.text()).includes('>4 of \u2013,')], [200, true]);
    // Members that every object has are none of an answer.
    assert.doesNotMatch(await bodyOf('/sums', BROWSER), /function/);
  });

  it('are sent with dashes where the route does not answer, or not so often', async () => {
    const empty = '<p title="">\u2013 of \u2013, \u2013 \u2013 \u2013</p>';
    sum = new Error('It broke.');
    assert.equal(await bodyOf('/sums', BROWSER), empty);
    sum = { many: 5 };
    for (let call = 0; call < 40; call += 1) await read('/sum', 'application/json');
    assert.equal((await read('/sum', 'application/json')).status, 429);
    const page = await read('/sums', BROWSER);
    assert.deepEqual([page.status, await page.text()], [200, empty]);
  });

  it('have facts of the route that the parameters of their address name, in their spelling', async () => {
    for (const path of ['/sums', '/others']) {
      assert.equal(await bodyOf(`${path}/7`, BROWSER), '<p>7</p>');
      assert.equal(await bodyOf(`${path}/7?any=thing`, BROWSER), '<p>7</p>');
      assert.equal(await bodyOf(`${path}/%3Cb%3E`, BROWSER), '<p>&lt;b&gt;</p>');
    }
    assert.equal(await bodyOf('/sums/..%2fown', BROWSER), '<p>../own</p>');
    assert.equal((await read('/sums/too-long-an-id', 'application/json')).status, 400);
    const page = await read('/sums/too-long-an-id', BROWSER);
    assert.deepEqual([page.status, await page.text()], [200, '<p>\u2013</p>']);
  });

  it('have the items of a list in them, where their address asks for no other list', async () => {
    const text = '<p title="[{&quot;n&quot;:1},{&quot;n&quot;:2}]">1 2 \u2013</p>';
    assert.equal(await bodyOf('/list', BROWSER), text);
    assert.equal(await bodyOf('/list?limit=1', BROWSER), '<p title="">\u2013 \u2013 \u2013</p>');
    assert.equal(await bodyOf('/list?limit=1', 'application/json'), '[{"n":1}]');
  });

  describe('where nothing is', () => {
    const PAGE = '<a href="{{up}}x">{{path}}</a>';
    let found: TestNode;
    before(async () => {
      await writeFile(join(folder, 'public/missing.html'), PAGE);
      found = await testNode({ plugins: [notes, site('site', { '/': 'index.html' }, 'open', {}, 'missing.html')] });
    });
    after(() => found.stop());
    const ask = (path: string, accept = BROWSER, method = 'GET') =>
      fetch(found.url + path, { method, headers: { accept } });

    it('are a page with the status 404 for browsers, whose links hold at any depth', async () => {
      for (const [path, up] of [
        ['/nothing', './'],
        ['/nothing/', '../'],
        ['/nothing/at/all?x=<', '../../'],
        ['/site/none.js', '../'],
        ['/a%3Cb%22', './'],
      ] as const) {
        const response = await ask(path);
        const shown = path.replace(/\?.*/, '');
        assert.deepEqual([response.status, await response.text()], [404, `<a href="${up}x">${shown}</a>`], path);
        const names = ['content-type', 'cache-control', 'vary', 'x-content-type-options'];
        assert.deepEqual(
          names.map((name) => response.headers.get(name)),
          ['text/html; charset=utf-8', 'no-store', 'Accept', 'nosniff'],
        );
        assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'self'/);
      }
      const head = await ask('/nothing', BROWSER, 'HEAD');
      assert.deepEqual([head.status, await head.text()], [404, '']);
    });

    it('are the problem document for programs, for other methods, and at endless addresses', async () => {
      const deep = '/x'.repeat(40);
      for (const [path, accept, method] of [
        ['/nothing', 'application/json', 'GET'],
        ['/nothing', '*/*', 'GET'],
        ['/nothing', BROWSER, 'POST'],
        [deep, BROWSER, 'GET'],
      ] as const) {
        const response = await ask(path, accept, method);
        assert.equal(response.status, 404, path);
        assert.equal(((await response.json()) as any).detail, `There is nothing at ${path}.`);
        assert.equal(response.headers.get('vary'), method === 'GET' ? 'Accept' : null);
      }
      const text = await (await ask(`/${'y'.repeat(4_000)}`)).text();
      assert.equal(text.length, `<a href="./x">${'y'.repeat(128)}</a>`.length);
    });

    it('leave what a route says to the route', async () => {
      const response = await ask('/notes/7', BROWSER, 'DELETE');
      assert.deepEqual([response.status, ((await response.json()) as any).code], [405, 'method_not_allowed']);
      const { paths } = (await (await ask('/openapi.json')).json()) as any;
      assert.equal(paths['/site/{path}'].get['x-missing'], 'missing.html');
    });

    it('are refused at boot without their file, and twice', async () => {
      const one = (name: string, missing: string) => site(name, {}, 'open', {}, missing);
      assert.match(
        await refusal(one('one', '../secret')),
        /its missing is "\.\.\/secret", which is no file of the folder/,
      );
      assert.match(await refusal(one('one', 'missing.html'), one('two', 'missing.html')), /is already served by one/);
      await writeFile(join(folder, 'public/endless.html'), 'x'.repeat(65_537));
      assert.match(await refusal(one('one', 'endless.html')), /its missing endless\.html has more than 65536 bytes/);
    });
  });

  it('are refused at boot with facts of no route for everybody, of no page, or in a page that is too long', async () => {
    const pages = { '/x': 'note.html' };
    for (const path of ['/none', '/own', '/notes/:id', '/notes/7', '/notes/*id', '/sum ?a=b'] as const)
      assert.match(await refusal(notes, sums, site('site', pages, 'open', { 'note.html': path })), /facts/, path);
    assert.match(
      await refusal(
        notes,
        site('site', { '/x/:id': 'note.html', '/y': 'note.html' }, 'open', { 'note.html': '/notes/:id' }),
      ),
      /its facts for "note\.html" are those of \/notes\/:id, whose parameters are not all in \/x\/:id, \/y/,
    );
    assert.match(
      await refusal(notes, site('site', { '/x/:note': 'note.html' }, 'open', { 'note.html': '/notes/:note' })),
      /which is no GET route for everybody under that path/,
    );
    assert.match(await refusal(sums, site('site', pages, 'open', { 'index.html': '/sum' })), /facts for "index\.html"/);
    await writeFile(join(folder, 'public/long.html'), 'x'.repeat(65_537));
    assert.match(
      await refusal(sums, site('site', { '/x': 'long.html' }, 'open', { 'long.html': '/sum' })),
      /its page long\.html has facts and more than 65536 bytes/,
    );
  });

  it('are refused at boot without their file, or at a path that is none', async () => {
    for (const name of ['none.html', 'inner', '../secret', '/etc/passwd', '.env'])
      assert.match(
        await refusal(site('site', { '/x': name })),
        /its page \/x is ".*", which is no file of the folder itself/,
      );
    for (const path of ['x', '/x/', '/x/*rest', '/:all'])
      assert.match(
        await refusal(site('site', { [path]: 'note.html' })),
        /is no path without a wildcard, a parameter at/,
      );
  });

  it('are refused at boot where another folder has the page', async () => {
    const text = await refusal(site('one', { '/x/:id': 'note.html' }), site('two', { '/x/:name': 'index.html' }));
    assert.match(text, /GET \/two\/\*path is already served by one as GET \/one\/\*path/);
  });
});

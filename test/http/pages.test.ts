import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { definePlugin, files, route, typed } from '../../core/plugin.ts';
import { SECRET, type TestNode, testNode } from '../support/node.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8';
const Note = typed<{ note: string }>({ type: 'object', required: ['note'], properties: { note: { type: 'string' } } });

describe('pages of a folder at other paths', () => {
  let folder: string;
  let node: TestNode;

  function site(name: string, pages: Record<string, string>, auth = 'open') {
    const url = pathToFileURL(`${join(folder, 'public')}/`);
    return definePlugin({
      name,
      api: '2.1',
      node: { routes: { ui: files(`/${name}`, { auth, folder: url, pages }) }, setup: () => ({}) },
    });
  }
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
  const refusal = (...plugins: ReturnType<typeof site>[]) =>
    testNode({ plugins }).then(
      () => assert.fail('it booted'),
      (error: Error) => error.message,
    );

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pages-'));
    await mkdir(join(folder, 'public/inner'), { recursive: true });
    for (const name of ['index', 'note', 'secret']) await writeFile(join(folder, `public/${name}.html`), name);
    node = await testNode({
      plugins: [
        notes,
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
    for (const path of ['/notes/7/', '/notes/7/x', '/notes', '/Only-a-page', '/only-a-page/'])
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

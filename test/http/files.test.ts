import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { definePlugin, files } from '../../core/plugin.ts';
import { SECRET, type TestNode, testNode } from '../support/node.ts';
import { rawExchange } from '../support/raw-http.ts';

describe('folders of files', () => {
  let folder: string;
  let node: TestNode;
  const page = '<!doctype html><title>notes</title>';

  function plugin(at: string = join(folder, 'public')) {
    const url = pathToFileURL(`${at}/`);
    return definePlugin({
      name: 'site',
      api: '2.0',
      node: {
        routes: {
          ui: files('/ui', { auth: 'open', folder: url, summary: 'The pages of the notes.' }),
          inner: files('/inner/', { auth: 'api', folder: url, policy: "default-src 'none'" }),
        },
        setup: () => ({}),
      },
    });
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'files-'));
    const at = (name: string) => join(folder, name);
    for (const each of ['public/assets', 'public/docs', 'public/empty', 'public/.git']) {
      await mkdir(at(each), { recursive: true });
    }
    const contents: Record<string, string> = {
      'public/index.html': page,
      'public/app.js': 'export {};',
      'public/my-component.js': 'export {};',
      'public/report-20240101.txt': 'a report',
      'public/assets/app-BfV8w2aQ.js': 'export const a = 1;',
      'public/assets/main.3f2a9c1b.css': 'p {}',
      'public/docs/index.html': 'docs',
      'public/a b\u00e9.txt': 'spaces',
      'public/none.bin': '',
      'public/.env': 'SECRET=1',
      'public/.git/config': 'secret',
      secret: 'outside',
    };
    for (const [name, text] of Object.entries(contents)) await writeFile(at(name), text);
    await symlink(at('secret'), at('public/link.txt'));
    await symlink(folder, at('public/up'));
    node = await testNode({ plugins: [plugin()] });
  });
  after(async () => {
    await node.stop();
    await rm(folder, { recursive: true });
  });

  const read = (path: string, init: RequestInit = {}) => fetch(node.url + path, { redirect: 'manual', ...init });

  it('are served with their type, an etag and a policy', async () => {
    const response = await read('/ui/app.js');
    assert.deepEqual([response.status, await response.text()], [200, 'export {};']);
    const header = (name: string) => response.headers.get(name);
    assert.equal(header('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(header('x-content-type-options'), 'nosniff');
    assert.equal(header('cache-control'), 'public, no-cache');
    assert.match(header('etag') ?? '', /^"[\w-]{22}"$/);
    assert.match(header('content-security-policy') ?? '', /^default-src 'self'; .*frame-ancestors 'none'/);
    assert.equal(header('content-length'), '10');
    assert.equal((await read('/ui/none.bin')).headers.get('content-type'), 'application/octet-stream');
    assert.equal(await (await read('/ui/a%20b%C3%A9.txt')).text(), 'spaces');
  });

  it('have index.html for a folder, whose address ends in a slash', async () => {
    assert.equal(await (await read('/ui/')).text(), page);
    assert.equal(await (await read('/ui/docs/')).text(), 'docs');
    const moved = await read('/ui?x=1');
    assert.deepEqual([moved.status, moved.headers.get('location')], [308, './ui/?x=1']);
    assert.equal((await read('/ui/docs')).headers.get('location'), './docs/');
    for (const path of ['/ui/empty/', '/ui/app.js/', '/ui/assets/']) assert.equal((await read(path)).status, 404, path);
  });

  it('are kept for good when their name holds a hash, and only then', async () => {
    for (const [path, keep] of [
      ['/ui/assets/app-BfV8w2aQ.js', 'public, max-age=31536000, immutable'],
      ['/ui/assets/main.3f2a9c1b.css', 'public, max-age=31536000, immutable'],
      ['/ui/my-component.js', 'public, no-cache'],
      ['/ui/report-20240101.txt', 'public, no-cache'],
    ] as const) {
      assert.equal((await read(path)).headers.get('cache-control'), keep, path);
    }
  });

  it('are not sent again to who has them, until they change', async () => {
    const file = join(folder, 'public/app.js');
    const etag = (await read('/ui/app.js')).headers.get('etag')!;
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await read('/ui/app.js', { headers: { 'if-none-match': known } });
      assert.deepEqual([response.status, await response.text(), response.headers.get('etag')], [304, '', etag], known);
    }
    assert.equal((await read('/ui/app.js', { headers: { 'if-none-match': '"other"' } })).status, 200);
    // As many bytes, and the time that installers give every file.
    await utimes(file, 499_162_500, 499_162_500);
    await writeFile(file, 'export[];;');
    await utimes(file, 499_162_500, 499_162_500);
    const changed = await read('/ui/app.js', { headers: { 'if-none-match': etag } });
    assert.deepEqual([changed.status, await changed.text()], [200, 'export[];;']);
    await writeFile(file, 'export {};');
  });

  it('answer HEAD with the head, and no other method', async () => {
    const head = await read('/ui/app.js', { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '10', '']);
    const known = await read('/ui/app.js', { method: 'HEAD', headers: { 'if-none-match': head.headers.get('etag')! } });
    assert.equal(known.status, 304);
    const posted = await read('/ui/app.js', { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  });

  it('show nothing that is hidden, linked, outside or not there', async () => {
    const paths = [
      ...['/ui/.env', '/ui/.git/config', '/ui/.git/', '/ui/link.txt', '/ui/up/secret', '/ui/up/', '/ui/none'],
      ...['/ui/%2eenv', '/ui/docs/none/', `/ui/${'a'.repeat(300)}`, '/ui/app.js/x'],
    ];
    for (const path of paths) {
      const response = await read(path);
      assert.deepEqual([response.status, ((await response.json()) as { code: string }).code], [404, 'not_found'], path);
    }
  });

  it('are no way out of their folder', async () => {
    const paths = [
      ...['/ui/../secret', '/ui/%2e%2e/secret', '/ui/..%2fsecret', '/ui/docs/../../../secret', '/ui//etc/passwd'],
      ...['/ui/..%5csecret', '/ui/app.js%00.html', '/ui/./app.js', '/ui/%2Fetc%2Fpasswd', '/ui/docs%2findex.html'],
      `/ui/${'a/'.repeat(600)}`,
    ];
    for (const path of paths) {
      const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      const text = await rawExchange(node.port, request);
      assert.match(text, /^HTTP\/1\.1 400 /, path);
      assert.match(text, /"code":"invalid_request"/, path);
      assert.doesNotMatch(text, /outside|root:/, path);
    }
    assert.match(
      await rawExchange(node.port, 'GET /ui/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
      / 400 /,
    );
  });

  it('ask for the credential of their guard, and are kept by nobody else then', async () => {
    assert.equal((await read('/inner/app.js')).status, 401);
    const response = await read('/inner/app.js', { headers: { authorization: `Bearer ${SECRET}` } });
    assert.deepEqual(
      [response.headers.get('cache-control'), response.headers.get('content-security-policy')],
      ['private, no-cache', "default-src 'none'"],
    );
  });

  it('stand in the API document', async () => {
    const { paths } = (await (await read('/openapi.json')).json()) as any;
    const { get } = paths['/ui/{path}'];
    assert.deepEqual([get['x-files'], get.summary, get.parameters[0].name], [true, 'The pages of the notes.', 'path']);
    assert.deepEqual(Object.keys(get.responses), ['200', '304', '308', '400', '404', 'default']);
  });

  it('are refused at boot with a path in the place of a URL', async () => {
    const routes = { ui: files('/ui', { auth: 'open', folder: './public/' as never }) };
    const relative = definePlugin({ name: 'site', api: '2.0', node: { routes, setup: () => ({}) } });
    await assert.rejects(
      testNode({ plugins: [relative] }),
      /its folder is not the URL of one; write new URL\('\.\/public\/', import\.meta\.url\)/,
    );
  });

  it('are refused at boot without a folder', async () => {
    const booted = testNode({ plugins: [plugin(join(folder, 'nowhere'))] });
    await assert.rejects(booted, (error) => {
      assert.ok(error instanceof BootError);
      assert.match(error.message, /site: GET \/ui\/\*path: there is no folder \S+\/nowhere\/?; make it, or correct/);
      return true;
    });
  });
});

import assert from 'node:assert/strict';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { definePlugin, route, stream, typed } from '../../core/plugin.ts';
import { type TestNode, testNode } from '../support/node.ts';
import { rawExchange } from '../support/raw-http.ts';
import { watch } from '../support/sockets.ts';

const Seen = typed<{ at: string; path: string }>({
  type: 'object',
  required: ['at', 'path'],
  properties: { at: { type: 'string' }, path: { type: 'string' } },
});
const Lower = typed<string>({ type: 'string', pattern: '^[a-z/]+$' });

const plugin = definePlugin({
  name: 'tree',
  api: '2.0',
  node: {
    routes: {
      rest: route('GET /tree/*path', { auth: 'open', reply: Seen }),
      known: route('GET /tree/known', { auth: 'open', reply: Seen }),
      one: route('GET /tree/:name/one', { auth: 'open', reply: Seen }),
      put: route('PUT /tree/*path', { auth: 'open', params: { path: Lower }, reply: Seen }),
      any: route('GET /*path', { auth: 'open', reply: Seen }),
      watch: stream('/ws/tree/*path', { auth: 'open', frame: Seen }),
    },
    setup: () => ({
      routes: {
        rest: ({ params }) => ({ at: 'rest', path: params.path }),
        known: () => ({ at: 'known', path: '' }),
        one: ({ params }) => ({ at: 'one', path: params.name }),
        put: ({ params }) => ({ at: 'put', path: params.path }),
        any: ({ params }) => ({ at: 'any', path: params.path }),
        async *watch({ params }) {
          yield { at: 'watch', path: params.path };
        },
      },
    }),
  },
});

describe('a wildcard at the end of a path', () => {
  let node: TestNode;
  before(async () => {
    node = await testNode({ plugins: [plugin] });
  });
  after(() => node.stop());

  const call = async (path: string, method = 'GET') => {
    const text = await rawExchange(
      node.port,
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
    return [Number(text.slice(9, 12)), body.code ?? `${body.at} ${body.path}`];
  };

  it('takes the rest of the path, decoded segment by segment', async () => {
    assert.deepEqual(await call('/tree/a'), [200, 'rest a']);
    assert.deepEqual(await call('/tree/a/b%20c/d.e'), [200, 'rest a/b c/d.e']);
    assert.deepEqual(await call('/tree/a/b/'), [200, 'rest a/b']);
    assert.deepEqual(await call('/tree/a?path=b'), [200, 'rest a']);
    const { frames, closed } = watch(`${node.url}/ws/tree/x/y`);
    await closed;
    assert.deepEqual(frames, [{ at: 'watch', path: 'x/y' }]);
  });

  it('stands behind literal segments and parameters', async () => {
    assert.deepEqual(await call('/tree/known'), [200, 'known ']);
    assert.deepEqual(await call('/tree/x/one'), [200, 'one x']);
    assert.deepEqual(await call('/elsewhere/x'), [200, 'any elsewhere/x']);
    assert.deepEqual(await call('/tree/known', 'PUT'), [405, 'method_not_allowed']);
    assert.equal((await fetch(`${node.url}/health`)).headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(await call('/health', 'POST'), [405, 'method_not_allowed']);
  });

  it('refuses what climbs, hides a slash, or is too long', async () => {
    for (const rest of [
      ...['..', 'a/../b', '%2e%2e', './a', 'a//b', 'a%2fb', 'a%5cb', 'a%00', 'a%0d%0ab', 'a%7f'],
      'a'.repeat(1_025),
    ]) {
      assert.deepEqual(await call(`/tree/${rest}`), [400, 'invalid_request'], rest.slice(0, 20));
    }
    assert.deepEqual(await call('/tree/%ff'), [400, 'invalid_request']);
    assert.equal((await call(`/tree/${'a'.repeat(1_024)}`))[0], 200);
  });

  it('is held against its contract', async () => {
    assert.deepEqual(await call('/tree/a/b', 'PUT'), [200, 'put a/b']);
    assert.deepEqual(await call('/tree/A', 'PUT'), [400, 'invalid_request']);
  });

  it('is documented', async () => {
    const { paths } = (await (await fetch(`${node.url}/openapi.json`)).json()) as any;
    const [parameter] = paths['/tree/{path}'].get.parameters;
    assert.deepEqual([parameter['x-wildcard'], parameter.schema.maxLength], [true, 1_024]);
    assert.equal(paths['/tree/{path}'].get.responses[404].content !== undefined, true);
    const { channels } = (await (await fetch(`${node.url}/asyncapi.json`)).json()) as any;
    assert.equal(channels['tree.watch'].address, '/ws/tree/{path}');
  });

  for (const path of ['/a/*b/c', '/a/*', '/a/*b/*c', '/a/x*b', '/a/*b-c'] as const) {
    it(`is refused at boot as ${path}`, async () => {
      const wrong = definePlugin({
        name: 'wrong',
        api: '2.0',
        node: { routes: { one: route(`GET ${path}`, { auth: 'open' }) }, setup: () => ({ routes: { one() {} } }) },
      });
      await assert.rejects(testNode({ plugins: [wrong] }), (error) => {
        assert.ok(error instanceof BootError);
        assert.match(error.message, /a wildcard such as \*path is one whole segment, the last, and there is one/);
        return true;
      });
    });
  }

  for (const path of ['/tree/know:n', '/tree/:na-me', '/tree/:a:b', '/tree/:', '/tree/:1/x'] as const) {
    it(`and a parameter is one too: ${path} is refused at boot`, async () => {
      const wrong = definePlugin({
        name: 'wrong',
        api: '2.0',
        node: {
          routes: { one: route(`GET ${path}`, { auth: 'open' }) },
          setup: () => ({ routes: { one() {} } }),
        },
      });
      await assert.rejects(
        testNode({ plugins: [plugin, wrong] }),
        /this is no path; it begins with \/ and a parameter is a whole segment/,
      );
    });
  }

  it('is taken when another plugin has it', async () => {
    const twin = definePlugin({
      name: 'twin',
      api: '2.0',
      node: { routes: { one: route('GET /tree/*rest', { auth: 'open' }) }, setup: () => ({ routes: { one() {} } }) },
    });
    await assert.rejects(testNode({ plugins: [plugin, twin] }), /already served by tree as GET \/tree\/\*path/);
  });
});

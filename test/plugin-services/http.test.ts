import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { adapters } from '../../adapters/index.ts';
import { type RunningNode, value } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { Resolver } from '../../core/internal-services.ts';
import { silentLog } from '../../core/platform/log.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { definePlugin, type Permission, type Plugin, typed } from '../../core/plugin.ts';
import { Http } from '../../core/services.ts';
import { happens } from '../support/happens.ts';

const MIB = 1_048_576;
const Price = typed<{ usd: number }>({ type: 'object', required: ['usd'], properties: { usd: { type: 'number' } } });

/** The names of this test: one host of this machine, one of a private network, one of the internet; each changes its answers. */
const ADDRESSES: Record<string, string[]> = {
  'api.test': ['127.0.0.1'],
  'other.test': ['127.0.0.1'],
  'two.test': ['93.184.215.14', '10.0.0.1'],
  'xn--mnchen-3ya.test': ['127.0.0.1'],
};

describe('the service Http', () => {
  let seen: IncomingMessage[] = [];
  let answer: RequestListener = (_request, response) => response.end('hello');
  let server: Server;
  let port = 0;
  let folder = '';
  let node: RunningNode | undefined;
  let asked: string[] = [];
  let addresses = async (host: string): Promise<readonly string[]> => ADDRESSES[host] ?? [host];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
    server = createServer((request, response) => {
      seen.push(request);
      answer(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    port = (server.address() as AddressInfo).port;
  });
  after(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => {
    seen = [];
    asked = [];
    addresses = async (host) => ADDRESSES[host] ?? [host];
    answer = (_request, response) => response.end('hello');
  });
  afterEach(async () => {
    assert.deepEqual((await node?.stop()) ?? [], []);
    node = undefined;
    server.closeAllConnections();
  });

  /** The service as a plugin with these permissions gets it, on a node whose mesh is public. */
  async function given(...permissions: Permission[]): Promise<Http> {
    let http: Http | undefined;
    const caller: Plugin = definePlugin({
      name: 'caller',
      api: '2.0',
      permissions,
      node: {
        uses: { http: Http },
        setup(services) {
          http = services.http;
          return {};
        },
      },
    });
    await boot({ caller: {} }, { caller: () => caller });
    return http!;
  }

  async function boot(listed: object, plugins: Record<string, () => Plugin>): Promise<void> {
    const resolver: Resolver = {
      addresses(host) {
        asked.push(host);
        return addresses(host);
      },
    };
    const shared = { listen: '127.0.0.1:0', storage: { use: 'memory' }, mesh: { allowPrivatePeers: false } };
    const config = { value: { ...shared, plugins: listed }, folder };
    const providers = [value(Resolver, resolver)];
    node = await startNode({ parts: { adapters, plugins }, providers, config, log: silentLog, grace: 100 });
  }
  const granted = (host = 'api.test') => given(`http:${host}:${port}`);
  const at = (path = '/', host = 'api.test') => `http://${host}:${port}${path}`;
  const upstream = (message: RegExp) => ({ name: 'MeshError', code: 'upstream_failed', message });
  const forbidden = (message: RegExp) => ({ name: 'MeshError', code: 'forbidden', message });
  const invalid = { code: 'invalid_request' };

  it('calls a host that was granted, and gives what it answers', async () => {
    const http = await granted();
    answer = (request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      response.writeHead(418).end(`${request.method} ${request.headers['x-key']}`);
    };
    const response = await http.request(at('/pot?size=2'), { method: 'DELETE', headers: { 'X-Key': 'secret' } });
    assert.deepEqual([response.status, response.text(), response.url], [418, 'DELETE secret', at('/pot?size=2')]);
    assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
    assert.equal(seen[0]!.headers.host, `api.test:${port}`);
    assert.equal(seen[0]!.headers['accept-encoding'], 'identity');
  });

  it('sends bytes, text and JSON', async () => {
    const http = await granted();
    answer = (request, response) => request.pipe(response);
    assert.deepEqual((await http.request(at(), { body: Uint8Array.of(0, 255) })).body, Buffer.from([0, 255]));
    assert.equal((await http.request(at(), { method: 'PUT', body: 'é' })).text(), 'é');
    assert.equal((await http.request(at(), { json: { a: 1 } })).text(), '{"a":1}');
    const types = seen.map(({ method, headers }) => [method, headers['content-type']]);
    assert.deepEqual(types, [
      ['POST', undefined],
      ['PUT', undefined],
      ['POST', 'application/json'],
    ]);
  });

  it('holds JSON against a contract', async () => {
    const http = await granted();
    answer = (request, response) => {
      const [, status = '200', body = ''] = request.url!.split('/');
      response.writeHead(Number(status)).end(decodeURIComponent(body));
    };
    assert.equal((await http.json(Price, at('/200/{"usd":1.5}'))).usd, 1.5);
    await assert.rejects(http.json(Price, at('/200/{"usd":"1"}')), upstream(/answered 200 with another shape: \/usd/));
    await assert.rejects(http.json(Price, at('/200/oops?key=secret')), (error: Error) => {
      assert.match(error.message, /answered 200 with what is no JSON/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
    await assert.rejects(http.json(Price, at('/404/{"usd":1}')), (error: any) => {
      assert.deepEqual([error.code, error.details.extra], ['upstream_failed', { upstream_status: 404 }]);
      return true;
    });
  });

  it('refuses a host, a port and a subdomain that were not granted, before anything is looked up', async () => {
    const http = await granted();
    const others = ['http://other.test/', at('/', 'other.test'), at('/', 'a.api.test'), `http://api.test:${port + 1}/`];
    for (const url of [...others, 'http://api.test/', at('/', 'api.test.evil.test')]) {
      await assert.rejects(http.request(url), forbidden(/the plugin caller may not call .* without http:/i), url);
    }
    assert.deepEqual(asked, []);
  });

  it('reads a URL before it compares: case, IDN, numbers for addresses; a user or a dot at the end is refused', async () => {
    const http = await given(`http:api.test:${port}`, `http:xn--mnchen-3ya.test:${port}`);
    assert.equal((await http.request(at('/', 'API.Test'))).status, 200);
    assert.equal((await http.request(at('/', 'münchen.test'))).status, 200);
    await assert.rejects(http.request(at('/', '0x7f.1')), forbidden(/127\.0\.0\.1/));
    await assert.rejects(http.request(at('/', '2130706433')), forbidden(/127\.0\.0\.1/));
    await assert.rejects(http.request(`http://api.test:${port}@other.test/`), invalid);
    await assert.rejects(http.request(at('/', 'api.test.')), { ...invalid, message: /leave out the dot/ });
    for (const url of ['', 'api.test', '/x', 'file:///etc/passwd', 'ftp://api.test/', `http://${'a'.repeat(9_000)}/`]) {
      await assert.rejects(http.request(url), invalid, url);
    }
  });

  it('refuses private addresses to who may call any host, also when only one of several is', async () => {
    const http = await given('http:*');
    for (const host of ['api.test', 'two.test', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254']) {
      await assert.rejects(http.request(at('/', host)), forbidden(/private network and is not dialled/), host);
    }
    assert.equal(seen.length, 0);
  });

  it('takes the word of the operator alone for a private address: `http:*` names none', async () => {
    const sdk = (door: string) => JSON.stringify(pathToFileURL(join(packageRoot, `core/${door}.ts`)).href);
    const wanted = `http:api.test:${port}`;
    const source = `import { definePlugin, route, typed } from ${sdk('plugin')};
      import { Http } from ${sdk('services')};
      export default definePlugin({ name: 'stranger', api: '2.0', permissions: ['${wanted}'],
        node: { uses: { http: Http },
          routes: { look: route('GET /look', { auth: 'open', reply: typed({ type: 'object' }), errors: ['forbidden'] }) },
          setup: ({ http }) => ({ routes: { look: async () => ({ text: (await http.request('${at()}')).text() }) } }) } });`;
    await writeFile(join(folder, 'stranger.mjs'), source);
    const look = async () => (await fetch(`${node!.url}/look`)).json() as Promise<any>;
    await boot({ './stranger.mjs': { $grant: ['http:*'] } }, {});
    assert.match((await look()).detail, new RegExp(`private network .* or grant ${wanted} by name`));
    await node!.stop();
    await boot({ './stranger.mjs': { $grant: [wanted] } }, {});
    assert.deepEqual(await look(), { text: 'hello' });
  });

  it('dials the address that was checked, whatever the name leads to a moment later', async () => {
    const http = await granted();
    const answers = [['127.0.0.1'], ['192.0.2.1']];
    addresses = async () => answers.shift() ?? [];
    assert.equal((await http.request(at())).text(), 'hello');
    assert.deepEqual(asked, ['api.test']);
  });

  it('follows redirects of GET to hosts that were granted, without what is meant for the first', async () => {
    const http = await given(`http:api.test:${port}`, `http:other.test:${port}`);
    answer = (request, response) => {
      if (request.url === '/end') response.end('there');
      else response.writeHead(302, { location: at('/end', 'other.test') }).end('x'.repeat(10_000));
    };
    const headers = { authorization: 'Bearer secret', 'x-api-key': 'secret', accept: 'text/plain' };
    const response = await http.request(at('/start'), { headers });
    assert.deepEqual([response.text(), response.url], ['there', at('/end', 'other.test')]);
    const { authorization, 'x-api-key': key, accept } = seen[1]!.headers;
    assert.deepEqual([authorization, key, accept], [undefined, undefined, 'text/plain']);
    const posted = await http.request(at('/start'), { json: {} });
    assert.equal(posted.status, 302);
  });

  it('follows no redirect to other hosts, to what is no http, or for ever', async () => {
    const http = await granted();
    const to = (location: string) => {
      answer = (_request, response) => response.writeHead(301, { location }).end();
    };
    to('http://169.254.169.254/latest/');
    await assert.rejects(http.request(at()), forbidden(/may not call 169\.254\.169\.254/));
    to(`http://user:secret@api.test:${port}/`);
    await assert.rejects(http.request(at()), forbidden(/redirect of api\.test:\d+ is not followed/));
    to('file:///etc/passwd');
    await assert.rejects(http.request(at()), forbidden(/is not followed/));
    seen = [];
    to('/again');
    await assert.rejects(http.request(at()), upstream(/redirects more than 5 times/));
    assert.equal(seen.length, 6);
  });

  it('takes no more of an answer than was asked for, by its length or as it comes', async () => {
    const http = await granted();
    const sized = (length: number) => {
      answer = (request, response) => {
        if (request.url === '/sized') response.setHeader('content-length', length);
        else response.flushHeaders();
        response.end(Buffer.alloc(length));
      };
    };
    sized(MIB + 1);
    await assert.rejects(http.request(at('/sized')), upstream(/more than 1048576 bytes/));
    await assert.rejects(http.request(at('/parts')), upstream(/more than 1048576 bytes/));
    assert.equal((await http.request(at('/sized'), { maxBytes: 2 * MIB })).body.length, MIB + 1);
    assert.equal((await http.request(at('/sized'), { method: 'HEAD' })).body.length, 0);
    sized(MIB);
    assert.equal((await http.request(at('/parts'))).body.length, MIB);
  });

  it('gives up in time: while it looks up, connects, waits for an answer, or gets it drop by drop', async () => {
    const http = await granted();
    answer = (_request, response) => {
      const drops = setInterval(() => response.write('.'), 5);
      response.once('close', () => clearInterval(drops));
    };
    await assert.rejects(http.request(at(), { timeout: 60 }), upstream(/GET api\.test:\d+: no whole answer .* 60 ms/));
    answer = () => {};
    await assert.rejects(http.request(at(), { timeout: 40 }), upstream(/no whole answer came within 40 ms/));
    await assert.rejects(http.request(at(), { signal: AbortSignal.timeout(30) }), upstream(/aborted|timeout/));
    addresses = () => new Promise(() => {});
    await assert.rejects(http.request(at(), { connectTimeout: 30 }), upstream(/no connection to .* within 30 ms/));
  });

  it('gives up when a server says nothing sensible, hangs up or is away', async () => {
    const sockets = new Set<{ destroy(): void }>();
    const rude = createTcp((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', (text) =>
        String(text).includes('/bye') ? socket.destroy() : socket.end('nonsense\r\n\r\n'),
      );
    });
    await new Promise<void>((listening) => rude.listen(0, '127.0.0.1', listening));
    const { port: bad } = rude.address() as AddressInfo;
    const http = await given(`http:api.test:${bad}`);
    await assert.rejects(http.request(`http://api.test:${bad}/bye`), upstream(/socket hang up|closed/));
    await assert.rejects(http.request(`http://api.test:${bad}/`), upstream(/Parse Error/));
    await assert.rejects(http.request(`https://api.test:${bad}/`), upstream(/./));
    await new Promise((closed) => rude.close(closed));
    await assert.rejects(http.request(`http://api.test:${bad}/`), upstream(/ECONNREFUSED/));
    addresses = async () => Promise.reject(new Error('ENOTFOUND'));
    await assert.rejects(http.request(`http://api.test:${bad}/`), upstream(/api\.test has no address: ENOTFOUND/));
  });

  it('runs eight calls of a plugin at once, has 64 wait and refuses the next; a stop gives all of them up', async () => {
    const http = await granted();
    let open = 0;
    answer = () => {
      open += 1;
    };
    const calls = Array.from({ length: 72 }, () => http.request(at()).then(String, (error: Error) => error.message));
    await happens('eight are open', async () => (open === 8 ? true : undefined));
    await assert.rejects(http.request(at()), { code: 'rate_limited' });
    assert.deepEqual(await node!.stop(), []);
    node = undefined;
    const said = await Promise.all(calls);
    assert.ok(
      said.every((message) => /the node is stopping/.test(message)),
      said[0],
    );
    assert.equal(open, 8);
  });

  it('counts the calls of a plugin together, under however many names it uses the service', async () => {
    const many: Http[] = [];
    const caller: Plugin = definePlugin({
      name: 'caller',
      api: '2.0',
      permissions: ['http:*', `http:api.test:${port}`],
      node: {
        uses: { one: Http, two: Http },
        setup({ one, two }) {
          many.push(one, two);
          return {};
        },
      },
    });
    await boot({ caller: {} }, { caller: () => caller });
    answer = () => {};
    const calls = Array.from({ length: 72 }, (_, index) => many[index % 2]!.request(at()).catch(() => {}));
    await assert.rejects(many[0]!.request(at()), { code: 'rate_limited' });
    assert.deepEqual(await node!.stop(), []);
    node = undefined;
    await Promise.all(calls);
  });

  it('goes on in order when calls end or are given up while they wait', async () => {
    const http = await granted();
    const held: (() => void)[] = [];
    answer = (request, response) => void held.push(() => response.end(request.url));
    const calls = Array.from({ length: 10 }, (_, index) => http.request(at(`/${index}`)));
    const leaving = new AbortController();
    const left = http.request(at('/left'), { signal: leaving.signal });
    const last = http.request(at('/last'));
    await happens('eight are open', async () => (held.length === 8 ? true : undefined));
    leaving.abort(new Error('not wanted any more'));
    await assert.rejects(left, upstream(/not wanted any more/));
    for (let ended = 0; ended < 11; ended++) {
      await happens('one is open', async () => held.length > 0 || undefined);
      held.shift()!();
    }
    const texts = await Promise.all([...calls, last].map(async (call) => (await call).text()));
    assert.deepEqual(texts, ['/0', '/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8', '/9', '/last']);
  });

  it('refuses options that only the author can mend', async () => {
    const http = await granted();
    const wrong = (request: object) => http.request(at(), request);
    for (const headers of [{ host: 'other.test' }, { 'Content-Length': '5' }, { a: 'b\r\nc: d' }, { 'a b': 'c' }]) {
      await assert.rejects(wrong({ headers }), TypeError, JSON.stringify(headers));
    }
    for (const request of [{ method: 'TRACE' }, { method: 'GET', body: 'x' }, { body: 'x', json: 1 }]) {
      await assert.rejects(wrong(request), TypeError, JSON.stringify(request));
    }
    for (const request of [{ maxBytes: 17 * MIB }, { timeout: 0 }, { timeout: 1e9 }, { connectTimeout: 0.5 }]) {
      await assert.rejects(wrong(request), RangeError, JSON.stringify(request));
    }
    await assert.rejects(wrong({ body: new Uint8Array(16 * MIB + 1) }), { code: 'payload_too_large' });
    assert.equal(seen.length, 0);
  });
});

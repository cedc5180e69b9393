import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { isIP } from 'node:net';
import { type Certificate, certificateFor, type Listening, listen, trust } from './support/tls.ts';
import { skillToml, Workshop } from './support/workshop.ts';

const MOST = 131_072;
const PUBLIC = '93.184.215.14';

describe('skills that are installed from a URL', function () {
  this.timeout(60_000);
  let shop: Workshop;
  let server: Listening;
  /** On another address of this machine at the same port: nobody may ever come here. */
  let trap: Listening;
  let certificate: Certificate;
  let distrust = () => {};
  let answer: RequestListener;
  let asked: string[] = [];
  let addresses: (host: string) => readonly string[] = () => [];
  const at = (path: string, host = 'skills.test') => `https://${host}:${server.port}${path}`;

  before(async () => {
    certificate = certificateFor('skills.test', 'rebound.test', 'mirror.test');
    distrust = trust(certificate);
    server = await listen(certificate, '127.0.0.1', 0, (request, response) => answer(request, response));
    trap = await listen(certificate, '127.0.0.2', server.port, (_request, response) => response.end(skillToml('trap')));
    shop = await Workshop.open({
      storage: 'lowdb',
      // The operator names two hosts of this machine; addresses of all others must be public, although the mesh is private.
      settings: { $grant: [`http:skills.test:${server.port}`, `http:rebound.test:${server.port}`] },
      resolver: {
        async addresses(host) {
          if (isIP(host) !== 0) return [host];
          asked.push(host);
          const found = addresses(host);
          if (found.length === 0) throw new Error('ENOTFOUND');
          return found;
        },
      },
    });
  });
  after(async () => {
    distrust();
    await shop.close();
    for (const one of [server, trap]) {
      one.server.closeAllConnections();
      one.server.close();
    }
    assert.equal(trap.connections(), 0);
  });
  beforeEach(() => {
    asked = [];
    addresses = (host) => (host.endsWith('.test') ? ['127.0.0.1'] : []);
    answer = (request, response) => response.end(skillToml(request.url!.slice(1)));
  });

  async function refused(url: string, status: number, said?: RegExp) {
    const before = await readdir(shop.at());
    const found = await shop.install(url, 'refused');
    assert.equal(found.status, status, `${url}: ${JSON.stringify(found.body)}`);
    if (status === 400) assert.equal(found.body.fields?.[0].pointer, '/url', url);
    if (said) assert.match(found.body.detail, said);
    assert.deepEqual(await readdir(shop.at()), before);
    return found.body;
  }

  it('fetches the file over TLS, checks it, and remembers where it came from, over a restart too', async () => {
    const { status, body } = await shop.install(at('/sums'));
    const text = skillToml('sums');
    assert.equal(status, 200, JSON.stringify(body));
    const written = { ok: true, name: 'sums', version: '1.0.0', bytes: text.length, created: true, url: at('/sums') };
    assert.deepEqual(body, written);
    assert.equal(await shop.text('sums'), text);
    await shop.stop();
    await shop.start();
    assert.equal((await shop.list()).details[0].url, at('/sums'));
    await shop.write('sums', skillToml('sums', '# by hand\n'));
    assert.equal((await shop.list()).details[0].url, null);
    assert.equal((await shop.install(at('/sums'), 'other-name')).body.name, 'other-name');
  });

  it('dials the address that was checked, whatever the name leads to a moment later', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.2']];
    addresses = () => answers.shift()!;
    const { status, body } = await shop.install(at('/bound', 'rebound.test'));
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(await shop.text('bound'), skillToml('bound'));
    assert.deepEqual(asked, ['rebound.test']);
  });

  it('looks at each answer anew: a name that was public for the check of one call is not for the next', async () => {
    const seen = server.connections();
    const answers = [[PUBLIC], ['127.0.0.1'], ['127.0.0.1']];
    addresses = () => answers.shift()!;
    // Nobody answers at that address for this name: it may be out of reach, or show another certificate.
    await refused(at('/x', 'mirror.test'), 502);
    assert.deepEqual(asked, ['mirror.test']);
    await refused(
      at('/x', 'mirror.test'),
      400,
      /private network and is not dialled; grant http:mirror\.test:\d+ by name\.$/,
    );
    assert.equal(server.connections(), seen);
  });

  const HOSTS = [
    ...['localhost', '127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '0'],
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254', '100.64.0.1', '100.127.255.255'],
    ...['192.0.0.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
    ...['[::1]', '[::]', '[fe80::1]', '[fc00::1]', '[fdff::1]', '[ff02::1]', '[fec0::1]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]'],
    ...['[2002:7f00:1::]', '[2001:0:7f00:1::]', '[2001:db8::1]', '[100::1]', '[5f00::1]'],
  ];
  for (const host of HOSTS)
    it(`refuses https://${host}/ and connects nowhere`, async () => {
      const seen = server.connections();
      addresses = () => ['127.0.0.1'];
      await refused(at('/x', host), 400);
      assert.equal(server.connections(), seen);
    });

  it('refuses a name of which one address of several is private', async () => {
    addresses = () => [PUBLIC, '10.0.0.1'];
    await refused('https://two.example/x', 400, /private network/);
    addresses = () => ['::ffff:10.0.0.1'];
    await refused('https://mapped.example/x', 400, /private network/);
    addresses = () => ['64:ff9b::a9fe:a9fe'];
    await refused('https://translated.example/x', 400, /private network/);
  });

  for (const url of [
    ...['http://skills.example/x', 'ftp://skills.example/x', 'file:///etc/passwd', 'data:text/plain,a', 'javascript:1'],
    ...[
      'x',
      '//skills.example/x',
      'https:',
      'https://',
      'https://user:secret@skills.example/x',
      'https://a.example./x',
    ],
    ...[
      'https://skills.example:99999/x',
      `https://skills.example/${'a'.repeat(2_048)}`,
      'https://[::1',
      'https://a b/',
    ],
  ])
    it(`refuses ${url.slice(0, 60)}`, () => refused(url, 400));

  it('follows a redirect to a host that may be called, and refuses every other', async () => {
    const seen = trap.connections();
    const to = (location: string) => {
      answer = (request, response) => {
        if (request.url === '/moved') response.end(skillToml('moved'));
        else response.writeHead(302, { location }).end();
      };
    };
    to(at('/moved', 'rebound.test'));
    const { status, body } = await shop.install(at('/start'));
    assert.deepEqual([status, body.name], [200, 'moved'], JSON.stringify(body));
    for (const location of [
      `https://mirror.test:${server.port}/moved`,
      `https://127.0.0.2:${server.port}/`,
      'https://169.254.169.254/latest/meta-data/',
      'https://[::1]/',
      'http://skills.test/moved',
      'file:///etc/passwd',
      `https://user:secret@skills.test:${server.port}/moved`,
    ]) {
      to(location);
      await refused(at('/start'), 400);
    }
    to('/start');
    await refused(at('/start'), 502, /redirects more than 5 times/);
    assert.equal(trap.connections(), seen);
  });

  it('stops reading behind 128 KiB, whether the length was told or not', async () => {
    let sent = 0;
    answer = (request, response) => {
      if (request.url === '/told') response.setHeader('content-length', MOST + 1);
      sent = 0;
      const part = Buffer.alloc(16_384, 'x');
      const more = () => {
        while (!response.destroyed && !response.writableEnded) {
          sent += part.length;
          if (request.url === '/told' && sent > MOST) return response.end('x');
          if (!response.write(part)) return response.once('drain', more);
        }
      };
      more();
    };
    for (const path of ['/told', '/endless']) {
      const body = await refused(at(path), 413);
      assert.equal(body.code, 'payload_too_large');
      assert.ok(sent < 8 * 1_048_576, `${sent} bytes were sent`);
    }
    const head = skillToml('just', '# ');
    answer = (_request, response) => response.end(head + 'x'.repeat(MOST - head.length));
    assert.equal((await shop.install(at('/just'))).body.bytes, MOST);
    answer = (_request, response) => response.end(head + 'x'.repeat(MOST + 1 - head.length));
    await refused(at('/just'), 413);
  });

  it('keeps the old file where the new one is bad, is not there, breaks off or shows a strange certificate', async () => {
    await shop.write('kept', skillToml('kept'));
    const kept = async (status: number) => {
      const found = await shop.install(at('/kept'), 'kept');
      assert.equal(found.status, status, JSON.stringify(found.body));
      assert.equal(await shop.text('kept'), skillToml('kept'));
      assert.deepEqual(await readdir(shop.at('kept')), ['SKILL.toml']);
      return found.body;
    };
    answer = (_request, response) => response.end('<html>not here</html>');
    const { code, fields } = await kept(422);
    assert.deepEqual([code, fields[0].pointer], ['invalid_skill', '/url']);
    answer = (_request, response) => response.writeHead(404).end(skillToml('kept', '# 404\n'));
    assert.equal((await kept(502)).upstream_status, 404);
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': 200 }).write(skillToml('kept', '# half\n'));
      setTimeout(() => response.destroy(), 50);
    };
    await kept(502);
    distrust();
    try {
      assert.match((await kept(502)).detail, /certificate/);
    } finally {
      distrust = trust(certificate);
    }
  });
});

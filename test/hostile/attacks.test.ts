import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import { happens } from '../support/happens.ts';
import { closed, dial, garbage, rest, say, together, upgrade } from './support/hands.ts';
import { CONNECTIONS_PER_IP, isBounded, SOCKETS_PER_IP, Target } from './support/target.ts';

const HANDS = 20;
/** Hostile actions that an honest call may have to wait for, for each attacker at work: it is one of them to the server. */
const TURNS = 10;

interface Case {
  readonly name: string;
  /** The series of /metrics that names it, and how much of it there must be. */
  readonly counted: RegExp;
  readonly least: number;
  readonly hands?: number;
  run(target: Target, done: () => void): Promise<void>;
}

const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\n${headers || 'Host: 127.0.0.1\r\n'}Connection: close\r\n\r\n`;

const CASES: Case[] = [
  {
    name: 'bytes that are no HTTP',
    counted: /mesh_http_refused_total\{code="invalid_request"\}/,
    least: 300,
    async run({ mesh }, done) {
      await together(HANDS, 300, async () => {
        const answer = await say(mesh.nodes.alice.node.port, garbage());
        assert.match(answer, /^HTTP\/1\.1 400 /);
        done();
      });
    },
  },
  {
    name: 'headers without end',
    counted: /mesh_http_refused_total\{code="headers_too_large"\}/,
    least: 200,
    async run({ mesh }, done) {
      const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(64 * 1024)}`;
      await together(HANDS, 200, async () => {
        assert.match(await say(mesh.nodes.alice.node.port, head), /^HTTP\/1\.1 431 /);
        done();
      });
    },
  },
  {
    name: 'bodies that are too large',
    counted: /mesh_http_refused_total\{code="payload_too_large"\}/,
    least: 200,
    // The server waits two seconds for a client that has not sent what it announced.
    hands: 100,
    async run({ mesh }, done) {
      const head = 'POST /ingest/envelopes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';
      await together(100, 200, async () => {
        const answer = await say(mesh.aggregatorNode.port, `${head}Content-Length: 1000000000\r\n\r\n{"items":[`);
        assert.match(answer, /^HTTP\/1\.1 413 /);
        done();
      });
    },
  },
  {
    name: 'names that were pointed at this machine',
    counted: /mesh_http_refused_total\{code="misdirected_request"\}/,
    least: 400,
    async run({ mesh }, done) {
      await together(HANDS, 400, async (index) => {
        const { port, url } = index % 2 ? mesh.nodes.alice.node : mesh.aggregatorNode;
        const host = 'Host: rebound.example\r\n';
        if (index % 4 < 2) assert.match(await say(port, get('/identity', host)), /^HTTP\/1\.1 421 /);
        else assert.equal(await upgrade(`${url}/mesh`, { host: 'rebound.example' }), 421);
        done();
      });
    },
  },
  {
    name: 'pages of other sites',
    counted: /mesh_http_refused_total\{code="forbidden"\}/,
    least: 400,
    async run({ mesh }, done) {
      const { port, url } = mesh.nodes.alice.node;
      const body = 'Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}';
      await together(HANDS, 400, async (index) => {
        const from = index % 4 < 2 ? 'Origin: https://evil.example' : 'Sec-Fetch-Site: cross-site';
        const call = `POST /negotiate/propose HTTP/1.1\r\nHost: 127.0.0.1\r\n${from}\r\n${body}`;
        if (index % 2) assert.match(await say(port, call), /^HTTP\/1\.1 403 /);
        else assert.equal(await upgrade(`${url}/ws/inbox`, { origin: 'https://evil.example' }), 403);
        done();
      });
    },
  },
  {
    name: 'reports of envelopes that are none',
    counted: /mesh_ingested_total\{status="invalid"\}/,
    least: 5_000,
    async run({ mesh }, done) {
      const items = Array.from({ length: 50 }, () => ({ envelope_b64: garbage(300).toString('base64') }));
      await together(HANDS, 100, async () => {
        const body = JSON.stringify({ items });
        const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
        const answer = await fetch(`${mesh.aggregatorNode.url}/ingest/envelopes`, init);
        assert.equal(answer.status, 200);
        done();
      });
    },
  },
  {
    name: 'peers that talk garbage',
    counted: /mesh_faults\{fault="handshake"\}/,
    least: 300,
    async run({ mesh }, done) {
      await together(HANDS, 300, async (index) => {
        const { url } = index % 2 ? mesh.nodes.alice.node : mesh.aggregatorNode;
        const socket = await upgrade(`${url}/mesh`);
        assert.ok(socket instanceof WebSocket, `refused with ${socket}`);
        socket.send(garbage(index % 3 === 0 ? 100_000 : 34));
        await closed(socket);
        done();
      });
    },
  },
  {
    name: 'peers that leave in the middle of the handshake',
    counted: /mesh_links_refused\{reason="unfinished"\}/,
    least: 300,
    async run({ mesh }, done) {
      await together(HANDS, 300, async (index) => {
        const socket = await upgrade(`${index % 2 ? mesh.aggregatorNode.url : mesh.nodes.alice.url}/mesh`);
        assert.ok(socket instanceof WebSocket, `refused with ${socket}`);
        socket.terminate();
        await closed(socket);
        done();
      });
    },
  },
  {
    name: 'peers that send text, and frames larger than the largest',
    counted: /mesh_faults\{fault="message"\}/,
    least: 200,
    async run({ mesh }, done) {
      await together(HANDS, 200, async (index) => {
        const socket = await upgrade(`${mesh.nodes.alice.url}/mesh`);
        assert.ok(socket instanceof WebSocket, `refused with ${socket}`);
        socket.send(index % 4 ? 'text' : Buffer.alloc(1024 * 1024));
        await closed(socket);
        done();
      });
    },
  },
  {
    name: 'more handshakes at once than a node takes',
    counted: /mesh_links_refused\{reason="busy"\}/,
    least: 60,
    hands: 100,
    async run({ mesh }, done) {
      const idle = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const socket = await upgrade(`${mesh.nodes.alice.url}/mesh`);
          done();
          return socket;
        }),
      );
      await happens('those beyond the bound are told', async () => {
        const gone = idle.filter((socket) => socket instanceof WebSocket && socket.readyState !== WebSocket.OPEN);
        return gone.length >= 60 || undefined;
      });
      for (const socket of idle) if (socket instanceof WebSocket) socket.terminate();
    },
  },
];

describe('a mesh under attack', function () {
  this.timeout(180_000);
  let target: Target;

  before(async () => {
    target = await Target.start();
  });
  after(() => target.stop());

  for (const { name, counted, least, hands = HANDS, run } of CASES) {
    it(`${name}: counted, without effect, and nobody else waits for them`, async () => {
      const [hash, before] = [target.hash, await target.counted(counted)];
      const weathered = await target.weather({ hands, run: (done) => run(target, done) });
      // The last of them may leave after the attack is over.
      await happens(`${least} are counted`, async () => (await target.counted(counted)) - before >= least || undefined);
      assert.equal(target.hash, hash);
      assert.ok(weathered.waited <= TURNS * hands, `an honest call waited for ${weathered.waited} hostile ones`);
      assert.ok(isBounded(weathered), `the process grew by ${weathered.grown >> 20} MiB`);
    });
  }

  it('headers that arrive byte by byte: the connection ends at the deadline, with an answer', async () => {
    const hash = target.hash;
    const counted = /mesh_http_refused_total\{code="request_timeout"\}/;
    const { port } = target.mesh.nodes.alice.node;
    const weathered = await target.weather({
      hands: 300,
      async run(done) {
        await together(300, 300, async () => {
          const socket = (await dial(port))!;
          socket.write('GET /identity HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ');
          const drip = setInterval(() => socket.write('x'), 500);
          const answer = await rest(socket);
          clearInterval(drip);
          assert.match(answer, /^HTTP\/1\.1 408 /);
          done();
        });
      },
    });
    assert.ok((await target.counted(counted)) >= 300);
    assert.equal(target.hash, hash);
    assert.ok(weathered.answered > 10, `only ${weathered.answered} honest calls were answered meanwhile`);
    assert.ok(isBounded(weathered), `the process grew by ${weathered.grown >> 20} MiB`);
  });

  it('connections that do nothing are taken up to the bound; those beyond are told why', async () => {
    const hash = target.hash;
    const { port } = target.mesh.nodes.alice.node;
    const sockets: NonNullable<Awaited<ReturnType<typeof dial>>>[] = [];
    let refused = 0;
    const weathered = await target.weather({
      hands: 50,
      async run(done) {
        // A connection that asks nothing is closed after ten seconds, so a slow machine needs more of them.
        await together(50, 8 * CONNECTIONS_PER_IP, async () => {
          if (refused >= 100) return;
          const socket = await dial(port);
          if (!socket) return;
          sockets.push(socket);
          socket.once('data', (chunk) => {
            if (String(chunk).includes('Too many connections from one address are open.')) refused += 1;
          });
          done();
        });
      },
    });
    assert.ok(sockets.length >= CONNECTIONS_PER_IP);
    await happens('a hundred are told', async () => refused >= 100 || undefined);
    for (const socket of sockets) socket.destroy();
    assert.equal(target.hash, hash);
    assert.ok(isBounded(weathered), `the process grew by ${weathered.grown >> 20} MiB`);
    assert.ok((await target.counted(/mesh_http_refused_total\{code="rate_limited"\}/)) >= 100);
    await happens(
      'the place is free again',
      async () => (await say(port, get('/identity'))).includes(' 200 ') || undefined,
    );
  });

  it('WebSockets of one address are bounded, and what they do not read is not kept for them', async () => {
    const { url } = target.mesh.aggregatorNode;
    const open: WebSocket[] = [];
    let refused = 0;
    await target.weather({
      hands: 50,
      async run(done) {
        await together(50, SOCKETS_PER_IP + 50, async () => {
          const socket = await upgrade(`${url}/ws/activity`);
          if (socket instanceof WebSocket) {
            socket.pause();
            open.push(socket);
          } else if (socket === 429) refused += 1;
          done();
        });
      },
    });
    assert.deepEqual([open.length, refused], [SOCKETS_PER_IP, 50]);
    assert.ok((await target.counted(/mesh_upgrades_refused_total\{status="429"\}/)) >= 50);
    for (const socket of open) socket.terminate();
  });
});

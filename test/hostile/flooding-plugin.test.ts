import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { happens } from '../support/happens.ts';
import { freePort, MeshProcess } from '../support/mesh-process.ts';

const SOURCE = `
import { definePlugin, events, route, stream, typed } from 'agent-mesh/plugin';
const Text = typed({ type: 'string' });
const flood = async function* () { for (;;) yield 'a frame of the flood'; };
export default definePlugin({
  name: 'flood', api: '2.0',
  node: {
    routes: {
      fine: route('GET /fine', { auth: 'open', reply: Text }),
      frames: stream('/ws/flood', { auth: 'open', frame: Text }),
      events: events('/flood', { auth: 'open', frame: Text }),
    },
    setup: () => ({ routes: { fine: () => 'fine', frames: flood, events: flood } }),
  },
});
`;
const READERS = 2;
const CALLS = 10;
/** Milliseconds; a loop that is never left answers nothing in any time. */
const LONGEST = 30_000;
const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
];

/** Reads whatever comes as fast as this process can, which is faster than a plugin makes frames. */
class Reader {
  readonly #socket: Socket;
  bytes = 0;

  constructor(port: number, path: string, headers: readonly string[]) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (chunk) => {
      this.bytes += chunk.length;
    });
    this.#socket.on('error', () => {});
    this.#socket.write([`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n'));
  }

  close(): void {
    this.#socket.destroy();
  }
}

describe('a plugin that never stops to send', function () {
  this.timeout(360_000);
  let folder = '';
  let port = 0;
  let node: MeshProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-flood-'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(packageRoot, join(folder, 'node_modules/agent-mesh'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'flood.js'), SOURCE);
    port = await freePort();
    const settings = {
      ...{ listen: `127.0.0.1:${port}`, dataDir: './data', storage: { use: 'memory' } },
      plugins: { './flood.js': {} },
    };
    await writeFile(join(folder, 'plugins.json'), JSON.stringify(settings));
    node = new MeshProcess(['start', '--config', join(folder, 'plugins.json')]);
    await node.until(() => /^node \S+ at http/m.test(node.err), 'the boot report');
  });
  after(async () => {
    await node?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [kind, path, headers] of [
    ['frames', '/ws/flood', UPGRADE],
    ['events', '/flood', []],
  ] as const)
    it(`${kind} to fast readers holds up no other call, and is counted under its route`, async () => {
      const readers = Array.from({ length: READERS }, () => new Reader(port, path, headers));
      try {
        await happens('the flood comes', async () => readers.every(({ bytes }) => bytes > 1_000_000) || undefined);
        const before = readers.map(({ bytes }) => bytes);
        for (let call = 0; call < CALLS; call++) {
          const answer = await fetch(`http://127.0.0.1:${port}/fine`, { signal: AbortSignal.timeout(LONGEST) });
          assert.equal(await answer.json(), 'fine');
        }
        await happens('it goes on', async () => readers.every(({ bytes }, at) => bytes > before[at]!) || undefined);
        const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
        const sent = new RegExp(`^mesh_socket_frames_sent_total\\{route="${path}"\\} (\\d+)`, 'm').exec(metrics);
        assert.ok(Number(sent?.[1]) > 10_000, metrics);
      } finally {
        for (const reader of readers) reader.close();
      }
    });
});

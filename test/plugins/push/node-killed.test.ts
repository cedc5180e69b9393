import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';
import { freePort, MeshProcess } from '../../support/mesh-process.ts';
import { watch } from '../../support/sockets.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { startWebhook } from '../../upstreams/push/services.ts';
import type { Upstream } from '../../upstreams/push/upstream.ts';

describe('a sleeper that is killed while it takes what waited', function () {
  this.timeout(300_000);
  let proxy: TcpProxy;
  let mesh: Mesh<'alice'>;
  let alice: Member;
  let webhook: Upstream;
  let folder = '';
  let api = '';
  let phone: MeshProcess | undefined;
  let id = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-phone-'));
    webhook = await startWebhook();
    proxy = await TcpProxy.to(1);
    const through = proxy.url.replace('redis:', 'http:');
    mesh = await startMesh({
      nodes: ['alice'],
      own: {
        aggregator: { api: { publicUrl: through }, plugins: { push: { webhook: { allowHttp: true } } } },
      },
    });
    ({ alice } = mesh.nodes);
    proxy.target = Number(new URL(mesh.aggregatorNode.url).port);
    api = `127.0.0.1:${await freePort()}`;
    await start();
    id = (await ask('GET', '/identity')).agent_id;
    await awake();
  });
  after(async () => {
    await phone?.kill();
    await mesh.stop();
    await proxy.close();
    webhook.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    const own = ['--data-dir', folder, '--api-addr', api, '--network-id', 'mesh-tests'];
    const aggregator = ['--aggregator-url', proxy.url.replace('redis:', 'http:')];
    const env = { NODE_PUSH_TOKEN: `${webhook.url}/phone` };
    phone = new MeshProcess(['start', ...own, ...aggregator], { env });
    await phone.until(() => /^node \S+ at http/m.test(phone!.err), 'the boot report', 200_000);
  }
  async function ask(method: string, path: string): Promise<any> {
    const secret = (await readFile(join(folder, 'api-secret'), 'utf8')).trim();
    const response = await fetch(`http://${api}${path}`, { method, headers: { authorization: `Bearer ${secret}` } });
    return response.json();
  }
  const awake = () =>
    happens(
      'the aggregator knows that it is awake, and holds nothing',
      async () => {
        // What was lent before the kill comes after 20 seconds; the node answers 600 calls a minute.
        await new Promise((later) => setTimeout(later, 200));
        const [one] = (await ask('GET', '/push')).aggregators;
        return one.sleeping === false && one.pending === 0 && one.problem === null ? true : undefined;
      },
      60_000,
    );
  async function texts(): Promise<string[]> {
    const watched = watch(`http://${api}/ws/inbox?since=0`);
    await new Promise((opened) => watched.socket.once('open', opened));
    for (let seen = -1; seen < watched.frames.length; ) {
      seen = watched.frames.length;
      await new Promise((later) => setTimeout(later, 500));
    }
    watched.socket.close();
    return watched.frames.filter(({ msg_type }) => msg_type === 'MESSAGE').map(({ payload }) => payload.text);
  }

  const said: string[] = [];
  const POINTS = [
    ['before the first step is answered', { text: '/pending?lease=', before: false }],
    ['between the two steps', { text: '&ack=', before: true }],
  ] as const;
  for (const [point, trap] of POINTS)
    it(`${point}: loses nothing and has nothing twice`, async () => {
      await phone!.stop('SIGTERM');
      assert.equal((await mesh.aggregator.isSleeping(id)).sleeping, true);
      for (const text of ['one', 'two', 'three'].map((word) => `${word} ${point}`)) {
        said.push(text);
        const { body } = await alice.post('/message', { recipient: id, text });
        await happens('it is left', async () => {
          const { hops } = (await alice.get(`/envelopes/${body.envelope_id}`)).body;
          return hops.some(({ event }: any) => event === 'left in a pending queue') || undefined;
        });
      }
      proxy.trap = trap;
      await start();
      await happens('it is in the middle of it', async () => (proxy.trap === undefined ? true : undefined));
      await phone!.stop('SIGKILL');
      assert.equal((await mesh.aggregator.isSleeping(id)).sleeping, true, 'it never said that it is awake');
      await start();
      await awake();
      const found = await happens('all are there', async () => {
        const all = await texts();
        return all.length >= said.length ? all : undefined;
      });
      assert.deepEqual(found, said);
    });
});

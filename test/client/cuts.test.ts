import assert from 'node:assert/strict';
import { NodeClient } from '../../core/client/node-client.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { needsPython, runPython } from './support/python.ts';

/** Connections that are cut; the bench's number with MESH_TEST_ROUNDS=1000. */
const CUTS = Number(process.env['MESH_TEST_ROUNDS'] ?? 12);
const LETTERS = 60;
/** Readers at once, letters that come while they read, and bytes of a connection at most: some hundred cuts, few letters apart. */
const [READERS, MORE, FEW_BYTES] = [8, 20, 4_096];

describe('a stream over a line that is cut again and again', function () {
  this.timeout(60_000 + CUTS * 5_000);
  let mesh: Mesh<'writer' | 'reader'>;
  let proxy: CuttingProxy;
  let written = 0;
  before(async () => {
    // Connections that are cut come back more often than an address may open them.
    mesh = await startMesh({ nodes: ['writer', 'reader'], settings: { api: { unlimited: ['127.0.0.1'] } } });
    proxy = await CuttingProxy.to(mesh.nodes.reader.url, 16_000);
    while (written < LETTERS) await write();
  });
  after(async () => {
    proxy.close();
    await mesh.stop();
  });

  async function write(): Promise<void> {
    await mesh.nodes.writer.client.message({ recipient: mesh.nodes.reader.id, text: `letter ${written++}` });
  }

  it(`gives every frame once and in order over ${CUTS} cuts`, async () => {
    const client = new NodeClient({ url: proxy.url, secret: mesh.nodes.reader.secret });
    while (proxy.cuts < CUTS) {
      const heard: string[] = [];
      let last = 0;
      for await (const frame of client.inbox({ since: 0 })) {
        assert.ok(frame.cursor > last, `${frame.cursor} after ${last}`);
        last = frame.cursor;
        if (frame.msg_type === 'MESSAGE') heard.push(frame.payload.text);
        // One more letter comes while it reads, and it reads to the end of what there is.
        if (heard.length === 10) await write();
        if (heard.length === written) break;
      }
      assert.deepEqual(
        heard,
        Array.from({ length: written }, (_, i) => `letter ${i}`),
      );
    }
  });

  /** The first so many cursors of a line that is whole. */
  async function whole(count: number): Promise<number[]> {
    const cursors: number[] = [];
    for await (const { cursor } of mesh.nodes.reader.client.inbox({ since: 0 }))
      if (cursors.push(cursor) === count) break;
    return cursors;
  }
  async function writeMore(): Promise<void> {
    for (let more = 0; more < MORE; more += 1) await write();
  }

  describe('at once, few letters apart, while more come', () => {
    let cutting: CuttingProxy;
    beforeEach(async () => {
      cutting = await CuttingProxy.to(mesh.nodes.reader.url, FEW_BYTES);
    });
    afterEach(() => cutting.close());

    it('gives readers in JavaScript the same frames as a line that is whole', async () => {
      const count = written + MORE;
      const { secret } = mesh.nodes.reader;
      async function read(): Promise<number[]> {
        const cursors: number[] = [];
        for await (const { cursor } of new NodeClient({ url: cutting.url, secret }).inbox({ since: 0 }))
          if (cursors.push(cursor) === count) break;
        return cursors;
      }
      const reading = Promise.all(Array.from({ length: READERS }, read));
      await writeMore();
      const wanted = await whole(count);
      for (const cursors of await reading) assert.deepEqual(cursors, wanted);
      assert.ok(cutting.cuts > 100, `${cutting.cuts} cuts`);
    });

    it('gives readers in Python the same', async function () {
      needsPython(this);
      const count = written + MORE;
      const script = `
agent_mesh._FIRST_PAUSE = 0.02
def read(cursors):
    for frame in Node(given['url'], secret=given['secret']).inbox.frames(since=0):
        cursors.append(frame['cursor'])
        if len(cursors) == given['count']:
            return
result = [[] for _ in range(given['readers'])]
threads = [threading.Thread(target=read, args=(cursors,)) for cursors in result]
for one in threads: one.start()
for one in threads: one.join()`;
      const { secret } = mesh.nodes.reader;
      const reading = runPython(script, { url: cutting.url, secret, count, readers: READERS });
      await writeMore();
      const wanted = await whole(count);
      for (const cursors of await reading) assert.deepEqual(cursors, wanted);
      assert.ok(cutting.cuts > 100, `${cutting.cuts} cuts`);
    });
  });
});

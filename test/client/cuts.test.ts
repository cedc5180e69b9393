import assert from 'node:assert/strict';
import { NodeClient } from '../../core/client/node-client.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

/** Connections that are cut; the bench's number with MESH_TEST_ROUNDS=1000. */
const CUTS = Number(process.env['MESH_TEST_ROUNDS'] ?? 12);
const LETTERS = 60;

describe('a stream over a line that is cut again and again', function () {
  this.timeout(60_000 + CUTS * 5_000);
  let mesh: Mesh<'writer' | 'reader'>;
  let proxy: CuttingProxy;
  let written = 0;
  before(async () => {
    mesh = await startMesh({ nodes: ['writer', 'reader'] });
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
});

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { bundleOf } from './support/web-bundle.ts';

/** The words before the file of a program. */
const RUNTIMES = [
  ['deno', 'run', '--allow-net', '--no-prompt'],
  ['bun', 'run'],
] as const;
const PROGRAM = `
import { AggregatorClient, ClientError, NodeClient, agentKey } from './client.js';
const { url, secret, hub, seller, text, seed } = JSON.parse((globalThis.Deno?.args ?? process.argv.slice(2))[0]);
const node = new NodeClient({ url, secret });
const { agent_id } = await node.identity();
const { envelope_id } = await node.message({ recipient: seller, text });
let answer;
for await (const one of node.inbox({ since: 0 })) {
  if (one.msg_type !== 'MESSAGE') continue;
  answer = one.payload.text;
  break;
}
const refused = await new NodeClient({ url, secret: 'wrong-for-this-node' }).deals().catch((error) => error);
const { agentId, sign } = await agentKey(Uint8Array.from(seed));
const mine = new AggregatorClient({ url: hub, sign });
await mine.setSleeping(agentId, true);
const { sleeping } = await mine.isSleeping(agentId);
await mine.setSleeping(agentId, false);
const told = { agent_id, envelope_id, answer, refused: [refused instanceof ClientError, refused.status], sleeping };
console.log(JSON.stringify(told));`;

describe('agent-mesh/client in the runtimes of others', function () {
  this.timeout(60_000);
  let mesh: Mesh<'buyer' | 'seller'>;
  let folder = '';
  const found = RUNTIMES.filter(([program]) => spawnSync(program, ['--version']).status === 0);

  before(async () => {
    if (found.length === 0) return;
    mesh = await startMesh({ nodes: ['buyer', 'seller'] });
    folder = await mkdtemp(join(tmpdir(), 'mesh-runtimes-'));
    await writeFile(join(folder, 'client.js'), (await bundleOf('core/client/index.ts')).text);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'program.js'), PROGRAM);
    await mesh.acquainted();
    const { buyer, seller } = mesh.nodes;
    await seller.client.message({ recipient: buyer.id, text: 'Good day.' });
  });
  after(async () => {
    await mesh?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  for (const [program, ...words] of RUNTIMES) {
    it(`calls, streams, signs and hears refusals in ${program}`, async function () {
      if (!found.some(([name]) => name === program)) {
        process.stderr.write(`NOT TESTED: agent-mesh/client in ${program}, which is not on the PATH\n`);
        this.skip();
      }
      const { buyer, seller } = mesh.nodes;
      const { url, secret, id } = buyer;
      const seed = [...(await readFile(join(mesh.folder, 'buyer', 'identity.key')))];
      const given = { url, secret, hub: mesh.aggregatorNode.url, seller: seller.id, text: `From ${program}.`, seed };
      const child = spawn(program, [...words, 'program.js', JSON.stringify(given)], { cwd: folder });
      let [out, err] = ['', ''];
      child.stdout.on('data', (text) => {
        out += text;
      });
      child.stderr.on('data', (text) => {
        err += text;
      });
      const code = await new Promise((ended) => child.once('close', ended));
      assert.equal(code, 0, err);
      const { envelope_id, ...told } = JSON.parse(out);
      assert.match(envelope_id, /^[0-9a-f]{64}$/);
      assert.deepEqual(told, { agent_id: id, answer: 'Good day.', refused: [true, 401], sleeping: true });
    });
  }
});

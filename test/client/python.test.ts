import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { needsPython, python, runPython } from './support/python.ts';

const CUTS = Number(process.env['MESH_TEST_ROUNDS'] ?? 12);

describe('the Python client and a running mesh', function () {
  this.timeout(60_000 + CUTS * 5_000);
  let mesh: Mesh<'here' | 'there'>;
  before(async function () {
    needsPython(this);
    mesh = await startMesh({ nodes: ['here', 'there'] });
  });
  after(() => mesh?.stop());

  function given(more: object = {}): object {
    const { here, there } = mesh.nodes;
    const key = join(mesh.folder, 'here', 'identity.key');
    return { url: here.url, secret: here.secret, hub: mesh.aggregatorNode.url, there: there.id, key, ...more };
  }

  it('is one file in the words of Python 3.9, which imports nothing that has to be installed', async () => {
    const file = join(packageRoot, 'clients/python/agent_mesh.py');
    const script = `
import ast, sys
with open(sys.argv[1], encoding='utf-8') as file:
    tree = ast.parse(file.read(), feature_version=(3, 9))
names = {a.name.split('.')[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
names |= {n.module.split('.')[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
print(sorted(names - set(sys.stdlib_module_names if hasattr(sys, 'stdlib_module_names') else names)))`;
    assert.deepEqual(await python(['-c', script, file]), { code: 0, stdout: '[]\n', stderr: '' });
  });

  it('calls, sends letters and reads those that come', async () => {
    await mesh.nodes.there.client.message({ recipient: mesh.nodes.here.id, text: 'Grüße 🕸' });
    const said = await runPython(
      `
node = Node(given['url'], secret=given['secret'])
sent = node.envelopes.message(recipient=given['there'], text='Hello.')
for frame in node.inbox.frames(unacked='1'):
    if frame['msg_type'] == 'MESSAGE':
        break
node.inbox.acknowledge(cursor=frame['cursor'])
page = node.inbox.page(since=0, limit=5)
result = [node.identity.identity()['agent_id'], sent['envelope_id'], frame['payload']['text'], page['frames'],
          node.operations.health()['status'], 'mesh_' in node.operations.metrics()]
`,
      given(),
    );
    assert.deepEqual([said[0], ...said.slice(2)], [mesh.nodes.here.id, 'Grüße 🕸', [], 'ok', true]);
    assert.match(said[1], /^[0-9a-f]{64}$/);
  });

  it('raises refusals with their status, code, fields and key', async () => {
    const said = await runPython(
      `
def refused(call):
    try:
        call()
    except MeshError as error:
        return [error.status, error.code, [f['pointer'] for f in error.fields], bool(error.key), str(error).split(':')[0]]
node, hub = Node(given['url'], secret=given['secret']), Aggregator(given['hub'])
result = [
    refused(lambda: node.negotiation.propose(recipient='nobody', message='x')),
    refused(lambda: node.deals.get('00' * 16)),
    refused(lambda: Node(given['url'], secret='wrong-secret-of-nobody').deals.list()),
    refused(lambda: Node('http://127.0.0.1:1').identity.identity()),
    refused(lambda: hub.push.set_sleeping(agent_id=given['there'], sleeping=True)),
    refused(lambda: next(Node(given['url'], secret='wrong-secret-of-nobody').inbox.frames())),
    refused(lambda: next(node.inbox.frames(since=10**9))),
]
`,
      given(),
    );
    assert.deepEqual(
      said.map(([status, code]: [number, string]) => [status, code]),
      [
        [400, 'invalid_request'],
        [404, 'not_found'],
        [401, 'unauthorized'],
        [0, 'unreachable'],
        [0, 'not_signed'],
        [401, 'unauthorized'],
        [0, 'stream_refused'],
      ],
    );
    assert.deepEqual(said[0].slice(2), [['/recipient'], true, 'POST /negotiate/propose']);
  });

  it('does once what is repeated with the same key', async () => {
    const [first, second, other] = await runPython(
      `
node = Node(given['url'], secret=given['secret'])
send = lambda key: node.envelopes.message(recipient=given['there'], text='Once.', key=key)['envelope_id']
result = [send('the-same'), send('the-same'), send(None)]
`,
      given(),
    );
    assert.equal(first, second);
    assert.notEqual(first, other);
  });

  it('signs as the agent whose key file it reads', async () => {
    const said = await runPython(
      `
mine = Aggregator(given['hub'], key=Key.from_file(given['key']))
agent = mine._key.agent_id
mine.push.set_sleeping(agent_id=agent, sleeping=True)
cid = mine.blobs.upload_blob(b'abc')['cid']
waiting = mine.push.pending_messages(agent, limit=5)
class Device:
    agent_id = agent
    def sign(self, data): return Key.from_file(given['key']).sign(data)
slept = Aggregator(given['hub'], key=Device()).push.set_sleeping(agent_id=agent, sleeping=False)
result = [agent, waiting, Aggregator(given['hub']).blobs.blob(cid, range='bytes=1-').decode(), slept['sleeping']]
`,
      given(),
    );
    assert.deepEqual(said, [mesh.nodes.here.id, [], 'bc', false]);
  });

  it('signs as RFC 8032 has it', async () => {
    const vectors = JSON.parse(readFileSync(join(packageRoot, 'test/client/ed25519.json'), 'utf8'));
    const signatures = await runPython(
      "result = [Key(bytes.fromhex(v['seed'])).sign(bytes.fromhex(v['message'])).hex() for v in given['vectors']]",
      { vectors },
    );
    assert.deepEqual(
      signatures,
      vectors.map(({ signature }: { signature: string }) => signature),
    );
  });

  it(`gives every frame once and in order over ${CUTS} cuts`, async () => {
    const proxy = await CuttingProxy.to(mesh.nodes.here.url, 16_000);
    const letters = Array.from({ length: 40 }, (_, i) => `letter ${i} ${'x'.repeat(i * 10)}`);
    for (const text of letters) await mesh.nodes.there.client.message({ recipient: mesh.nodes.here.id, text });
    try {
      while (proxy.cuts < CUTS) {
        const heard = await runPython(
          `
result, last = [], 0
for frame in Node(given['url'], secret=given['secret']).inbox.frames(since=0):
    assert frame['cursor'] > last
    last = frame['cursor']
    if frame['payload'].get('text', '').startswith('letter'):
        result.append(frame['payload']['text'])
    if len(result) == given['count']:
        break
`,
          given({ url: proxy.url, count: letters.length }),
        );
        assert.deepEqual(heard, letters);
      }
    } finally {
      proxy.close();
    }
  });

  it('ends a stream that waits when it is told to', async () => {
    const began = performance.now();
    const heard = await runPython(
      `
stop = threading.Event()
threading.Timer(0.3, stop.set).start()
result = [frame for frame in Node(given['url'], secret=given['secret']).events.events(stop=stop)]
`,
      given(),
    );
    assert.ok(Array.isArray(heard));
    assert.ok(performance.now() - began < 10_000);
  });
});

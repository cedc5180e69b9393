import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { bundle } from '../../bin/bundle.js';
import { packageRoot } from '../../core/platform/package-root.ts';
import { bodyHash, readAgentToken } from '../../core/protocol/signer/agent-token.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { bundleOf } from './support/web-bundle.ts';

const ENTRY = 'core/client/index.ts';
/** Of the bundle without the crypto of agent keys. */
const MOST_BYTES = 15 * 1024;

/** What the standards of the web offer everywhere, and nothing of Node: no `process`, `Buffer`, `require` or `setImmediate`. */
function webContext(more: object = {}) {
  const web = {
    AbortController,
    AbortSignal,
    DOMException,
    TextDecoder,
    TextEncoder,
    URL,
    URLSearchParams,
    WebSocket,
    btoa,
    clearTimeout,
    crypto,
    setTimeout,
    // A browser's own refuses to be called as a method of anything else.
    fetch(this: unknown, ...given: Parameters<typeof fetch>) {
      if (this !== undefined && this !== web && this !== context) throw new TypeError('Illegal invocation');
      return fetch(...given);
    },
    ...more,
  };
  const context = createContext(web);
  return context as Record<string, any>;
}

describe('agent-mesh/client', function () {
  this.timeout(60_000);

  it(`bundles for browsers without a module of Node, in at most ${MOST_BYTES} bytes gzip`, async () => {
    const { text, imports } = await bundleOf(ENTRY);
    assert.deepEqual(imports, []);
    assert.doesNotMatch(text, /node:/);
    assert.ok(gzipSync(text, { level: 9 }).length <= MOST_BYTES, `${gzipSync(text).length} bytes`);
  });

  it('is portable as the package ships it, with the classes that agent-mesh has', async () => {
    const folder = await mkdtemp(join(packageRoot, 'dist-tests-'));
    try {
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      await bundle([ENTRY, 'core/index.ts', 'core/cli/mesh.ts'], folder);
      const door = join(folder, ENTRY.replace(/\.ts$/, '.js'));
      const { text, imports } = await bundleOf(door);
      assert.deepEqual(imports, []);
      assert.doesNotMatch(text, /node:/);
      const [client, whole] = await Promise.all([import(door), import(join(folder, 'core/index.js'))]);
      assert.equal(client.NodeClient, whole.NodeClient);
      assert.equal(client.ClientError, whole.ClientError);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const { exports, files } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    assert.equal(exports['./client'], `./dist/${ENTRY.replace(/\.ts$/, '.js')}`);
    assert.ok(files.includes('dist') && files.includes('clients/python/agent_mesh.py'));
  });

  it('has types that need the types of browsers alone', async () => {
    const folder = await mkdtemp(join(packageRoot, 'dist-types-'));
    try {
      const own = JSON.parse(readFileSync(join(packageRoot, 'tsconfig.json'), 'utf8')).compilerOptions;
      const compilerOptions = { ...own, lib: ['ES2023', 'DOM', 'DOM.AsyncIterable'], types: [] };
      await mkdir(join(folder, 'src'));
      const page = [
        "import { agentKey, NodeClient } from '../../core/client/index.ts';",
        'const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);',
        'const { sign } = await agentKey(pair as CryptoKeyPair);',
        "const node = new NodeClient({ url: 'http://localhost:9090', sign, WebSocket });",
        'for await (const frame of node.inbox()) {',
        "  if (frame.msg_type === 'PROPOSE') console.log(frame.payload.amount_usdc_micro);",
        "  if (frame.msg_type === 'DELIVER') console.log(frame.deliver.conversation_id.length);",
        '  // @ts-expect-error: a REJECT has no price.',
        "  if (frame.msg_type === 'REJECT') console.log(frame.payload.amount_usdc_micro);",
        '  // @ts-expect-error: nobody sends this.',
        "  if (frame.msg_type === 'PROPOSAL') break;",
        '}',
        '// @ts-expect-error: an offer has a recipient.',
        "await node.api.negotiation.propose({ message: 'Count.' });",
        'export {};',
      ];
      await writeFile(join(folder, 'src/page.ts'), page.join('\n'));
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
      const tsc = join(packageRoot, 'node_modules/typescript/bin/tsc');
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
      assert.equal(status, 0, stdout);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  describe('where only the standards of the web are', () => {
    let mesh: Mesh<'seller' | 'buyer'>;
    let context: Record<string, any>;
    before(async () => {
      mesh = await startMesh({ nodes: ['seller', 'buyer'] });
      context = webContext();
      runInContext((await bundleOf(ENTRY, 'iife')).text, context);
      // A top-level `var` of a script is a member of the global object.
      assert.equal(typeof context['agentMesh'].NodeClient, 'function');
    });
    after(() => mesh.stop());

    /** Runs a script with two clients, `node` of the buyer and `hub`. */
    function run(script: string, given: object = {}): Promise<any> {
      const { buyer, seller } = mesh.nodes;
      const setting = {
        url: buyer.url,
        secret: buyer.secret,
        hub: mesh.aggregatorNode.url,
        seller: seller.id,
        ...given,
      };
      context['setting'] = setting;
      const body = `(async () => {
        const { url, secret, hub: hubUrl, seller } = setting;
        const { NodeClient, AggregatorClient, ClientError, agentKey } = agentMesh;
        const node = new NodeClient({ url, secret });
        const hub = new AggregatorClient({ url: hubUrl });
        ${script}
      })()`;
      return runInContext(body, context);
    }

    it('calls, reads its inbox and hears refusals', async () => {
      const sent = await run("return (await node.message({ recipient: seller, text: 'Hello.' })).envelope_id;");
      assert.match(sent, /^[0-9a-f]{64}$/);
      await mesh.nodes.seller.client.message({ recipient: mesh.nodes.buyer.id, text: 'Good day.' });
      const text = await run(
        "for await (const one of node.inbox()) if (one.msg_type === 'MESSAGE') return one.payload.text;",
      );
      assert.equal(text, 'Good day.');
      const refused = await run(
        "return node.deal('nobody').catch((e) => [e instanceof ClientError, e.status, e.code])",
      );
      assert.deepEqual([...refused].slice(0, 2), [true, 400]);
      const shut = await run(
        "return new NodeClient({ url, secret: 'wrong-for-this-node' }).inbox().next().catch(({ code }) => code)",
      );
      assert.equal(shut, 'unauthorized');
    });

    it('signs as the agent, each call with its query and body', async () => {
      const seed = await readFile(join(mesh.folder, 'buyer', 'identity.key'));
      const said = await run(
        `const { agentId, sign } = await agentKey(setting.seed);
         const mine = new AggregatorClient({ url: hubUrl, sign });
         await mine.setSleeping(agentId, true);
         const waiting = await mine.api.push.pendingMessages(agentId, { limit: 5 });
         const { cid } = await mine.api.blobs.uploadBlob(new TextEncoder().encode('abc'));
         const bytes = await hub.api.blobs.blob(cid, { range: 'bytes=1-' });
         return [agentId, waiting.length, (await hub.isSleeping(agentId)).sleeping, new TextDecoder().decode(bytes)].join();`,
        { seed },
      );
      assert.equal(said, `${mesh.nodes.buyer.id},0,true,bc`);
      const unsigned = await run('return hub.setSleeping(seller, true).catch((e) => e.code)');
      assert.equal(unsigned, 'not_signed');
    });

    it('makes tokens that hold of 32 bytes, and of a key that the platform never shows', async () => {
      const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
      const request = { audience: 'https://hub.example', method: 'POST', target: '/a?b=c', body: new Uint8Array([1]) };
      for (const key of [crypto.getRandomValues(new Uint8Array(32)), pair]) {
        context['setting'] = { key, request };
        const { agentId, token } = await runInContext(
          `(async () => {
            const { agentId, sign } = await agentMesh.agentKey(setting.key);
            return { agentId, token: await sign(setting.request) };
          })()`,
          context,
        );
        const read = readAgentToken(token, Date.now());
        assert.ok(read.ok, JSON.stringify(read));
        assert.deepEqual([read.value.iss, read.value.htu, read.value.bh], [agentId, '/a?b=c', bodyHash(request.body)]);
      }
    });

    it('says what is missing where there is no WebSocket', async () => {
      const bare = webContext({ WebSocket: undefined });
      runInContext((await bundleOf(ENTRY, 'iife')).text, bare);
      const code = await runInContext(
        "new agentMesh.NodeClient({ url: 'http://127.0.0.1:1' }).inbox().next().catch(({ code }) => code)",
        bare,
      );
      assert.equal(code, 'no_websocket');
    });
  });
});

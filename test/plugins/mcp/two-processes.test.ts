import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../../adapters/index.ts';
import { NodeClient } from '../../../core/client/node-client.ts';
import type { RunningNode } from '../../../core/host/boot/boot-node.ts';
import { startNode } from '../../../core/host/wiring/composition.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { formatAgentId } from '../../../core/protocol/identity/ids.ts';
import { plugins, standard } from '../../../plugins/index.ts';
import { mcpPlugin } from '../../../plugins/mcp/index.ts';
import { describeRedis, RedisServer } from '../../support/redis-server.ts';

const VERSION = '2026-07-28';
const YES = { inputResponses: { confirm: { action: 'accept', content: { confirm: true } } } };
/** Nobody is there: the offer stays with its node. */
const RECIPIENT = formatAgentId(new Uint8Array(32).fill(7));

/** As behind a proxy that hands each call to another process. */
describeRedis('a language model at two processes of one node, on one Redis', function () {
  this.timeout(60_000);
  let redis: RedisServer;
  let folder: string;
  const nodes: RunningNode[] = [];

  before(async () => {
    redis = await RedisServer.start();
    folder = await mkdtemp(join(tmpdir(), 'mesh-mcp-two-'));
    nodes.push(await process('one'));
    await mkdir(join(folder, 'two'));
    await copyFile(join(folder, 'one', 'identity.key'), join(folder, 'two', 'identity.key'));
    nodes.push(await process('two'));
  });
  after(async () => {
    for (const node of nodes) await node.stop();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function process(name: string): Promise<RunningNode> {
    return startNode({
      parts: { adapters, plugins: { ...plugins, mcp: () => mcpPlugin }, standard },
      log: silentLog,
      grace: 500,
      config: {
        value: {
          ...{ profile: 'node', listen: '127.0.0.1:0', dataDir: join(folder, name), network: { id: 'two' } },
          agent: { name: 'two' },
          storage: { use: 'redis', url: redis.url, prefix: 'two' },
          plugins: { mcp: { confirmAbove: '1' } },
        },
        folder,
      },
    });
  }

  async function propose(at: RunningNode, message: string, more: object = {}): Promise<any> {
    const given = { recipient: RECIPIENT, message, amount_usdc: '5', escrow: false };
    const answer = await fetch(`${at.url}/mcp`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${at.apiSecret}`, 'content-type': 'application/json' },
        ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': VERSION },
        ...{ 'mcp-method': 'tools/call', 'mcp-name': 'propose' },
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: {
          ...{ name: 'propose', arguments: given, ...more },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': VERSION,
            'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
          },
        },
      }),
    });
    const { result, error } = (await answer.json()) as any;
    assert.equal(error, undefined);
    return result;
  }
  const deals = async (at: RunningNode) =>
    (await new NodeClient({ url: at.url, secret: at.apiSecret }).deals({ state: 'proposed' })).deals;

  it('is asked by one and answers at the other, where the answer holds once, at neither twice', async () => {
    const [one, two] = nodes as [RunningNode, RunningNode];
    const { resultType, requestState } = await propose(one, 'Write a haiku.');
    assert.equal(resultType, 'input_required');
    assert.deepEqual(await deals(two), []);

    const done = await propose(two, 'Write a haiku.', { ...YES, requestState });
    assert.equal(done.structuredContent.deal.amount_usdc, '5');
    for (const again of [one, two]) {
      const { resultType: asked } = await propose(again, 'Write a haiku.', { ...YES, requestState });
      assert.equal(asked, 'input_required');
    }
    for (const seen of [one, two])
      assert.deepEqual(
        (await deals(seen)).map(({ conversation_id }) => conversation_id),
        [done.structuredContent.conversation_id],
      );
  });
});

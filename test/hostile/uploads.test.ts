import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { TestAgent } from '../aggregator/support/agent.ts';
import { PluginAggregator, tokenOf } from '../plugins/support/aggregator.ts';
import { happens } from '../support/happens.ts';

const MIB = 1_048_576;

describe('uploads of strangers', function () {
  this.timeout(30_000);
  let aggregator: PluginAggregator;
  let eve: TestAgent;
  let ann: TestAgent;
  before(async () => {
    aggregator = await PluginAggregator.start({
      storage: { use: 'lowdb' },
      settings: { core: { blobs: { mostMiB: 16 } } },
    });
    [eve, ann] = [aggregator.agent('eve'), aggregator.agent('ann')];
    await aggregator.introduce(eve, ann);
  });
  after(() => aggregator.stop());

  const upload = (as: TestAgent, body: Uint8Array) => aggregator.call('POST /blobs', { body, as });

  /** An upload of which only the first bytes ever come. */
  function begun(as: TestAgent): Socket {
    const { hostname, port } = new URL(aggregator.url);
    const request = { audience: aggregator.node.publicUrl, method: 'POST', target: '/blobs', body: randomBytes(8) };
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    const head = [
      ...['POST /blobs HTTP/1.1', `host: ${hostname}:${port}`, 'content-length: 100000'],
      `authorization: Bearer ${tokenOf(as, request, aggregator.clock)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\nhello`);
    return socket;
  }

  it('that never end keep nobody else from uploading', async () => {
    const sockets = Array.from({ length: 80 }, () => begun(eve));
    try {
      const refused = new Set<Socket>();
      for (const socket of sockets) socket.once('data', () => refused.add(socket));
      await happens('those beyond all places are refused', async () => (refused.size >= 16 ? true : undefined));
      const { status, body } = await upload(ann, Buffer.from('hello'));
      assert.equal(status, 201, JSON.stringify(body));
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });

  it('leave half of the room to agents of some standing', async () => {
    const statuses: number[] = [];
    for (const name of ['one', 'two', 'three']) {
      const stranger = aggregator.agent(name);
      await aggregator.introduce(stranger);
      statuses.push((await upload(stranger, randomBytes(3 * MIB))).status);
    }
    assert.deepEqual(statuses, [201, 201, 403]);
  });
});

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Operations } from '../../core/services.ts';
import { TestAgent } from '../aggregator/support/agent.ts';
import { bootAggregator } from '../aggregator/support/aggregator.ts';
import { testNode } from '../support/node.ts';

// The other places have tests of their own: sessions (test/mesh/crowds.test.ts), half-open links (half-open.test.ts and
// over-hubs.test.ts), open offers and letters (strangers.test.ts and over-hubs.test.ts), sockets of one address
// (attacks.test.ts), what streams keep for slow readers (slow-watchers.test.ts), relayed circuits
// (test/mesh/hostile-hub.test.ts), calls (test/http/calls.test.ts).

const STRANGERS = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

function call(url: string, localAddress: string, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(url, { method, localAddress, headers, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode!, text }));
    });
    sent.on('error', reject).end(body);
  });
}

describe('what strangers can cause', function () {
  this.timeout(30_000);

  it('at ingest is bounded by address and in all; whom the aggregator knows is not held up, and each bound is counted', async () => {
    const aggregator = await bootAggregator({ core: { ingest: { newKeysPerHour: 3, newKeysPerHourInAll: 5 } } });
    const report = async (from: string, ...agents: TestAgent[]) => {
      const items = agents.map((agent) => agent.beacon('one of many').whole);
      const { text } = await call(`${aggregator.url}/ingest/envelopes`, from, JSON.stringify({ items }));
      return (JSON.parse(text) as any).results.map(({ status }: { status: string }) => status);
    };
    const crowd = Array.from({ length: 12 }, (_, index) => new TestAgent(`crowd of addresses ${index}`));
    try {
      const [one, other, third] = STRANGERS as [string, string, string];
      assert.deepEqual(await report(one, ...crowd.slice(0, 4)), ['accepted', 'accepted', 'accepted', 'rate-limited']);
      assert.deepEqual(await report(other, ...crowd.slice(4, 7)), ['accepted', 'accepted', 'rate-limited']);
      assert.deepEqual(await report(third, crowd[8]!), ['rate-limited']);
      assert.deepEqual(await report(third, crowd[0]!, crowd[4]!), ['accepted', 'accepted']);
      assert.equal((await aggregator.read('/stats/network')).agent_count, 5);
      const { text } = await aggregator.get(Operations).metrics();
      assert.match(text, /mesh_ingest_put_off_total\{bound="address"\} 1\n/);
      assert.match(text, /mesh_ingest_put_off_total\{bound="all"\} 2\n/);
    } finally {
      await aggregator.stop();
    }
  });

  it('with connections leaves the owner its own, though they hold all that there are', async () => {
    const most = 30;
    const node = await testNode({ settings: { api: { connections: most, connectionsPerIp: most / 3 } } });
    const held: Socket[] = [];
    try {
      for (const localAddress of STRANGERS) {
        for (let index = 0; index < most / 3; index += 1) {
          const socket = connect({ port: node.port, host: '127.0.0.1', localAddress });
          socket.on('error', () => {});
          held.push(socket);
          await new Promise((resolve) => socket.once('connect', resolve));
        }
      }
      assert.equal((await call(`${node.url}/health`, '127.0.0.5')).status, 429);
      for (let index = 0; index < 20; index += 1) {
        assert.equal((await call(`${node.url}/health`, '127.0.0.1')).status, 200);
      }
    } finally {
      for (const socket of held) socket.destroy();
      await node.stop();
    }
  });
});

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { type TestNode, testAgent, testNode } from '../../adapters/testing.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { unhandled } from '../../core/aggregator/store/logs.ts';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { Network, Store } from '../../core/internal-services.ts';
import { silentLog } from '../../core/platform/log.ts';
import {
  definePlugin,
  type EnvelopeHandler,
  type FaceSpec,
  type Plugin,
  type ReceivedEnvelope,
} from '../../core/plugin.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { newConversation, TestAgent as Reporter } from '../aggregator/support/agent.ts';
import { happens } from '../support/happens.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';

const anyFace = (face: object) => ({ setup: () => ({}), ...face }) as FaceSpec<any, any, any, any, any, any>;

async function refusal(plugin: Plugin, profile: 'node' | 'aggregator' = 'node'): Promise<string> {
  const error = await testNode(plugin, { profile }).then(
    () => assert.fail('it booted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof BootError, String(error));
  return error.message;
}

describe('the message types that a face handles', () => {
  const faced = (face: object, more: object = {}): Plugin => ({
    name: 'ear',
    api: '2.0',
    node: anyFace(face),
    ...more,
  });

  it('are known ones', async () => {
    const said = await refusal(faced({ envelopes: { BROADCATS: true } }));
    assert.match(
      said,
      /ear: there is no message type BROADCATS; did you mean BROADCAST\?.*there are ADVERTISE, DISCOVER/,
    );
  });

  it('are the keys of an object', async () => {
    assert.match(await refusal(faced({ envelopes: ['BROADCAST'] })), /ear: its envelopes name no message types/);
    assert.match(await refusal(faced({ envelopes: { DISCOVER: 1 } })), /give DISCOVER something else than true/);
  });

  it('are bound by setup, each of them and no other', async () => {
    const setup = () => ({ envelopes: { BEACON() {} } });
    assert.match(
      await refusal(faced({ envelopes: { DISCOVER: true } })),
      /declares envelopes DISCOVER but setup returned/,
    );
    assert.match(await refusal(faced({ setup })), /setup returned envelopes BEACON, which it does not declare/);
  });

  it('need messages:read where they are private', async () => {
    const said = await refusal(faced({ envelopes: { MESSAGE: true } }));
    assert.match(said, /ear: handles MESSAGE, which is private, without the permission messages:read; its author adds/);
  });

  it('are public on an aggregator, which gets receipts of what is private', async () => {
    const face = anyFace({ envelopes: { PROPOSE: true } });
    const plugin: Plugin = { name: 'ear', api: '2.0', permissions: ['messages:read'], aggregator: face };
    assert.match(
      await refusal(plugin, 'aggregator'),
      /ear: handles PROPOSE, which is private: an aggregator gets receipts/,
    );
  });

  it('need a grant of the operator in a file of somebody else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mesh-'));
    try {
      const text = `export default { name: 'ear', api: '2.0', permissions: ['messages:read'],
        node: { envelopes: { MESSAGE: true }, setup: () => ({ envelopes: { MESSAGE() {} } }) } };`;
      await writeFile(join(folder, 'ear.mjs'), text);
      const value = { listen: '127.0.0.1:0', storage: { use: 'memory' }, plugins: { './ear.mjs': {} } };
      const started = startNode({ parts: { adapters, plugins: {} }, config: { value, folder }, log: silentLog });
      await assert.rejects(started, /ear: asks for messages:read .*"\$grant": \["messages:read"\]/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** Notes what it is handed; throws at what says "trouble", and hangs at what says "hang". */
function ear() {
  const heard: ReceivedEnvelope[] = [];
  const note = async (envelope: ReceivedEnvelope) => {
    heard.push(envelope);
    const said = envelope.type === 'DISCOVER' ? envelope.payload.query : undefined;
    if (said === 'trouble') throw new Error('out of ink');
    if (said === 'hang') await new Promise(() => {});
  };
  return { heard, note, said: () => heard.map(({ type }) => type) };
}

const OPEN = { BROADCAST: true, BOUNTY: true, DISCOVER: true, BEACON: true, FEEDBACK: true, DISPUTE: true } as const;
type Open = keyof typeof OPEN;
const boundTo = (note: EnvelopeHandler) =>
  Object.fromEntries(Object.keys(OPEN).map((type) => [type, note])) as Record<Open, EnvelopeHandler>;

describe('the handlers of a plugin on a node', () => {
  let node: TestNode;
  const { heard, note, said } = ear();
  const texts: string[] = [];
  const plugin = definePlugin({
    name: 'ear',
    api: '2.0',
    permissions: ['messages:read'],
    node: {
      envelopes: { ...OPEN, MESSAGE: true, PROPOSE: true },
      setup: () => ({
        envelopes: {
          ...boundTo(note),
          MESSAGE: ({ payload }) => void texts.push(payload.text),
          PROPOSE: ({ payload }) => void texts.push(`${payload.amount_usdc_micro + 1n}`),
        },
      }),
    },
  });
  before(async () => {
    node = await testNode(plugin);
  });
  after(async () => assert.deepEqual(await node.stop(), []));

  it('get the payload of their type, decoded, with who sent it and when', async () => {
    const agent = testAgent();
    const before = Date.now();
    const { id, conversationId, status } = await node.deliver(agent, 'DISCOVER', { query: 'maps' });
    assert.equal(status, 'accepted');
    const { sentAt, nonce, ...rest } = heard[0]!;
    assert.ok(sentAt >= before && sentAt <= Date.now() && nonce > 0);
    const head = { id, conversationId, sender: agent.id, recipient: null, slot: 0, sealed: false };
    assert.deepEqual(rest, { ...head, type: 'DISCOVER', payload: { query: 'maps' } });
  });

  it('get what is private too, sealed or not, and the steps of a deal', async () => {
    const agent = testAgent();
    await node.deliver(agent, 'MESSAGE', { text: 'open' });
    await node.deliver(agent, 'MESSAGE', { text: 'sealed' }, { sealed: true });
    await node.deliver(agent, 'PROPOSE', { amount_usdc_micro: 41n, message: 'Count.' });
    assert.deepEqual(texts, ['open', 'sealed', '42']);
  });

  it('get a BEACON once, and nothing of what was refused', async () => {
    const agent = testAgent();
    heard.length = 0;
    await node.deliver(agent, 'BEACON', { name: 'ann', hubs: [] });
    assert.deepEqual(said(), ['BEACON']);
    const conversationId = '1'.repeat(32);
    const orphan = { conversation_id: conversationId, content_type: 'text/plain', inline_b64: '' } as const;
    await assert.rejects(node.deliver(agent, 'DELIVER', orphan, { conversationId }), /There is no deal/);
  });

  it('of two plugins each get it, though the first throws', async () => {
    const [first, second] = [ear(), ear()];
    const one = (name: string, note: EnvelopeHandler) =>
      definePlugin({
        name,
        api: '2.0',
        node: { envelopes: { DISCOVER: true }, setup: () => ({ envelopes: { DISCOVER: note } }) },
      });
    const clock = new HalfMinute();
    const pair = await testNode(one('two', second.note), { beside: [[one('one', first.note), {}]], clock });
    clock.hurries = true;
    for (const query of ['trouble', 'hang']) await pair.deliver(testAgent(), 'DISCOVER', { query });
    assert.deepEqual([first.said(), second.said()], [Array(2).fill('DISCOVER'), Array(2).fill('DISCOVER')]);
    const { body } = await pair.call('GET /metrics');
    assert.match(body, /mesh_envelope_handler_failures_total\{plugin="one",type="DISCOVER"\} 2/);
    assert.deepEqual(await pair.stop(), []);
  });
});

describe('the handlers of a plugin on an aggregator', () => {
  let node: TestNode;
  const { heard, note, said } = ear();
  const plugin = definePlugin({
    name: 'ear',
    api: '2.0',
    aggregator: { envelopes: OPEN, setup: () => ({ envelopes: boundTo(note) }) },
  });
  before(async () => {
    node = await testNode(plugin);
  });
  beforeEach(() => {
    heard.length = 0;
  });
  after(async () => assert.deepEqual(await node.stop(), []));

  it('get what it hears as broadcast, without any permission', async () => {
    const agent = testAgent();
    const { id } = await node.deliver(agent, 'DISCOVER', { query: 'maps' });
    await node.deliver(agent, 'BROADCAST', { topic: 'news', title: 'Rain', tags: [], format: 'text' });
    await node.deliver(agent, 'BEACON', { name: 'ann', hubs: [] });
    assert.deepEqual(said(), ['DISCOVER', 'BROADCAST', 'BEACON']);
    assert.deepEqual([heard[0]!.id, heard[0]!.sender, heard[0]!.payload], [id, agent.id, { query: 'maps' }]);
  });

  it('get what is reported whole, once, however often and by whomever', async () => {
    const wire = new Reporter('ann', Date.now, node.get(Network)).sign('DISPUTE', {
      to: new Reporter('bob'),
      conversation: newConversation(),
      payload: { reason: 'late' },
    });
    const report = async (item: object) =>
      (await node.call('POST /ingest/envelopes', { auth: false, body: { items: [item] } })).body.results[0].status;
    assert.equal(await report(wire.receipt), 'accepted');
    assert.deepEqual(said(), [], 'a receipt tells nothing of what it says');
    assert.equal(await report(wire.whole), 'accepted');
    assert.equal(await report(wire.whole), 'duplicate');
    await happens('it is handled', async () => heard.length > 0 || undefined);
    assert.deepEqual([said(), heard[0]!.id, heard[0]!.payload], [['DISPUTE'], wire.id, { reason: 'late' }]);
  });

  it('that throw are counted, and the next envelope comes', async () => {
    await node.deliver(testAgent(), 'DISCOVER', { query: 'trouble' });
    await node.deliver(testAgent(), 'DISCOVER', { query: 'maps' });
    assert.deepEqual(said(), ['DISCOVER', 'DISCOVER']);
    const { body } = await node.call('GET /metrics');
    assert.match(body, /mesh_envelope_handler_failures_total\{plugin="ear",type="DISCOVER"\} 1/);
  });
});

describe('the handlers of a plugin on an aggregator that stops', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  it('get again what they were not done with', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mesh-'));
    folders.push(folder);
    let hangs = true;
    const seen: string[] = [];
    const plugin = definePlugin({
      name: 'ear',
      api: '2.0',
      aggregator: {
        envelopes: { DISCOVER: true },
        setup: () => ({
          envelopes: {
            async DISCOVER({ payload }) {
              seen.push(payload.query);
              if (hangs) await new Promise(() => {});
            },
          },
        }),
      },
    });
    const agent = new Reporter('ann', Date.now, defineNetwork({ name: 'stopping' }));
    async function start(plugins: readonly Plugin[]) {
      const named = Object.fromEntries(plugins.map((one) => [one.name, () => one]));
      const value = {
        profile: 'aggregator',
        listen: '127.0.0.1:0',
        network: { id: 'stopping' },
        storage: { use: 'lowdb' },
        plugins: Object.fromEntries(plugins.map(({ name }) => [name, {}])),
      };
      return startNode({ parts: { adapters, plugins: named }, config: { value, folder }, log: silentLog, grace: 100 });
    }
    let node = await start([plugin]);
    const items = ['one', 'two'].map((query) => agent.sign('DISCOVER', { payload: { query } }).whole);
    const body = JSON.stringify({ items });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${node.url}/ingest/envelopes`, { method: 'POST', headers, body });
    await happens('the first is being handled', async () => seen.length > 0 || undefined);
    const problems = await node.stop();
    assert.match(JSON.stringify(problems), /closing failed/);

    hangs = false;
    node = await start([plugin]);
    await happens('both are handled', async () => seen.length === 3 || undefined);
    assert.deepEqual(new Set(seen), new Set(['one', 'two']));
    const left = () => node.get(Store).space(SPACE).page(unhandled);
    await happens('nothing is left', async () => (await left()).length === 0 || undefined);
    assert.deepEqual(await node.stop(), []);
  });
});

/** A clock that can be told to let thirty seconds pass at once. */
class HalfMinute extends ShiftedClock {
  hurries = false;

  override after(ms: number, run: () => void): () => void {
    return super.after(this.hurries && ms === 30_000 ? 20 : ms, run);
  }
}

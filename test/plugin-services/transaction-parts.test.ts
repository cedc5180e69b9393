import assert from 'node:assert/strict';
import { type TestNode, testAgent, testNode } from '../../adapters/testing.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { Network, Store } from '../../core/internal-services.ts';
import { letters } from '../../core/messaging/inbox-records.ts';
import { outbox } from '../../core/messaging/records.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import {
  appendLog,
  collection,
  counter,
  definePlugin,
  type LedgerEvent,
  MeshError,
  type Plugin,
  type PublicRecord,
  type ReceivePart,
  type SendPart,
} from '../../core/plugin.ts';
import type { Tx } from '../../core/services.ts';
import { newConversation, TestAgent as Reporter } from '../aggregator/support/agent.ts';

const texts = collection<{ text: string; times: number }>('texts', { schema: () => [] });
const said = appendLog<{ text: string }>('said', { schema: () => [] });
const sum = counter('sum');

const stateOf = async (node: TestNode, plugin: string) => (await node.call('GET /health')).body.plugins[plugin];
const failures = async (node: TestNode, point: string) => {
  const { body } = await node.call('GET /metrics');
  return Number(new RegExp(`part_failures_total\\{plugin="[a-z]+",point="${point}",.*\\} (\\d+)`).exec(body)?.[1] ?? 0);
};

const taker = (part: ReceivePart<'MESSAGE'>, name = 'taker'): Plugin =>
  definePlugin({
    name,
    api: '2.1',
    permissions: ['messages:gate', 'messages:read'],
    node: { receives: { MESSAGE: true }, setup: () => ({ receives: { MESSAGE: part } }) },
  });

describe('a plugin that takes part in receiving', () => {
  let node: TestNode;
  afterEach(async () => assert.deepEqual(await node.stop(), []));
  const say = async (text: string) => (await node.deliver(testAgent(), 'MESSAGE', { text })).status;
  const kept = async () => (await node.get(NodeSpace).page(letters)).length;
  const own = (name = 'taker') => node.get(Store).space(name);

  it('writes in its own space, in the transaction that journals the message', async () => {
    node = await testNode(
      taker({
        reads: ({ payload }) => [texts.ref(payload.text)],
        apply(tx, { payload: { text } }) {
          const { times = 0 } = tx.get(texts.ref(text)) ?? {};
          tx.put(texts.ref(text), { text, times: times + 1 });
          tx.append(said, { text });
          tx.add(sum, 1);
          return 'accepted';
        },
      }),
    );
    for (const text of ['one', 'two', 'one']) assert.equal(await say(text), 'accepted');
    assert.deepEqual(await own().get(texts.ref('one')), { text: 'one', times: 2 });
    assert.deepEqual([(await own().page(said)).length, await own().total(sum), await kept()], [3, 3n, 3]);
    assert.equal(await node.get(Store).space('node').count(texts), 0);
  });

  for (const reason of ['invalid', 'blocked', 'restricted', 'rate-limited'] as const)
    it(`leaves nothing changed when it says ${reason}`, async () => {
      node = await testNode(
        taker({
          apply(tx, { payload: { text } }) {
            tx.put(texts.ref(text), { text, times: 1 });
            return text === 'good' ? 'accepted' : reason;
          },
        }),
      );
      assert.equal(await say('bad'), reason);
      assert.deepEqual([await own().count(texts), await kept()], [0, 0]);
      assert.equal(await say('good'), 'accepted');
      assert.deepEqual([await own().count(texts), await kept()], [1, 1]);
      assert.equal((await stateOf(node, 'taker')).state, 'ok');
    });

  it('undoes what another wrote before it refused', async () => {
    const first = taker(
      {
        apply(tx, { payload: { text } }) {
          tx.put(texts.ref(text), { text, times: 1 });
          return 'accepted';
        },
      },
      'first',
    );
    node = await testNode(taker({ apply: () => 'blocked' }), { beside: [[first, {}]] });
    assert.equal(await say('hello'), 'blocked');
    assert.deepEqual([await own('first').count(texts), await kept()], [0, 0]);
  });

  const FAULTS: [what: string, part: object][] = [
    ['throws', { apply: () => assert.fail('out of ink') }],
    ['answers nothing', { apply: () => undefined }],
    ['answers another word', { apply: () => 'yes' }],
    ['answers a promise', { apply: async () => 'accepted' }],
    ['answers a promise that fails', { apply: () => Promise.reject(new Error('later')) }],
    ['reads what it did not declare', { apply: (tx: any) => tx.get(texts.ref('x')) ?? 'accepted' }],
    ['declares what is no reference', { reads: () => ['x'], apply: () => 'accepted' }],
    [
      'declares more than 64',
      { reads: () => Array.from({ length: 65 }, (_, i) => texts.ref(`${i}`)), apply: () => 'accepted' },
    ],
    ['throws in reads', { reads: () => assert.fail('out of ink'), apply: () => 'accepted' }],
    ['asks for more for ever', { apply: (tx: any) => tx.pull([texts.ref(`${Math.random()}`)]) }],
    ['writes too much', { apply: (tx: any) => tx.append(said, { text: 'x'.repeat(300_000) }) ?? 'accepted' }],
    ['writes what JSON is not', { apply: (tx: any) => tx.append(said, { text: 1n }) ?? 'accepted' }],
  ];
  for (const [what, part] of FAULTS)
    it(`has the message sent again later when it ${what}, and tells so`, async () => {
      let good = false;
      const { reads, apply } = part as any;
      const either = {
        reads: (envelope: unknown) => (good ? [] : (reads?.(envelope) ?? [])),
        apply: (tx: unknown) => (good ? 'accepted' : apply(tx)),
      };
      node = await testNode(taker(either as ReceivePart<'MESSAGE'>));
      assert.equal(await say('hello'), 'rate-limited');
      assert.equal(await kept(), 0);
      assert.deepEqual(await stateOf(node, 'taker'), {
        state: 'degraded',
        detail: 'receives MESSAGE failed, so such messages are put off',
      });
      assert.equal(await failures(node, 'receives'), 1);
      assert.equal((await node.call('GET /ready')).status, 200);
      good = true;
      assert.equal(await say('hello'), 'accepted');
      assert.equal((await stateOf(node, 'taker')).state, 'ok');
    });

  it('counts each of many at once', async () => {
    node = await testNode(
      taker({
        apply(tx) {
          const [known] = tx.pull([texts.ref('all')]);
          tx.put(texts.ref('all'), { text: 'all', times: (known?.times ?? 0) + 1 });
          return 'accepted';
        },
      }),
    );
    const statuses = await Promise.all(Array.from({ length: 200 }, (_, i) => say(`${i}`)));
    const taken = statuses.filter((status) => status === 'accepted').length;
    assert.ok(taken > 20, `${taken} were taken`);
    assert.equal((await own().get(texts.ref('all')))!.times, taken);
  });
});

describe('a plugin that takes part in sending', () => {
  let node: TestNode;
  afterEach(async () => assert.deepEqual(await node.stop(), []));
  const sender = (part: object): Plugin =>
    definePlugin({
      name: 'sender',
      api: '2.2',
      permissions: ['messages:gate', 'messages:read'],
      node: { sends: { MESSAGE: true }, setup: () => ({ sends: { MESSAGE: part as SendPart<'MESSAGE'> } }) },
    });
  const recipient = testAgent().id;
  const say = (text: string, headers: Record<string, string> = {}) =>
    node.call('POST /message', { body: { recipient, text }, headers });
  const own = () => node.get(Store).space('sender');
  const sent = async () => (await node.get(NodeSpace).page(outbox)).length;

  it('writes in its own space, in the transaction that signs the message, once', async () => {
    node = await testNode(
      sender({
        reads: ({ recipient }: any) => [texts.ref(recipient)],
        apply(tx: Tx, { recipient, payload, id }: any) {
          const { times = 0 } = tx.get(texts.ref(recipient)) ?? {};
          tx.put(texts.ref(recipient), { text: `${payload.text} ${id}`, times: times + 1 });
        },
      }),
    );
    const again = { 'idempotency-key': 'one' };
    const [first, repeated] = [await say('hello', again), await say('hello', again)];
    assert.equal(first.body.envelope_id, repeated.body.envelope_id);
    const text = `hello ${first.body.envelope_id}`;
    assert.deepEqual(await own().get(texts.ref(recipient)), { text, times: 1 });
  });

  it('refuses it with an error of its own, and then nothing is signed', async () => {
    node = await testNode(
      sender({
        apply(tx: Tx, { payload }: any) {
          tx.put(texts.ref('x'), { text: payload.text, times: 1 });
          if (payload.text === 'bad') throw new MeshError('invalid_transition', 'Say something else.');
        },
      }),
    );
    const refused = await say('bad');
    assert.deepEqual([refused.status, refused.body.detail], [409, 'Say something else.']);
    assert.deepEqual([await own().count(texts), await sent()], [0, 0]);
    assert.equal((await stateOf(node, 'sender')).state, 'ok');
    assert.equal((await say('good')).status, 200);
    assert.deepEqual([await own().count(texts), await sent()], [1, 1]);
  });

  for (const [what, part] of [
    ['throws', { apply: () => assert.fail('out of ink') }],
    ['answers a promise', { apply: async () => undefined }],
    ['throws in reads', { reads: () => assert.fail('out of ink'), apply: () => undefined }],
    ['writes too much', { apply: (tx: any) => tx.append(said, { text: 'x'.repeat(300_000) }) }],
  ] as [string, any][])
    it(`has nothing signed when it ${what}, and is named`, async () => {
      let good = false;
      node = await testNode(
        sender({
          reads: (draft: unknown) => (good ? [] : (part.reads?.(draft) ?? [])),
          apply: (tx: unknown, told: unknown) => (good ? undefined : part.apply(tx, told)),
        }),
      );
      const { status, body } = await say('hello');
      assert.deepEqual([status, body.code, await sent()], [500, 'internal', 0], JSON.stringify(body));
      assert.deepEqual(await stateOf(node, 'sender'), {
        state: 'degraded',
        detail: 'sends MESSAGE failed, so such messages are not sent',
      });
      assert.equal(await failures(node, 'sends'), 1);
      good = true;
      assert.equal((await say('hello')).status, 200);
      assert.equal((await stateOf(node, 'sender')).state, 'ok');
    });
});

describe('a plugin that keeps an index of the public record', () => {
  let node: TestNode;
  const seen: PublicRecord[] = [];
  let fails = false;
  const plugin = definePlugin({
    name: 'index',
    api: '2.1',
    aggregator: {
      indexes: { DISPUTE: true, BEACON: true, PROPOSE: true },
      setup: () => ({
        indexes: {
          BEACON: {
            reads: ({ sender }) => [texts.ref(sender)],
            apply(tx, { sender, payload }) {
              const { times = 0 } = tx.get(texts.ref(sender)) ?? {};
              tx.put(texts.ref(sender), { text: payload?.name ?? '', times: times + 1 });
              if (fails) throw new Error('out of ink');
            },
          },
          DISPUTE: {
            apply(tx, record) {
              seen.push({ ...record });
              tx.append(said, { text: record.payload?.reason ?? 'a receipt' });
            },
          },
          PROPOSE: { apply: (tx, record) => tx.append(said, { text: `PROPOSE ${'payload' in record}` }) },
        },
      }),
    },
  });
  before(async () => {
    node = await testNode(plugin);
  });
  after(async () => assert.deepEqual(await node.stop(), []));
  const own = () => node.get(Store).space('index');
  const report = async (item: object) =>
    (await node.call('POST /ingest/envelopes', { auth: false, body: { items: [item] } })).body.results[0].status;

  it('notes what it is told in the transaction that records it, once', async () => {
    const agent = testAgent();
    await node.deliver(agent, 'BEACON', { name: 'ann', hubs: [] });
    await node.deliver(agent, 'BEACON', { name: 'anna', hubs: [] });
    assert.deepEqual(await own().get(texts.ref(agent.id)), { text: 'anna', times: 2 });
  });

  it('gets a receipt first, then what it says; of private messages the receipt alone', async () => {
    const ann = new Reporter('ann', Date.now, node.get(Network));
    const to = new Reporter('bob');
    const conversation = newConversation();
    const wire = ann.sign('DISPUTE', { to, conversation, payload: { reason: 'late' } });
    for (const item of [wire.receipt, wire.whole]) assert.equal(await report(item), 'accepted');
    for (const item of [wire.receipt, wire.whole]) assert.equal(await report(item), 'duplicate');
    const [first, second] = seen;
    assert.deepEqual([seen.length, first!.isNew, second!.isNew], [2, true, false]);
    assert.deepEqual([first!.id, first!.sender, first!.recipient], [wire.id, ann.id, to.id]);
    assert.deepEqual([first!.conversationId, first!.type, 'payload' in first!], [conversation, 'DISPUTE', false]);
    const rows = (await own().page(said)).map(({ record }) => record.text);
    assert.deepEqual(rows, ['late', 'a receipt']);
  });

  it('that fails loses its own part, and nothing else', async () => {
    const agent = testAgent();
    fails = true;
    assert.equal((await node.deliver(agent, 'BEACON', { name: 'cat', hubs: [] })).status, 'accepted');
    fails = false;
    assert.equal(await own().get(texts.ref(agent.id)), undefined);
    assert.equal((await node.get(Store).space(SPACE).get(agents.ref(agent.id)))!.name, 'cat');
    assert.equal(await failures(node, 'indexes'), 1);
    const lacking = { state: 'degraded', detail: 'indexes BEACON failed, so it lacks what it was told' };
    assert.deepEqual(await stateOf(node, 'index'), lacking);
    await node.deliver(agent, 'BEACON', { name: 'cat', hubs: [] });
    assert.deepEqual(await own().get(texts.ref(agent.id)), { text: 'cat', times: 1 });
    assert.deepEqual(await stateOf(node, 'index'), lacking, 'what it missed does not come again');
  });
});

describe('node.ledgerEvent of the kit', () => {
  it('hands an event to the parts of plugins, on both profiles', async () => {
    const face = {
      ledgerEvents: { owner_claimed: true, gap: true },
      setup: () => ({
        ledgerEvents: {
          owner_claimed: {
            apply: (tx: Tx, { key, owner }: LedgerEvent<'owner_claimed'>) =>
              tx.append(said, { text: `${key} ${owner}` }),
          },
          gap: { apply: (tx: Tx, { reason }: LedgerEvent<'gap'>) => tx.append(said, { text: reason }) },
        },
      }),
    } as const;
    const plugin = definePlugin({ name: 'reader', api: '2.1', node: face, aggregator: face });
    for (const profile of ['node', 'aggregator'] as const) {
      const node = await testNode(plugin, { profile });
      await node.ledgerEvent('owner_claimed', { key: 'k', agentId: 'k', owner: 'o' });
      await node.ledgerEvent('gap', { reason: 'pruned' });
      await node.ledgerEvent('agent_opened', { key: 'k', agentId: 'k' });
      const rows = await node.get(Store).space('reader').page(said);
      assert.deepEqual(
        rows.map(({ record }) => record.text),
        ['pruned', 'k o'],
      );
      assert.deepEqual(await node.stop(), []);
    }
  });
});

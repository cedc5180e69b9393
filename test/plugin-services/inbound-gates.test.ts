import assert from 'node:assert/strict';
import { type TestNode, testAgent, testNode } from '../../adapters/testing.ts';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { definePlugin, type GateQuestion, type InboundGate, type Plugin } from '../../core/plugin.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';

/** A clock on which two seconds pass at once, when it is told to. */
class Hurried extends ShiftedClock {
  hurries = false;

  override after(ms: number, run: () => void): () => void {
    return super.after(this.hurries && ms === 2_000 ? 20 : ms, run);
  }
}

const gated = (name: string, ask: InboundGate, types: true | readonly ['PROPOSE' | 'BEACON' | 'MESSAGE'] = true) =>
  definePlugin({
    name,
    api: '2.1',
    permissions: ['messages:gate'],
    node: { inboundGates: { door: types }, setup: () => ({ inboundGates: { door: ask } }) },
  });

const metric = async (node: TestNode, plugin: string, answer: string) => {
  const { body } = await node.call('GET /metrics');
  const line = new RegExp(`mesh_inbound_gate_total\\{plugin="${plugin}",gate="door",answer="${answer}"\\} (\\d+)`);
  return Number(line.exec(body)?.[1] ?? 0);
};
const stateOf = async (node: TestNode, plugin: string) => (await node.call('GET /health')).body.plugins[plugin];
const say = async (node: TestNode, text = 'hello') => (await node.deliver(testAgent(), 'MESSAGE', { text })).status;

describe('the gates of plugins', () => {
  let node: TestNode;
  afterEach(async () => assert.deepEqual(await node.stop(), []));

  it('say of a sender and a type whether it is let in, and nothing of the content', async () => {
    const asked: GateQuestion[] = [];
    const friend = testAgent();
    node = await testNode(
      gated('club', (question) => {
        asked.push(question);
        return question.sender === friend.id ? 'accepted' : 'blocked';
      }),
    );
    assert.equal((await node.deliver(friend, 'MESSAGE', { text: 'hello' })).status, 'accepted');
    assert.equal(await say(node), 'blocked');
    assert.equal((await node.deliver(testAgent(), 'BEACON', { name: 'ann', hubs: [] })).status, 'blocked');
    assert.deepEqual(Object.keys(asked[0]!).sort(), ['sender', 'signal', 'type']);
    assert.deepEqual(
      asked.map(({ type }) => type),
      ['MESSAGE', 'MESSAGE', 'BEACON'],
    );
    assert.deepEqual([await metric(node, 'club', 'accepted'), await metric(node, 'club', 'blocked')], [1, 2]);
    assert.equal((await stateOf(node, 'club')).state, 'ok');
  });

  it('are asked about their types only, and in order until one is closed', async () => {
    const asked: string[] = [];
    const first = gated(
      'first',
      ({ type }) => {
        asked.push(`first ${type}`);
        return 'restricted';
      },
      ['PROPOSE'],
    );
    const second = gated('second', ({ type }) => {
      asked.push(`second ${type}`);
      return 'accepted';
    });
    node = await testNode(second, { beside: [[first, {}]] });
    assert.equal(await say(node), 'accepted');
    const { status } = await node.deliver(testAgent(), 'PROPOSE', { amount_usdc_micro: 1n, message: 'Count.' });
    assert.equal(status, 'restricted');
    assert.deepEqual(asked, ['second MESSAGE', 'first PROPOSE']);
  });

  it('are closed when they throw or answer no verdict, tell so in the health, and open again', async () => {
    let answer: () => unknown = () => {
      throw new Error('no key');
    };
    node = await testNode(gated('club', () => answer() as 'accepted'));
    assert.equal(await say(node), 'restricted');
    assert.deepEqual(await stateOf(node, 'club'), {
      state: 'degraded',
      detail: 'the gate door threw, so it is closed',
    });
    for (const wrong of [true, undefined, 'yes', {}, Promise.reject(new Error('later'))]) {
      answer = () => wrong;
      assert.equal(await say(node), 'restricted');
    }
    assert.equal((await node.call('GET /ready')).status, 200);
    answer = () => 'accepted';
    assert.equal(await say(node), 'accepted');
    assert.equal((await stateOf(node, 'club')).state, 'ok');
    assert.equal(await metric(node, 'club', 'failed'), 6);
  });

  it('have two seconds; a gate that hangs is closed for those who ask, and holds nobody else up', async () => {
    const clock = new Hurried();
    const signals: AbortSignal[] = [];
    node = await testNode(
      gated(
        'club',
        ({ signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
        ['PROPOSE'],
      ),
      { clock },
    );
    clock.hurries = true;
    const offer = { amount_usdc_micro: 1n, message: 'Count.' };
    const hanging = Promise.all(Array.from({ length: 20 }, () => node.deliver(testAgent(), 'PROPOSE', offer)));
    assert.equal(await say(node), 'accepted');
    assert.deepEqual(new Set((await hanging).map(({ status }) => status)), new Set(['restricted']));
    assert.ok(signals.length === 20 && signals.every(({ aborted }) => aborted));
    assert.equal(await metric(node, 'club', 'late'), 20);
    assert.deepEqual(await stateOf(node, 'club'), {
      state: 'degraded',
      detail: 'the gate door did not answer within 2 seconds, so it is closed',
    });
  });

  it('that never answer are asked no more than 256 times', async () => {
    const clock = new Hurried();
    let asked = 0;
    node = await testNode(
      gated('club', () => {
        asked += 1;
        return new Promise(() => {});
      }),
      { clock },
    );
    clock.hurries = true;
    await Promise.all(
      Array.from({ length: 300 }, () => node.deliver(testAgent(), 'BEACON', { name: 'ann', hubs: [] })),
    );
    assert.equal(asked, 256);
    assert.equal(await metric(node, 'club', 'crowded'), 44);
  });
});

describe('what a face declares of gates and parts', () => {
  async function refusal(face: object, more: object = {}, profile: 'node' | 'aggregator' = 'node'): Promise<string> {
    const permissions = ['messages:gate', 'messages:read'];
    const plugin = {
      name: 'club',
      api: '2.1',
      permissions,
      [profile]: { setup: () => ({}), ...face },
      ...more,
    } as Plugin;
    const error = await testNode(plugin, { profile }).then(
      () => assert.fail('it booted'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof BootError, String(error));
    return error.message;
  }

  const WRONG: [what: string, face: object, said: RegExp, more?: object, profile?: 'aggregator'][] = [
    [
      'gates that are a list',
      { inboundGates: ['door'] },
      /its inboundGates are no object; write inboundGates: \{ registered/,
    ],
    ['a gate without types', { inboundGates: { door: [] } }, /its gate door names no message types/],
    [
      'a gate of an unknown type',
      { inboundGates: { door: ['BACON'] } },
      /no message type BACON; did you mean BEACON\?/,
    ],
    ['a gate with a blank', { inboundGates: { 'the door': true } }, /"the door" is no name of a gate/],
    ['an unknown type', { receives: { MESAGE: true } }, /no message type MESAGE; did you mean MESSAGE\?/],
    ['another value than true', { receives: { MESSAGE: 1 } }, /its receives give MESSAGE something else than true/],
    ['what no node journals', { receives: { BEACON: true } }, /receives BEACON, which no node journals/],
    [
      'an unknown event',
      { ledgerEvents: { owner_claim: true } },
      /no event of the ledger owner_claim; did you mean owner_claimed/,
    ],
    ['an index on a node', { indexes: { FEEDBACK: true } }, /its node face has indexes, which an aggregator alone has/],
    [
      'a gate on an aggregator',
      { inboundGates: { door: true } },
      /has inboundGates, which a node alone asks/,
      {},
      'aggregator',
    ],
    [
      'receives on an aggregator',
      { receives: { MESSAGE: true } },
      /has receives, which a node alone has/,
      {},
      'aggregator',
    ],
    [
      'a gate without the permission',
      { inboundGates: { door: true } },
      /has inboundGates without the permission messages:gate/,
      { permissions: [] },
    ],
    [
      'a part without it',
      { receives: { BROADCAST: true } },
      /has receives without the permission messages:gate/,
      { permissions: [] },
    ],
    [
      'a private type without the other',
      { receives: { MESSAGE: true } },
      /receives MESSAGE, which is private, without the permission messages:read/,
      { permissions: ['messages:gate'] },
    ],
    [
      'a gate that was not bound',
      { inboundGates: { door: true } },
      /declares inboundGates door but setup returned none/,
    ],
    ['a part that was not bound', { receives: { MESSAGE: true } }, /declares receives MESSAGE but setup returned none/],
    [
      'a part that is a function',
      { receives: { MESSAGE: true }, setup: () => ({ receives: { MESSAGE() {} } }) },
      /declares receives MESSAGE but setup returned none/,
    ],
    [
      'a part that was not declared',
      { setup: () => ({ ledgerEvents: { gap: { apply() {} } } }) },
      /setup returned ledgerEvents gap, which it does not declare/,
    ],
  ];
  for (const [what, face, said, more, profile] of WRONG)
    it(`is refused at boot: ${what}`, async () => assert.match(await refusal(face, more, profile), said));

  it('does not compile where it is not bound', () => {
    const permissions = ['messages:gate'] as const;
    definePlugin({
      ...{ name: 'club', api: '2.1', permissions },
      // @ts-expect-error its gate is missing
      node: { inboundGates: { door: true }, setup: () => ({}) },
    });
    definePlugin({
      ...{ name: 'club', api: '2.1', permissions },
      // @ts-expect-error its part is missing
      node: { receives: { MESSAGE: true }, setup: () => ({ receives: {} }) },
    });
    definePlugin({
      ...{ name: 'club', api: '2.1' },
      // @ts-expect-error there is no such event
      aggregator: { ledgerEvents: { owner_claim: true }, setup: () => ({}) },
    });
  });
});

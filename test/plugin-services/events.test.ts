import assert from 'node:assert/strict';
import { FakeEvents, type TestNode, testAgent, testNode } from '../../adapters/testing.ts';
import { definePlugin, isMeshError, type Permission, StreamEnd } from '../../core/plugin.ts';
import { value } from '../../core/provider.ts';
import { Events, type NodeEvent } from '../../core/services.ts';

/** A plugin that hands out its `Events`. */
function teller(name: string, permissions: readonly Permission[] = []) {
  const got = {} as { events: Events };
  const plugin = definePlugin({
    name,
    api: '2.0',
    permissions,
    node: {
      uses: { events: Events },
      setup(services) {
        Object.assign(got, services);
        return {};
      },
    },
  });
  return { plugin, got };
}

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return isMeshError(error) ? `${error.code} ${error.details.fields?.[0]?.pointer ?? error.message}` : String(error);
  }
  return 'taken';
};

describe('the service Events', () => {
  let node: TestNode;
  const [one, two] = [teller('one'), teller('two', ['messages:read', 'deals:read'])];
  let stop: AbortController;
  before(async () => {
    node = await testNode(one.plugin, { beside: [[two.plugin, {}]] });
  });
  beforeEach(() => {
    stop = new AbortController();
  });
  afterEach(() => stop.abort());
  after(async () => assert.deepEqual(await node.stop(), []));

  it('tells other plugins and the clients of /ws/events what a plugin has to tell, under its name', async () => {
    const followed = two.got.events.follow(['plugin'], stop.signal);
    const frames = await node.stream('/ws/events');
    const data = { words: 3 };
    one.got.events.emit('page-counted', data);
    data.words = 4;
    one.got.events.emit('rested');
    const { value: event } = await followed.next();
    const { at, ...rest } = event as NodeEvent;
    assert.deepEqual(rest, { type: 'plugin', event_type: 'plugin/one/page-counted', data: { words: 3 } });
    assert.ok(Date.parse(at) > 0);
    assert.deepEqual((await frames.next()).value, event);
    assert.deepEqual((await frames.next()).value.data, {});
    await frames.return(undefined);
  });

  it('lets only those who read messages and deals follow what shows them', async () => {
    const follow = (events: Events, ...types: NodeEvent['type'][]) => codeOf(() => events.follow(types, stop.signal));
    assert.match(
      follow(one.got.events, 'peer', 'envelope'),
      /^forbidden .* envelope need the permission messages:read/,
    );
    assert.match(follow(one.got.events, 'deal'), /^forbidden .* deal need the permission deals:read/);
    assert.equal(follow(one.got.events, 'peer', 'reputation', 'batch', 'lease', 'plugin'), 'taken');
    const followed = two.got.events.follow(['envelope'], stop.signal);
    const agent = testAgent();
    const { id } = await node.deliver(agent, 'MESSAGE', { text: 'hello' });
    const { value: event } = await followed.next();
    const { type, agent_id, data } = event as NodeEvent;
    assert.deepEqual([type, agent_id, data['envelope_id'], data['text']], ['envelope', agent.id, id, undefined]);
  });

  it('looks once at what a plugin wants to follow', async () => {
    let asked = 0;
    const types = Object.assign(['peer'] as NodeEvent['type'][], {
      *[Symbol.iterator](): ArrayIterator<NodeEvent['type']> {
        yield asked++ === 0 ? 'plugin' : 'envelope';
      },
    });
    const followed = one.got.events.follow(types, stop.signal);
    await node.deliver(testAgent(), 'MESSAGE', { text: 'hello' });
    one.got.events.emit('rested');
    assert.equal(((await followed.next()).value as NodeEvent).type, 'plugin');
  });

  it('refuses events that are no kebab-case, no JSON or too large', () => {
    const emit = (...given: Parameters<Events['emit']>) => codeOf(() => one.got.events.emit(...given));
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    assert.equal(emit('Page Counted'), 'invalid_request /event');
    assert.equal(emit('x/../y'), 'invalid_request /event');
    assert.equal(emit('page', circle), 'invalid_request /data');
    assert.equal(emit('page', { amount: 1n }), 'invalid_request /data');
    assert.equal(emit('page', ['a'] as never), 'invalid_request /data');
    assert.equal(emit('page', { text: 'x'.repeat(4_096) }), 'invalid_request /data');
    assert.equal(emit('page', { text: 'x'.repeat(4_000) }), 'taken');
  });

  it('ends with its signal, and for a reader that falls behind', async () => {
    const followed = two.got.events.follow(['plugin'], stop.signal);
    const other = new AbortController();
    const slow = one.got.events.follow(['plugin'], other.signal);
    for (let count = 0; count < 540; count++) one.got.events.emit('tick');
    for (let count = 0; count < 540; count++) two.got.events.emit('tock');
    await assert.rejects(slow.next(), (error) => error instanceof StreamEnd && error.code === 4008);
    stop.abort();
    await assert.rejects(followed.next(), StreamEnd);
    const ended = two.got.events.follow(['plugin'], stop.signal);
    assert.deepEqual(await ended.next(), { done: true, value: undefined });
  });

  it('takes 600 events of a plugin in a minute, whatever others tell', () => {
    const codes = Array.from({ length: 800 }, () => codeOf(() => one.got.events.emit('tick')));
    assert.match(codes.at(-1)!, /^rate_limited/);
    assert.equal(
      codeOf(() => two.got.events.emit('tock')),
      'taken',
    );
  });
});

describe('FakeEvents', () => {
  it('takes the place of the service in a test', async () => {
    const fake = new FakeEvents();
    const { plugin, got } = teller('one');
    const node = await testNode(plugin, { services: [value(Events, fake)] });
    const stop = new AbortController();
    const followed = got.events.follow(['peer'], stop.signal);
    got.events.emit('rested', { for: 'a while' });
    const event: NodeEvent = {
      type: 'peer',
      event_type: 'peer',
      at: new Date(0).toISOString(),
      data: { change: 'up' },
    };
    fake.happen({ ...event, type: 'lease' });
    fake.happen(event);
    assert.deepEqual(fake.told, [{ event: 'rested', data: { for: 'a while' } }]);
    assert.deepEqual(await followed.next(), { done: false, value: event });
    stop.abort();
    assert.deepEqual(await node.stop(), []);
  });
});

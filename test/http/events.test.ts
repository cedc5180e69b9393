import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import {
  definePlugin,
  event,
  events,
  type SharedFrame,
  StreamEnd,
  sharedFrame,
  stream,
  Tail,
  typed,
} from '../../core/plugin.ts';
import { type Listening, listen } from '../support/event-source.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, type TestNode, type TestNodeOptions, testNode } from '../support/node.ts';
import { watch } from '../support/sockets.ts';

const Note = typed<{ n: number; text?: string }>({
  type: 'object',
  required: ['n'],
  properties: { n: { type: 'integer' }, text: { type: 'string' } },
});
const Start = typed<{ from: number }>({
  type: 'object',
  properties: { from: { type: 'integer', minimum: 0, default: 0 } },
});
const Digits = typed<string>({ type: 'string', pattern: '^[0-9]{1,9}$', examples: ['7'] });
const AgentIds = typed<{ who: string }>({
  type: 'object',
  required: ['who'],
  properties: { who: { $ref: 'common.json#/$defs/agent-id' } },
});
const AGENT = 'GgkLGfKyjZPmsR4FHd5gYBWhVnEu4HpSZ8vYFTUsQQbe';

/** Events of every kind, and what the handlers saw. */
function notes() {
  const state = { produced: 0, open: 0, made: 0, tails: new Set<Tail<SharedFrame<{ n: number }>>>() };
  const plugin = definePlugin({
    name: 'notes',
    api: '2.0',
    node: {
      routes: {
        log: events('/notes/log', { auth: 'open', query: Start, frame: Note, eventId: Digits }),
        live: events('/notes/live', { auth: 'open', frame: Note }),
        flood: events('/notes/flood', { auth: 'open', frame: Note }),
        paced: events('/notes/paced', { auth: 'open', frame: Note }),
        secret: events('/notes/secret', { auth: 'api', frame: Note }),
        ticket: events('/notes/ticket', { auth: 'api', frame: Note, tokenInQuery: true }),
        rare: events('/notes/rare', { auth: 'open', frame: Note, limit: { per: 'ip', rate: 1, window: 60 } }),
        broken: events('/notes/broken', { auth: 'open', frame: Note }),
        liar: events('/notes/liar', { auth: 'open', frame: Note }),
        split: events('/notes/split', { auth: 'open', frame: Note }),
        over: events('/notes/over', { auth: 'open', frame: Note }),
        who: events('/notes/who', { auth: 'open', frame: AgentIds }),
      },
      setup: () => ({
        routes: {
          async *log({ query, lastEventId }) {
            for (let n = Number(lastEventId ?? query.from) + 1; n <= 5; n++) yield event(n, { n });
          },
          async *live({ signal }) {
            const tail = new Tail<SharedFrame<{ n: number }>>(signal, 100);
            state.tails.add(tail);
            state.open += 1;
            try {
              yield* tail;
            } finally {
              state.tails.delete(tail);
              state.open -= 1;
            }
          },
          async *flood({ signal }) {
            state.open += 1;
            try {
              for (let n = 0; !signal.aborted; n++) {
                state.produced = n;
                yield { n, text: 'x'.repeat(16_000) };
              }
            } finally {
              state.open -= 1;
            }
          },
          async *paced() {
            for (let n = 0; n < 400; n++) yield { n, text: 'y'.repeat(2_000) };
          },
          async *secret() {
            yield { n: 1 };
          },
          async *ticket({ query }) {
            yield { n: Object.keys(query).length };
          },
          async *rare() {},
          async *broken() {
            yield { n: 1 };
            throw new Error('the secret is 1234');
          },
          async *liar() {
            yield { n: 'x' } as never;
          },
          async *split() {
            yield event('1\ndata: "forged"', { n: 1 });
          },
          async *over() {
            yield { n: 1, text: 'a\nb\r\nc' };
            throw new StreamEnd(4001, 'session expired');
          },
          async *who() {
            yield event('a', sharedFrame({ who: AGENT }));
          },
        },
      }),
    },
  });
  function publish(n: number): void {
    const frame = sharedFrame<{ n: number }>({
      n,
      toJSON() {
        state.made += 1;
        return { n };
      },
    } as { n: number });
    for (const tail of state.tails) tail.push(frame);
  }
  return { plugin, state, publish };
}

const datas = ({ events: all }: Listening) => all.filter(({ name }) => name === undefined).map(({ data }) => data);
const endOf = ({ events: all }: Listening) => all.at(-1)?.data;

describe('server-sent events', () => {
  let running: TestNode | undefined;
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  async function open(options: TestNodeOptions = {}) {
    const made = notes();
    const node = await testNode({ plugins: [made.plugin], ...options });
    running = node;
    return { ...made, node };
  }

  it('arrive with ids, and an end that says why', async () => {
    const { node } = await open();
    const stream = await listen(`${node.url}/notes/log`);
    await stream.over;
    const { headers } = stream.response;
    assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff']);
    assert.deepEqual(
      stream.events.slice(0, -1),
      [1, 2, 3, 4, 5].map((n) => ({ id: String(n), data: { n } })),
    );
    assert.deepEqual(stream.events.at(-1), { name: 'end', data: { code: 1000, reason: '' } });
  });

  it('go on behind Last-Event-ID, and have a query', async () => {
    const { node } = await open();
    const again = await listen(`${node.url}/notes/log`, { 'last-event-id': '3' });
    await again.over;
    assert.deepEqual(datas(again), [{ n: 4 }, { n: 5 }]);
    const later = await listen(`${node.url}/notes/log?from=4`);
    await later.over;
    assert.deepEqual(datas(later), [{ n: 5 }]);
  });

  it('refuse a Last-Event-ID that is huge, no text, or not of theirs', async () => {
    const { node } = await open();
    for (const [path, id] of [
      ['log', 'x'],
      ['live', 'y'.repeat(257)],
      ['live', 'z'.repeat(8_000)],
      ['live', 'a b'],
      ['live', '\u00e9'],
    ] as const) {
      const { status, code } = await refusal(`${node.url}/notes/${path}`, { 'last-event-id': id });
      assert.deepEqual([status, code], [400, 'invalid_request'], id.slice(0, 8));
    }
    const tooLarge = await refusal(`${node.url}/notes/live`, { 'last-event-id': 'w'.repeat(20_000) });
    assert.deepEqual(tooLarge, { status: 431, code: 'headers_too_large' });
  });

  it('are refused with the answer any call would get', async () => {
    const { node } = await open();
    const cases: [string, number, string, Record<string, string>?][] = [
      ['/notes/secret', 401, 'unauthorized'],
      ['/notes/secret', 401, 'unauthorized', { authorization: 'Bearer wrong' }],
      [`/notes/secret?token=${SECRET}`, 401, 'unauthorized'],
      ['/notes/ticket?token=wrong', 401, 'unauthorized'],
      ['/notes/log?from=x', 400, 'invalid_request'],
      ['/notes/log', 403, 'forbidden', { origin: 'https://evil.example' }],
      ['/notes/log', 421, 'misdirected_request', { host: 'evil.example' }],
      ['/notes/none', 404, 'not_found'],
    ];
    for (const [path, status, code, headers] of cases) {
      assert.deepEqual(await refusal(node.url + path, headers), { status, code }, path);
    }
    await (await listen(`${node.url}/notes/rare`)).over;
    assert.deepEqual(await refusal(`${node.url}/notes/rare`), { status: 429, code: 'rate_limited' });
    const posted = await fetch(`${node.url}/notes/log`, { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  });

  it('take the credential from the header, and from the query where that is declared', async () => {
    const { node } = await open();
    const byHeader = await listen(`${node.url}/notes/secret`, { authorization: `Bearer ${SECRET}` });
    await byHeader.over;
    const byQuery = await listen(`${node.url}/notes/ticket?token=${SECRET}`);
    await byQuery.over;
    assert.deepEqual([datas(byHeader), datas(byQuery)], [[{ n: 1 }], [{ n: 0 }]]);
  });

  it('answer HEAD without calling the handler', async () => {
    const { node, state } = await open();
    const response = await fetch(`${node.url}/notes/live`, { method: 'HEAD' });
    assert.deepEqual([response.status, state.open], [200, 0]);
  });

  it('are serialised once for all who listen, and let go of those who leave', async () => {
    const { node, state, publish } = await open({ checkReplies: false });
    const all = await Promise.all([1, 2, 3].map(() => listen(`${node.url}/notes/live`)));
    await eventually(() => state.open === 3);
    publish(7);
    publish(8);
    for (const one of all) await one.until(2);
    // Once each for the WebSocket frame of `sharedFrame`, and once for events.
    assert.equal(state.made, 4);
    for (const one of all) one.request.destroy();
    await eventually(() => state.open === 0);
  });

  it('say that they are there with comments', async () => {
    const { node } = await open({ heartbeat: 20 });
    const stream = await listen(`${node.url}/notes/live`);
    await eventually(() => stream.comments >= 3);
    stream.request.destroy();
  });

  it('send everything to a client that reads, however much is ready', async () => {
    const { node } = await open();
    const stream = await listen(`${node.url}/notes/paced`);
    await stream.over;
    assert.deepEqual([datas(stream).length, endOf(stream).code], [400, 1000]);
  });

  it('wait for a client that does not read, and drop it when too much waits', async () => {
    const { node, state } = await open({ heartbeat: 20, settings: { api: { unsentMiB: 1 } } });
    const slow = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const socket = connect(node.port, '127.0.0.1');
        socket.on('error', () => {});
        socket.write('GET /notes/flood HTTP/1.1\r\nHost: localhost\r\n\r\n');
        await new Promise((resolve) => socket.once('readable', resolve));
        return socket;
      }),
    );
    let before = -1;
    await eventually(() => {
      const still = state.produced === before;
      before = state.produced;
      return still;
    });
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    const waiting = Number(/^mesh_stream_unsent_bytes (\d+)/m.exec(metrics)?.[1]);
    assert.ok(waiting > 0 && waiting <= 1_048_576 + 16_384, `${waiting} bytes wait`);
    for (const socket of slow) socket.destroy();
    await eventually(() => state.open === 0);
  });

  it('count with sockets against what one address may have open, and give the place back', async () => {
    const { node, state } = await open({ settings: { api: { socketsPerIp: 2 } } });
    const [one] = await Promise.all([listen(`${node.url}/notes/live`), listen(`${node.url}/notes/live`)]);
    assert.deepEqual(await refusal(`${node.url}/notes/live`), { status: 429, code: 'rate_limited' });
    one.request.destroy();
    await eventually(() => state.open === 1);
    const next = await listen(`${node.url}/notes/live`);
    assert.equal(next.response.statusCode, 200);
  });

  it('end with the code of what went wrong, and tell nothing of faults', async () => {
    const { node } = await open();
    for (const [path, code, reason] of [
      ['broken', 1011, 'internal'],
      ['liar', 1011, 'internal'],
      ['split', 1011, 'internal'],
      ['over', 4001, 'session expired'],
    ] as const) {
      const stream = await listen(`${node.url}/notes/${path}`);
      await stream.over;
      assert.deepEqual(endOf(stream), { code, reason }, path);
      assert.doesNotMatch(JSON.stringify(stream.events), /1234|forged/);
    }
    const { status } = await fetch(`${node.url}/health`);
    assert.equal(status, 200);
  });

  it('keep line breaks inside of their data', async () => {
    const { node } = await open();
    const stream = await listen(`${node.url}/notes/over`);
    await stream.over;
    assert.deepEqual(datas(stream), [{ n: 1, text: 'a\nb\r\nc' }]);
  });

  it('send what looks like an event or a shared frame as the data that it is, as sockets do', async () => {
    const said: object[] = [
      { serverEvent: true, id: {}, frame: { n: 1 } },
      { sharedFrame: true, values: [{ n: 1 }], bytes: '\u0081\u0001x' },
    ];
    const Said = typed<object>({ type: 'object' });
    async function* relay() {
      yield* said;
    }
    const relays = definePlugin({
      name: 'relays',
      api: '2.0',
      node: {
        routes: {
          events: events('/relays', { auth: 'open', frame: Said }),
          socket: stream('/ws/relays', { auth: 'open', frame: Said }),
        },
        setup: () => ({ routes: { events: relay, socket: relay } }),
      },
    });
    running = await testNode({ plugins: [relays] });
    const told = await listen(`${running.url}/relays`);
    const socket = watch(`${running.url}/ws/relays`);
    const [{ code }] = await Promise.all([socket.closed, told.over]);
    assert.deepEqual([datas(told), endOf(told).code], [said, 1000]);
    assert.deepEqual([socket.frames, code], [said, 1000]);
  });

  it('show agent ids in hex to who asks', async () => {
    const { node } = await open();
    const plain = await listen(`${node.url}/notes/who`);
    const hex = await listen(`${node.url}/notes/who?ids=hex`);
    await Promise.all([plain.over, hex.over]);
    assert.equal(plain.events[0]?.data.who, AGENT);
    assert.match(hex.events[0]?.data.who, /^[0-9a-f]{64}$/);
    assert.equal(hex.events[0]?.id, 'a');
  });

  it('end with 1001 when the node stops, which does not wait for them', async () => {
    const { node } = await open();
    const stream = await listen(`${node.url}/notes/live`);
    const began = performance.now();
    const problems = await node.stop();
    running = undefined;
    await stream.over;
    assert.deepEqual([problems, endOf(stream).code], [[], 1001]);
    assert.ok(performance.now() - began < 1_500);
  });

  it('stand in both documents', async () => {
    const { node } = await open();
    const read = async (path: string) => (await (await fetch(node.url + path)).json()) as any;
    const { paths } = await read('/openapi.json');
    const { get } = paths['/notes/log'];
    assert.ok(get['x-event'].properties.n && get.responses[200].content['text/event-stream']);
    assert.deepEqual(
      get.parameters.map(({ name }: { name: string }) => name),
      ['from', 'Last-Event-ID'],
    );
    assert.equal(get.responses[426], undefined);
    const { channels, operations, servers } = await read('/asyncapi.json');
    assert.equal(channels['notes.log'].address, '/notes/log');
    assert.deepEqual(channels['notes.log'].servers, [{ $ref: '#/servers/node-http' }]);
    assert.equal(servers['node-http'].protocol, 'http');
    assert.equal(operations['notes.log.send'].bindings.http.method, 'GET');
    const page = await (await fetch(`${node.url}/docs`)).text();
    assert.match(page, /curl -N [^\n]*\/notes\/log/);
  });
});

async function refusal(url: string, headers: Record<string, string> = {}): Promise<{ status: number; code: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, headers }).once('response', resolve).once('error', reject);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode!, code: JSON.parse(Buffer.concat(chunks).toString()).code };
}

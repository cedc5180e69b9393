import {
  definePlugin,
  type RawSocket,
  type SharedFrame,
  StreamEnd,
  sharedFrame,
  socket,
  stream,
  Tail,
  typed,
} from '../../core/plugin.ts';

export const Tick = typed<{ id: number; text?: string }>({
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, text: { type: 'string' } },
});
const Since = typed<{ since: number }>({
  type: 'object',
  properties: { since: { type: 'integer', minimum: 0, default: 0 } },
});

/** A plugin with streams of every kind, and what its handlers saw. */
export function wire() {
  const state = { opened: 0, finished: 0, produced: 0, made: 0, tails: new Set<Tail<SharedFrame<{ id: number }>>>() };
  const plugin = definePlugin({
    name: 'wire',
    api: '2.0',
    node: {
      guards: {
        slow: { summary: 'Takes its time', scheme: { type: 'http', scheme: 'bearer' }, tokenInQuery: true },
      },
      routes: {
        log: stream('/ws/log', { auth: 'open', query: Since, frame: Tick }),
        live: stream('/ws/live', { auth: 'open', frame: Tick }),
        flood: stream('/ws/flood', { auth: 'open', frame: Tick }),
        echo: stream('/ws/echo/:room', { auth: 'open', frame: Tick, receive: Tick }),
        broken: stream('/ws/broken', { auth: 'open', frame: Tick }),
        liar: stream('/ws/liar', { auth: 'open', frame: Tick }),
        expired: stream('/ws/expired', { auth: 'open', frame: Tick }),
        secret: stream('/ws/secret', { auth: 'api', frame: Tick }),
        guarded: stream('/ws/guarded', { auth: 'slow', frame: Tick, receive: Tick }),
        rare: stream('/ws/rare', { auth: 'open', frame: Tick, limit: { per: 'ip', rate: 1, window: 60 } }),
        raw: socket('/raw', { auth: 'open', summary: 'Sends back what it gets.' }),
      },
      setup: () => ({
        guards: {
          slow: async ({ token }) => {
            await new Promise((resolve) => setTimeout(resolve, 30));
            return token === 'ann' ? { kind: 'visitor', id: token } : null;
          },
        },
        routes: {
          async *log({ query }) {
            for (let id = query.since + 1; id <= 5; id++) yield { id };
          },
          async *live({ signal }) {
            const tail = new Tail<SharedFrame<{ id: number }>>(signal, 100);
            state.tails.add(tail);
            state.opened += 1;
            try {
              yield* tail;
            } finally {
              state.tails.delete(tail);
              state.finished += 1;
            }
          },
          async *flood({ signal }) {
            const text = 'x'.repeat(16_000);
            for (let id = 0; !signal.aborted; id++) {
              state.produced = id;
              yield { id, text };
            }
          },
          async *echo({ received, params }) {
            for await (const { id } of received) yield { id, text: params.room };
          },
          async *broken() {
            yield { id: 1 };
            throw new Error('the secret is 1234');
          },
          async *liar() {
            yield { id: 'x' } as never;
          },
          async *expired() {
            yield { id: 1 };
            throw new StreamEnd(4001, 'session expired');
          },
          async *secret() {
            yield { id: 1 };
          },
          async *guarded({ received, principal }) {
            yield { id: 0, text: principal.id };
            for await (const frame of received) yield frame;
          },
          async *rare() {},
          raw(link: RawSocket) {
            link.on('message', (data) => link.send(data as Uint8Array, { binary: true, compress: false }, () => {}));
          },
        },
      }),
    },
  });
  /** One frame to every watcher, serialised once. */
  function publish(id: number): void {
    const value = {
      id,
      toJSON() {
        state.made += 1;
        return { id };
      },
    };
    const frame = sharedFrame<{ id: number }>(value);
    for (const tail of state.tails) tail.push(frame);
  }
  return { plugin, state, publish };
}

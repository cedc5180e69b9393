import assert from 'node:assert/strict';
import { Ledger } from '../../core/internal-services.ts';
import { defineFace, definePlugin, optional, route, socket, stream, token, typed } from '../../core/plugin.ts';
import { Clock } from '../../core/services.ts';

interface Weather {
  now(city: string): number;
}
const Weather = token<Weather>('test/weather');
const Report = typed<{ city: string; degrees: number }>({ type: 'object' });

describe('the plugin contract', () => {
  it('infers parameters, query, body, configuration and services', () => {
    const plugin = definePlugin({
      name: 'weather',
      api: '2.0',
      config: typed<{ apiKey: string }>({ type: 'object' }),
      node: {
        uses: { clock: Clock, ledger: optional(Ledger) },
        provides: { weather: Weather },
        routes: {
          read: route('GET /weather/:city/days/:day', {
            auth: 'open',
            query: typed<{ hour?: number }>({}),
            reply: Report,
          }),
          write: route('POST /weather', { auth: 'api', body: Report, status: 201 }),
          image: route('POST /images', { auth: 'api', body: 'bytes', reply: 'bytes' }),
          watch: stream('/ws/weather/:city', { auth: 'open', frame: Report, receive: typed<{ more: boolean }>({}) }),
          raw: socket('/raw/:room', { auth: 'open' }),
        },
        guards: { visitor: { summary: 'A visitor', scheme: { type: 'http', scheme: 'bearer' } } },
        async setup({ clock, ledger }, { config, log }) {
          const key: string = config.apiKey;
          const slot: number | undefined = ledger?.slot();
          log.info({ slot, length: key.length });
          return {
            provides: { weather: { now: (city) => city.length } },
            guards: { visitor: ({ token }) => (token ? { kind: 'visitor', id: token } : null) },
            routes: {
              read: ({ params, query }) => ({ city: params.city + params.day, degrees: query.hour ?? clock.now() }),
              write({ body }) {
                const degrees: number = body.degrees;
                assert.ok(degrees);
              },
              image: async ({ body }) => body.subarray(1),
              async *watch({ params, received }) {
                for await (const { more } of received) if (more) yield { city: params.city, degrees: 1 };
              },
              raw(link, { params }) {
                link.close(1000, params.room);
              },
            },
          };
        },
      },
    });
    assert.deepEqual(Object.keys(plugin.node?.routes ?? {}), ['read', 'write', 'image', 'watch', 'raw']);
    assert.equal(plugin.node?.routes?.read.path, '/weather/:city/days/:day');
  });

  it('infers the payload of each message type that is handled', () => {
    const heard: (string | number)[] = [];
    const face = defineFace({
      envelopes: { FEEDBACK: true, MESSAGE: true },
      setup: () => ({
        envelopes: {
          FEEDBACK({ payload, sender }) {
            const score: number = payload.score;
            heard.push(sender, score);
            // @ts-expect-error a rating has no text
            heard.push(payload.text);
          },
          MESSAGE({ payload }) {
            const { text }: { text: string } = payload;
            heard.push(text);
          },
        },
      }),
    });
    assert.deepEqual(Object.keys(face.envelopes ?? {}), ['FEEDBACK', 'MESSAGE']);
    defineFace({
      // @ts-expect-error there is no such message type
      envelopes: { FEEDBAK: true },
      setup: () => ({}) as never,
    });
    defineFace({
      envelopes: { FEEDBACK: true },
      // @ts-expect-error a type that is declared and not handled
      setup: () => ({ envelopes: {} }),
    });
  });

  it('makes mistakes compile errors', () => {
    // @ts-expect-error there is no default for auth
    route('GET /a', {});
    // @ts-expect-error there is no schema of that name
    route('POST /a', { auth: 'open', body: 'nope' });
    // @ts-expect-error there is no such method
    assert.ok(route('FETCH /a', { auth: 'open' }));
    // @ts-expect-error the path has no parameter of that name
    route('GET /a/:id', { auth: 'open', params: { agent: 'agent-id' } });
    // @ts-expect-error a misspelt member
    route('GET /a', { auth: 'open', sumary: 'x' });
    defineFace({
      routes: { a: route('GET /a/:id', { auth: 'open', reply: 'agent-id' }) },
      // @ts-expect-error an unknown path parameter
      setup: () => ({ routes: { a: ({ params }) => params.nope } }),
    });
    defineFace({
      routes: { a: route('GET /a', { auth: 'open', reply: 'limit' }) },
      // @ts-expect-error the wrong type of reply
      setup: () => ({ routes: { a: () => 'text' } }),
    });
    defineFace({
      routes: { a: route('GET /a', { auth: 'open', reply: 'limit' }) },
      // @ts-expect-error a declared route without a handler
      setup: () => ({}),
    });
    defineFace({
      routes: { s: stream('/s', { auth: 'open', frame: Report }) },
      setup: () => ({
        routes: {
          // @ts-expect-error the wrong frame
          async *s() {
            yield { city: 1 };
          },
        },
      }),
    });
    defineFace({
      uses: { clock: Clock },
      // @ts-expect-error a service that is not among its uses
      setup: ({ ledger }) => ({ health: () => ledger }),
    });
    defineFace({
      provides: { weather: Weather },
      // @ts-expect-error a service of the wrong type
      setup: () => ({ provides: { weather: { now: () => 'warm' } } }),
    });
    // @ts-expect-error the version has a major and a minor
    definePlugin({ name: 'x', api: '1' });
  });
});

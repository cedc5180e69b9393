import { answer, definePlugin, MeshError, route, typed } from '../../core/plugin.ts';
import { StorageError } from '../../core/storage/adapter.ts';

const Order = typed<{ item: string; count: number; marks?: readonly number[] }>({
  type: 'object',
  required: ['item', 'count'],
  properties: {
    item: { type: 'string', minLength: 1 },
    count: { type: 'integer', minimum: 1 },
    marks: { type: 'array', items: { type: 'integer' } },
  },
});
const Receipt = typed<{ item: string; count: number; sale: number; by: string }>({
  type: 'object',
  required: ['item', 'count', 'sale', 'by'],
  properties: {
    item: { type: 'string' },
    count: { type: 'integer' },
    sale: { type: 'integer' },
    by: { type: 'string' },
  },
});
const Page = typed<{ limit: number; offset: number }>({
  type: 'object',
  properties: { limit: { $ref: 'common.json#/$defs/limit' }, offset: { $ref: 'common.json#/$defs/offset' } },
});
const AnyObject = typed<Record<string, unknown>>({ type: 'object' });

/** A plugin with one route of every kind. `sales` counts effects; `gate` holds slow sales until it is opened. */
export function shop() {
  const state = { sales: 0, gate: Promise.resolve(), aborted: 0, entered: 0 };
  const plugin = definePlugin({
    name: 'shop',
    api: '2.0',
    errors: { sold_out: [409, 'There is none left.'] },
    node: {
      guards: { visitor: { summary: 'A visitor', scheme: { type: 'http', scheme: 'bearer' }, tokenInQuery: true } },
      routes: {
        list: route('GET /shop', { auth: 'open', query: Page, reply: AnyObject }),
        item: route('GET /shop/items/:item', { auth: 'open', reply: AnyObject }),
        special: route('GET /shop/items/special', { auth: 'open', reply: AnyObject }),
        agent: route('GET /shop/agents/:agent_id', {
          auth: 'open',
          params: { agent_id: 'agent-id' },
          reply: AnyObject,
        }),
        read: route('GET /shop/ledger', { auth: 'api-read', reply: AnyObject }),
        sell: route('POST /shop/sell', {
          auth: 'api',
          body: Order,
          reply: Receipt,
          status: 201,
          idempotency: true,
          errors: ['sold_out'],
        }),
        close: route('POST /shop/close', { auth: 'api' }),
        photo: route('POST /shop/photo', { auth: 'open', body: 'bytes', reply: 'bytes', maxBody: 1000 }),
        visit: route('GET /shop/visit', { auth: 'visitor', query: AnyObject, reply: AnyObject }),
        rare: route('POST /shop/rare', { auth: 'open', reply: AnyObject, limit: { per: 'ip', rate: 3, window: 60 } }),
        mine: route('GET /shop/mine', {
          auth: 'visitor',
          reply: AnyObject,
          limit: { per: 'principal', rate: 2, window: 60 },
        }),
        broken: route('GET /shop/broken', { auth: 'open', reply: AnyObject }),
        liar: route('GET /shop/liar', { auth: 'open', reply: Receipt }),
        slow: route('GET /shop/slow', { auth: 'open', reply: AnyObject }),
        signed: route('POST /shop/signed', { auth: 'visitor', body: AnyObject, reply: AnyObject, idempotency: true }),
      },
      setup: () => ({
        guards: {
          visitor({ token, headers }) {
            if (token === 'banned') throw new MeshError('forbidden');
            if (!token) return null;
            const bodyHash = headers['x-body-hash'];
            const once = headers['x-once'];
            return { kind: 'visitor', id: token, ...(bodyHash && { bodyHash }), ...(once && { once }) };
          },
        },
        routes: {
          list: ({ query }) => ({ ...query }),
          item: ({ params }) => ({ item: params.item }),
          special: () => ({ special: true }),
          agent: ({ params }) => ({ agent: params.agent_id }),
          read: ({ principal }) => ({ by: principal.id }),
          async sell({ body, principal }) {
            state.entered += 1;
            await state.gate;
            if (body.item === 'unicorn') throw new MeshError('sold_out', { detail: 'No unicorns.' });
            if (body.item === 'disk') throw new StorageError('full', 'no space left on /secret/disk');
            if (body.item === 'bomb') throw new Error('the secret is 1234');
            state.sales += 1;
            if (body.item === 'later')
              return answer({ ...body, sale: state.sales, by: principal.id }, { again: state.sales < 3 });
            return { ...body, sale: state.sales, by: principal.id };
          },
          close() {},
          photo: ({ body }) => answer(body, { headers: { 'content-type': 'image/png' } }),
          visit: ({ principal, query }) => ({ id: principal.id, query }),
          rare: () => ({}),
          mine: () => ({}),
          broken() {
            throw new Error('the secret is 1234');
          },
          liar: () => ({}) as never,
          async slow({ signal }) {
            state.entered += 1;
            await new Promise<void>((resolve) => {
              if (signal.aborted) resolve();
              signal.addEventListener('abort', () => resolve());
            });
            state.aborted += 1;
            return {};
          },
          signed: ({ body, operationId }) => ({ body, operationId }),
        },
      }),
    },
  });
  return { plugin, state };
}

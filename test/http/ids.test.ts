import assert from 'node:assert/strict';
import { definePlugin, preparedJson, route, sharedFrame, stream, typed } from '../../core/plugin.ts';
import { type TestNode, testNode } from '../support/node.ts';
import { watch } from '../support/sockets.ts';

const BASE58 = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';
const HEX = '03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8';
const WALLET = 'BpxV484WjLKCV1k9TPTwNnrTkxjhYuRkt3eVbjY3HPqU';

const agent = { $ref: 'common.json#/$defs/agent-id' };
const Card = typed<object>({
  type: 'object',
  properties: {
    agent_id: agent,
    wallet: { $ref: 'common.json#/$defs/address' },
    partner: { anyOf: [agent, { type: 'null' }] },
    friends: { type: 'array', items: agent },
    byId: { type: 'object', additionalProperties: { type: 'object', properties: { host: agent } } },
    conversation_id: { $ref: 'common.json#/$defs/conversation-id' },
  },
});
const Ids = typed<{ ids?: string }>({ type: 'object', properties: { ids: { type: 'string' } } });
const card = { agent_id: BASE58, wallet: WALLET, partner: null, friends: [BASE58], byId: { a: { host: BASE58 } } };
const inHex = { agent_id: HEX, wallet: WALLET, partner: null, friends: [HEX], byId: { a: { host: HEX } } };

const plugin = definePlugin({
  name: 'cards',
  api: '2.0',
  node: {
    routes: {
      card: route('GET /card', { auth: 'open', reply: Card }),
      prepared: route('GET /prepared', { auth: 'open', reply: Card }),
      own: route('GET /own', { auth: 'open', query: Ids, reply: Card }),
      deal: route('GET /deal/:conversation_id', {
        auth: 'open',
        params: { conversation_id: 'conversation-id' },
        reply: Card,
      }),
      cards: stream('/ws/cards', { auth: 'open', frame: Card }),
    },
    setup: () => ({
      routes: {
        card: () => card,
        prepared: () => preparedJson(JSON.stringify(card)),
        own: ({ query }) => ({ ...card, asked: query.ids }),
        deal: ({ params }) => ({ conversation_id: params.conversation_id }),
        async *cards() {
          yield card;
          yield sharedFrame(card);
        },
      },
    }),
  },
});

describe('ids in answers', () => {
  let node: TestNode;
  before(async () => {
    node = await testNode({ plugins: [plugin] });
  });
  after(() => node.stop());
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(node.url + path, { headers })).json() as Promise<any>;

  it('are base58, and hex for whoever asks in the address or in Accept', async () => {
    for (const path of ['/card', '/prepared']) {
      assert.deepEqual(await get(path), card);
      assert.deepEqual(await get(`${path}?ids=base58`), card);
      assert.deepEqual(await get(`${path}?ids=hex`), inHex);
      assert.deepEqual(await get(path, { accept: 'application/json; ids=hex' }), inHex);
      assert.deepEqual(await get(`${path}?ids=base58`, { accept: 'application/json;ids=hex' }), card);
    }
    const refused = await get('/card?ids=base64');
    assert.deepEqual([refused.status, refused.fields[0].pointer], [400, '/ids']);
  });

  it('are hex in the frames of a stream that asks for it, shared ones too', async () => {
    const { frames, closed } = watch(`${node.url}/ws/cards?ids=hex`);
    await closed;
    assert.deepEqual(frames, [inHex, inHex]);
  });

  it('stay as they are where `ids` is a parameter of the route itself', async () => {
    assert.deepEqual(await get('/own?ids=hex'), { ...card, asked: 'hex' });
  });

  it('of conversations are 32 hex digits, and may be asked for as a UUID', async () => {
    const id = '000102030405060708090a0b0c0d0e0f';
    for (const given of [id, id.toUpperCase(), '00010203-0405-0607-0809-0A0B0C0D0E0F']) {
      assert.equal((await get(`/deal/${given}`)).conversation_id, id);
    }
    for (const given of ['0001-0203', '00010203040506070809-0a0b0c0d0e0f', `${id}-`]) {
      assert.equal((await get(`/deal/${given}`)).status, 400, given);
    }
  });
});

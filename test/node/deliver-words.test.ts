import assert from 'node:assert/strict';
import { accepted } from '../support/deals.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

const BYTES = Buffer.from('five words, of which two');
const BASE64 = BYTES.toString('base64');
const NOWHERE = '000102030405060708090a0b0c0d0e0f';

describe('the words of POST /deliver', function () {
  this.timeout(30_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'] });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  for (const [name, value] of [
    ['content', BYTES.toString()],
    ['content_b64', BASE64],
    ['text', BYTES.toString()],
    ['payload', BYTES.toString()],
    ['payload_b64', BASE64],
    ['payloadB64', BASE64],
    ['inline_b64', BASE64],
  ] as const)
    it(`take the content as ${name}`, async () => {
      const conversation_id = await accepted(alice, bob);
      const answer = await bob.post('/deliver', { conversation_id, [name]: value });
      assert.deepEqual([answer.status, answer.body.ignored], [200, undefined], JSON.stringify(answer.body));
      await alice.dealWhen(conversation_id, 'delivered');
      const { frames } = (await alice.get(`/inbox?conversation_id=${conversation_id}`)).body;
      const { deliver } = frames.find(({ msg_type }: any) => msg_type === 'DELIVER');
      assert.equal(deliver.inline_b64, BASE64);
    });

  const BAD: [what: string, body: object, pointer: string, message: RegExp][] = [
    ['no content', {}, '/content', /is needed.*content_b64.*payload_uri/],
    ['null for a content', { content: null }, '/content', /is needed/],
    ['two contents', { content: 'x', text: 'y' }, '/text', /content.*one of them/],
    ['a text and its bytes', { text: 'x', payload_b64: 'eA==' }, '/payload_b64', /text.*one of them/],
    ['bytes that are no base64', { payload_b64: '!' }, '/payload_b64', /is not base64/],
    ['an object as payload', { payload: { words: 3 } }, '/payload', /JSON.*content/],
    ['an object as content', { content: { words: 3 } }, '/content', /string/],
  ];
  for (const [what, body, pointer, message] of BAD)
    it(`name the field and what to send, given ${what}`, async () => {
      const answer = await bob.post('/deliver', { conversation_id: NOWHERE, ...body });
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request']);
      const field = answer.body.fields.find((one: any) => one.pointer === pointer);
      assert.match(field?.message ?? JSON.stringify(answer.body.fields), message);
    });
});

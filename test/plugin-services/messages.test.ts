import assert from 'node:assert/strict';
import { FakeInbox, FakeMessages, testAgent, testNode } from '../../adapters/testing.ts';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { SigningLock } from '../../core/internal-services.ts';
import { definePlugin, isMeshError, type Plugin } from '../../core/plugin.ts';
import { value } from '../../core/provider.ts';
import { Inbox, type InboxMessage, type MessageStatus, Messages } from '../../core/services.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

/** A plugin that hands out the services it got. */
function mouth(name = 'mouth') {
  const got = {} as { messages: Messages; inbox: Inbox };
  const plugin = definePlugin({
    name,
    api: '2.0',
    permissions: ['messages:send', 'messages:read'],
    node: {
      uses: { messages: Messages, inbox: Inbox },
      setup(services) {
        Object.assign(got, services);
        return {};
      },
    },
  });
  return { plugin, got };
}

/** The code and first field of what a call is refused with. */
async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  );
  assert.ok(isMeshError(error), String(error));
  return `${error.code} ${error.details.fields?.[0]?.pointer ?? ''} ${error.details.fields?.[0]?.message ?? ''}`;
}

describe('the services Messages and Inbox', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  const [mine, his] = [mouth(), mouth()];
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], plugins: { alice: [mine.plugin], bob: [his.plugin] } });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh?.stop());

  const became = (id: string, status: MessageStatus) =>
    happens(`it is ${status}`, async () => (await mine.got.messages.status(id)) === status || undefined);

  it('carry a text from one plugin to another, and tell what became of it', async () => {
    const { id, conversationId } = await mine.got.messages.send('MESSAGE', { text: 'hello' }, { recipient: bob.id });
    await became(id, 'delivered');
    const trace = await alice.get(`/envelopes/${id}`);
    assert.equal(trace.body.status, 'delivered');
    const { messages, next } = await his.got.inbox.page({ conversationId });
    const [{ sentAt, nonce, slot, ...message }] = messages as [InboxMessage];
    const head = { id, conversationId, sender: alice.id, recipient: bob.id, sealed: false, cursor: next };
    assert.deepEqual(message, { ...head, type: 'MESSAGE', payload: { text: 'hello' } });
    assert.ok(sentAt > 0 && nonce > 0 && slot === 0);
  });

  it('keep to a conversation, sealed where that is wanted', async () => {
    const conversationId = 'ab'.repeat(16);
    const to = { recipient: bob.id, conversationId };
    for (const sealed of [false, true])
      await mine.got.messages.send('MESSAGE', { text: `${sealed}` }, { ...to, sealed });
    const { messages } = await happens('both are there', async () => {
      const page = await his.got.inbox.page({ conversationId });
      return page.messages.length === 2 ? page : undefined;
    });
    assert.deepEqual(
      messages.map(({ sealed, payload }) => [sealed, payload]),
      [
        [false, { text: 'false' }],
        [true, { text: 'true' }],
      ],
    );
    const first = await his.got.inbox.page({ conversationId, limit: 1 });
    const second = await his.got.inbox.page({ conversationId, after: first.next });
    assert.deepEqual([...first.messages, ...second.messages], messages);
  });

  it('send what goes to everybody', async () => {
    const { messages } = mine.got;
    const bounty = {
      task_summary: 'Count words.',
      required_capability: 'count',
      max_budget_usd: 5,
      deadline_secs: 3_600,
    };
    const sent = [
      await messages.send('DISCOVER', { query: 'maps' }),
      await messages.send('BOUNTY', bounty),
      await messages.send('ADVERTISE', { capabilities: ['count'] }),
    ];
    for (const { id } of sent) await became(id, 'broadcast');
    const seen = await happens('all are heard', async () => {
      const page = await his.got.inbox.page({ limit: 200 });
      const of = page.messages.filter(({ id }) => sent.some((one) => one.id === id));
      return of.length === 3 ? of : undefined;
    });
    const heard = seen.find(({ type }) => type === 'BOUNTY')!;
    assert.ok(heard.type === 'BOUNTY' && heard.payload.conversation_id === heard.conversationId);
  });

  it('say that an envelope waits, and know nothing of others', async () => {
    const { id, status } = await mine.got.messages.send('MESSAGE', { text: 'hm' }, { recipient: testAgent().id });
    assert.deepEqual([status, await mine.got.messages.status(id)], ['queued', 'queued']);
    assert.equal(await mine.got.messages.status('f'.repeat(64)), undefined);
    assert.equal(await mine.got.messages.status('nonsense'), undefined);
  });

  it('send once under one operation id', async () => {
    const once = () =>
      mine.got.messages.send('MESSAGE', { text: 'once' }, { recipient: bob.id, operationId: 'answer 1' });
    const [first, second] = [await once(), await once()];
    assert.equal(first.id, second.id);
  });

  it('refuse what is no message of a plugin, with the member at fault', async () => {
    const { messages } = mine.got;
    const to = { recipient: bob.id };
    const steps: [string, object][] = [
      ['PROPOSE', { amount_usdc_micro: 1n, message: 'x' }],
      ['BEACON', { name: 'me', hubs: [] }],
      ['toString', {}],
    ];
    const untyped = messages as { send(type: string, payload: object, options?: object): Promise<unknown> };
    for (const [type, payload] of steps)
      assert.match(
        await refusal(untyped.send(type, payload, to)),
        /^invalid_request \/type is nothing that a plugin sends/,
      );
    const refused: [Promise<unknown>, RegExp][] = [
      [messages.send('MESSAGE', { text: 'x'.repeat(20_000) }, to), /^invalid_request \/payload\/text/],
      [untyped.send('MESSAGE', {}, to), /^invalid_request \/payload\/text is missing/],
      [messages.send('MESSAGE', { text: 'x' }), /^invalid_request \/recipient MESSAGE needs a recipient/],
      [
        messages.send('MESSAGE', { text: 'x' }, { recipient: 'bob' }),
        /^invalid_request \/recipient is not an agent id/,
      ],
      [
        messages.send('MESSAGE', { text: 'x' }, { recipient: alice.id }),
        /^invalid_request \/recipient is the sender itself/,
      ],
      [messages.send('DISCOVER', { query: 'x' }, to), /^invalid_request \/recipient cannot be given/],
      [messages.send('DISCOVER', { query: 'x' }, { sealed: true }), /^invalid_request \/sealed is not possible/],
      [messages.send('MESSAGE', { text: 'x' }, { ...to, conversationId: 'x' }), /^invalid_request \/conversationId/],
      [messages.send('MESSAGE', { text: 'x' }, { ...to, operationId: '' }), /^invalid_request \/operationId/],
    ];
    for (const [call, said] of refused) assert.match(await refusal(call), said);
  });

  it('follow what comes from now on, or from a cursor on, until the signal ends it', async () => {
    const stop = new AbortController();
    const { inbox } = his.got;
    const { next } = await inbox.page({ limit: 200 });
    const live = inbox.follow(stop.signal);
    const coming = live.next();
    const { id } = await mine.got.messages.send('MESSAGE', { text: 'live' }, { recipient: bob.id });
    const got = await coming;
    assert.ok(!got.done && got.value.id === id && got.value.type === 'MESSAGE' && got.value.payload.text === 'live');
    for await (const message of inbox.follow(stop.signal, next)) {
      assert.equal(message.id, id);
      break;
    }
    stop.abort();
    assert.deepEqual(await live.next(), { done: true, value: undefined });
    assert.match(await refusal(inbox.page({ after: 9_999 })), /^invalid_request \/after is no cursor/);
    assert.match(await refusal(inbox.page({ limit: 0 })), /^invalid_request \/limit/);
    assert.throws(() => inbox.follow(stop.signal, -1), /is no cursor/);
  });

  it('show no longer what the agent acknowledged', async () => {
    const { next, messages } = await his.got.inbox.page({ limit: 200 });
    assert.ok(messages.length > 0);
    await bob.client.acknowledge(next);
    assert.deepEqual(await his.got.inbox.page(), { messages: [], next: 0 });
  });

  it('send nothing while another process lives under the key, nor beyond 600 in a minute', async () => {
    alice.node.get(SigningLock).halt('Another process was seen.');
    const send = () => mine.got.messages.send('MESSAGE', { text: 'x' }, { recipient: bob.id });
    assert.match(await refusal(send()), /^identity_in_use/);
    const codes = await Promise.all(
      Array.from({ length: 800 }, () => refusal(his.got.messages.send('MESSAGE', { text: 'x' }))),
    );
    assert.match(codes.at(0)!, /^invalid_request/);
    assert.match(codes.at(-1)!, /^rate_limited/);
  });
});

describe('a plugin that lacks the permission for messages', () => {
  const cases = [
    ['Messages', { messages: Messages }, /uses messages without the permission messages:send/],
    ['Inbox', { inbox: Inbox }, /uses inbox without the permission messages:read/],
  ] as const;
  for (const [name, uses, said] of cases) {
    it(`is not given ${name}`, async () => {
      const plugin: Plugin = { name: 'thief', api: '2.0', node: { uses, setup: () => ({}) } };
      await assert.rejects(testNode(plugin), (error) => error instanceof BootError && said.test(error.message));
    });
  }
});

describe('FakeMessages', () => {
  it('takes the place of the service in a test', async () => {
    const fake = new FakeMessages();
    const { plugin, got } = mouth();
    const node = await testNode(plugin, { services: [value(Messages, fake)] });
    const to = { recipient: 'bob', operationId: '1' };
    const { id, status } = await got.messages.send('MESSAGE', { text: 'hi' }, to);
    assert.equal((await got.messages.send('MESSAGE', { text: 'hi' }, to)).id, id);
    fake.become(id, 'delivered');
    assert.deepEqual([status, await got.messages.status(id)], ['queued', 'delivered']);
    assert.deepEqual(
      fake.sent.map(({ type, payload, options }) => ({ type, payload, options })),
      [{ type: 'MESSAGE', payload: { text: 'hi' }, options: to }],
    );
    assert.deepEqual(await node.stop(), []);
  });
});

describe('FakeInbox', () => {
  it('takes the place of the service in a test', async () => {
    const fake = new FakeInbox();
    const { plugin, got } = mouth();
    const node = await testNode(plugin, { services: [value(Inbox, fake)] });
    fake.receive('MESSAGE', { text: 'one' });
    const stop = new AbortController();
    const followed = got.inbox.follow(stop.signal);
    const coming = followed.next();
    const two = fake.receive('MESSAGE', { text: 'two' }, { sender: 'ann', conversationId: 'c' });
    assert.deepEqual(await coming, { done: false, value: two });
    assert.deepEqual(await got.inbox.page({ conversationId: 'c' }), { messages: [two], next: 2 });
    assert.deepEqual((await got.inbox.page({ limit: 1 })).next, 1);
    stop.abort();
    assert.deepEqual(await followed.next(), { done: true, value: undefined });
    assert.deepEqual(await node.stop(), []);
  });
});

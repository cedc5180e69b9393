import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webhooks } from '../../plugins/webhooks/index.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

interface Got {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: any;
}

describe('the plugin webhooks', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob' | 'guarded' | 'granted'>;
  let alice: Member;
  let bob: Member;
  let receiver: Server;
  let url = '';
  const got: Got[] = [];
  /** The status that a path answers with; 0: never. */
  const answers = new Map<string, number>();

  before(async () => {
    receiver = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const path = request.url!;
        got.push({ path, headers: request.headers, text, body: JSON.parse(text) });
        const status = answers.get(path) ?? 204;
        if (status > 0) response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
      });
    });
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'guarded', 'granted'],
      storage: 'lowdb',
      plugins: { alice: [webhooks], guarded: [webhooks], granted: [webhooks] },
      own: {
        guarded: { mesh: { allowPrivatePeers: false } },
        granted: {
          mesh: { allowPrivatePeers: false },
          plugins: { webhooks: { $grant: [`http:${new URL(url).host}`] } },
        },
      },
      isolated: true,
    });
    ({ alice, bob } = mesh.nodes);
  });
  after(async () => {
    receiver.closeAllConnections();
    receiver.close();
    await mesh.stop();
  });

  async function add(path: string, wish: object, member = alice): Promise<any> {
    const { status, body } = await member.post('/webhooks', { url: url + path, ...wish });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  const at = (path: string) => got.filter((one) => one.path === path);
  const arrived = (path: string, count: number) =>
    happens(`${count} at ${path}`, async () => (at(path).length >= count ? at(path) : undefined));
  const say = (text: string) => bob.client.message({ recipient: alice.id, text });
  const hookOf = async (id: string, member = alice) =>
    (await member.get('/webhooks')).body.hooks.find((hook: any) => hook.id === id);
  const whenHook = (id: string, is: (hook: any) => boolean, member = alice) =>
    happens('the webhook stands so', async () => {
      const hook = await hookOf(id, member);
      return is(hook) ? hook : undefined;
    });
  const remove = async (id: string) =>
    assert.deepEqual((await alice.call('DELETE', `/webhooks/${id}`)).body, { ok: true });

  it('sends a message once, as a signed CloudEvent, to who asked for its type', async () => {
    const { secret, ...hook } = await add('/messages', { messages: ['MESSAGE'] });
    const other = await add('/proposals', { messages: ['PROPOSE'] });
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.ok(!JSON.stringify((await alice.get('/webhooks')).body).includes(secret), 'it is shown once');
    const { envelope_id } = await say('Hello.');
    const [{ headers, text, body }] = (await arrived('/messages', 1)) as [Got];
    assert.deepEqual([body.specversion, body.id, body.type], ['1.0', envelope_id, 'agent-mesh.message.MESSAGE']);
    assert.deepEqual([body.data.sender, body.data.payload.text], [bob.id, 'Hello.']);
    assert.equal(headers['webhook-id'], envelope_id);
    const time = headers['webhook-timestamp'] as string;
    const key = Buffer.from(secret.slice(6), 'base64');
    const signature = createHmac('sha256', key).update(`${envelope_id}.${time}.${text}`).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${signature}`);
    await whenHook(hook.id, ({ waiting, delivered }) => waiting === 0 && delivered === 1);
    assert.deepEqual(at('/proposals'), []);
    await remove(hook.id);
    await remove(other.id);
    await say('Nobody hears it.');
  });

  it('sends events of the kinds that were asked for', async () => {
    const { id } = await add('/events', { events: ['deal'] });
    const { conversation_id } = await bob.client.propose({ recipient: alice.id, amount_usdc: '0', message: 'Work.' });
    const [{ body }] = (await arrived('/events', 1)) as [Got];
    assert.deepEqual([body.type, body.data.data.conversation_id], ['agent-mesh.event.deal', conversation_id]);
    assert.ok(at('/events').every((one) => one.body.type === 'agent-mesh.event.deal'));
    await remove(id);
  });

  it('tries again with growing pauses, over a restart too, in order, while the receiver is away', async () => {
    answers.set('/away', 503);
    const { id } = await add('/away', { messages: ['*'] });
    for (const text of ['one', 'two']) await say(text);
    await arrived('/away', 2);
    const before = await whenHook(id, ({ waiting, last_error }) => waiting === 2 && last_error !== null);
    assert.equal(before.last_error, 'it answered 503');
    await alice.restart();
    answers.set('/away', 200);
    mesh.advance(301);
    await whenHook(id, ({ waiting, delivered }) => waiting === 0 && delivered === 2);
    const texts = at('/away').map(({ body }) => body.data.payload.text);
    assert.deepEqual([new Set(texts.slice(0, -1)), texts.at(-1)], [new Set(['one']), 'two']);
    await remove(id);
  });

  it('gives up what a receiver refuses, keeps it as a dead letter, and sends it again when asked', async () => {
    answers.set('/refusing', 302);
    const { id } = await add('/refusing', { messages: ['MESSAGE'] });
    const { envelope_id } = await say('Refused.');
    for (let tries = 1; tries <= 5; tries++) {
      await arrived('/refusing', tries);
      await happens('the failure is written down', async () => {
        const { last_error } = await hookOf(id);
        return last_error !== null || undefined;
      });
      mesh.advance(301);
      await alice.restart();
    }
    await whenHook(id, ({ dead, waiting }) => dead === 1 && waiting === 0);
    const { body } = await alice.get(`/webhooks/${id}/dead`);
    assert.deepEqual(
      body.dead.map(({ id: one, error, type }: any) => [one, error, type]),
      [[envelope_id, 'it answered 302', 'message.MESSAGE']],
    );
    assert.deepEqual(at('/elsewhere'), [], 'a redirect is not followed');
    answers.set('/refusing', 200);
    const before = at('/refusing').length;
    assert.equal((await alice.post(`/webhooks/${id}/redeliver`, { delivery: 'x' })).status, 404);
    assert.deepEqual((await alice.post(`/webhooks/${id}/redeliver`, {})).body, { redelivered: 1 });
    await arrived('/refusing', before + 1);
    await whenHook(id, ({ dead, waiting, delivered }) => dead + waiting === 0 && delivered === 1);
    await remove(id);
  });

  it('lets a receiver that never answers keep nobody else waiting', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) {
      answers.set(`/silent${n}`, 0);
      ids.push((await add(`/silent${n}`, { messages: ['MESSAGE'] })).id);
    }
    const { id } = await add('/lively', { messages: ['MESSAGE'] });
    assert.equal((await alice.post('/webhooks', { url, messages: ['MESSAGE'] })).status, 409, 'eight are the most');
    for (let n = 0; n < 5; n++) await say(`Hello ${n}.`);
    const lively = await arrived('/lively', 5);
    assert.equal(lively.length, 5);
    for (const one of [...ids, id]) await remove(one);
  });

  it('calls no private address where the mesh is public, unless its host is granted by name', async () => {
    const { guarded, granted } = mesh.nodes;
    const { id } = await add('/private', { messages: ['MESSAGE'] }, guarded);
    await bob.client.message({ recipient: guarded.id, text: 'Hello.' });
    const hook = await whenHook(id, ({ last_error }) => last_error !== null, guarded);
    assert.match(hook.last_error, /private|not public|grant/i);
    assert.deepEqual(at('/private'), []);
    await add('/granted', { messages: ['MESSAGE'] }, granted);
    await bob.client.message({ recipient: granted.id, text: 'Hello.' });
    await arrived('/granted', 1);
  });

  it('asks for the secret, and for a URL and names that it knows', async () => {
    const wrong = { authorization: 'Bearer wrong' };
    assert.equal((await alice.call('GET', '/webhooks', undefined, wrong)).status, 401);
    for (const [body, pointer] of [
      [{ url: 'ftp://x.example/' }, '/url'],
      [{ url: 'http://a:b@x.example/', events: ['deal'] }, '/url'],
      [{ url, events: ['deals'] }, '/events/0'],
      [{ url, messages: ['HELLO'] }, '/messages'],
      [{ url }, '/events'],
    ] as const) {
      const { status, body: problem } = await alice.post('/webhooks', body);
      assert.deepEqual([status, problem.fields[0].pointer], [400, pointer]);
    }
    assert.equal((await alice.call('DELETE', `/webhooks/${'0'.repeat(32)}`)).status, 404);
  });
});

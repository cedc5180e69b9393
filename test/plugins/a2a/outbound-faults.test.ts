import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Store } from '../../../core/internal-services.ts';
import { a2aPlugin } from '../../../plugins/a2a/index.ts';
import { jobs as records } from '../../../plugins/a2a/outbound/records.ts';
import { happens } from '../../support/happens.ts';
import { type Mesh, startMesh } from '../../support/mesh.ts';
import { Elsewhere } from './support/elsewhere.ts';

describe('jobs elsewhere, where the agent or the node fails', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice'>;
  let elsewhere: Elsewhere;
  let forbidden: Elsewhere;
  let other: Elsewhere;

  before(async () => {
    elsewhere = await Elsewhere.start();
    forbidden = await Elsewhere.start();
    other = await Elsewhere.start();
    elsewhere.card = elsewhere.cardOf('JSONRPC');
    mesh = await startMesh({
      nodes: ['alice'],
      storage: 'lowdb',
      plugins: { alice: [a2aPlugin] },
      own: {
        alice: { plugins: { a2a: { $grant: [elsewhere, other].map(({ url }) => `http:${new URL(url).host}`) } } },
      },
    });
  });
  afterEach(() => {
    elsewhere.card = elsewhere.cardOf('JSONRPC');
    elsewhere.told = undefined;
  });
  after(async () => {
    await mesh?.stop();
    await elsewhere?.end();
    await forbidden?.end();
    await other?.end();
  });

  const call = async (method: string, path: string, body?: object, key?: string): Promise<any> => {
    const answered = await mesh.nodes.alice.call(
      method,
      path,
      body,
      key === undefined ? {} : { 'idempotency-key': key },
    );
    return { status: answered.status, ...(answered.body as object) };
  };
  const begin = (message: string, key?: string, card_url = elsewhere.url) =>
    call('POST', '/a2a/jobs', { card_url, message }, key);
  const job = (id: string) => call('GET', `/a2a/jobs/${id}`);
  const cancel = (id: string) => call('POST', `/a2a/jobs/${id}/cancel`);

  it('gives the same job to a repetition after the node ended, and sends nothing again', async () => {
    const key = randomUUID();
    const before = elsewhere.messages;
    const hanging = begin('hang', key).catch(() => undefined);
    await happens('the message is there', async () => elsewhere.messages > before || undefined);
    await mesh.nodes.alice.restart();
    await hanging;
    // The claim of the process that ended runs out after seconds.
    const again = await happens('the key is free', async () => {
      const answered = await begin('hang', key);
      return answered.code === 'request_in_progress' ? undefined : answered;
    });
    assert.deepEqual([again.status, again.state, again.message], [200, 'unclear', 'hang']);
    assert.equal(elsewhere.messages, before + 1);
    assert.equal(elsewhere.messageIds.at(-1), again.id, 'the message has the id of the job');
    const { jobs } = await call('GET', '/a2a/jobs?limit=200');
    assert.equal(jobs.filter(({ message }: any) => message === 'hang').length, 1);
  });

  it('does not say twice what a crash cut off', async () => {
    const { id } = await begin('ask');
    const key = randomUUID();
    const before = elsewhere.messages;
    const hanging = call('POST', `/a2a/jobs/${id}/messages`, { message: 'hang' }, key).catch(() => undefined);
    await happens('the message is there', async () => elsewhere.messages > before || undefined);
    await mesh.nodes.alice.restart();
    await hanging;
    const again = await happens('the key is free', async () => {
      const answered = await call('POST', `/a2a/jobs/${id}/messages`, { message: 'hang' }, key);
      return answered.code === 'request_in_progress' ? undefined : answered;
    });
    assert.deepEqual([again.status, again.id, again.state], [200, id, 'input_required']);
    assert.equal(elsewhere.messages, before + 1);
    await cancel(id);
  });

  it('goes on with a task whose agent answers by a message', async () => {
    const { id, state } = await begin('slow');
    assert.equal(state, 'working');
    const said = await call('POST', `/a2a/jobs/${id}/messages`, { message: 'chat' });
    assert.deepEqual([said.status, said.state, said.text], [200, 'working', 'Still at it.']);
    assert.equal((await cancel(id)).state, 'canceled');
  });

  it('refuses a task whose id is no text, and asks about the others all the same', async () => {
    elsewhere.card = elsewhere.cardOf('HTTP+JSON');
    const torn = [];
    for (let n = 0; n < 8; n++) torn.push(await begin('torn'));
    for (const { state, error } of torn) assert.deepEqual([state, error.length > 10], ['unclear', true]);
    const before = elsewhere.questions;
    const { id } = await begin('slow');
    await happens('the agent is asked', async () => elsewhere.questions > before || undefined);
    await cancel(id);
  });

  it('keeps asking when what the agent tells cannot be kept', async () => {
    const { id } = await begin('slow');
    const data = JSON.parse(`${'['.repeat(4_000)}${']'.repeat(4_000)}`);
    const artifacts = [{ artifactId: 'a', parts: [{ data }] }];
    elsewhere.told = {
      id: `task-${elsewhere.messages}`,
      contextId: 'c',
      status: { state: 'TASK_STATE_WORKING' },
      artifacts,
    };
    const told = await happens('the fault is told', async () => {
      const found = await job(id);
      return found.error === null ? undefined : found;
    });
    assert.equal(told.state, 'working');
    elsewhere.told = undefined;
    await happens('the fault has passed', async () => ((await job(id)).error === null ? true : undefined));
    await cancel(id);
  });

  it('refuses a card that is nested too deeply, in the words of a card', async () => {
    const header = { alg: 'EdDSA', kid: 'no', jku: `${elsewhere.url}/keys.json` };
    const one = { protected: Buffer.from(JSON.stringify(header)).toString('base64url'), signature: 'AAAA' };
    const card = JSON.stringify({ ...elsewhere.cardOf('JSONRPC'), signatures: [one] });
    elsewhere.card = `${card.slice(0, -1)},"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const refused = await begin('hello');
    assert.deepEqual([refused.status, refused.code], [502, 'upstream_failed']);
    assert.match(refused.detail, /is no card of an A2A agent: it is nested too deeply/);
  });

  it('calls no private address that the owner did not allow, not for a card nor for a key set', async () => {
    forbidden.card = forbidden.cardOf('JSONRPC');
    const refused = await begin('direct', undefined, forbidden.url);
    assert.deepEqual([refused.status, refused.code], [403, 'forbidden']);
    assert.match(refused.detail, /grant http:127\.0\.0\.1:\d+ by name/);
    elsewhere.redirect = `${forbidden.url}/.well-known/agent-card.json`;
    const led = await begin('direct');
    elsewhere.redirect = '';
    assert.deepEqual([led.status, led.code], [403, 'forbidden']);
    assert.equal(forbidden.requests, 0);
  });

  it('takes no card from another host than the one that the owner named, and names that one', async () => {
    other.card = other.cardOf('JSONRPC');
    elsewhere.redirect = `${other.url}/.well-known/agent-card.json`;
    const led = await begin('direct');
    elsewhere.redirect = '';
    assert.deepEqual([led.status, led.code, other.messages], [502, 'upstream_failed', 0]);
    assert.ok(led.detail.includes(`it leads to ${other.url}; name the card there`), led.detail);
    assert.equal((await begin('direct', undefined, other.url)).state, 'completed');
  });

  it('says of a message that found no turn that nothing was sent', async () => {
    const { id } = await begin('slow');
    const before = elsewhere.messages;
    let release = () => {};
    elsewhere.held = new Promise((done) => {
      release = done;
    });
    // Eight calls of a plugin run and 64 wait.
    const asked = Array.from({ length: 90 }, () => call('POST', `/a2a/jobs/${id}/messages`, { message: 'chat' }));
    await Promise.any(asked);
    release();
    const said = await Promise.all(asked);
    const refused = said.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0);
    for (const { status, detail } of refused) {
      assert.equal(status, 502);
      assert.match(detail, /Nothing was sent\.$/);
    }
    assert.equal(elsewhere.messages, before + said.length - refused.length);
    await cancel(id);
  });

  it('tells of every job that was being sent when the node ended, not only of the first 64', async () => {
    const { id } = await begin('slow');
    const space = mesh.nodes.alice.node.get(Store).space('a2a');
    const stored = (await space.get(records.ref(id)))!;
    const ids = Array.from({ length: 70 }, (_, n) => n.toString(16).padStart(32, '0'));
    for (const one of ids) await space.put(records.ref(one), { ...stored, id: one, state: 'sending', task: '' });
    await mesh.nodes.alice.restart();
    for (const one of ids) assert.equal((await job(one)).state, 'unclear');
    await cancel(id);
  });

  it('opens 64 jobs at most, however many are begun at once', async () => {
    // Eight calls of a plugin run and 64 wait, so that they come in two waves.
    const wave = () => Promise.all(Array.from({ length: 40 }, () => begin('slow')));
    const begun = [...(await wave()), ...(await wave())];
    const open = begun.filter(({ status }) => status === 200);
    const refused = begun.filter(({ status }) => status !== 200);
    assert.deepEqual([...new Set(refused.map(({ code }) => code))], ['quota_exceeded']);
    assert.equal(open.length, 64);
    for (const { id } of open) await cancel(id);
  });
});

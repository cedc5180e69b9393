import assert from 'node:assert/strict';
import { definePlugin } from '../../../core/plugin.ts';
import { happens } from '../../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../../support/mesh.ts';

/** Keeps every text out until it is open. */
let isOpen = true;
const gate = definePlugin({
  name: 'gate',
  api: '2.0',
  permissions: ['messages:gate'],
  node: {
    inboundGates: { closed: ['MESSAGE'] },
    setup: () => ({ inboundGates: { closed: () => (isOpen ? 'accepted' : 'restricted') } }),
  },
});

describe('messages for a sleeper', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob' | 'frank' | 'phone'>;
  let phone: Member;
  before(async () => {
    const push = { sleepOnStop: true };
    mesh = await startMesh({
      nodes: ['alice', 'bob', 'frank', 'phone'],
      storage: 'lowdb',
      plugins: { phone: [gate] },
      own: { phone: { plugins: { gate: {}, push } }, frank: { plugins: { push: { leaveOpen: true } } } },
    });
    ({ phone } = mesh.nodes);
  });
  after(() => mesh.stop());
  beforeEach(async () => {
    isOpen = true;
    await phone.stop();
  });
  afterEach(async () => {
    isOpen = true;
    await phone.start();
    await happens('all was taken', async () => {
      const { aggregators, deferred } = await state();
      return (aggregators[0].sleeping === false && aggregators[0].pending === 0 && deferred === 0) || undefined;
    });
    await phone.stop();
    await phone.start();
  });

  const state = async () => (await phone.get('/push')).body;
  const { alice, bob, frank } = new Proxy({} as Record<'alice' | 'bob' | 'frank', () => Member>, {
    get: (_, name: 'alice' | 'bob' | 'frank') => () => mesh.nodes[name],
  });
  async function say(from: Member, text: string, more: object = {}): Promise<string> {
    const { status, body } = await from.post('/message', { recipient: phone.id, text, ...more });
    assert.equal(status, 200, JSON.stringify(body));
    return body.envelope_id;
  }
  const trace = async (from: Member, id: string) => (await from.get(`/envelopes/${id}`)).body;
  const hop = (from: Member, id: string, event: string) =>
    happens(`${event}`, async () => (await trace(from, id)).hops.find((one: any) => one.event === event));
  async function texts(): Promise<string[]> {
    const watched = phone.watch('/ws/inbox?since=0');
    await new Promise((opened) => watched.socket.once('open', opened));
    for (let seen = -1; seen < watched.frames.length; ) {
      seen = watched.frames.length;
      await new Promise((later) => setTimeout(later, 500));
    }
    watched.socket.close();
    return watched.frames.filter(({ msg_type }) => msg_type === 'MESSAGE').map(({ payload }) => payload.text);
  }

  it('that were signed open stay here, and hold up no other conversation', async () => {
    const open = await say(alice(), 'open', { sealed: false });
    const { detail } = await hop(alice(), open, 'kept here');
    assert.match(detail, /signed open/);
    const sealed = await say(alice(), 'sealed');
    assert.equal((await hop(alice(), sealed, 'left in a pending queue')).detail, new URL(mesh.aggregatorNode.url).host);
    assert.deepEqual([(await trace(alice(), open)).sealed, (await trace(alice(), sealed)).sealed], [false, true]);
    const left = await say(frank(), 'left open', { sealed: false });
    await hop(frank(), left, 'left in a pending queue');
    assert.equal((await trace(frank(), left)).sealed, false);
  });

  it('are refused aloud when the queue is full, and come all the same', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await say(bob(), `full ${n}`));
    const { detail } = await hop(bob(), ids[5]!, 'not delivered');
    assert.match(detail, /pending_full at 127\.0\.0\.1/);
    await phone.start();
    await happens('all are there', async () => {
      const found = (await texts()).filter((text) => text.startsWith('full'));
      return found.length === 6 || undefined;
    });
    await phone.stop();
  });

  it('wait at its node in their order while a gate is closed there, over a restart too', async () => {
    const said = ['one', 'two', 'three'].map((text) => `gated ${text}`);
    for (const text of said) await hop(alice(), await say(alice(), text), 'left in a pending queue');
    isOpen = false;
    await phone.start();
    const waiting = () =>
      happens('they wait', async () => {
        const { deferred, aggregators } = await state();
        return (deferred === 3 && aggregators[0].pending === 0 && aggregators[0].sleeping === false) || undefined;
      });
    await waiting();
    await phone.restart();
    await waiting();
    isOpen = true;
    const found = await happens('they come', async () => {
      const all = (await texts()).filter((text) => text.startsWith('gated'));
      return all.length >= 3 ? all : undefined;
    });
    assert.deepEqual(found, said);
    await happens('nothing waits any more', async () => ((await state()).deferred === 0 ? true : undefined));
    await phone.stop();
  });
});

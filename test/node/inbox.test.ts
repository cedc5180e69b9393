import assert from 'node:assert/strict';
import { proposed } from '../support/deals.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

describe('/ws/inbox and /ws/events', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb' });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const waitingFrames = async () => (await bob.client.inboxPage({ limit: 200 })).frames;

  /** The first `count` frames of a stream. */
  async function frames(path: string, count: number): Promise<any[]> {
    const watched = bob.watch(path);
    await watched.until(count);
    watched.socket.close();
    return watched.frames.slice(0, count);
  }

  it('shows who said what, with a cursor', async () => {
    const conversation_id = await proposed(alice, bob, { message: 'Hello.', amount_usdc: '0.000001' });
    const [frame] = await frames('/ws/inbox?unacked=1', 1);
    const { envelope_id } = (await alice.client.deal(conversation_id)).history[0]!;
    assert.deepEqual(
      { ...frame, timestamp: 0, nonce: 0, payload_b64: '' },
      {
        cursor: 1,
        envelope_id,
        msg_type: 'PROPOSE',
        sealed: false,
        sender: alice.id,
        recipient: bob.id,
        conversation_id,
        timestamp: 0,
        slot: 0,
        nonce: 0,
        payload: { amount_usdc_micro: 1, message: 'Hello.', max_rounds: 2, deadline_secs: 86_400, review_secs: 86_400 },
        payload_b64: '',
      },
    );
    assert.match(frame.timestamp, /^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it('resumes behind a cursor, and goes on live', async () => {
    for (let i = 0; i < 3; i++) await proposed(alice, bob);
    const all = await frames('/ws/inbox?since=0', 4);
    assert.deepEqual(
      all.map(({ cursor }) => cursor),
      [1, 2, 3, 4],
    );
    const watched = bob.watch('/ws/inbox?since=2');
    await watched.until(2);
    await proposed(alice, bob);
    await watched.until(3);
    watched.socket.close();
    assert.deepEqual(
      watched.frames.map(({ cursor }) => cursor),
      [3, 4, 5],
    );
    assert.deepEqual(watched.frames.slice(0, 2), all.slice(2));
  });

  it('can be narrowed to a type and a conversation, in any case', async () => {
    const conversation_id = await proposed(alice, bob);
    await bob.client.counter({ conversation_id, amount_usdc: '3' });
    await alice.dealWhen(conversation_id, 'countered');
    await alice.client.accept({ conversation_id });
    await alice.client.send({ msg_type: 'BOUNTY', payload: bounty() });
    const [accept] = await frames('/ws/inbox?unacked=1&msg_type=accept', 1);
    assert.deepEqual([accept.msg_type, accept.conversation_id], ['ACCEPT', conversation_id]);
    const both = await frames(`/ws/inbox?unacked=1&conversation_id=${conversation_id.toUpperCase()}`, 2);
    assert.deepEqual(
      both.map(({ msg_type }) => msg_type),
      ['PROPOSE', 'ACCEPT'],
    );
    const [found] = await frames('/ws/inbox?unacked=true&msg_type=BOUNTY', 1);
    assert.deepEqual([found.recipient, found.payload.task_summary], [null, 'Count words.']);
  });

  it('forgets what is acknowledged, over a restart too', async () => {
    const before = await frames('/ws/inbox?since=0', 8);
    await bob.client.acknowledge(before[5].cursor);
    assert.deepEqual(await frames('/ws/inbox?since=0', 2), before.slice(6));
    assert.deepEqual(await frames('/ws/inbox?unacked=1', 2), before.slice(6));
    await bob.restart();
    assert.deepEqual(await frames('/ws/inbox?since=1', 2), before.slice(6));
    await proposed(alice, bob);
    const [, , newest] = await frames('/ws/inbox?unacked=1', 3);
    assert.equal(newest.cursor, before[7].cursor + 1);
  });

  it('begins live unless what waits is asked for, after a frame that says where and how many wait', async () => {
    const { next } = await bob.client.inboxPage({ limit: 200 });
    const { length } = await waitingFrames();
    const live = bob.watch('/ws/inbox?until=3');
    await live.until(1);
    assert.deepEqual(live.frames[0], { type: 'inbox', cursor: next, waiting: length, ignored: ['until'] });
    await proposed(alice, bob);
    await live.until(2);
    live.socket.close();
    assert.deepEqual([live.frames[1].cursor, live.frames[1].msg_type], [next + 1, 'PROPOSE']);
    const replayed = await frames('/ws/inbox?unacked=1', length + 1);
    assert.deepEqual(replayed.at(-1), live.frames[1]);
    await bob.client.acknowledge(next);
    const [opening] = await frames('/ws/inbox?unacked=0', 1);
    assert.deepEqual(opening, { type: 'inbox', cursor: next + 1, waiting: 1 });
  });

  it('says that a cursor was never given, and where to begin', async () => {
    const newest = (await bob.client.inboxPage({ limit: 200 })).next;
    const page = await bob.call('GET', `/inbox?since=${newest + 1}`);
    assert.deepEqual([page.status, page.body.fields[0].pointer], [400, '/since']);
    assert.match(page.body.detail, new RegExp(`newest cursor, which is ${newest}: begin at 0`));
    const watched = bob.watch(`/ws/inbox?since=${newest + 1}`);
    const [code, reason] = await new Promise<[number, string]>((resolve) => {
      watched.socket.once('close', (code: number, reason: Buffer) => resolve([code, String(reason)]));
    });
    assert.equal(code, 1008);
    assert.match(reason, new RegExp(`^since is beyond the newest cursor, which is ${newest}: begin at 0`));
    assert.equal((await bob.call('GET', `/inbox?since=${newest}`)).status, 200);
  });

  for (const query of ['since=-1', 'since=x', 'msg_type=%20', 'conversation_id=xyz', 'unacked=yes']) {
    it(`?${query} is refused before the upgrade`, async () => {
      const { status, body } = await bob.watch(`/ws/inbox?${query}`).refused;
      assert.deepEqual(
        [status, body.code, body.fields[0].pointer],
        [400, 'invalid_request', `/${query.split('=')[0]}`],
      );
    });
  }

  it('events tell of envelopes both ways, deals and peers, while they happen', async () => {
    const watched = bob.watch('/ws/events');
    await new Promise((open) => watched.socket.on('open', open));
    const conversation_id = await proposed(alice, bob);
    await bob.client.reject({ conversation_id });
    await alice.stop();
    await watched.until(5);
    const told = watched.frames.map(({ type, event_type, data }) => {
      assert.equal(event_type, type);
      return [type, data.direction ?? data.state ?? data.change, data.msg_type].join(' ').trim();
    });
    watched.socket.close();
    for (const event of ['envelope in PROPOSE', 'deal proposed', 'envelope out REJECT', 'deal rejected', 'peer down']) {
      assert.ok(told.includes(event), `${event} in ${told}`);
    }
    await alice.start();
  });
});

function bounty() {
  return {
    required_capability: 'text-statistics',
    max_budget_usd: 1,
    deadline_secs: 3_600,
    task_summary: 'Count words.',
    conversation_id: '00112233445566778899aabbccddeeff',
  };
}

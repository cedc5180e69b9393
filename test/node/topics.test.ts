import assert from 'node:assert/strict';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { watch } from '../support/sockets.ts';
import { Stranger } from '../support/stranger.ts';

describe('topics of BROADCASTs', () => {
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    const topics = ['broadcast', 'notary', 'reputation', 'weather'];
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb', own: { bob: { mesh: { topics } } } });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const say = (topic: string, title: string) =>
    alice.post('/envelopes/send', {
      msg_type: 'BROADCAST',
      payload: { topic, title, tags: [], format: 'text', content_b64: 'aGVsbG8=' },
    });

  async function heard(): Promise<string[]> {
    const { frames } = await bob.client.inboxPage({ limit: 200 });
    return frames.filter(({ msg_type }) => msg_type === 'BROADCAST').map(({ payload }: any) => payload.title);
  }

  const hears = (title: string) =>
    happens(`bob hears ${title}`, async () => (await heard()).includes(title) || undefined);

  /** BROADCASTs that bob's node has examined and not refused, heard by bob or not. */
  async function taken(): Promise<string | undefined> {
    const metrics = await (await fetch(`${bob.url}/metrics`)).text();
    return /mesh_envelopes_taken_total\{msg_type="BROADCAST"\} (\d+)/.exec(metrics)?.[1];
  }

  it('reach who has asked for them, by configuration and by route, over restarts too', async () => {
    assert.equal((await say('news', 'Nobody asked')).body.status, 'broadcast');
    await say('weather', 'Rain');
    await hears('Rain');
    assert.deepEqual(await heard(), ['Rain']);

    const asked = await bob.call('PUT', '/topics/news');
    assert.equal(asked.status, 200);
    assert.deepEqual(
      asked.body.topics.map(({ topic, configured }: any) => [topic, configured]),
      [
        ['broadcast', true],
        ['notary', true],
        ['reputation', true],
        ['weather', true],
        ['news', false],
      ],
    );
    await happens('the hub knows', async () => {
      await say('news', 'Morning');
      return (await heard()).includes('Morning') || undefined;
    });

    await bob.restart();
    await mesh.acquainted();
    assert.ok((await bob.client.topics()).topics.some(({ topic }) => topic === 'news'));
    await happens('bob listens again', async () => {
      await say('news', 'Evening');
      return (await heard()).includes('Evening') || undefined;
    });

    assert.equal((await bob.call('DELETE', '/topics/news')).status, 200);
    await say('news', 'Night');
    await say('weather', 'Sun');
    await hears('Sun');
    assert.ok(!(await heard()).includes('Night'));
  });

  it('come over WS /ws/topics as long as it is open, whichever of them the node hears otherwise', async () => {
    const headers = { authorization: `Bearer ${bob.secret}` };
    const live = watch(`${bob.url}/ws/topics?topic=tides`, [], { headers });
    await live.until(1);
    await happens('the hub knows', async () => {
      await say('weather', 'Fog');
      await say('tides', 'Flood');
      return live.frames.length > 1 || undefined;
    });
    assert.deepEqual([...new Set(live.frames.slice(1).map(({ payload }) => payload.title))], ['Flood']);
    assert.ok(!(await bob.client.topics()).topics.some(({ topic }) => topic === 'tides'));
    live.socket.close();
    await live.closed;
    await happens('the hub knows that nobody follows it', async () => {
      const before = (await heard()).filter((title) => title === 'Ebb').length;
      await say('tides', 'Ebb');
      await say('weather', `Dusk ${before}`);
      await hears(`Dusk ${before}`);
      return (await heard()).filter((title) => title === 'Ebb').length === before || undefined;
    });
    const all = watch(`${bob.url}/ws/topics?token=${bob.secret}`);
    await all.until(1);
    await say('weather', 'Dawn');
    await all.until(2);
    all.socket.close();
    for (const topic of ['x'.repeat(65), 'notary/'.padEnd(70, 'x')])
      assert.equal((await watch(`${bob.url}/ws/topics?topic=${topic}`, [], { headers }).refused).status, 400);
    assert.equal((await watch(`${bob.url}/ws/topics?topic=news&token=no`).refused).status, 401);
  });

  it('are those of the payload: a frame under another topic reaches nobody', async () => {
    const hub = mesh.aggregatorNode.url;
    const mallory = await Stranger.start('mallory', [], { hub });
    try {
      const before = await taken();
      const payload = { topic: 'spam', title: 'Buy', tags: [] as string[], format: 'text' } as const;
      mallory.broadcast(mallory.sign('BROADCAST', { payload }), 'broadcast');
      mallory.broadcast(mallory.sign('DISCOVER', { payload: { query: 'after it' } }), 'broadcast');
      await happens('what came behind it is there', async () => {
        const { frames } = await bob.client.inboxPage({ limit: 200 });
        return frames.some(({ msg_type }) => msg_type === 'DISCOVER') || undefined;
      });
      assert.ok(!(await heard()).includes('Buy'));
      assert.equal(await taken(), before);
    } finally {
      await mallory.stop();
    }
  });

  it('of 64 bytes are carried, and longer ones are refused with the field, in a payload and in a subscription', async () => {
    assert.equal((await say('x'.repeat(64), 'Long')).status, 200);
    for (const topic of ['x'.repeat(65), '한'.repeat(22), '', 'a\nb', 'broadcast', 'notary']) {
      const { status, body } = await say(topic, 'x');
      assert.deepEqual([status, body.fields[0].pointer.startsWith('/payload')], [400, true], topic);
      if (topic === '') continue;
      const asked = await alice.call('PUT', `/topics/${encodeURIComponent(topic)}`);
      if (topic === 'broadcast' || topic === 'notary') assert.equal(asked.status, 200, 'it is configured');
      else assert.deepEqual([asked.status, asked.body.fields[0].pointer], [400, '/topic'], topic);
    }
    const left = await bob.call('DELETE', '/topics/weather');
    assert.deepEqual([left.status, left.body.fields[0].pointer], [400, '/topic']);
  });

  it('are at most 64', async () => {
    for (let i = 0; i < 61; i++) assert.equal((await alice.call('PUT', `/topics/t${i}`)).status, 200);
    const { status, body } = await alice.call('PUT', '/topics/t61');
    assert.deepEqual([status, body.fields[0].pointer], [400, '/topic']);
    assert.match(body.detail, /one more than 64: leave another first/);
  });

  it('nobody was told of are queued, and never said to be acknowledged', async () => {
    await mesh.aggregatorNode.stop();
    await happens('alice is alone', async () => {
      const { body } = await alice.get('/peers');
      return body.every(({ connected }: any) => !connected) || undefined;
    });
    const { body } = await say('news', 'Alone');
    assert.equal(body.status, 'queued');
  });
});

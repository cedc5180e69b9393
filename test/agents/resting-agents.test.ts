import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { LocalAgent } from '../../core/services.ts';
import { innkeeper } from '../support/agents.ts';
import { happens } from '../support/happens.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

describe('agents that nobody uses', function () {
  this.timeout(60_000);
  const clock = new JumpingClock();
  const keeper = innkeeper();
  let mesh: Mesh<'inn'>;
  let inn: Member;
  const seeds = [randomBytes(32), randomBytes(32)] as const;
  let ann: LocalAgent;
  let ben: LocalAgent;

  async function enter(): Promise<void> {
    const { agents } = keeper.got;
    ann = await agents.add({ signer: agents.signerOf(seeds[0]), name: 'ann' });
    ben = await agents.add({ signer: agents.signerOf(seeds[1]), name: 'ben' });
  }
  before(async () => {
    mesh = await startMesh({ nodes: ['inn'], plugins: { inn: [keeper.plugin] }, storage: 'lowdb', clock });
    inn = mesh.nodes.inn;
    await enter();
  });
  after(() => mesh?.stop());

  async function inMemory(): Promise<number> {
    const text = await (
      await fetch(`${inn.url}/metrics`, { headers: { authorization: `Bearer ${inn.secret}` } })
    ).text();
    return Number(/^mesh_hosted_agents_awake (\d+)$/m.exec(text)?.[1]);
  }
  /** Lets time pass until nobody is in memory. */
  function rest(): Promise<unknown> {
    return happens('nobody is in memory', async () => {
      if ((await inMemory()) === 0) return true;
      clock.advance(15_000);
      return undefined;
    });
  }

  it('leave the memory, and are read again for a call or an envelope', async () => {
    const { status } = await ann.send('MESSAGE', { text: 'good night' }, { recipient: ben.id });
    assert.equal(status, 'delivered');
    await rest();
    assert.equal((await ben.inbox.page()).messages.length, 1);
    assert.equal(await inMemory(), 1);
    await rest();
    assert.equal((await inn.post('/message', { recipient: ben.id, text: 'good morning' })).body.status, 'delivered');
    assert.equal(await inMemory(), 1);
  });

  it('stay while their inbox is followed', async () => {
    await rest();
    const stop = new AbortController();
    const next = ben.inbox.follow(stop.signal).next();
    await happens('it is read', async () => (await inMemory()) === 1 || undefined);
    for (let i = 0; i < 5; i += 1) {
      clock.advance(20_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(await inMemory(), 1);
    stop.abort();
    await next;
  });

  it('number their envelopes without a gap, over rests and restarts', async () => {
    const numbers: string[] = [];
    for (const pause of [rest, () => inn.restart().then(enter), async () => {}]) {
      const { id } = await ann.send('MESSAGE', { text: 'one more' }, { recipient: inn.id });
      numbers.push(id);
      await pause();
    }
    const { frames } = await inn.client.inboxPage({});
    const own = frames.filter(({ sender }) => sender === ann.id).map(({ nonce }) => Number(nonce));
    assert.deepEqual(
      own,
      own.map((_, index) => own[0]! + index),
    );
    assert.equal(own.length, 3);
  });

  it('have their offers lapse, though they sleep', async () => {
    const expires_at = new Date(clock.now() + 3_600_000).toISOString();
    const { conversation_id } = await ann.deals.propose({ recipient: ben.id, message: 'breakfast', expires_at });
    const told: string[] = [];
    const end = ben.deals.follow(({ state }) => void told.push(state));
    await rest();
    clock.advance(3_700_000);
    await happens('it has lapsed', async () => told.includes('expired') || undefined);
    end();
    assert.equal((await ann.deals.get(conversation_id)).state, 'expired');
  });

  it('have what a restart found waiting sent, once they are added again', async () => {
    const { agents } = keeper.got;
    const late = agents.signerOf(randomBytes(32));
    const recipient = (await agents.add({ signer: late })).id;
    await agents.remove(recipient);
    await inn.restart();
    await enter();
    const { id, status } = await ann.send('MESSAGE', { text: 'are you there yet?' }, { recipient });
    assert.notEqual(status, 'delivered');
    await inn.restart();
    await enter();
    const back = await keeper.got.agents.add({ signer: late });
    await happens('it came', async () => {
      clock.advance(10_000);
      return (await back.inbox.page()).messages.length === 1 || undefined;
    });
    await happens('it is known', async () => (await ann.status(id)) === 'delivered' || undefined);
  });

  it('get no envelope refused for good while their plugin has not added them yet', async () => {
    await inn.restart();
    const first = await inn.post('/message', { recipient: ben.id, text: 'early bird' });
    assert.equal(first.body.status, 'queued');
    await enter();
    await happens('it came', async () => {
      const { messages } = await ben.inbox.page({ limit: 200 });
      return messages.some(({ payload }) => 'text' in payload && payload.text === 'early bird') || undefined;
    });
  });
});

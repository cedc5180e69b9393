import assert from 'node:assert/strict';
import type { Log } from '../../core/platform/log.ts';
import { silentLog } from '../../core/platform/log.ts';
import { accepted } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

describe('a rating of a deal that was paid without a delivery', function () {
  this.timeout(60_000);
  const notes: string[] = [];
  const log: Log = {
    ...silentLog,
    info: (...said: unknown[]) => void notes.push(JSON.stringify(said)),
    child: () => log,
  };
  let mesh: Mesh<'alice' | 'bob' | 'carol'>;
  let alice: Member;
  let bob: Member;
  before(async () => {
    const own = { carol: { mesh: { report: 'offers' } } };
    mesh = await startMesh({ nodes: ['alice', 'bob', 'carol'], usdc: { alice: '20', carol: '20' }, own, log });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  async function released(requester: Member): Promise<string> {
    const conversation_id = await accepted(requester, bob);
    assert.equal((await requester.post('/escrow/lock', { conversation_id })).status, 200);
    await bob.dealWhen(conversation_id, ({ escrow }) => escrow.locked_at !== undefined);
    assert.equal((await requester.post('/escrow/approve', { conversation_id })).status, 200);
    for (const node of [requester, bob]) await node.dealWhen(conversation_id, 'settled');
    return conversation_id;
  }

  const rate = async (rater: Member, conversation_id: string) => {
    const { status, body } = await rater.post('/feedback', { conversation_id, score: 80 });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const scoreOf = async (rater: Member) => {
    const { body } = await call(`${mesh.aggregatorNode.url}/interactions?from=${rater.id}`);
    return body.length > 0 ? body : undefined;
  };
  const call = async (url: string) => ({ body: (await (await fetch(url)).json()) as any });

  it('counts for who was paid; who paid is told what its own waits for, and it counts once that came', async () => {
    const conversation_id = await released(alice);
    const mine = await rate(alice, conversation_id);
    assert.match(mine.waits_for, /delivery.*terms/s);
    assert.equal(notes.filter((note) => note.includes('waits') && note.includes(conversation_id)).length, 1);
    const theirs = await rate(bob, conversation_id);
    assert.equal(theirs.waits_for, undefined);
    await happens('the rating of who was paid counts', () => scoreOf(bob));
    assert.equal(await scoreOf(alice), undefined);
    await bob.client.deliver({ conversation_id, content: 'after all' });
    await happens('the rating of who paid counts', () => scoreOf(alice));
  });

  it('waits for nothing where the node of who paid reports the offers', async () => {
    const { carol } = mesh.nodes;
    const conversation_id = await released(carol);
    assert.equal((await rate(carol, conversation_id)).waits_for, undefined);
    await happens('it counts', () => scoreOf(carol));
  });
});

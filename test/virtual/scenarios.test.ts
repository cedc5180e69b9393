import assert from 'node:assert/strict';
import { DAY, HOUR, MINUTE, SECOND, type VirtualMember, VirtualMesh } from './support/mesh.ts';
import { trader } from './support/trader.ts';

/** What only days show: nobody can wait for them, and nothing here is made to wait less. */
describe('days of a mesh', function () {
  this.timeout(300_000);
  let mesh: VirtualMesh;

  async function start(agents: number, hubs = 0): Promise<VirtualMember[]> {
    mesh = new VirtualMesh({ seed: 'days', agents, hubs });
    await mesh.start();
    await mesh.time.pass(MINUTE);
    return mesh.agents;
  }

  function call<T>(work: Promise<T>): Promise<T> {
    return mesh.time.until(work);
  }

  async function accepted(requester: VirtualMember, provider: VirtualMember, terms: object = {}): Promise<string> {
    const wish = { recipient: provider.id, amount_usdc: '0', message: 'Count the words.', ...terms };
    const { conversation_id } = await call(requester.client.propose(wish));
    await mesh.time.pass(10 * SECOND);
    await call(provider.client.accept({ conversation_id }));
    await mesh.time.pass(10 * SECOND);
    return conversation_id;
  }

  async function stateAt(member: VirtualMember, conversation: string): Promise<string> {
    const { state, reason } = await call(member.client.deal(conversation));
    return [state, ...(reason ? [reason] : [])].join(' ');
  }

  afterEach(() => mesh.stop());

  it('a deal whose provider never delivers ends at its deadline on both sides, while nobody looks', async () => {
    const [alice, bob] = await start(2);
    const conversation = await accepted(alice!, bob!, { deadline_secs: (5 * DAY) / SECOND });
    await mesh.time.pass(5 * DAY - MINUTE);
    for (const one of [alice!, bob!]) assert.equal(await stateAt(one, conversation), 'accepted');
    await mesh.time.pass(2 * MINUTE);
    for (const one of [alice!, bob!]) assert.equal(await stateAt(one, conversation), 'expired not_delivered');
    await mesh.time.pass(4 * DAY);
    const { next_timer } = await call(alice!.client.deal(conversation));
    assert.equal(next_timer, null, 'it is final: no envelope of before the deadline can be on its way any more');
  });

  it('a good name fades when its agent has no deals, and the leaderboard follows without being asked', async () => {
    const [alice, bob] = await start(2);
    const conversation = await accepted(alice!, bob!);
    await call(bob!.client.deliver({ conversation_id: conversation, content: 'three' }));
    await mesh.time.pass(MINUTE);
    await call(alice!.client.feedback({ conversation_id: conversation, score: 90 }));
    await mesh.time.pass(MINUTE);
    const fresh = (await call(mesh.aggregator.reputation(bob!.id)))!;
    assert.equal(fresh.idle.factor, 1);
    await mesh.time.pass(6 * DAY);
    const rested = (await call(mesh.aggregator.reputation(bob!.id)))!;
    assert.equal(rested.idle.factor, 1, 'six epochs are free');
    await mesh.time.pass(14 * DAY);
    const idle = (await call(mesh.aggregator.reputation(bob!.id)))!;
    assert.ok(idle.idle.epochs >= 13, `${idle.idle.epochs} idle epochs`);
    assert.deepEqual([fresh.score, rested.score, idle.score], [1, 1, 0]);
    const [leader] = await call(mesh.aggregator.leaderboard());
    assert.equal(leader!.agent_id, bob!.id);
  });

  it('what an agent says of itself is repeated every day, and again when its node comes back', async () => {
    const [alice, bob] = await start(2);
    await call(alice!.client.advertise({ capabilities: ['translate'] }));
    const heard = async () => {
      await mesh.time.pass(MINUTE);
      const { frames } = await call(bob!.client.inboxPage({ limit: 200 }));
      return frames.filter(({ msg_type, sender }) => msg_type === 'ADVERTISE' && sender === alice!.id).length;
    };
    assert.equal(await heard(), 1);
    await mesh.time.pass(3 * DAY + 8 * HOUR);
    assert.equal(await heard(), 4);
    await alice!.stop();
    await alice!.start();
    assert.equal(await heard(), 5);
  });

  it('what cannot be delivered is tried for four epochs with growing pauses, and then given up', async () => {
    const [alice, bob] = await start(2);
    await bob!.stop();
    const { envelope_id, status } = await call(
      alice!.client.propose({ recipient: bob!.id, amount_usdc: '0', message: 'Are you there?' }),
    );
    assert.equal(status, 'queued');
    await mesh.time.pass(4 * DAY - HOUR);
    const waiting = await call(alice!.client.trace(envelope_id));
    assert.equal(waiting.status, 'queued');
    await mesh.time.pass(2 * HOUR);
    const over = await call(alice!.client.trace(envelope_id));
    assert.equal(over.status, 'expired');
    assert.equal(over.hops.at(-1)!.event, 'expired');
    await bob!.start();
    await mesh.time.pass(DAY);
    assert.equal((await call(alice!.client.trace(envelope_id))).status, 'expired');
    assert.deepEqual((await call(bob!.client.deals())).deals, []);
  });

  it('who comes back within four epochs gets what was said meanwhile, in order', async () => {
    const [alice, bob] = await start(2);
    const conversation = await accepted(alice!, bob!);
    await alice!.stop();
    await call(bob!.client.deliver({ conversation_id: conversation, content: 'three' }));
    await mesh.time.pass(3 * DAY);
    await alice!.start();
    await mesh.time.pass(10 * MINUTE);
    assert.equal(await stateAt(alice!, conversation), 'settled');
    const types = (await call(alice!.client.inboxPage())).frames.map(({ msg_type }) => msg_type);
    assert.deepEqual(types, ['ACCEPT', 'DELIVER']);
  });

  it('agents come and go for days, and in the end both sides of every deal agree', async () => {
    mesh = new VirtualMesh({
      ...{ seed: 'coming and going', agents: 5, hubs: 1 },
      plugins: (member) => [trader(() => mesh, member, { every: 4 * HOUR })],
    });
    await mesh.start();
    const random = mesh.random.branch('comings');
    for (let turn = 0; turn < 12; turn++) {
      await mesh.time.pass(random.below(4 * HOUR));
      const member = random.pick([...mesh.agents, mesh.members.get('hub-0')!]);
      if (member.up) await member.stop();
      else await member.start();
    }
    for (const member of mesh.members.values()) if (!member.up) await member.start();
    await mesh.time.pass(4 * DAY);
    const seen = new Map<string, string[]>();
    for (const { client } of mesh.agents) {
      const { deals } = await call(client.deals({ limit: 200 }));
      for (const deal of deals) {
        // What is still moving is not compared: proposals go on to the end.
        if (deal.next_timer === null)
          seen.set(deal.conversation_id, [...(seen.get(deal.conversation_id) ?? []), deal.state]);
      }
    }
    const both = [...seen.values()].filter((states) => states.length === 2);
    assert.ok(both.length > 10, `only ${both.length} deals came to an end`);
    assert.deepEqual(
      both.filter(([one, other]) => one !== other),
      [],
    );
  });
});

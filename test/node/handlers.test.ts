import assert from 'node:assert/strict';
import { letters } from '../../core/messaging/inbox-records.ts';
import { InboxService } from '../../core/node/services/inbox.ts';
import { NodeSpace } from '../../core/node/services/messaging.ts';
import { definePlugin } from '../../core/plugin.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';

/** A plugin that notes the proposals it is given, and can be told to hang or to fail. */
function notary() {
  const state = { seen: [] as string[], beacons: 0, hang: false, fail: false };
  const plugin = definePlugin({
    name: 'notes',
    api: '2.0',
    permissions: ['messages:read'],
    node: {
      envelopes: { PROPOSE: true, DISCOVER: true, BEACON: true },
      setup: () => ({
        envelopes: {
          async PROPOSE({ id }) {
            state.seen.push(id);
            if (state.fail) throw new Error('out of ink');
            if (state.hang) await new Promise(() => {});
          },
          DISCOVER({ id }) {
            state.seen.push(id);
          },
          BEACON() {
            state.beacons += 1;
          },
        },
      }),
    },
  });
  return { plugin, state };
}

describe('a plugin’s handlers of envelopes', function () {
  this.timeout(90_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  const { plugin, state } = notary();
  before(async () => {
    mesh = await startMesh({ nodes: ['bob', 'alice'], storage: 'lowdb', plugins: { bob: [plugin] } });
    ({ alice, bob } = mesh.nodes);
  });
  after(() => mesh.stop());

  const offer = async () => {
    const wish = { recipient: bob.id, amount_usdc: '1', message: 'Count.' };
    const { envelope_id, status } = await alice.client.propose(wish);
    assert.equal(status, 'delivered');
    return envelope_id;
  };
  const seen = (id: string, times = 1) =>
    happens('the handler is called', async () => state.seen.filter((one) => one === id).length >= times || undefined);
  const kept = async () => (await bob.node.get(NodeSpace).page(letters)).length;

  it('get what is addressed to the agent, and what is broadcast', async () => {
    await seen(await offer());
    const { envelope_id } = await alice.client.send({ msg_type: 'DISCOVER', payload: { query: 'x' } });
    await seen(envelope_id);
  });

  it('get what is not kept, too', async () => {
    await alice.restart();
    await happens('a BEACON is handed over', async () => state.beacons > 0 || undefined);
  });

  it('that throw do not stop the next envelope', async () => {
    state.fail = true;
    await seen(await offer());
    state.fail = false;
    await seen(await offer());
    const metrics = await (await fetch(`${bob.url}/metrics`)).text();
    assert.match(metrics, /mesh_envelope_handler_failures_total\{plugin="notes",type="PROPOSE"\} 1/);
  });

  it('get an envelope again when the node stopped before they were done, acknowledged or not', async () => {
    state.hang = true;
    const id = await offer();
    const behind = await offer();
    await seen(id);
    assert.ok(!state.seen.includes(behind), 'one after the other');
    await bob.client.acknowledge(bob.node.get(InboxService).newest);
    assert.ok((await kept()) >= 2, 'what was acknowledged is still there');
    const frames = bob.watch('/ws/inbox?unacked=1');
    await new Promise((wait) => setTimeout(wait, 100));
    assert.deepEqual(frames.frames, []);
    frames.socket.close();

    await bob.stop().catch((error: Error) => assert.match(error.message, /closing failed/));
    state.hang = false;
    await bob.start();
    await seen(id, 2);
    await seen(behind);
    await happens('both are forgotten', async () => ((await kept()) === 0 ? true : undefined));
  });
});

import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import { Store } from '../../core/internal-services.ts';
import { inboxState } from '../../core/messaging/inbox-records.ts';
import { InboxService } from '../../core/node/services/inbox.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { newConversation, TestAgent } from '../aggregator/support/agent.ts';
import { proposed } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { heldBytes } from '../support/held-memory.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { watch } from '../support/sockets.ts';
import { network, Stranger } from '../support/stranger.ts';

const LETTERS = 100_000;
/** How many of them are of strangers, from many addresses: about as many as their bytes allow. */
const OF_STRANGERS = 40_000;
const MIB = 1024 * 1024;
const LOT = 1_000;
/** What a person waits for without wondering; ten times what it takes on a quiet machine. */
const SOON = 1_000;

describe('an inbox of a hundred thousand letters', function () {
  this.timeout(240_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  let held = 0;
  let empty = 0;

  before(async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'], storage: 'lowdb' });
    ({ alice, bob } = mesh.nodes);
    empty = await timed(() => alice.restart());
    held = heldBytes();
    await fill();
  });
  after(() => mesh.stop());

  async function timed(run: () => Promise<unknown>): Promise<number> {
    const begin = performance.now();
    await run();
    return performance.now() - begin;
  }

  /** Writes letters into the node's own store, as the node itself would have over months. */
  async function fill(): Promise<void> {
    const space = alice.node.get(Store).space('node');
    const inbox = alice.node.get(InboxService);
    const to = { identity: { key: parseAgentId(alice.id)! } } as TestAgent;
    const senders = Array.from({ length: 200 }, (_, index) => new TestAgent(`sender ${index}`, Date.now, network));
    const wires = senders.map((from) =>
      from.sign('NOTARIZE_ASSIGN', {
        to,
        conversation: newConversation(),
        payload: { verifier: alice.id, opaque_b64: '' },
      }),
    );
    for (let count = inbox.newest; count < LETTERS; count += LOT) {
      const { value, ids } = await space.tx([inboxState], (tx) => {
        let cursor = 0;
        for (let index = count; index < count + LOT; index += 1) {
          const wire = wires[index % wires.length]!;
          const stranger = index < OF_STRANGERS && { stranger: `10.0.${index % 50}.1` };
          const conversation_id = Buffer.from(wire.envelope.conversationId!).toString('hex');
          const about = { msg_type: wire.envelope.msgType, conversation_id, received_at: tx.now, ...stranger };
          const envelope_id = index.toString(16).padStart(64, '0');
          cursor = inbox.append(tx, { envelope_id, ...about, bytes: wire.whole.envelope_b64 }, false);
        }
        return cursor;
      });
      inbox.appended(value, ids.at(-1)!, false);
    }
  }

  it('is opened at the start of a node within seconds, in bounded memory', async () => {
    const took = await timed(() => alice.restart());
    assert.ok(took < empty + 10 * SOON, `it took ${Math.round(took)} ms instead of ${Math.round(empty)}`);
    const grown = heldBytes() - held;
    assert.ok(grown < 250 * MIB, `${grown / MIB} MiB for ${LETTERS} letters`);
  });

  it('is read page by page anywhere, at once, and every letter once', async () => {
    for (const since of [0, 1, 50_000, LETTERS - 200]) {
      const took = await timed(async () => {
        const { frames } = await alice.client.inboxPage({ since, limit: 200 });
        assert.deepEqual([frames[0]!.cursor, frames.length], [since + 1, 200]);
      });
      assert.ok(took < SOON, `a page behind ${since} took ${took} ms`);
    }
    const conversation = (await alice.client.inboxPage({ since: 0, limit: 1 })).frames[0]!.conversation_id;
    const took = await timed(async () => {
      const { frames } = await alice.client.inboxPage({ since: 90_000, limit: 10, conversation_id: conversation });
      assert.equal(frames.length, 10);
    });
    assert.ok(took < SOON, `a page of one conversation took ${took} ms`);
  });

  it('is connected to at once, in the middle and at the end, and a watcher who does not read costs little', async () => {
    const headers = { authorization: `Bearer ${alice.secret}` };
    for (const since of [0, 60_000, LETTERS - 10]) {
      const took = await timed(async () => {
        const { until, frames, socket } = watch(`${alice.url}/ws/inbox?since=${since}`, [], { headers });
        await until(10);
        assert.equal(frames[0].cursor, since + 1);
        socket.terminate();
      });
      assert.ok(took < SOON, `the first letters behind ${since} took ${took} ms`);
    }
    const sofar = heldBytes();
    const idle = Array.from({ length: 50 }, () => {
      const socket = new WebSocket(`${alice.url.replace('http', 'ws')}/ws/inbox?since=0`, { headers });
      socket.once('open', () => socket.pause());
      return socket;
    });
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('open', resolve))));
    await alice.client.identity();
    const grown = heldBytes() - sofar;
    for (const socket of idle) socket.terminate();
    assert.ok(grown < 40 * MIB, `${grown / MIB} MiB for 50 watchers`);
  });

  it('leaves the owner at work: deals go on, and no more letters are taken than fit', async () => {
    const took = await timed(() => alice.client.propose({ recipient: bob.id, amount_usdc: '1', message: 'Count.' }));
    assert.ok(took < SOON, `a proposal took ${took} ms`);
    const stranger = await Stranger.start(`late ${newConversation()}`, [alice]);
    const offer = stranger.sign('PROPOSE', {
      to: { identity: { key: parseAgentId(alice.id)! } } as TestAgent,
      conversation: newConversation(),
      payload: { amount_usdc_micro: 1n, message: 'Buy.', max_rounds: 2 },
    });
    assert.deepEqual(await stranger.send(alice, offer), { outcome: 'acked', reason: 'rate-limited' });
    await stranger.stop();
  });

  it('is acknowledged at once, and takes letters again', async () => {
    const half = await timed(() => alice.client.acknowledge(LETTERS / 2));
    assert.ok(half < 5 * SOON, `half of it took ${half} ms`);
    assert.equal((await alice.client.inboxPage({ limit: 1 })).frames[0]!.cursor, LETTERS / 2 + 1);
    await proposed(bob, alice);
    const rest = await timed(() => alice.client.acknowledge(LETTERS * 2));
    assert.ok(rest < 5 * SOON, `the rest took ${rest} ms`);
    assert.deepEqual((await alice.client.inboxPage({})).frames, []);
    await happens('its memory is given back', async () => heldBytes() - held < 60 * MIB || undefined);
    await alice.restart();
    await proposed(bob, alice);
  });
});

import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import { SPACE } from '../../core/aggregator/providers.ts';
import { activity } from '../../core/aggregator/store/logs.ts';
import { Store } from '../../core/internal-services.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { newConversation, type TestAgent } from '../aggregator/support/agent.ts';
import { delivered } from '../support/deals.ts';
import { happens } from '../support/happens.ts';
import { heldBytes } from '../support/held-memory.ts';
import { Stranger } from '../support/stranger.ts';
import { together, upgrade } from './support/hands.ts';
import { Target } from './support/target.ts';

const STALLED = 4;
/** More than the kernel takes for a connection that nobody reads: 18 MB in frames of 300 bytes, and in those of 10 kB. */
const EVENTS = 60_000;
const WRITERS = 6;
const LETTERS = 200;

/** Bytes that the whole process may hold more while they stall: what waits is at most a few frames for each. */
const MOST_KEPT = 48 * 1024 * 1024;

/** Milliseconds until all have been filled up and given up. */
const PATIENCE = 45_000;

/** Whether the half minute that a stalled reader is given passes in three seconds. A busy machine stalls honest ones as long. */
let hurry = false;
const hurried = {
  ...systemClock,
  after: (ms: number, run: () => void) => systemClock.after(hurry && ms === 30_000 ? 3_000 : ms, run),
};

describe('a mesh whose readers stall', function () {
  this.timeout(120_000);
  let target: Target;

  beforeEach(async () => {
    hurry = false;
    target = await Target.start(hurried);
  });
  afterEach(() => target.stop());

  /** Readers of a stream that never read. */
  async function stalled(url: string, headers: Record<string, string> = {}): Promise<WebSocket[]> {
    const opened = await Promise.all(Array.from({ length: STALLED }, () => upgrade(url, headers)));
    return opened.map((socket) => {
      assert.ok(socket instanceof WebSocket, `refused with ${socket}`);
      socket.pause();
      return socket;
    });
  }

  /** Trades until all of them were given up; what that took of memory, and of honest calls. */
  async function givenUp(route: string, readers: () => Promise<WebSocket[]>): Promise<void> {
    hurry = true;
    const { alice, bob } = target.mesh.nodes;
    const counted = new RegExp(`mesh_sockets_closed_total\\{route="WS ${route}",code="4008"\\}`);
    let sockets: WebSocket[] = [];
    let settled = 0;
    const before = heldBytes();
    let most = before;
    const weathered = await target.weather({
      hands: STALLED,
      async run(done) {
        sockets = await readers();
        await happens(
          'the stalled readers are given up',
          async () => {
            const conversation = await delivered(alice, bob, { amount_usdc: '0' });
            await alice.dealWhen(conversation, 'settled');
            settled += 1;
            most = Math.max(most, heldBytes());
            done();
            return (await target.counted(counted)) >= STALLED || undefined;
          },
          PATIENCE,
        );
      },
    });
    assert.equal(await target.counted(counted), STALLED);
    assert.ok(settled > 0 && weathered.answered > 10);
    assert.ok(most - before < MOST_KEPT, `the process holds ${(most - before) >> 20} MiB more`);
    for (const socket of sockets) socket.terminate();
  }

  it('of /ws/activity: they are closed with 4008, and a reader beside them gets every event', async () => {
    const { url } = target.mesh.aggregatorNode;
    const { alice, bob } = target.mesh.nodes;
    const about = { agent_id: bob.id, target_agent_id: alice.id, conversation_id: newConversation() };
    const event = { event_type: 'FEEDBACK', ...about, score: 90, slot: 250_000_000, at: Date.now() } as const;
    const space = target.mesh.aggregatorNode.get(Store).space(SPACE);
    for (let left = EVENTS; left > 0; left -= 500) {
      await space.tx([], (tx) => {
        for (let one = 0; one < 500; one++) tx.append(activity, event);
      });
    }
    const ids: number[] = [];
    const reader = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/activity?since=0`);
    reader.on('message', (data) => ids.push(JSON.parse(String(data)).id));
    let closed: number | undefined;
    reader.on('close', (code) => {
      closed = code;
    });
    await happens(
      'the reader is up to date',
      async () => {
        assert.equal(closed, undefined, `the reader was closed after ${ids.length} events`);
        return ids.length >= EVENTS || undefined;
      },
      PATIENCE,
    );
    await givenUp('/ws/activity', () => stalled(`${url}/ws/activity?since=0`));
    const [newest] = await target.mesh.aggregator.activity({ limit: 1 });
    await happens('the reader has the newest event', async () => ids.at(-1)! >= newest!.id || undefined);
    assert.deepEqual(
      ids,
      ids.map((_, index) => index + 1),
    );
    assert.ok(ids.length > EVENTS);
    reader.terminate();
  });

  it('of /ws/inbox: they are closed with 4008, and a reader beside them gets every envelope', async () => {
    const { bob } = target.mesh.nodes;
    const to = { identity: { key: parseAgentId(bob.id)! } } as TestAgent;
    const payload = { amount_usdc_micro: 0n, message: 'x'.repeat(4_096), max_rounds: 2 };
    for (let index = 0; index < WRITERS; index++) {
      const writer = await Stranger.start(`writer ${index}`, [bob]);
      await together(50, LETTERS, async () => {
        const letter = writer.sign('PROPOSE', { to, conversation: newConversation(), payload });
        assert.deepEqual(await writer.send(bob, letter), { outcome: 'acked', reason: 'accepted' });
      });
      await writer.stop();
    }
    const headers = { authorization: `Bearer ${bob.secret}` };
    const cursors: number[] = [];
    const reader = new WebSocket(`${bob.url.replace(/^http/, 'ws')}/ws/inbox?since=0`, { headers });
    reader.on('message', (data) => cursors.push(JSON.parse(String(data)).cursor));
    await happens('the reader is up to date', async () => cursors.length >= WRITERS * LETTERS || undefined);
    await givenUp('/ws/inbox', () => stalled(`${bob.url}/ws/inbox?since=0`, headers));
    await happens('the reader has all', async () => cursors.length > WRITERS * LETTERS || undefined);
    assert.deepEqual(
      cursors,
      [...cursors].sort((one, other) => one - other),
    );
    reader.terminate();
  });
});

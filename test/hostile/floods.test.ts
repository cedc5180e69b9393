import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { WebSocket } from 'ws';
import { certifierOf } from '../../core/host/wiring/certifier.ts';
import type { Frame } from '../../core/mesh/frames/frames.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { newConversation, TestAgent } from '../aggregator/support/agent.ts';
import { RawPeer } from '../mesh/raw-peer.ts';
import { happens } from '../support/happens.ts';
import { heldBytes } from '../support/held-memory.ts';
import { network } from '../support/stranger.ts';
import { ATTACKER, garbage, upgrade } from './support/hands.ts';
import { isBounded, SOCKETS_PER_IP, Target } from './support/target.ts';

/** Seconds that each flood lasts at full rate; more of them change nothing but the patience it takes. */
const SECONDS = Number(process.env['FLOOD_SECONDS'] ?? 4);
const HANDS = 16;
const MIB = 1024 * 1024;
/** Bytes that the process, attackers included, may still hold when a flood is over: what is remembered of it. */
const MOST_KEPT = 48 * MIB;
/** An honest call is answered within this, however much is thrown at the server by as many hands. */
const PATIENCE = 5_000;

interface Flood {
  readonly name: string;
  /** Fewest hostile acts that make it one. */
  readonly least: number;
  /** One hand's work until `over` says so; calls `done` after each act. */
  hand(target: Target, over: () => boolean, done: () => void, index: number): Promise<void>;
}

function caller(agent: Agent) {
  return (url: string, method: string, body?: string) =>
    new Promise<number>((resolve) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const call = request(url, { method, agent, localAddress: ATTACKER, headers }, (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode!));
        answer.once('error', () => resolve(0));
      });
      call.once('error', () => resolve(0));
      call.end(body);
    });
}

/** A peer with a key of its own and a proven session. */
async function insider(url: string): Promise<RawPeer> {
  const peer = await RawPeer.connect(`${url.replace(/^http/, 'ws')}/mesh`);
  return peer.open({ certifier: certifierOf(identityFromSeed(randomBytes(32)), network), network: network.id });
}

/** Every kind of frame that a peer may say, over and over. */
function frameOf(index: number, circuit: number): Frame {
  switch (index % 6) {
    case 0:
      return { type: 'envelope', envelope: garbage(300) };
    case 1:
      return { type: 'broadcast', envelope: garbage(300), topic: `t${index}` };
    case 2:
      return { type: 'lookup', keys: [garbage(32)] };
    case 3:
      return { type: 'subscribe', topics: [`t${index % 60}`] };
    case 4:
      return { type: 'reserve', seconds: index % 100 };
    default:
      return { type: 'circuit-data', circuit, message: garbage(200) };
  }
}

const FLOODS: Flood[] = [
  {
    name: 'frames',
    least: 2_000,
    async hand({ mesh }, over, done, index) {
      const url = index % 2 ? mesh.aggregatorNode.url : mesh.nodes.alice.url;
      while (!over()) {
        const peer = await insider(url).catch(() => undefined);
        for (let count = 0; peer && peer.reason === undefined && !over(); count += 1) {
          peer.say(frameOf(count + index, 2 * count + 1));
          done();
          if (count % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
          while (peer.link.buffered > MIB && peer.reason === undefined)
            await new Promise((resolve) => setTimeout(resolve, 5));
        }
        await peer?.close();
      }
    },
  },
  {
    name: 'handshakes of keys that nobody knows',
    least: 50,
    async hand({ mesh }, over, done, index) {
      while (!over()) {
        const peer = await insider(index % 2 ? mesh.aggregatorNode.url : mesh.nodes.alice.url).catch(() => undefined);
        await peer?.close();
        done();
      }
    },
  },
  {
    name: 'HTTP calls',
    least: 2_000,
    async hand({ mesh }, over, done, index) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const call = caller(agent);
      const { alice } = mesh.nodes;
      for (let count = index; !over(); count += 1) {
        const aggregator = mesh.aggregatorNode.url;
        if (count % 5 === 0) await call(`${alice.url}/nothing/${count}`, 'GET');
        else if (count % 5 === 1) await call(`${alice.url}/negotiate/propose`, 'POST', '{"recipient":1}');
        else if (count % 5 === 2) await call(`${aggregator}/agents/${count}/profile`, 'GET');
        else if (count % 5 === 3) await call(`${aggregator}/activity?limit=200&before=${count}`, 'GET');
        else await call(`${aggregator}/agents/search/name?q=${count}`, 'GET');
        done();
      }
      agent.destroy();
    },
  },
  {
    name: 'activity sockets that are opened, not read and left',
    least: 500,
    async hand({ mesh }, over, done) {
      const open: WebSocket[] = [];
      while (!over()) {
        const socket = await upgrade(`${mesh.aggregatorNode.url}/ws/activity?since=0`);
        if (socket instanceof WebSocket) {
          socket.pause();
          open.push(socket);
        } else assert.equal(socket, 429);
        if (open.length > SOCKETS_PER_IP / HANDS) open.shift()!.terminate();
        done();
      }
      for (const socket of open) socket.terminate();
    },
  },
  {
    name: 'ingest reports, valid and not',
    least: 200,
    async hand({ mesh }, over, done, index) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const call = caller(agent);
      const one = new TestAgent(`flood ${newConversation()}`, Date.now, network);
      const other = new TestAgent(`flood ${newConversation()}`, Date.now, network);
      for (let count = index; !over(); count += 1) {
        const payload = { amount_usdc_micro: 1n, message: 'Count.', max_rounds: 2 };
        const wire = one.sign('PROPOSE', { to: other, conversation: newConversation(), payload });
        const noise = Array.from({ length: 20 }, () => ({ envelope_b64: garbage(300).toString('base64') }));
        const items = count % 2 ? [wire.receipt, wire.receipt] : [wire.whole, ...noise];
        await call(`${mesh.aggregatorNode.url}/ingest/envelopes`, 'POST', JSON.stringify({ items }));
        done();
      }
      agent.destroy();
    },
  },
];

describe('a flood', function () {
  this.timeout(60_000 + FLOODS.length * (SECONDS + 10) * 1_000);
  let target: Target;
  before(async () => {
    target = await Target.start();
  });
  after(() => target.stop());

  for (const { name, least, hand } of FLOODS) {
    it(`of ${name}: bounded memory while it lasts and after it, and others are served`, async () => {
      const held = heldBytes();
      const end = performance.now() + SECONDS * 1_000;
      let slowest = 0;
      let watching = true;
      const watch = (async () => {
        while (watching) {
          const begin = performance.now();
          await target.mesh.nodes.bob.client.identity();
          await target.mesh.aggregator.stats();
          slowest = Math.max(slowest, performance.now() - begin);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      })();
      const weathered = await target.weather({
        hands: HANDS,
        async run(done) {
          let actions = 0;
          // A slow machine floods for longer.
          const over = () => performance.now() > end && actions >= least;
          const act = () => {
            actions += 1;
            done();
          };
          await Promise.all(Array.from({ length: HANDS }, (_, index) => hand(target, over, act, index)));
        },
      });
      watching = false;
      await watch;
      assert.ok(weathered.actions >= least, `only ${weathered.actions}`);
      assert.ok(isBounded(weathered), `the process grew by ${weathered.grown / MIB} MiB`);
      assert.ok(slowest < PATIENCE, `an honest call took ${Math.round(slowest)} ms`);
      await happens('nothing of it is open', async () => {
        const open = await target.counted(/^mesh_(sockets_open|relay_circuits|stream_unsent_bytes) /);
        // The nodes keep sessions with each other and the hub.
        return open <= 8 || undefined;
      });
      let kept = Number.POSITIVE_INFINITY;
      await happens(
        'its memory is given back',
        async () => {
          kept = heldBytes() - held;
          return kept < MOST_KEPT || undefined;
        },
        15_000,
      ).catch(() => assert.fail(`${kept / MIB} MiB are kept`));
    });
  }
});

import assert from 'node:assert/strict';
import type { Located } from '../../core/mesh/frames/relay-frames.ts';
import type { MeshLimits } from '../../core/mesh/limits.ts';
import { Lookups } from '../../core/mesh/relay/lookups.ts';
import { RelayLeg } from '../../core/mesh/relay/relay-leg.ts';
import { systemClock } from '../../core/platform/system-clock.ts';
import { idOf, makeEnvelope, pause, TestMesh, type TestNode } from '../mesh/mesh-fixture.ts';
import { eventually } from '../support/eventually.ts';

const LETTERS = 15;
const IMPATIENT: Partial<MeshLimits> = { handshakeMs: 500, ackMs: 500, lookupMs: 300, pingMs: 300, upgradeTries: 0 };
/** The hostile hub says that it is so much later, less than what anybody would stop for. */
const LIE = 20_000;

/** Bytes of a letter: more than any message of a handshake. */
const LETTER = 2_000;

type Pass = (message: Uint8Array) => void;
type Meddle = (message: Uint8Array, pass: Pass, random: () => number, seen: Uint8Array[]) => void;

/** The same numbers from 0 to 1 in every run. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const often = (random: () => number) => random() < 0.15;

const MEDDLING: Record<string, Meddle> = {
  drops(message, pass, random) {
    if (!often(random)) pass(message);
  },
  delays(message, pass, random) {
    if (often(random)) setTimeout(pass, 700, message);
    else pass(message);
  },
  reorders(message, pass, random, seen) {
    const held = seen.pop();
    if (!held && often(random)) return void seen.push(message);
    pass(message);
    if (held) pass(held);
  },
  duplicates(message, pass, random) {
    pass(message);
    if (often(random)) pass(message);
  },
  mutates(message, pass, random) {
    if (often(random)) message[Math.floor(random() * message.length)]! ^= 1 << Math.floor(random() * 8);
    pass(message);
  },
  truncates(message, pass, random) {
    pass(often(random) ? message.subarray(0, Math.floor(random() * message.length)) : message);
  },
  'replays what it carried before'(message, pass, random, seen) {
    seen.push(message);
    pass(message);
    if (often(random)) pass(seen[Math.floor(random() * seen.length)]!);
  },
};

describe('a hub in the middle', function () {
  this.timeout(120_000);
  let world: TestMesh;
  const undo: (() => void)[] = [];
  beforeEach(() => {
    world = new TestMesh();
  });
  afterEach(async () => {
    for (const restore of undo.splice(0)) restore();
    await world.close();
  });

  function meddle(how: Meddle, seed: number): void {
    const { data } = RelayLeg.prototype;
    const random = dice(seed);
    const seen = new WeakMap<RelayLeg, Uint8Array[]>();
    RelayLeg.prototype.data = function (this: RelayLeg, message: Uint8Array) {
      const pass = (bytes: Uint8Array) => {
        try {
          data.call(this, Uint8Array.from(bytes));
        } catch {
          // More than the window: a hub that makes up messages finds that out by itself.
        }
      };
      // Of the hub that lies about its time.
      if (this.circuit.session.openedAt < Date.now() + LIE / 2) return pass(message);
      if (!seen.has(this)) seen.set(this, []);
      how(Uint8Array.from(message), pass, random, seen.get(this)!);
    };
    undo.push(() => {
      RelayLeg.prototype.data = data;
    });
  }

  const hostile = () =>
    world.node({ seed: 100, hub: true, clock: { ...systemClock, now: () => Date.now() + LIE }, limits: IMPATIENT });

  async function leaves(hubs: readonly TestNode[]): Promise<[TestNode, TestNode]> {
    const urls = hubs.map(({ url }) => ({ url }));
    const made = [await world.node({ seed: 1, hubs: urls, limits: IMPATIENT })];
    made.push(await world.node({ seed: 2, hubs: urls, limits: IMPATIENT }));
    await eventually(() => hubs.every(({ mesh }) => mesh.stats().slots === 2));
    return made as [TestNode, TestNode];
  }

  const hex = (envelope: Uint8Array) => Buffer.from(idOf(envelope)).toString('hex');

  /** Sends each letter until it is acknowledged, as an outbox does; gives how often that took more than one attempt. */
  async function correspond(from: TestNode, to: TestNode, letters: number, until = 60_000): Promise<number> {
    const end = Date.now() + until;
    const sent = new Set<string>();
    let again = 0;
    for (let index = 0; index < letters; index += 1) {
      const envelope = makeEnvelope(from.key, LETTER);
      sent.add(hex(envelope));
      for (let outcome = ''; outcome !== 'acked'; ) {
        assert.ok(Date.now() < end, `only ${index} of ${letters} letters arrived`);
        ({ outcome } = await from.mesh.deliver(to.key, envelope, idOf(envelope)));
        if (outcome === 'acked') continue;
        again += 1;
        await pause(60);
      }
      const arrived = to.received.filter((one) => hex(one.envelope) === hex(envelope));
      assert.ok(arrived.length >= 1, 'acknowledged, and never arrived');
    }
    for (const { envelope, from: sender } of to.received) {
      assert.ok(sent.has(hex(envelope)), 'nobody has sent what arrived');
      assert.deepEqual(sender.key, from.key);
    }
    return again;
  }

  for (const [name, how] of Object.entries(MEDDLING)) {
    it(`that ${name}: nothing forged is taken, nothing acknowledged that did not arrive, and all arrives in the end`, async () => {
      const hub = await hostile();
      const [alice, bob] = await leaves([hub]);
      meddle(how, 7);
      await correspond(alice, bob, LETTERS);
      for (const { mesh } of [alice, bob]) assert.equal(mesh.stats().handshakes, 0);
    });
  }

  it('that carries handshakes and nothing else: the letters take the other hub', async () => {
    const hubs = [await hostile(), await world.node({ seed: 101, hub: true, limits: IMPATIENT })];
    const [alice, bob] = await leaves(hubs);
    meddle((message, pass) => void (message.length < LETTER && pass(message)), 1);
    await correspond(alice, bob, 3, 20_000);
    assert.ok(hubs[1]!.mesh.stats().circuitsOpened > 0);
  });

  it('that says of everybody that they are there, or nobody: the letters take the other hub', async () => {
    for (const lie of [true, false]) {
      const hubs = [await hostile(), await world.node({ seed: 101, hub: true, limits: IMPATIENT })];
      const [alice, bob] = await leaves(hubs);
      const { answered } = Lookups.prototype;
      Lookups.prototype.answered = function (this: Lookups, session, found: readonly Located[]) {
        const lies = session.welcome?.name === 'node 100';
        answered.call(this, session, lies ? found.map(({ key }) => ({ key, session: lie, slot: lie })) : found);
      };
      undo.push(() => {
        Lookups.prototype.answered = answered;
      });
      if (lie) meddle(() => {}, 1);
      await correspond(alice, bob, 3, 20_000);
      assert.ok(hubs[1]!.mesh.stats().circuitsOpened > 0);
      const nobody = await world.node({ seed: 9 });
      const envelope = makeEnvelope(alice.key);
      assert.deepEqual(await alice.mesh.deliver(nobody.key, envelope, idOf(envelope)), { outcome: 'unreachable' });
      for (const restore of undo.splice(0)) restore();
      await world.close();
      world = new TestMesh();
    }
  });
});

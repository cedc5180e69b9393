import assert from 'node:assert/strict';
import { Reachability } from '../../core/mesh/dial/reachability.ts';
import { readFrames } from '../../core/mesh/frames/frame-reader.ts';
import { writeFrame } from '../../core/mesh/frames/frame-writer.ts';
import { type Frame, FrameError } from '../../core/mesh/frames/frames.ts';
import { HUB_LIMITS, LEAF_LIMITS } from '../../core/mesh/limits.ts';
import { MeshCounters } from '../../core/mesh/mesh-counters.ts';
import { CircuitTable, WINDOW } from '../../core/mesh/relay/circuit.ts';
import { Relay } from '../../core/mesh/relay/relay.ts';
import { RelayLink } from '../../core/mesh/relay/relay-link.ts';
import type { Session } from '../../core/mesh/session/session.ts';
import { VirtualClock } from './virtual-clock.ts';

/** A session of which only the frames are looked at. */
function fakeSession(given: { key?: Uint8Array; remote?: string; dialled?: boolean } = {}) {
  const said: Frame[] = [];
  const { key = new Uint8Array(32), remote = 'hub', dialled = true } = given;
  const offer = (frame: Uint8Array) => said.push(...([...readFrames(frame)] as Frame[])) > 0;
  return { said, session: { peer: { key }, remote, dialled, open: true, offer } as unknown as Session };
}

describe('a hub that breaks the rules', () => {
  const clock = new VirtualClock();

  it('cannot credit a circuit with more than it carried', () => {
    const { session } = fakeSession();
    const table = new CircuitTable(session, 4);
    const link = new RelayLink(table.create()!, clock, 'relay:hub', true);
    link.send(new Uint8Array(1_000));
    table.frame({ type: 'circuit-credit', circuit: 1, bytes: 1_256 });
    assert.throws(() => table.frame({ type: 'circuit-credit', circuit: 1, bytes: WINDOW }), FrameError);
    link.destroy();
  });

  it('does not have a node invite its peers over and over by answering what it was not asked', () => {
    const found: string[] = [];
    const reachability = new Reachability({ clock, limits: LEAF_LIMITS, found: (url) => void found.push(url) });
    const { session, said } = fakeSession();
    reachability.url = 'ws://me';
    reachability.hub(session);
    for (let time = 0; time < 50; time++) {
      reachability.tested(session, false);
      reachability.tested(session, true);
    }
    assert.deepEqual([reachability.state, found, said.length], ['unreachable', [], 1]);
    reachability.ended(session);
  });

  it('keeps no message alive for the header in a welcome', () => {
    const frame = writeFrame({ type: 'welcome', name: 'x', hub: true, newest: new Uint8Array(10) });
    const [welcome] = readFrames(Uint8Array.from(frame));
    assert.ok(welcome?.type === 'welcome' && welcome.newest?.buffer.byteLength === 10);
  });
});

describe('a relaying hub and callers of one address', () => {
  it('gives them a quarter of its circuits', () => {
    const clock = new VirtualClock();
    const sessions = new Map<number, Session>();
    const relay = new Relay({
      key: new Uint8Array(32).fill(255),
      hub: true,
      clock,
      limits: { ...HUB_LIMITS, circuits: 16 },
      counters: new MeshCounters(),
      sessionOf: () => undefined,
      accept() {},
    });
    const keyOf = (seed: number) => new Uint8Array(32).fill(seed);
    const open = (seed: number, remote: string) => {
      const { session, said } = fakeSession({ key: keyOf(seed), remote, dialled: false });
      relay.frame({ type: 'circuit-open', circuit: 1, from: keyOf(seed), to: keyOf(99) }, session);
      sessions.set(seed, session);
      return said.some(({ type }) => type === 'circuit-close');
    };
    const target = fakeSession({ key: keyOf(99), dialled: false });
    relay.frame({ type: 'reserve', seconds: 60 }, target.session);
    const refused = [1, 2, 3, 4, 5, 6].map((seed) => open(seed, '10.0.0.1'));
    assert.deepEqual(refused, [false, false, false, false, true, true]);
    assert.equal(open(7, '10.0.0.2'), false);
    relay.ended(sessions.get(1)!);
    assert.equal(open(8, '10.0.0.1'), false);
    assert.equal(relay.gauges.circuits, 5);
  });
});

import assert from 'node:assert/strict';
import type { Ack, AckReason, SendOutcome } from '../../core/mesh/ack.ts';
import { writeFrame } from '../../core/mesh/frames/frame-writer.ts';
import { LEAF_LIMITS, type MeshLimits } from '../../core/mesh/limits.ts';
import { ProcessKey } from '../../core/mesh/session/certificate.ts';
import { Session } from '../../core/mesh/session/session.ts';
import type { SessionListener, SessionOptions } from '../../core/mesh/session/session-listener.ts';
import { HIGH_WATER, type Link } from '../../core/mesh/transport.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { MemoryNetwork } from '../support/memory-mesh/memory-network.ts';
import { testIdentity } from './test-identity.ts';
import { VirtualClock } from './virtual-clock.ts';

const clockAndNetwork = () => {
  const clock = new VirtualClock();
  return { clock, network: new MemoryNetwork(clock) };
};

interface Side {
  session: Session;
  envelopes: Uint8Array[];
  broadcasts: string[];
  topics: string[];
  relayed: string[];
  limited: number;
  opened: boolean;
  ended: { reason: string; fault: string | undefined } | undefined;
}

interface SideOptions {
  identity?: number;
  prologue?: string;
  expectedKey?: Uint8Array;
  limits?: Partial<MeshLimits>;
  refuse?: string;
  answer?: (envelope: Uint8Array) => Promise<Ack | AckReason>;
}

function side(link: Link, clock: VirtualClock, given: SideOptions = {}): Side {
  const state = {
    envelopes: [],
    broadcasts: [],
    topics: [],
    relayed: [],
    limited: 0,
    opened: false,
    ended: undefined,
  } as unknown as Side;
  const listener: SessionListener = {
    greet: async () => (given.refuse ? { refuse: given.refuse } : { name: 'somebody', hub: false }),
    opened: () => {
      state.opened = true;
    },
    envelope(envelope) {
      state.envelopes.push(envelope);
      return given.answer?.(envelope) ?? Promise.resolve('accepted' as const);
    },
    broadcast: (_, topic) => void state.broadcasts.push(topic),
    subscribed: (topics) => void state.topics.push(...topics),
    unsubscribed(topics) {
      state.topics = state.topics.filter((topic) => !topics.includes(topic));
    },
    relay: (frame) => Boolean(state.relayed.push(frame.type)),
    limited: () => void state.limited++,
    closed(reason, fault) {
      assert.equal(state.ended, undefined, 'closed twice');
      state.ended = { reason, fault };
    },
  };
  const options: SessionOptions = {
    processKey: new ProcessKey(testIdentity(given.identity ?? (link.dialled ? 1 : 2)), clock, systemRandom),
    prologue: Buffer.from(given.prologue ?? 'network'),
    expectedKey: given.expectedKey,
    clock,
    random: systemRandom,
    limits: { ...LEAF_LIMITS, ...given.limits },
  };
  state.session = new Session(link, options, listener);
  return state;
}

async function links(clock: VirtualClock, network: MemoryNetwork): Promise<[Link, Link]> {
  const incoming = new Promise<Link>((resolve) => network.transport('b').accept(resolve));
  const dialling = network.transport('a').dial('memory:b', new AbortController().signal);
  await clock.advance(1);
  return [await dialling, await incoming];
}

async function pair(a: SideOptions = {}, b: SideOptions = {}) {
  const { clock, network } = clockAndNetwork();
  const [dialled, accepted] = await links(clock, network);
  const alice = side(dialled, clock, a);
  const bob = side(accepted, clock, b);
  await clock.advance(10);
  return { clock, network, alice, bob };
}

const envelope = (size: number, fill = 1) => new Uint8Array(size).fill(fill);
const outcomes = (results: SendOutcome[]) => results.map((r) => (r.outcome === 'acked' ? r.reason : r.outcome));

describe('a session', () => {
  it('proves both keys and carries envelopes with answers both ways', async () => {
    const { clock, alice, bob } = await pair();
    assert.deepEqual(alice.session.peer?.key, testIdentity(2).key);
    assert.deepEqual(bob.session.peer?.key, testIdentity(1).key);
    assert.equal(alice.session.welcome?.name, 'somebody');
    const sends = [alice.session.sendEnvelope(envelope(300)), bob.session.sendEnvelope(envelope(66_000))];
    await clock.advance(5);
    assert.deepEqual(outcomes(await Promise.all(sends)), ['accepted', 'accepted']);
    assert.equal(bob.envelopes[0]?.length, 300);
    assert.equal(alice.envelopes[0]?.length, 66_000);
    assert.throws(() => alice.session.sendEnvelope(envelope(66_049)), RangeError);
  });

  it('ends when the other side asks on and on and reads no answers', async () => {
    const { clock, network } = clockAndNetwork();
    const [dialled, accepted] = await links(clock, network);
    side(dialled, clock);
    const bob = side(accepted, clock);
    await clock.advance(10);
    dialled.pause();
    const answer = writeFrame({ type: 'blob-none', request: 1 });
    for (let round = 0; round < 400 && !bob.ended; round += 1) {
      for (let index = 0; index < 1_000; index += 1) bob.session.offer(answer, false);
      await clock.advance(1);
      assert.ok(accepted.buffered < 4 * HIGH_WATER);
    }
    assert.deepEqual(bob.ended, { reason: 'too slow', fault: 'slow' });
  });

  it('answers in the order of arrival, each with its own reason and evidence', async () => {
    const evidence = new Uint8Array(207).fill(9);
    const answers: (Ack | AckReason)[] = [
      'accepted',
      'duplicate',
      { reason: 'conflict', evidence },
      'invalid',
      'accepted',
    ];
    const waiting: (() => void)[] = [];
    const { clock, alice, bob } = await pair(
      {},
      { answer: (e) => new Promise((resolve) => waiting.push(() => resolve(answers[e[0]!]!))) },
    );
    const settled: number[] = [];
    const sends = answers.map((_, index) =>
      alice.session.sendEnvelope(envelope(1, index)).then((outcome) => {
        settled.push(index);
        return outcome;
      }),
    );
    await clock.advance(5);
    assert.equal(bob.envelopes.length, 5);
    for (const index of [4, 2, 1]) waiting[index]!();
    await clock.advance(5);
    assert.deepEqual(settled, []);
    waiting[0]!();
    await clock.advance(5);
    assert.deepEqual(settled, [0, 1, 2]);
    waiting[3]!();
    await clock.advance(5);
    const results = await Promise.all(sends);
    assert.deepEqual(outcomes(results), ['accepted', 'duplicate', 'conflict', 'invalid', 'accepted']);
    assert.deepEqual((results[2] as Ack).evidence, Buffer.from(evidence));
  });

  it('asks for a retry when the handler fails', async () => {
    const { clock, alice } = await pair({}, { answer: () => Promise.reject(new Error('disk full')) });
    const send = alice.session.sendEnvelope(envelope(10));
    await clock.advance(5);
    assert.deepEqual(await send, { outcome: 'acked', reason: 'rate-limited' });
  });

  it('answers busy when its queue is full, and never holds more than its window', async () => {
    const never = { answer: () => new Promise<AckReason>(() => {}) };
    const { clock, alice, bob } = await pair({ limits: { inFlight: 4, queued: 3 } }, never);
    const sends = Array.from({ length: 9 }, () => alice.session.sendEnvelope(envelope(10)));
    await clock.advance(5);
    assert.equal(bob.envelopes.length, 4);
    assert.equal(alice.session.pending, 7);
    alice.session.close('enough');
    await clock.advance(5);
    assert.deepEqual(outcomes(await Promise.all(sends)), [
      ...new Array(4).fill('unknown'),
      ...new Array(3).fill('unreachable'),
      'busy',
      'busy',
    ]);
    assert.deepEqual(await alice.session.sendEnvelope(envelope(1)), { outcome: 'unreachable' });
    assert.deepEqual(bob.ended, { reason: 'enough', fault: undefined });
  });

  it('bounds bytes in flight and in the queue, but lets one large envelope through', async () => {
    const never = { answer: () => new Promise<AckReason>(() => {}) };
    const { clock, alice, bob } = await pair({ limits: { inFlightBytes: 1_000, queuedBytes: 66_000 } }, never);
    void alice.session.sendEnvelope(envelope(60_000));
    void alice.session.sendEnvelope(envelope(60_000));
    assert.deepEqual(await alice.session.sendEnvelope(envelope(60_000)), { outcome: 'busy' });
    await clock.advance(5);
    assert.equal(bob.envelopes.length, 1);
  });

  it('stops reading while too many envelopes are unanswered', async () => {
    const waiting: (() => void)[] = [];
    const { clock, alice, bob } = await pair(
      {},
      { limits: { inFlight: 10 }, answer: () => new Promise((resolve) => waiting.push(() => resolve('accepted'))) },
    );
    for (let index = 0; index < 10; index++) {
      void alice.session.sendEnvelope(envelope(1_000));
      await clock.advance(2);
    }
    for (let index = 0; index < 20; index++) {
      void alice.session.sendEnvelope(envelope(1_000));
      await clock.advance(2);
    }
    assert.equal(bob.envelopes.length, 10);
    for (const expected of [20, 30]) {
      for (const settle of waiting.splice(0)) settle();
      await clock.advance(10);
      assert.equal(bob.envelopes.length, expected);
    }
  });

  it('tells the sender when envelopes come too fast, and takes them again later', async () => {
    const { clock, alice, bob } = await pair({}, { limits: { envelopeRate: 5 } });
    const sends = Array.from({ length: 12 }, () => alice.session.sendEnvelope(envelope(10)));
    await clock.advance(5);
    const results = outcomes(await Promise.all(sends));
    assert.deepEqual([results.filter((r) => r === 'accepted').length, results.at(-1)], [10, 'rate-limited']);
    assert.equal(bob.limited, 2);
    await clock.advance(1_000);
    const again = alice.session.sendEnvelope(envelope(10));
    await clock.advance(5);
    assert.deepEqual(await again, { outcome: 'acked', reason: 'accepted' });
  });

  it('counts bytes too', async () => {
    const { clock, alice } = await pair({}, { limits: { byteRate: 1_000 } });
    const sends = [alice.session.sendEnvelope(envelope(1_500)), alice.session.sendEnvelope(envelope(1_500))];
    await clock.advance(5);
    assert.deepEqual(outcomes(await Promise.all(sends)), ['accepted', 'rate-limited']);
  });

  it('carries broadcasts and subscriptions', async () => {
    const { clock, alice, bob } = await pair();
    alice.session.offer(writeFrame({ type: 'subscribe', topics: ['weather', 'news'] }));
    alice.session.offer(writeFrame({ type: 'unsubscribe', topics: ['news'] }));
    alice.session.offer(writeFrame({ type: 'broadcast', topic: 'weather', envelope: envelope(5) }));
    await clock.advance(5);
    assert.deepEqual(bob.topics, ['weather']);
    assert.deepEqual(bob.broadcasts, ['weather']);
  });

  it('hands relaying on, unless it leads over a hub itself', async () => {
    for (const relayed of [false, true]) {
      const { clock, network } = clockAndNetwork();
      const ends = await links(clock, network);
      for (const link of ends) Object.defineProperty(link, 'relayed', { value: relayed });
      const [alice, bob] = ends.map((link) => side(link, clock)) as [Side, Side];
      await clock.advance(10);
      alice.session.offer(writeFrame({ type: 'reserve', seconds: 60 }));
      await clock.advance(5);
      assert.deepEqual(bob.relayed, relayed ? [] : ['reserve']);
      assert.equal(alice.ended, undefined);
    }
  });

  it('holds envelopes back while the pipe is full, and sends them once it is not', async () => {
    const { clock, network } = clockAndNetwork();
    const [dialled, accepted] = await links(clock, network);
    const alice = side(dialled, clock);
    const bob = side(accepted, clock, { limits: { broadcastRate: 10_000, byteRate: 1e9 } });
    await clock.advance(10);
    accepted.pause();
    const frame = writeFrame({ type: 'broadcast', topic: 'weather', envelope: envelope(30_000) });
    let taken = 0;
    while (alice.session.offer(frame)) {
      taken += 1;
      await clock.advance(1);
    }
    const send = alice.session.sendEnvelope(envelope(10));
    await clock.advance(5);
    assert.ok(taken > 30 && taken < 40, `${taken} broadcasts taken`);
    assert.deepEqual([bob.envelopes.length, alice.session.pending], [0, 1]);
    accepted.resume();
    await clock.advance(5);
    assert.deepEqual(await send, { outcome: 'acked', reason: 'accepted' });
    assert.equal(bob.broadcasts.length, taken);
  });

  it('ends when a peer does not answer pings, and both sides learn it on their own', async () => {
    const { clock, network, alice, bob } = await pair({ limits: { ackMs: 60_000 } });
    await clock.advance(60_000);
    assert.equal(alice.ended, undefined);
    assert.equal(typeof alice.session.pulse.roundTrip, 'number');
    network.cut('a', 'b');
    const send = alice.session.sendEnvelope(envelope(10));
    await clock.advance(45_000);
    assert.deepEqual(await send, { outcome: 'unknown' });
    assert.deepEqual(alice.ended, { reason: 'no answer to a ping', fault: 'silent' });
    assert.deepEqual(bob.ended, { reason: 'no answer to a ping', fault: 'silent' });
  });

  it('ends when an envelope stays unanswered though the peer is alive', async () => {
    const { clock, alice } = await pair({}, { answer: () => new Promise<AckReason>(() => {}) });
    const send = alice.session.sendEnvelope(envelope(10));
    await clock.advance(60_000);
    assert.deepEqual(await send, { outcome: 'unknown' });
    assert.equal(alice.ended?.reason, 'no acknowledgement');
  });

  it('ends when the certificate of the peer does', async () => {
    const { clock, alice } = await pair();
    await clock.advance(24 * 3_600_000 + 1_000);
    assert.equal(alice.ended?.reason, 'certificate expired');
  });

  it('leaves no timer behind', async () => {
    const { clock, alice, bob } = await pair();
    alice.session.close('done');
    await clock.advance(3_000);
    assert.ok(alice.ended && bob.ended);
    assert.equal(clock.timers, 0);
  });
});

describe('a handshake is refused', () => {
  const cases: [why: string, a: SideOptions, b: SideOptions, reasons: [string, string]][] = [
    ['when the networks differ', { prologue: 'main' }, { prologue: 'test' }, ['handshake failed', 'handshake failed']],
    [
      'when another key answers than was dialled',
      { expectedKey: testIdentity(9).key },
      {},
      ['another key expected', 'another key expected'],
    ],
    ['when the other side does not want this peer', {}, { refuse: 'full' }, ['full', 'full']],
  ];
  for (const [why, a, b, reasons] of cases) {
    it(why, async () => {
      const { alice, bob } = await pair(a, b);
      assert.deepEqual([alice.ended?.reason, bob.ended?.reason], reasons);
      assert.equal(alice.opened || bob.opened, false);
    });
  }

  it('when the other side says nothing', async () => {
    const { clock, network } = clockAndNetwork();
    const [dialled, accepted] = await links(clock, network);
    const alice = side(dialled, clock);
    accepted.receive({ message() {}, drain() {}, closed() {} });
    await clock.advance(10_000);
    assert.deepEqual(alice.ended, { reason: 'handshake timed out', fault: 'handshake' });
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ACK_REASONS } from '../../core/mesh/ack.ts';
import { readFrames } from '../../core/mesh/frames/frame-reader.ts';
import { writeFrame } from '../../core/mesh/frames/frame-writer.ts';
import {
  CODES,
  type Frame,
  FrameError,
  isTopic,
  MAX_CARRIED,
  MAX_FRAME,
  MAX_RELAYED,
} from '../../core/mesh/frames/frames.ts';
import { CipherState } from '../../core/mesh/noise/cipher-state.ts';
import { MAX_RECORD, openRecord, sealRecord, splitRecord, wrapRecord } from '../../core/mesh/session/records.ts';
import { MAX_MESSAGE } from '../../core/mesh/transport.ts';

/** Byte fields as hex, whatever kind of array holds them. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, plain(field)]));
}

const one = (bytes: Uint8Array) => [...readFrames(bytes)];
const raw = (code: number, ...body: number[]) =>
  Uint8Array.of(0, 0, (body.length + 1) >> 8, (body.length + 1) & 255, code, ...body);

const text = (max: number) =>
  fc.string({ unit: 'grapheme', maxLength: max }).filter((s) => Buffer.byteLength(s) <= max && !/\p{Cc}/u.test(s));
const topic = text(64).filter(isTopic);
const bytes = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });

const uint32 = fc.nat(2 ** 32 - 1);

const anyFrame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ type: fc.constant('envelope' as const), envelope: bytes(1, 2_000) }),
  fc
    .tuple(fc.nat(), fc.uniqueArray(fc.nat(65_535), { maxLength: 20 }), fc.constantFrom(...ACK_REASONS), bytes(1, 255))
    .map(([upTo, backs, reason, evidence]) => ({
      type: 'ack' as const,
      upTo,
      exceptions: backs
        .sort((a, b) => b - a)
        .map((back) => (reason === 'conflict' ? { back, reason, evidence } : { back, reason })),
    })),
  fc.record({ type: fc.constant('broadcast' as const), topic, envelope: bytes(1, 2_000) }),
  fc.record({
    type: fc.constantFrom('subscribe' as const, 'unsubscribe' as const),
    topics: fc.array(topic, { minLength: 1, maxLength: 10 }),
  }),
  fc.record(
    {
      type: fc.constant('welcome' as const),
      name: text(64),
      hub: fc.boolean(),
      url: text(200).filter(Boolean),
      newest: bytes(1, 255),
      time: fc.maxSafeNat(),
    },
    { requiredKeys: ['type', 'name', 'hub'] },
  ),
  fc.record({ type: fc.constant('blob-ask' as const), request: uint32, cid: bytes(32, 32), offset: fc.maxSafeNat() }),
  fc.record({
    type: fc.constant('blob-part' as const),
    request: uint32,
    total: fc.maxSafeNat(),
    bytes: bytes(0, 2_000),
  }),
  fc.record({ type: fc.constant('blob-none' as const), request: uint32 }),
  fc.record({ type: fc.constant('ping' as const), token: bytes(8, 8) }),
  fc.record({ type: fc.constant('pong' as const), token: bytes(8, 8), time: fc.maxSafeNat() }),
  fc.record({
    type: fc.constantFrom('connect-test' as const, 'connect-invite' as const),
    url: text(200).filter(Boolean),
  }),
  fc.constant({ type: 'connect-moved' as const }),
  fc.record({ type: fc.constant('connect-tested' as const), reached: fc.boolean() }),
  fc.record({ type: fc.constant('goodbye' as const), reason: text(100) }),
  fc.record({ type: fc.constant('refused' as const), code: fc.nat(255) }),
  fc.record({ type: fc.constant('circuit-open' as const), circuit: uint32, from: bytes(32, 32), to: bytes(32, 32) }),
  fc.record({ type: fc.constant('circuit-data' as const), circuit: uint32, message: bytes(1, 2_000) }),
  fc.record({ type: fc.constant('circuit-credit' as const), circuit: uint32, bytes: uint32 }),
  fc.record({ type: fc.constant('circuit-close' as const), circuit: uint32, reason: text(100) }),
  fc.record({ type: fc.constantFrom('reserve' as const, 'reserved' as const), seconds: uint32 }),
  fc.record({ type: fc.constant('lookup' as const), keys: fc.array(bytes(32, 32), { minLength: 1, maxLength: 16 }) }),
  fc.record({
    type: fc.constant('located' as const),
    found: fc.array(fc.record({ key: bytes(32, 32), session: fc.boolean(), slot: fc.boolean() }), {
      minLength: 1,
      maxLength: 16,
    }),
  }),
);

describe('the frame codec', () => {
  it('reads back whatever it writes, several frames in one message', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 5 }), (frames) => {
        assert.deepEqual(plain(one(Buffer.concat(frames.map(writeFrame)))), plain(frames));
      }),
    );
  });

  it('answers arbitrary bytes with frames or a FrameError, nothing else', () => {
    const check = (input: Uint8Array) => {
      try {
        for (const frame of readFrames(input)) assert.ok(frame.type);
      } catch (error) {
        assert.ok(error instanceof FrameError);
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), check), { numRuns: 2_000 });
    const body = fc.tuple(fc.nat(24), fc.uint8Array({ maxLength: 200 }));
    fc.assert(
      fc.property(body, ([code, content]) => check(raw(code, ...content))),
      { numRuns: 5_000 },
    );
  });

  it('answers every cut or changed byte of a good frame with frames or a FrameError', () => {
    fc.assert(
      fc.property(anyFrame, fc.nat(), fc.nat(255), (frame, position, value) => {
        const good = writeFrame(frame);
        const changed = Uint8Array.from(good);
        changed[position % good.length] = value;
        for (const input of [changed, good.subarray(0, position % good.length)]) {
          try {
            one(input);
          } catch (error) {
            assert.ok(error instanceof FrameError);
          }
        }
      }),
    );
  });

  const refused: [why: string, input: Uint8Array, says: RegExp][] = [
    ['a head cut short', Uint8Array.of(0, 0, 0, 1), /head is cut short/],
    ['a length of zero', Uint8Array.of(0, 0, 0, 0, 1), /no code/],
    ['a length beyond the limit', Uint8Array.of(0, 1, 6, 1, 1), /too long/],
    ['a length beyond the message', Uint8Array.of(0, 0, 0, 9, 1, 1), /cut short/],
    ['an empty envelope', raw(CODES.envelope), /empty/],
    [
      'an envelope that is too long',
      writeFrame({ type: 'envelope', envelope: new Uint8Array(MAX_CARRIED + 1) }),
      /too long/,
    ],
    ['an acknowledgement without a number', raw(CODES.ack, 0, 0), /too short/],
    ['an acknowledgement beyond safe integers', raw(CODES.ack, 255, 0, 0, 0, 0, 0, 0, 0), /too large/],
    ['an unknown reason', raw(CODES.ack, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 8, 0), /unknown reason/],
    ['exceptions out of order', raw(CODES.ack, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 1, 0, 0, 1, 1, 0), /out of order/],
    ['evidence cut short', raw(CODES.ack, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 2, 5, 1), /too short/],
    ['a topic of nothing', raw(CODES.broadcast, 0, 1), /empty/],
    ['a topic that is too long', raw(CODES.subscribe, 65, ...new Array(65).fill(97)), /too long/],
    ['a topic with a line break', raw(CODES.subscribe, 1, 10), /control/],
    ['a subscription to nothing', raw(CODES.subscribe), /too short/],
    ['a name that is not UTF-8', raw(CODES.welcome, 1, 0, 1, 255, 0, 0, 0), /UTF-8/],
    ['another version', raw(CODES.welcome, 2, 0, 0, 0, 0, 0), /version/],
    ['a ping of the wrong size', raw(CODES.ping, 1, 2, 3), /wrong length/],
    ['a relay frame of an unknown kind', raw(CODES.relay, 4, 0, 0, 0, 1), /unknown kind/],
    ['a relayed message of nothing', raw(CODES.relay, 1, 0, 0, 0, 1), /no fitting length/],
    [
      'a relayed message that is too long',
      writeFrame({ type: 'circuit-data', circuit: 1, message: new Uint8Array(MAX_RELAYED + 1) }),
      /no fitting length/,
    ],
    ['a circuit to half a key', raw(CODES.relay, 0, 0, 0, 0, 1, ...new Array(48).fill(1)), /wrong length/],
    ['credit of the wrong size', raw(CODES.relay, 2, 0, 0, 0, 1, 1), /wrong length/],
    ['a reservation that neither asks nor answers', raw(CODES.reserve, 2, 0, 0, 0, 1), /neither 0 nor 1/],
    ['a lookup of nothing', raw(CODES.lookup), /too short/],
    ['a lookup of too many keys', raw(CODES.lookup, ...new Array(17 * 32).fill(1)), /too many keys/],
    ['a pong without a time', raw(CODES.pong, 1, 2, 3, 4, 5, 6, 7, 8), /wrong length/],
    ['a pong beyond safe integers', raw(CODES.pong, 1, 2, 3, 4, 5, 6, 7, 8, 255, 0, 0, 0, 0, 0, 0, 0), /too large/],
    ['a connect-back frame of an unknown kind', raw(CODES.connectBack, 4), /unknown kind/],
    ['a connect-back frame without a kind', raw(CODES.connectBack), /too short/],
    ['a test of no URL', raw(CODES.connectBack, 0), /no URL/],
    ['an invitation to a URL that is too long', raw(CODES.connectBack, 2, ...new Array(513).fill(97)), /too long/],
    ['an invitation to a URL with a line break', raw(CODES.connectBack, 2, 97, 10), /control/],
    ['a test result that is neither yes nor no', raw(CODES.connectBack, 1, 2), /neither 0 nor 1/],
    ['a test result that goes on', raw(CODES.connectBack, 1, 1, 1), /wrong length/],
    ['a move that goes on', raw(CODES.connectBack, 3, 1), /wrong length/],
    ['a goodbye that is too long', raw(CODES.goodbye, ...new Array(101).fill(97)), /too long/],
  ];
  for (const [why, input, says] of refused) {
    it(`refuses ${why}`, () => assert.throws(() => one(input), { name: 'FrameError', message: says }));
  }

  it('yields what came before a bad frame', () => {
    const seen: string[] = [];
    assert.throws(() => {
      const good = writeFrame({ type: 'goodbye', reason: 'x' });
      for (const frame of readFrames(Buffer.concat([good, raw(CODES.ping)]))) seen.push(frame.type);
    }, FrameError);
    assert.deepEqual(seen, ['goodbye']);
  });

  it('names a frame it does not know, and accepts a welcome that later versions made longer', () => {
    assert.deepEqual(one(raw(22, 1, 2)), [{ type: 'unknown', code: 22 }]);
    assert.deepEqual(one(raw(CODES.welcome, 1, 1, 1, 97, 0, 0, 0, 7, 7)), [{ type: 'welcome', name: 'a', hub: true }]);
  });
});

describe('a record', () => {
  const ciphers = () => [new CipherState(new Uint8Array(32)), new CipherState(new Uint8Array(32))] as const;

  it('carries plaintexts of every size in a message that the transport takes', () => {
    const [send, receive] = ciphers();
    for (const size of [0, 1, 65_519, 65_520, MAX_RECORD]) {
      const record = sealRecord(send, new Uint8Array(size).fill(7));
      assert.ok(record.length <= MAX_MESSAGE);
      const opened = openRecord(receive, record);
      assert.ok(opened.length === size && opened.every((byte) => byte === 7));
    }
    assert.equal(sealRecord(send, new Uint8Array(MAX_RECORD)).length, MAX_MESSAGE);
  });

  it('holds two frames of the largest size', () => assert.ok(2 * (4 + MAX_FRAME) <= MAX_RECORD));

  it('is refused when it is empty, cut short or changed', () => {
    const [send, receive] = ciphers();
    const record = sealRecord(send, new Uint8Array(70_000));
    for (const bad of [new Uint8Array(0), Uint8Array.of(1), record.subarray(0, 65_540), record.subarray(0, -1)]) {
      assert.throws(() => openRecord(ciphers()[1], bad));
    }
    const changed = Uint8Array.from(record);
    changed[69_000]! ^= 1;
    assert.throws(() => openRecord(receive, changed));
    assert.deepEqual(
      splitRecord(wrapRecord(Uint8Array.of(1, 2))),
      [Uint8Array.of(1, 2)].map((b) => Buffer.from(b)),
    );
  });
});

import assert from 'node:assert/strict';
import { decode as cborgDecode, encode as cborgEncode } from 'cborg';
import { toHex } from '../../core/platform/bytes.ts';
import { decodeEnvelope, encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { type Envelope, MAX_ENVELOPE } from '../../core/protocol/envelopes/envelope.ts';
import { broadcastOf, envelopeOf, publicNetwork } from './fixtures.ts';

/** The twelve items as values of a general CBOR library. */
function itemsOf(envelope: Envelope, code = 3): unknown[] {
  const { version, sender, recipient, timestamp, blockRef, nonce, conversationId } = envelope;
  const { payloadHash, payloadLength, payload, signature } = envelope;
  return [
    version,
    code,
    sender,
    recipient,
    timestamp,
    blockRef,
    nonce,
    conversationId,
    payloadHash,
    payloadLength,
    new Uint8Array(payload),
    signature,
  ];
}

function reasonFor(bytes: Uint8Array): string {
  const result = decodeEnvelope(bytes);
  assert.equal(result.ok, false);
  return result.ok ? '' : result.reason;
}

describe('the envelope codec', () => {
  it('writes byte for byte what a general CBOR library writes', () => {
    for (const length of [0, 1, 7, 8, 24, 239, 240, 1000, 60_000]) {
      const envelope = envelopeOf({ body: new Uint8Array(length), blockRef: length * 77_777 });
      assert.equal(toHex(encodeEnvelope(envelope)), toHex(cborgEncode(itemsOf(envelope))));
    }
    for (const blockRef of [0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
      const envelope = envelopeOf({ blockRef });
      assert.equal(toHex(encodeEnvelope(envelope)), toHex(cborgEncode(itemsOf(envelope))));
      assert.deepEqual(decodeEnvelope(encodeEnvelope(envelope)), { ok: true, value: envelope });
    }
  });

  it('reads back every version and route, also from a Buffer inside a larger one', () => {
    const envelopes = [envelopeOf(), broadcastOf(), envelopeOf({}, publicNetwork), broadcastOf({}, publicNetwork)];
    envelopes.push(envelopeOf({ sealed: true, body: new Uint8Array(72) }));
    for (const envelope of envelopes) {
      const bytes = encodeEnvelope(envelope);
      const result = decodeEnvelope(Buffer.concat([Buffer.from('xx'), bytes, Buffer.from('yy')]).subarray(2, -2));
      assert.ok(result.ok);
      assert.deepEqual(
        { ...result.value, payload: new Uint8Array(result.value.payload) },
        {
          ...envelope,
          payload: new Uint8Array(envelope.payload),
        },
      );
      assert.deepEqual(encodeEnvelope(result.value), bytes);
    }
  });

  it('holds exactly 64 KiB', () => {
    const spare = MAX_ENVELOPE - encodeEnvelope(broadcastOf({ body: new Uint8Array(60_000) })).length;
    const largest = encodeEnvelope(broadcastOf({ body: new Uint8Array(60_000 + spare) }));
    assert.equal(largest.length, MAX_ENVELOPE);
    assert.equal(decodeEnvelope(largest).ok, true);
    const larger = cborgEncode(
      itemsOf(broadcastOf({ body: new Uint8Array(60_000 + spare) })).with(10, new Uint8Array(60_001 + spare)),
    );
    assert.match(reasonFor(larger), /at most 65536 bytes/);
  });

  it('knows MESSAGE in version 2 alone', () => {
    assert.equal(decodeEnvelope(encodeEnvelope(envelopeOf({ msgType: 'MESSAGE' }))).ok, true);
    assert.throws(() => envelopeOf({ msgType: 'MESSAGE' }, publicNetwork), /version 1 has no MESSAGE/);
    const items = itemsOf(envelopeOf({}, publicNetwork), 16);
    assert.match(reasonFor(cborgEncode(items)), /there is no message type 16/);
  });

  const envelope = envelopeOf();
  const items = itemsOf(envelope);
  const good = encodeEnvelope(envelope);
  const changed = (index: number, value: unknown) => cborgEncode(items.with(index, value));
  const patched = (at: number, remove: number, hex: string) =>
    Buffer.concat([good.subarray(0, at), Buffer.from(hex, 'hex'), good.subarray(at + remove)]);
  const refusals: Record<string, [Uint8Array, RegExp]> = {
    nothing: [new Uint8Array(0), /envelope is missing/],
    'a map': [cborgEncode({ version: 2 }), /another type/],
    'eleven items': [cborgEncode(items.slice(0, 11)), /not an array of 12/],
    'thirteen items': [cborgEncode([...items, 0]), /not an array of 12/],
    'an array of indefinite length': [patched(0, 1, '9f'), /no definite length/],
    'a length in two bytes that fits into one': [patched(0, 1, '980c'), /shortest form/],
    'a version in two bytes': [patched(1, 1, '1802'), /shortest form/],
    'a version in three bytes': [patched(1, 1, '190002'), /shortest form/],
    'a version in five bytes': [patched(1, 1, '1a00000002'), /shortest form/],
    'a version in nine bytes': [patched(1, 1, '1b0000000000000002'), /shortest form/],
    'a reserved head': [patched(1, 1, '1c'), /no definite length/],
    'a tagged version': [patched(1, 1, 'c102'), /another type/],
    'a version as a float': [patched(1, 1, 'f94000'), /another type/],
    'a sender of indefinite length': [patched(3, 34, '5f41ff'), /no definite length/],
    'a sender as text': [patched(3, 1, '78'), /another type/],
    'trailing bytes': [patched(good.length, 0, '00'), /bytes follow/],
    'a second envelope behind': [Buffer.concat([good, good]), /bytes follow/],
    'version 0': [changed(0, 0), /no version 0/],
    'version 3': [changed(0, 3), /no version 3/],
    'version 256': [changed(0, 256), /above 255/],
    'a negative version': [changed(0, -2), /another type/],
    'message type 0': [changed(1, 0), /no message type 0/],
    'message type 17': [changed(1, 17), /no message type 17/],
    'message type 65536': [changed(1, 65_536), /above 65535/],
    'a sealed broadcast': [cborgEncode(itemsOf(broadcastOf(), 0x8000 | 0x0d)), /cannot be sealed/],
    'a sealed type of version 1': [cborgEncode(itemsOf(envelopeOf({}, publicNetwork), 0x8000 | 3)), /cannot be sealed/],
    'a sealed body too short to be one': [changed(1, 0x8003), /too small/],
    'a sender of 31 bytes': [changed(2, new Uint8Array(31)), /sender is not 32 bytes/],
    'a recipient of 33 bytes': [changed(3, new Uint8Array(33)), /recipient is not 32 bytes/],
    'a timestamp beyond 2^53': [changed(4, 2n ** 53n), /timestamp is above/],
    'a nonce of 2^64 - 1': [changed(6, 2n ** 64n - 1n), /nonce is above/],
    'a conversation of 15 bytes': [changed(7, new Uint8Array(15)), /conversation_id is not 16 bytes/],
    'a payload hash of 31 bytes': [changed(8, new Uint8Array(31)), /payload_hash is not 32 bytes/],
    'a payload length that is not the length': [changed(9, envelope.payloadLength + 1), /not the length/],
    'a payload length beyond every envelope': [changed(9, 2 ** 32), /payload_len is above/],
    'a payload without room for its salt': [cborgEncode(items.with(9, 15).with(10, new Uint8Array(15))), /too small/],
    'a payload as text': [changed(10, 'text'), /another type/],
    'null for a payload': [changed(10, null), /another type/],
    'a signature of 63 bytes': [changed(11, new Uint8Array(63)), /signature is not 64 bytes/],
  };
  for (const [name, [bytes, reason]] of Object.entries(refusals)) {
    it(`refuses ${name}`, () => assert.match(reasonFor(bytes), reason));
  }

  it('refuses every cut of an envelope', () => {
    for (let length = 0; length < good.length; length += 1) reasonFor(good.subarray(0, length));
  });

  it('is no laxer than a general decoder on what it accepts', () => {
    assert.deepEqual(cborgDecode(good), items);
  });
});

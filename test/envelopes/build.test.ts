import assert from 'node:assert/strict';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { buildEnvelope, payloadMatches } from '../../core/protocol/envelopes/build.ts';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { bodyOf, type Envelope, isSalted, MAX_ENVELOPE, publicPartOf } from '../../core/protocol/envelopes/envelope.ts';
import { envelopeId } from '../../core/protocol/envelopes/header.ts';
import { keccak256 } from '../../core/protocol/envelopes/keccak.ts';
import { seal } from '../../core/protocol/envelopes/sealing.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { verifyEnvelope } from '../support/verify-envelope.ts';
import { alice, bob, broadcastOf, envelopeOf, network, publicNetwork } from './fixtures.ts';

const elsewhere = defineNetwork({ name: 'elsewhere' });
const byte = (length: number) => new Uint8Array(length).fill(1);

/** The random bytes between the public part and the body, or none. */
function saltOf(envelope: Envelope): Uint8Array {
  const { payload } = envelope;
  const end = payload.length - bodyOf(envelope).length;
  return payload.subarray(Math.max(0, end - (isSalted(envelope) ? 16 : 0)), end);
}

describe('building an envelope', () => {
  it('puts the public part and the salt in front of a private body, inside hash and length', () => {
    const envelope = envelopeOf();
    assert.deepEqual(Buffer.from(bodyOf(envelope)).toString(), 'body');
    assert.deepEqual(saltOf(envelope), new Uint8Array(16).fill(3));
    assert.equal(envelope.payloadLength, 56);
    assert.deepEqual(publicPartOf(envelope), { payer: alice.key, answers: undefined });
    assert.notDeepEqual(envelopeOf({ salt: byte(16) }).payloadHash, envelope.payloadHash);
  });

  it('leaves broadcasts and version 1 unsalted', () => {
    for (const envelope of [broadcastOf(), envelopeOf({}, publicNetwork), broadcastOf({}, publicNetwork)]) {
      assert.equal(Buffer.from(envelope.payload).toString(), 'body');
      assert.equal(bodyOf(envelope), envelope.payload);
      assert.equal(saltOf(envelope).length, 0);
    }
  });

  it('refuses what does not fit into 64 KiB, and says how much does', () => {
    for (const make of [envelopeOf, broadcastOf]) {
      let room = 0;
      assert.throws(
        () => make({ body: byte(70_000) }),
        (error: Error & { code: string }) => {
          room = Number(/holds (\d+)/.exec(error.message)?.[1]);
          return error.code === 'payload_too_large';
        },
      );
      const largest = make({ body: byte(room) });
      assert.ok(encodeEnvelope(largest).length <= MAX_ENVELOPE);
      assert.ok(encodeEnvelope(largest).length > MAX_ENVELOPE - 10);
    }
  });

  it('says how much fits under a seal', () => {
    const address = { sender: alice.key, recipient: bob.key, conversationId: new Uint8Array(16) };
    const sealed = (length: number) =>
      envelopeOf({ sealed: true, body: seal(byte(length), address, systemRandom), conversationId: new Uint8Array(16) });
    let room = 0;
    assert.throws(
      () => sealed(65_500),
      (error: Error & { code: string }) => {
        room = Number(/has 65500 bytes; this envelope holds (\d+)/.exec(error.message)?.[1]);
        return error.code === 'payload_too_large';
      },
    );
    assert.ok(encodeEnvelope(sealed(room)).length <= MAX_ENVELOPE);
    assert.throws(() => sealed(room + 10), { code: 'payload_too_large' });
  });

  const refusals: Record<string, () => Envelope> = {
    'no recipient': () => envelopeOf({ recipient: new Uint8Array(32) }),
    'a recipient of 31 bytes': () => envelopeOf({ recipient: byte(31) }),
    'a broadcast to somebody': () => broadcastOf({ recipient: bob.key }),
    'a conversation of 15 bytes': () => envelopeOf({ conversationId: byte(15) }),
    'no salt': () => envelopeOf({ salt: new Uint8Array(0) }),
    'a short salt': () => envelopeOf({ salt: byte(15) }),
    'a fraction for a time': () => envelopeOf({ timestamp: 0.5 }),
    'a negative slot': () => envelopeOf({ blockRef: -1 }),
    'a nonce that is not exact': () => envelopeOf({ nonce: 2 ** 53 }),
    'a sealed broadcast': () => broadcastOf({ sealed: true }),
    'a sealed envelope of version 1': () => envelopeOf({ sealed: true }, publicNetwork),
    'an offer that answers something': () => envelopeOf({ publicPart: { payer: alice.key, answers: byte(32) } }),
    'an answer to nothing': () =>
      envelopeOf({ msgType: 'DELIVER', publicPart: { payer: alice.key, answers: undefined } }),
    'a payer that is no key': () => envelopeOf({ publicPart: { payer: byte(31), answers: undefined } }),
    'a deal message without a public part': () =>
      buildEnvelope(
        {
          ...{ msgType: 'PROPOSE', recipient: bob.key, timestamp: 1, blockRef: 0, nonce: 1 },
          ...{ conversationId: byte(16), body: byte(1), salt: byte(16) },
        },
        alice,
        network,
      ),
    'a salted type without a salt given': () =>
      buildEnvelope(
        { msgType: 'NOTARIZE_ASSIGN', recipient: bob.key, timestamp: 1, blockRef: 0, nonce: 1, body: byte(1) },
        alice,
        network,
      ),
  };
  for (const [name, make] of Object.entries(refusals)) it(`refuses ${name}`, () => assert.throws(make, RangeError));
});

describe('verifying an envelope', () => {
  it('accepts what its sender signed on this network', () => {
    assert.equal(verifyEnvelope(envelopeOf(), network), true);
    assert.equal(verifyEnvelope(broadcastOf(), network), true);
    assert.equal(verifyEnvelope(envelopeOf({}, publicNetwork), publicNetwork), true);
  });

  it('refuses another network and another version', () => {
    assert.equal(verifyEnvelope(envelopeOf(), elsewhere), false);
    assert.equal(verifyEnvelope(envelopeOf(), publicNetwork), false);
    assert.equal(verifyEnvelope(envelopeOf({}, publicNetwork), network), false);
  });

  const changes: Record<string, Partial<Envelope>> = {
    msgType: { msgType: 'COUNTER' },
    sealed: { sealed: true },
    sender: { sender: bob.key },
    recipient: { recipient: alice.key },
    timestamp: { timestamp: 1 },
    blockRef: { blockRef: 8 },
    nonce: { nonce: 1 },
    conversationId: { conversationId: byte(16) },
    payloadHash: { payloadHash: byte(32) },
    payloadLength: { payloadLength: 19 },
    payload: { payload: byte(20) },
    'payload and its hash': { payload: byte(20), payloadHash: keccak256(byte(20)) },
    signature: { signature: byte(64) },
  };
  for (const [name, change] of Object.entries(changes)) {
    it(`refuses another ${name}, in either version`, () => {
      assert.equal(verifyEnvelope({ ...envelopeOf(), ...change }, network), false);
      const body = { body: new Uint8Array(20).fill(2) };
      if (name !== 'payload')
        assert.equal(verifyEnvelope({ ...envelopeOf(body, publicNetwork), ...change }, publicNetwork), false);
    });
  }

  it('compares payload and hash', () => {
    const envelope = envelopeOf();
    assert.equal(payloadMatches(envelope), true);
    assert.equal(payloadMatches({ ...envelope, payload: byte(20) }), false);
  });
});

describe('an envelope id', () => {
  it('covers the header and not the signature', () => {
    const envelope = envelopeOf();
    assert.deepEqual(envelopeId({ ...envelope, signature: byte(64) } as Envelope), envelopeId(envelope));
    assert.notDeepEqual(envelopeId({ ...envelope, nonce: 5 }), envelopeId(envelope));
  });

  it('does not change when another is computed', () => {
    const first = envelopeId(envelopeOf());
    const copy = first.slice();
    envelopeId(broadcastOf());
    assert.deepEqual(first, copy);
  });
});

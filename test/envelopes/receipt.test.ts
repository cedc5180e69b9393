import assert from 'node:assert/strict';
import { encode as cborgEncode } from 'cborg';
import { toHex } from '../../core/platform/bytes.ts';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { DENSE_HEADER, denseProof, fromDense } from '../../core/protocol/envelopes/dense-proof.ts';
import { envelopeId } from '../../core/protocol/envelopes/header.ts';
import { keccak256 } from '../../core/protocol/envelopes/keccak.ts';
import { decodeReceipt, proofBytesOf, receiptBytesOf, verifyReceipt } from '../../core/protocol/envelopes/receipt.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { encodeReceipt, receiptOf } from '../support/receipt.ts';
import { alice, bob, broadcastOf, envelopeOf, network, publicNetwork } from './fixtures.ts';

describe('a receipt', () => {
  const envelope = envelopeOf();
  const receipt = receiptOf(envelope);

  it('is the header, what a deal message shows and the signature, and has the id of its envelope', () => {
    const { version, sender, recipient, timestamp, blockRef, nonce, conversationId, payloadHash } = envelope;
    const items = [version, 3, sender, recipient, timestamp, blockRef, nonce, conversationId, payloadHash];
    const bare = cborgEncode([...items, envelope.payloadLength, envelope.signature]);
    assert.equal(toHex(proofBytesOf(envelope)), toHex(bare));
    const publicPart = cborgEncode([alice.key, null]);
    const privateHash = keccak256(envelope.payload.subarray(publicPart.length));
    const expected = cborgEncode([...items, envelope.payloadLength, publicPart, privateHash, envelope.signature]);
    assert.equal(toHex(encodeReceipt(receipt)), toHex(expected));
    assert.equal(toHex(receiptBytesOf(envelope)), toHex(expected));
    assert.equal(toHex(keccak256(keccak256(publicPart), privateHash)), toHex(envelope.payloadHash));
    assert.equal('payload' in receipt, false);
    assert.deepEqual(envelopeId(receipt), envelopeId(envelope));
  });

  it('is made again of its dense proof, by who knows the sender and the nonce', () => {
    const bodies = [0, 100, 200, 300, 60_000].map((length) => envelopeOf({ body: new Uint8Array(length) }));
    for (const each of [...bodies, broadcastOf(), envelopeOf({ sealed: true, body: new Uint8Array(90) })]) {
      const dense = denseProof(each);
      assert.equal(dense.length, DENSE_HEADER + 64);
      assert.equal(toHex(proofBytesOf(fromDense(dense, each)!)), toHex(proofBytesOf(each)));
      assert.equal(fromDense(dense.subarray(1), each), undefined);
    }
    const old = envelopeOf({}, publicNetwork);
    assert.throws(() => proofBytesOf(old), TypeError);
  });

  it('proves itself without the payload', () => {
    for (const each of [envelope, broadcastOf(), envelopeOf({ sealed: true, body: new Uint8Array(90) })]) {
      const read = decodeReceipt(encodeReceipt(receiptOf(each)));
      assert.ok(read.ok);
      assert.deepEqual(read.value, receiptOf(each));
      assert.equal(verifyReceipt(read.value, network), true);
    }
  });

  it('proves nothing on another network, or after a change', () => {
    assert.equal(verifyReceipt(receipt, defineNetwork({ name: 'elsewhere' })), false);
    assert.equal(verifyReceipt(receipt, publicNetwork), false);
    assert.equal(verifyReceipt({ ...receipt, nonce: receipt.nonce + 1 }, network), false);
    assert.equal(verifyReceipt({ ...receipt, sender: bob.key }, network), false);
    assert.equal(verifyReceipt({ ...receipt, payloadLength: 21 }, network), false);
  });

  it('does not exist in version 1', () => {
    const old = envelopeOf({}, publicNetwork);
    assert.throws(() => receiptOf(old), TypeError);
    const forged = encodeReceipt({ ...old, version: 1 as 2 });
    assert.deepEqual(decodeReceipt(forged), { ok: false, reason: 'version 1 has no receipts' });
  });

  const good = encodeReceipt(receipt);
  const refusals: Record<string, Uint8Array> = {
    nothing: new Uint8Array(0),
    'an envelope': encodeEnvelope(envelope),
    'trailing bytes': Buffer.concat([good, good]),
    'another array length': Buffer.concat([Buffer.from([0x8c]), good.subarray(1)]),
    'a message type that does not exist': good.with(2, 0x17),
  };
  for (const [name, bytes] of Object.entries(refusals)) {
    it(`is not read from ${name}`, () => assert.equal(decodeReceipt(bytes).ok, false));
  }

  it('is not read from any cut of itself', () => {
    for (let length = 0; length < good.length; length += 1) {
      assert.equal(decodeReceipt(good.subarray(0, length)).ok, false);
    }
  });
});

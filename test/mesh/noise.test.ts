import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CipherState } from '../../core/mesh/noise/cipher-state.ts';
import { Handshake, PROTOCOL_NAME } from '../../core/mesh/noise/handshake.ts';
import { agree, curves, keyPairFrom } from '../../core/mesh/noise/x25519.ts';
import { SMALL_ORDER } from '../support/small-order.ts';

interface Vector {
  protocol_name: string;
  prologue: string;
  init_static: string;
  init_ephemeral: string;
  resp_static: string;
  resp_ephemeral: string;
  handshake_hash: string;
  messages: { payload: string; ciphertext: string }[];
}

const vector: Vector = JSON.parse(readFileSync(new URL('../vectors/noise-xx.json', import.meta.url), 'utf8'));
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');

function pair(prologues: [Uint8Array, Uint8Array] = [bytes('aa'), bytes('aa')]) {
  const [initiator, responder] = prologues.map(
    (prologue, index) =>
      new Handshake({
        initiator: index === 0,
        prologue,
        staticKey: keyPairFrom(randomBytes(32)),
        ephemeralKey: keyPairFrom(randomBytes(32)),
      }),
  );
  return [initiator!, responder!] as const;
}

describe('the Noise XX handshake', () => {
  it('computes the published vector on both sides', () => {
    assert.equal(vector.protocol_name, PROTOCOL_NAME);
    const prologue = bytes(vector.prologue);
    const initiator = new Handshake({
      initiator: true,
      prologue,
      staticKey: keyPairFrom(bytes(vector.init_static)),
      ephemeralKey: keyPairFrom(bytes(vector.init_ephemeral)),
    });
    const responder = new Handshake({
      initiator: false,
      prologue,
      staticKey: keyPairFrom(bytes(vector.resp_static)),
      ephemeralKey: keyPairFrom(bytes(vector.resp_ephemeral)),
    });
    vector.messages.slice(0, 3).forEach(({ payload, ciphertext }, index) => {
      const [writer, reader] = index % 2 === 0 ? [initiator, responder] : [responder, initiator];
      const message = writer.write(bytes(payload));
      assert.equal(hex(message), ciphertext);
      assert.equal(hex(reader.read(message)), payload);
    });
    assert.equal(hex(initiator.hash), vector.handshake_hash);
    assert.equal(hex(responder.hash), vector.handshake_hash);
    const [first, second] = [initiator.split(), responder.split()];
    vector.messages.slice(3).forEach(({ payload, ciphertext }, index) => {
      const [sender, receiver] = index % 2 === 0 ? [second, first] : [first, second];
      const message = sender.send.encrypt(bytes(payload));
      assert.equal(hex(message), ciphertext);
      assert.equal(hex(receiver.receive.decrypt(message)), payload);
    });
  });

  it('tells each side the static key of the other', () => {
    const [, responder] = pair();
    const secret = randomBytes(32);
    const known = new Handshake({
      initiator: true,
      prologue: bytes('aa'),
      staticKey: keyPairFrom(secret),
      ephemeralKey: keyPairFrom(randomBytes(32)),
    });
    responder.read(known.write(bytes('')));
    known.read(responder.write(bytes('')));
    responder.read(known.write(bytes('')));
    assert.deepEqual(responder.remoteStatic, Buffer.from(keyPairFrom(secret).publicKey));
  });

  it('fails at the first encrypted message when the prologues differ', () => {
    const [initiator, responder] = pair([bytes('aa'), bytes('bb')]);
    responder.read(initiator.write(bytes('')));
    assert.throws(() => initiator.read(responder.write(bytes(''))));
  });

  it('fails on a changed byte in any part of the second and third message', () => {
    for (const at of [0, 31, 40, 79, 90]) {
      const [initiator, responder] = pair();
      responder.read(initiator.write(bytes('')));
      const message = responder.write(bytes('00112233'));
      message[at]! ^= 1;
      assert.throws(() => initiator.read(message), `second message, byte ${at}`);
    }
    for (const at of [0, 47, 50]) {
      const [initiator, responder] = pair();
      responder.read(initiator.write(bytes('')));
      initiator.read(responder.write(bytes('')));
      const message = initiator.write(bytes('00112233'));
      message[at]! ^= 1;
      assert.throws(() => responder.read(message), `third message, byte ${at}`);
    }
  });

  it('refuses messages out of turn, cut short or too long', () => {
    const [initiator, responder] = pair();
    assert.throws(() => responder.write(bytes('')), /not our turn/);
    assert.throws(() => initiator.read(new Uint8Array(32)), /not their turn/);
    assert.throws(() => responder.read(new Uint8Array(31)), /cut short/);
    assert.throws(() => pair()[1].read(new Uint8Array(65_536)), /too long/);
    assert.throws(() => initiator.split(), /not finished/);
  });

  it('refuses a key of another length', () => {
    assert.throws(() => keyPairFrom(randomBytes(31)), RangeError);
    assert.throws(() => agree(keyPairFrom(randomBytes(32)), randomBytes(33)), RangeError);
  });

  for (const [library, pairFrom] of Object.entries(curves)) {
    it(`agrees with ${library} as with every other library`, () => {
      const [mine, theirs] = [randomBytes(32), randomBytes(32)];
      const ours = pairFrom(mine);
      for (const other of Object.values(curves)) {
        const pair = other(theirs);
        assert.equal(hex(ours.publicKey), hex(other(mine).publicKey));
        assert.equal(hex(ours.agree(pair.publicKey)), hex(pair.agree(ours.publicKey)));
        // The highest bit of a public key means nothing.
        const marked = pair.publicKey.map((byte, at) => (at === 31 ? byte | 0x80 : byte));
        assert.equal(hex(ours.agree(marked)), hex(pair.agree(ours.publicKey)));
      }
    });

    it(`refuses a public key of small order with ${library}`, () => {
      const mine = pairFrom(randomBytes(32));
      for (const point of SMALL_ORDER) assert.throws(() => mine.agree(point), point.toString('hex'));
    });
  }
});

describe('a Noise cipher', () => {
  const key = randomBytes(32);

  it('refuses a message twice, out of order or changed, and goes on with the right one', () => {
    const [sender, receiver] = [new CipherState(key), new CipherState(key)];
    const [first, second] = [sender.encrypt(bytes('01')), sender.encrypt(bytes('02'))];
    assert.throws(() => receiver.decrypt(second));
    assert.equal(hex(receiver.decrypt(first)), '01');
    assert.throws(() => receiver.decrypt(first));
    assert.throws(() => receiver.decrypt(bytes('00')), /shorter/);
    assert.equal(hex(receiver.decrypt(second)), '02');
    assert.equal(receiver.count, 2n);
  });

  it('goes on after both sides rekeyed, and not when only one did', () => {
    const [sender, receiver] = [new CipherState(key), new CipherState(key)];
    receiver.decrypt(sender.encrypt(bytes('01')));
    sender.rekey();
    const message = sender.encrypt(bytes('02'));
    assert.throws(() => receiver.decrypt(message));
    receiver.rekey();
    assert.equal(hex(receiver.decrypt(message)), '02');
    assert.equal(sender.count, 2n);
  });

  it('never uses the last nonce', () => {
    const cipher = new CipherState(key, 2n ** 64n - 2n);
    cipher.encrypt(bytes('01'));
    assert.throws(() => cipher.encrypt(bytes('02')), /used up/);
    assert.throws(() => cipher.decrypt(new Uint8Array(16)), /used up/);
  });
});

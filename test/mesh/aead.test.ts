import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type Aead, aeadOf, aeads, TAG_LENGTH } from '../../core/mesh/noise/aead.ts';

const SIZES = [0, 1, 15, 16, 63, 64, 65, 600, 4_097, 65_519];
const NO_BYTES = new Uint8Array(0);
const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');

function sealed(aead: Aead, plaintext: Uint8Array, associated: Uint8Array, nonce: Uint8Array): Uint8Array {
  const message = Buffer.alloc(plaintext.length + TAG_LENGTH);
  aead.seal(message, plaintext, associated, nonce);
  return message;
}

describe('ChaCha20-Poly1305', () => {
  it('is made by one of them', () => {
    assert.equal(Object.values(aeads).includes(aeadOf), true);
  });

  for (const [library, of] of Object.entries(aeads)) {
    it(`is that of RFC 8439, 2.8.2, with ${library}`, () => {
      const aead = of(bytes('808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f'));
      const plaintext = Buffer.from(
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
      );
      const [associated, nonce] = [bytes('50515253c0c1c2c3c4c5c6c7'), bytes('070000004041424344454647')];
      const message = sealed(aead, plaintext, associated, nonce);
      assert.equal(
        hex(message),
        'd31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b' +
          '1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc' +
          '3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691',
      );
      assert.equal(hex(aead.open(message, associated, nonce)), hex(plaintext));
    });

    it(`refuses another key, nonce, length or associated text and any changed byte, with ${library}`, () => {
      const [key, nonce, associated] = [randomBytes(32), randomBytes(12), randomBytes(5)];
      const aead = of(key);
      const message = sealed(aead, randomBytes(80), associated, nonce);
      assert.equal(aead.open(message, associated, nonce).length, 80);
      for (let at = 0; at < message.length; at += 1) {
        const changed = Buffer.from(message);
        changed[at]! ^= 0x10;
        assert.throws(() => aead.open(changed, associated, nonce), `byte ${at}`);
      }
      assert.throws(() => aead.open(message.subarray(1), associated, nonce));
      assert.throws(() => aead.open(message.subarray(0, TAG_LENGTH), associated, nonce));
      assert.throws(() => aead.open(message, NO_BYTES, nonce));
      assert.throws(() => aead.open(message, associated, randomBytes(12)));
      assert.throws(() => of(randomBytes(32)).open(message, associated, nonce));
    });

    it(`keeps its key when the caller's bytes change, with ${library}`, () => {
      const [key, nonce] = [randomBytes(32), randomBytes(12)];
      const aead = of(key);
      const message = sealed(aead, bytes('0102'), NO_BYTES, nonce);
      key.fill(0);
      assert.equal(hex(aead.open(message, NO_BYTES, nonce)), '0102');
    });
  }

  it('is the same for every size, whoever makes it', () => {
    for (const size of SIZES) {
      for (const associated of [NO_BYTES, randomBytes(32)]) {
        const [key, nonce, plaintext] = [randomBytes(32), randomBytes(12), randomBytes(size)];
        const made = Object.values(aeads).map((of) => sealed(of(key), plaintext, associated, nonce));
        assert.equal(new Set(made.map(hex)).size, 1, `${size} bytes`);
        for (const of of Object.values(aeads)) {
          assert.equal(hex(of(key).open(made[0]!, associated, nonce)), hex(plaintext));
        }
      }
    }
  });
});

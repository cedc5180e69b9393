import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import nacl from 'tweetnacl';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { seal, unseal } from '../../core/protocol/envelopes/sealing.ts';
import { boxKeyOf, boxSecretOf } from '../../core/protocol/identity/x25519.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';

const seedOf = (byte: number) => new Uint8Array(32).fill(byte);
const sender = identityFromSeed(seedOf(1)).key;
const recipient = identityFromSeed(seedOf(2)).key;
const secret = boxSecretOf(seedOf(2));
const address = { sender, recipient, conversationId: new Uint8Array(16).fill(9) };
const body = Buffer.from('for your eyes only');

describe('the X25519 form of an Ed25519 key', () => {
  it('is the public key of the X25519 form of its seed', () => {
    for (let byte = 0; byte < 40; byte++) {
      const derived = nacl.scalarMult.base(boxSecretOf(seedOf(byte)));
      assert.deepEqual(boxKeyOf(identityFromSeed(seedOf(byte)).key), derived);
    }
  });

  it('does not exist for bytes that are no key', () => {
    const one = new Uint8Array(32);
    one[0] = 1;
    for (const bytes of [new Uint8Array(31), one, new Uint8Array(32).fill(0xff)])
      assert.equal(boxKeyOf(bytes), undefined);
  });

  it('is one that OpenSSL takes', () => {
    const x = Buffer.from(boxKeyOf(recipient)!).toString('base64url');
    assert.ok(createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' }));
  });
});

describe('a sealed body', () => {
  const sealed = seal(body, address, systemRandom);

  it('is opened by its recipient', () => {
    const opened = unseal(sealed, address, secret);
    assert.deepEqual(opened.ok && Buffer.from(opened.value), body);
  });

  it('shows nothing and is different every time', () => {
    assert.ok(!Buffer.from(sealed).includes(body));
    assert.notDeepEqual(seal(body, address, systemRandom), sealed);
  });

  it('adds 152 bytes', () => {
    assert.equal(sealed.length - body.length, 152);
  });

  it('is refused by every other key', () => {
    assert.ok(!unseal(sealed, address, boxSecretOf(seedOf(3))).ok);
  });

  it('cannot be moved to another sender, recipient or conversation', () => {
    for (const change of [{ sender: recipient }, { recipient: sender }, { conversationId: new Uint8Array(16) }]) {
      assert.deepEqual(unseal(sealed, { ...address, ...change }, secret), {
        ok: false,
        reason: 'sealed for another envelope',
      });
    }
  });

  it('is refused with any bit flipped, and cut anywhere', () => {
    for (let index = 0; index < sealed.length; index++) {
      const damaged = sealed.slice();
      damaged[index]! ^= 1 << (index % 8);
      assert.ok(!unseal(damaged, address, secret).ok, `byte ${index}`);
      assert.ok(!unseal(sealed.slice(0, index), address, secret).ok, `length ${index}`);
    }
  });
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { pairs } from '../../core/protocol/identity/sign.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('signing', () => {
  for (const [library, pairOf] of Object.entries(pairs)) {
    it(`makes the key and the signature of RFC 8032, 7.1, test 3, with ${library}`, () => {
      const seed = Buffer.from('c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7', 'hex');
      const { key, sign } = pairOf(seed);
      assert.equal(hex(key), 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025');
      assert.equal(
        hex(sign(Uint8Array.of(0xaf, 0x82))),
        '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac' +
          '18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
      );
    });

    it(`keeps the secret when the seed is wiped, with ${library}`, () => {
      const seed = new Uint8Array(32).fill(7);
      const { sign } = pairOf(seed);
      const before = hex(sign(seed.slice(0, 3)));
      const message = seed.slice(0, 3);
      seed.fill(0);
      assert.equal(hex(sign(message)), before);
    });
  }

  it('makes the same of any seed and message, whoever signs', () => {
    for (let round = 0; round < 32; round += 1) {
      const seed = createHash('sha256').update(`seed ${round}`).digest();
      const message = createHash('shake256', { outputLength: 17 * round + 1 })
        .update('text')
        .digest();
      const made = Object.values(pairs).map((pairOf) => {
        const { key, sign } = pairOf(seed);
        return hex(key) + hex(sign(message));
      });
      assert.equal(new Set(made).size, 1);
    }
  });
});

import assert from 'node:assert/strict';
import { createHash, createPublicKey, verify as openssl } from 'node:crypto';
import nacl from 'tweetnacl';
import { concatBytes } from '../../core/platform/bytes.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import { isForgeable, isNonCanonical, isSmallOrder } from '../../core/protocol/identity/points.ts';
import { verifiers, verify } from '../../core/protocol/identity/verify.ts';
import {
  add,
  BASE,
  challenge,
  decode,
  decodeInteger,
  encode,
  encodeInteger,
  IDENTITY,
  L,
  mod,
  multiply,
  P,
} from './edwards.ts';

const seed = new Uint8Array(32).fill(3);
const pair = nacl.sign.keyPair.fromSeed(seed);
const message = Buffer.from('two apples for a pear');
const signature = nacl.sign.detached(message, pair.secretKey);

/** Generates the group of the eight points of small order. */
const TORSION = decode(Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex'))!;

const FORGEABLE_IDS = [
  '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM',
  '11111111111111111111111111111111',
  'Gx9dDNxzpALCowVuZb7pBceBLJugLA8sPa6TJDXrpfeW',
  'EQAqmjhcsBQhpBv5GJkYgEB7emGHZNoo1j1yAjiFLNvD',
  '3ctC68zTqpRDQShoondiQKDHwZDAUjRyxiPNdg8cD6Pe',
  'H242rsh5hzpvDdct56PG5YPQbKUT37EmySQLoQqrYUJr',
  'H5xSWNRAbqKddKjrabehyU8drL3Dk4LgZJiEJc9rGGyC',
];
const forgeable = FORGEABLE_IDS.flatMap((text) => {
  const plain = parseAgentId(text)!;
  const signed = plain.slice();
  signed[31]! |= 0x80;
  return [plain, signed];
});

it('is verified by one of them', () => {
  assert.equal(Object.values(verifiers).includes(verify), true);
});

for (const [library, verify] of Object.entries(verifiers)) {
  describe(`${library}:`, () => {
    describe('verifying a signature', () => {
      it('accepts what an honest key signed, and nothing else', () => {
        assert.equal(verify(message, signature, pair.publicKey), true);
        assert.equal(verify(Buffer.from('two apples for a pea'), signature, pair.publicKey), false);
        assert.equal(verify(message, signature, nacl.sign.keyPair.fromSeed(new Uint8Array(32)).publicKey), false);
      });

      it('refuses the second signature that S + L makes out of the first', () => {
        const raised = decodeInteger(signature.subarray(32)) + L;
        const malleable = concatBytes(signature.subarray(0, 32), encodeInteger(raised));
        assert.equal(nacl.sign.detached.verify(message, malleable, pair.publicKey), true, 'others accept it');
        assert.equal(verify(message, malleable, pair.publicKey), false);
      });

      for (const length of [0, 1, 31, 33, 63, 65, 128]) {
        it(`never throws at a signature or key of ${length} bytes`, () => {
          assert.equal(verify(message, new Uint8Array(length), pair.publicKey), false);
          assert.equal(verify(message, signature, new Uint8Array(length)), false);
          assert.equal(verify(new Uint8Array(), new Uint8Array(length), new Uint8Array(length)), false);
        });
      }

      it('refuses a key that is no point of the curve', () => {
        assert.equal(verify(message, signature, new Uint8Array(32).fill(0x02)), false);
      });

      it('refuses R of small order under an honest key', () => {
        // S·B = R + k·A holds with R = identity and S = k·a.
        const hash = createHash('sha512').update(seed).digest();
        const scalar = (decodeInteger(hash.subarray(0, 32)) & (2n ** 254n - 8n)) | (2n ** 254n);
        assert.deepEqual(encode(multiply(scalar, BASE)), pair.publicKey);
        const r = encode(IDENTITY);
        const s = mod(challenge(r, pair.publicKey, message) * scalar, L);
        const crafted = concatBytes(r, encodeInteger(s));
        assert.equal(nacl.sign.detached.verify(message, crafted, pair.publicKey), true, 'others accept it');
        assert.equal(verify(message, crafted, pair.publicKey), false);
      });

      it('refuses R of mixed order, whose equation holds only times eight', () => {
        // S·B = R + k·A but for the part of R that is of small order.
        const key = encode(multiply(5n, BASE));
        const r = encode(add(multiply(7n, BASE), TORSION));
        const s = mod(7n + challenge(r, key, message) * 5n, L);
        assert.equal(verify(message, concatBytes(r, encodeInteger(s)), key), false);
        const plain = encode(multiply(7n, BASE));
        const honest = mod(7n + challenge(plain, key, message) * 5n, L);
        assert.equal(verify(message, concatBytes(plain, encodeInteger(honest)), key), true);
      });

      it('judges a key of mixed order as the equation without a cofactor does', () => {
        // A = a·B + T: valid only when k·T vanishes, which one message in eight satisfies.
        const key = encode(add(multiply(5n, BASE), TORSION));
        const r = encode(multiply(7n, BASE));
        let accepted = 0;
        for (let index = 0; index < 40; index += 1) {
          const text = Buffer.from(`message ${index}`);
          const k = challenge(r, key, text);
          const crafted = concatBytes(r, encodeInteger(mod(7n + k * 5n, L)));
          const holds = k % 8n === 0n;
          assert.equal(verify(text, crafted, key), holds);
          if (holds) accepted += 1;
        }
        assert.ok(accepted > 0 && accepted < 40);
      });
    });

    describe('the 14 forgeable ids', () => {
      it('are the encodings of the eight points of small order, canonical and not', () => {
        const encodings = new Set<string>();
        for (let index = 0n, point = IDENTITY; index < 8n; index += 1n, point = add(point, TORSION)) {
          const y = point[1];
          for (const value of [y, y + P].filter((each) => each < 2n ** 255n)) {
            for (const sign of [0n, 1n])
              encodings.add(Buffer.from(encodeInteger(value | (sign << 255n))).toString('hex'));
          }
        }
        assert.deepEqual([...encodings].sort(), forgeable.map((key) => Buffer.from(key).toString('hex')).sort());
      });

      for (const [index, key] of forgeable.entries()) {
        it(`number ${index + 1} can be signed for without a secret elsewhere, and never here`, () => {
          assert.equal(isForgeable(key), true);
          assert.equal(isSmallOrder(key), true);
          let forged = 0;
          for (let attempt = 0; attempt < 24; attempt += 1) {
            const text = Buffer.from(`attempt ${attempt}`);
            for (const r of forgeable) {
              const crafted = concatBytes(r, new Uint8Array(32));
              if (acceptedByOpenSsl(text, crafted, key)) forged += 1;
              assert.equal(verify(text, crafted, key), false);
            }
          }
          assert.ok(forged > 0, 'the attack works against OpenSSL alone');
        });
      }

      it('have nothing in common with honest keys', () => {
        assert.equal(isForgeable(pair.publicKey), false);
        assert.equal(isForgeable(new Uint8Array(31)), true);
      });
    });

    describe('keys that are not canonical', () => {
      it('are refused: y from p to 2^255 - 1, with either sign', () => {
        for (let excess = 0n; excess < 19n; excess += 1n) {
          for (const sign of [0n, 1n]) {
            const key = encodeInteger((P + excess) | (sign << 255n));
            assert.equal(isNonCanonical(key), true);
            assert.equal(isForgeable(key), true);
            assert.equal(verify(message, signature, key), false);
          }
        }
      });

      it('end where canonical ones begin', () => {
        assert.equal(isNonCanonical(encodeInteger(P - 1n)), false);
        assert.equal(isNonCanonical(encodeInteger((P - 1n) | (1n << 255n))), false);
        assert.equal(isNonCanonical(pair.publicKey), false);
      });
    });

    describe('against an independent implementation', () => {
      it('honest signatures, damaged or not, are judged alike', () => {
        for (let round = 0; round < 24; round += 1) {
          const keys = nacl.sign.keyPair.fromSeed(
            new Uint8Array(createHash('sha256').update(`seed ${round}`).digest()),
          );
          const text = createHash('sha512').update(`text ${round}`).digest();
          const made = nacl.sign.detached(text, keys.secretKey);
          // Bits 252 and up of S are left alone: there tweetnacl accepts more.
          if (round % 2 === 1) made[(round * 7) % 63]! ^= 1 << (round % 8);
          assert.equal(verify(text, made, keys.publicKey), nacl.sign.detached.verify(text, made, keys.publicKey));
          assert.equal(verify(text, made, keys.publicKey), round % 2 === 0);
        }
      });
    });
  });
}

function acceptedByOpenSsl(text: Uint8Array, crafted: Uint8Array, key: Uint8Array): boolean {
  const x = Buffer.from(key).toString('base64url');
  return openssl(null, text, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), crafted);
}

import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { PeerCertifier } from '../../core/mesh/session/certificate.ts';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const DOMAIN = Buffer.from('test noise/1');

/** A real Ed25519 identity of a fixed seed, signing in a domain of the tests. */
export function testIdentity(seed: number): PeerCertifier {
  const secret = Buffer.alloc(32, seed);
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  const key = createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI.length);
  return {
    key: new Uint8Array(key),
    sign: (body) => sign(null, Buffer.concat([DOMAIN, body]), privateKey),
    verify(signer, body, signature) {
      const publicKey = createPublicKey({ key: Buffer.concat([SPKI, signer]), format: 'der', type: 'spki' });
      return verify(null, Buffer.concat([DOMAIN, body]), publicKey, signature);
    },
  };
}

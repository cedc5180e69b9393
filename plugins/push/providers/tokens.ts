import { createPrivateKey, type KeyObject, sign } from 'node:crypto';

/** A private key of the operator, refused at the start when it is none of this kind. */
export function privateKey(pem: string, kind: 'ec' | 'rsa', where: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error(`${where} is no private key in PEM`);
  }
  if (key.asymmetricKeyType !== kind) throw new Error(`${where} is a key of another kind than ${kind.toUpperCase()}`);
  return key;
}

/** A signed JSON Web Token: ES256 with an EC key, RS256 with an RSA key. */
export function webToken(key: KeyObject, header: object, claims: object): string {
  const alg = key.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256';
  const signed = [{ alg, ...header }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

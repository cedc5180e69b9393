import assert from 'node:assert/strict';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { DOMAINS, type DomainName, domainTag } from '../../core/protocol/identity/domains.ts';
import { isTransactionFor } from '../../core/protocol/identity/transaction-message.ts';
import {
  type AgentTokenClaims,
  bodyHash,
  readAgentToken,
  TOKEN_LIFETIME,
  tokenClaims,
  tokenSigningBytes,
} from '../../core/protocol/signer/agent-token.ts';
import { identityFromSeed } from '../../core/protocol/signer/identity.ts';

const NOW = 1_750_000_000_000;
const identity = identityFromSeed(new Uint8Array(32).fill(7));
const other = identityFromSeed(new Uint8Array(32).fill(8));
const request = {
  audience: 'https://aggregator.example',
  method: 'POST',
  target: '/push/sleep?x=1',
  body: Buffer.from('{"sleeping":true}'),
};
const claims = tokenClaims(identity.address, request, NOW, systemRandom);

describe('an agent token', () => {
  it('comes back as it was signed', () => {
    assert.deepEqual(readAgentToken(identity.signAgentToken(claims), NOW), { ok: true, value: claims });
  });

  it('binds method, path, query, body and audience', () => {
    const { htm, htu, bh, aud, jti, exp, iat } = claims;
    assert.deepEqual({ htm, htu, aud }, { htm: 'POST', htu: '/push/sleep?x=1', aud: 'https://aggregator.example' });
    assert.equal(bh, bodyHash(request.body));
    assert.equal(Buffer.from(jti, 'base64url').length, 16);
    assert.equal(exp - iat, TOKEN_LIFETIME);
  });

  it('is not issued in another name', () => {
    assert.throws(() => other.signAgentToken(claims), /issued by the key that signs it/);
  });

  it('never looks like anything else an identity signs', () => {
    const bytes = tokenSigningBytes(claims);
    for (const name of Object.keys(DOMAINS) as DomainName[]) assert.notEqual(bytes[0], domainTag(name)[0]);
    assert.equal(isTransactionFor(bytes, identity.key), false);
  });

  const [header, payload, signature] = identity.signAgentToken(claims).split('.') as [string, string, string];
  const resigned = (change: object) => identity.signAgentToken({ ...claims, ...change } as AgentTokenClaims);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const refusals: Record<string, [token: string, reason: RegExp]> = {
    'no signature': [`${header}.${payload}.`, /compact JWS/],
    'a fourth part': [`${header}.${payload}.${signature}.x`, /compact JWS/],
    'something very long': [`${header}.${'a'.repeat(4_000)}.${signature}`, /compact JWS/],
    'alg none': [`${encode({ alg: 'none', typ: 'agent-mesh+jwt' })}.${payload}.${signature}`, /header/],
    'the same header spelled otherwise': [
      `${encode({ typ: 'agent-mesh+jwt', alg: 'EdDSA' })}.${payload}.${signature}`,
      /header/,
    ],
    'another payload under the signature': [`${header}.${encode({ ...claims, htu: '/' })}.${signature}`, /signature/],
    'a claim too many': [resigned({ admin: 'true' }), /claims/],
    'a claim of another type': [resigned({ exp: '1' }), /claims/],
    'a short jti': [resigned({ jti: 'abc' }), /claims/],
    'a payload that is no JSON': [`${header}.AAAA.${signature}`, /claims/],
    'padding in the signature': [`${header}.${payload}.${signature}=`, /base64url/],
    'a signature of another length': [`${header}.${payload}.${signature.slice(0, 40)}`, /not a signature/],
    'a life that is too long': [resigned({ exp: claims.iat + TOKEN_LIFETIME + 1 }), /too long/],
    'an end before its beginning': [resigned({ iat: claims.exp + 10, exp: claims.exp }), /expired|too long/],
    'a beginning in the future': [resigned({ iat: claims.iat + 31, exp: claims.exp + 31 }), /not yet/],
  };
  for (const [name, [token, reason]] of Object.entries(refusals)) {
    it(`is refused with ${name}`, () => {
      const read = readAgentToken(token, NOW);
      assert.ok(!read.ok);
      assert.match(read.reason, reason);
    });
  }

  it('ends with its last second', () => {
    const token = identity.signAgentToken(claims);
    assert.ok(readAgentToken(token, (claims.exp - 1) * 1_000).ok);
    assert.ok(!readAgentToken(token, claims.exp * 1_000).ok);
  });
});

import type { PeerCertifier } from '../../mesh/session/certificate.ts';
import { verifyDomain } from '../../protocol/identity/domains.ts';
import type { Network } from '../../protocol/identity/network.ts';
import type { Identity } from '../../protocol/signer/identity.ts';

/** Lets the identity vouch for the Noise key of this process, and checks who vouches for a peer's. */
export function certifierOf(identity: Identity, network: Network): PeerCertifier {
  return {
    key: identity.key,
    sign: (body) => identity.signDomain('noise/1', network, fieldsOf(body)),
    verify: (key, body, signature) => verifyDomain('noise/1', network, fieldsOf(body), signature, key),
  };
}

/** The body as the mesh writes it: static key 32, instance 8, not_after 8. */
function fieldsOf(body: Uint8Array) {
  const notAfter = Buffer.from(body.buffer, body.byteOffset, body.length).readBigUInt64BE(40);
  return { static_key: body.subarray(0, 32), instance: body.subarray(32, 40), not_after: Number(notAfter) };
}

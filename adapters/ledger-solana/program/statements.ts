import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import { claimWords } from '../../../core/protocol/identity/owner-claim.ts';
import { type Deployment, ED25519_PROGRAM } from './addresses.ts';
import type { ProgramInstruction } from './instruction.ts';
import type { NetworkName } from './instructions/config.ts';

const HEADER_LENGTH = 143;

/** The network of a deployment, as its config account stores it: what every signature is bound to. */
export function networkHash({ programId, config }: Deployment, { genesisHash, networkId }: NetworkName): Buffer {
  const hash = createHash('sha256').update('agent-mesh/network/1\0').update(genesisHash);
  return hash.update(bs58.decode(programId)).update(bs58.decode(config)).update(networkId, 'utf8').digest();
}

/** The bytes an agent's key signs for an envelope. */
export function envelopeStatement(network: Uint8Array, header: Uint8Array): Buffer {
  if (header.length !== HEADER_LENGTH) throw new RangeError('a header has 143 bytes');
  return Buffer.concat([domain('envelope/2'), network, header]);
}

/** The content of a claim of ownership. */
export interface OwnerClaim {
  readonly network: Uint8Array;
  readonly agentId: string;
  readonly key: string;
  readonly owner: string;
  /** 8 bytes. */
  readonly nonce: Uint8Array;
  /** Unix seconds. */
  readonly expires: bigint;
}

/** The bytes the agent's key signs (owner/1). */
export function ownerStatement(claim: OwnerClaim): Buffer {
  const expires = Buffer.alloc(8);
  expires.writeBigUInt64BE(claim.expires);
  const { network, agentId, owner, nonce } = claim;
  return Buffer.concat([domain('owner/1'), network, bs58.decode(agentId), bs58.decode(owner), nonce, expires]);
}

/** The text the owner's wallet shows and signs; the program renders the same one. */
export function ownerText({ agentId: agent, key, owner, ...claim }: OwnerClaim): string {
  return claimWords({
    purpose: 'link',
    network: bs58.encode(claim.network),
    ...{ agent, key, owner },
    nonce: Buffer.from(claim.nonce).toString('hex'),
    expires: String(claim.expires),
  });
}

/** Has the ledger verify a signature. This is the one shape the program accepts as a proof. */
export function ed25519Instruction(key: string, signature: Uint8Array, message: Uint8Array): ProgramInstruction {
  const HERE = 0xffff;
  const [KEY, SIGNATURE, MESSAGE] = [16, 48, 112];
  const head = Buffer.alloc(16);
  head[0] = 1;
  [SIGNATURE, HERE, KEY, HERE, MESSAGE, message.length, HERE].forEach((value, i) => {
    head.writeUInt16LE(value, 2 + 2 * i);
  });
  const data = Buffer.concat([head, bs58.decode(key), signature, message]);
  return { programId: ED25519_PROGRAM, keys: [], data };
}

function domain(name: string): Buffer {
  return Buffer.concat([Uint8Array.of(0xff), Buffer.from(`agent-mesh/${name}\0`)]);
}

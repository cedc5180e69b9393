import { createHash } from 'node:crypto';
import { concatBytes } from '../../platform/bytes.ts';

/** Which mesh this is. Two nodes with different networks refuse each other's signatures. */
export interface Network {
  readonly name: string;
  /** 32 bytes inside everything that is signed; never on the wire. */
  readonly id: Uint8Array;
  /** The one envelope version spoken: 2, or 1 on the public network, where nothing private can be proved. */
  readonly version: EnvelopeVersion;
  readonly epochSecs: number;
}

export type EnvelopeVersion = 1 | 2;

export const DEFAULT_EPOCH_SECS = 86_400;

export interface NetworkParts {
  readonly name: string;
  /** The 32 bytes of the ledger's genesis hash, settlement program and its config account; zero without a ledger. */
  readonly genesisHash?: Uint8Array;
  readonly programId?: Uint8Array;
  readonly configAddress?: Uint8Array;
  /** 2 by default. */
  readonly version?: EnvelopeVersion;
  /** 86 400 by default. */
  readonly epochSecs?: number;
}

export function defineNetwork(parts: NetworkParts): Network {
  const epochSecs = parts.epochSecs ?? DEFAULT_EPOCH_SECS;
  if (!(Number.isSafeInteger(epochSecs) && epochSecs > 0)) throw new RangeError(`an epoch of ${epochSecs} seconds`);
  return { name: parts.name, id: networkId(parts), version: parts.version ?? 2, epochSecs };
}

const TAG = Buffer.from('agent-mesh/network/1\0');

function networkId({ name, genesisHash, programId, configAddress }: NetworkParts): Uint8Array {
  const ledger = [genesisHash, programId, configAddress].map((part) => part ?? new Uint8Array(32));
  if (ledger.some((part) => part.length !== 32)) throw new RangeError('every ledger part of a network is 32 bytes');
  const digest = createHash('sha256')
    .update(concatBytes(TAG, ...ledger, Buffer.from(name, 'utf8')))
    .digest();
  return new Uint8Array(digest);
}

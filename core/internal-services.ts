import type { RecordedTransactions } from './ledger/recorded-transactions.ts';
import type { Mesh as MeshValue } from './mesh/mesh-contract.ts';
import type { Halt as HaltValue } from './messaging/signing-lock.ts';
import type { Verifier as VerifierValue } from './messaging/verification/verifier.ts';
import { token } from './plugin.ts';
import type { Identity as IdentityValue } from './protocol/identity/identity.ts';
import type { Network as NetworkValue } from './protocol/identity/network.ts';
import type { Blobs as BlobsValue } from './storage/blobs.ts';

/** Services that only core's own faces use: a plugin never gets the key, the mesh or somebody else's space. */

/** The node's key, with the few things it signs. */
export type Identity = IdentityValue;
export const Identity = token<Identity>('identity');

/** Whether the key may be used. */
export type Halt = HaltValue;
export const Halt = token<Halt>('halt');

export type Network = NetworkValue;
export const Network = token<Network>('network');

export type Verifier = VerifierValue;
export const Verifier = token<Verifier>('verifier');

export type Mesh = MeshValue;
export const Mesh = token<Mesh>('mesh');

/** Byte strings under their hash, for core's own faces. */
export type Blobs = BlobsValue;
export const Blobs = token<Blobs>('blobs');

/** What this process has the ledger do. There is none in a process without a ledger: use it with `optional`. */
export type Transactions = RecordedTransactions;
export const Transactions = token<Transactions>('transactions');

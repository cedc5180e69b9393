/**
 * Services that core's own faces use: a plugin never gets the key, the mesh, the ledger or somebody else's space. The
 * tokens are made by `internalToken`, so a plugin that names one gets another one.
 */
import type { SchemaTypes } from '../schemas/types.ts';
import type { Settings as SettingsValue } from './contracts/settings.ts';
import type { IdempotencyStore as IdempotencyStoreValue } from './http/idempotency.ts';
import type { HttpNetwork as HttpNetworkValue } from './http/network.ts';
import type { RawSocket } from './http/route.ts';
import type { Till as TillValue } from './http/till.ts';
import type { Ledger as LedgerValue } from './ledger/ledger.ts';
import type { RecordedTransactions as RecordedTransactionsValue } from './ledger/recorded-transactions.ts';
import type { Mesh as MeshValue } from './mesh/mesh-contract.ts';
import type { MeshInbound as MeshInboundValue } from './mesh/mesh-inbound.ts';
import type { Transport } from './mesh/transport.ts';
import type { EnvelopeHandlers as EnvelopeHandlersValue } from './messaging/envelope-handlers.ts';
import type { ExtensionPoints as ExtensionPointsValue } from './messaging/extension-points.ts';
import type { SigningLock as SigningLockValue } from './messaging/signing-lock.ts';
import type { Verifier as VerifierValue } from './messaging/verification/verifier.ts';
import type { Resolver as ResolverValue } from './platform/address-filter.ts';
import { internalToken } from './platform/token.ts';
import type { Writership } from './platform/writership.ts';
import type { Network as NetworkValue } from './protocol/identity/network.ts';
import type { Identity as IdentityValue } from './protocol/signer/identity.ts';
import type { Blobs as BlobsValue } from './storage/blobs.ts';
import type { Store as StoreValue } from './storage/store.ts';

/** plugins.json as it is in force. Holds secrets: never for log lines. */
export type Settings = SettingsValue;
export const Settings = internalToken<Settings>('settings');

/** Sells calls of routes by x402. */
export type Till = TillValue;
export const Till = internalToken<Till | undefined>('till');

/** The node's key, with the few things it signs. */
export type Identity = IdentityValue;
export const Identity = internalToken<Identity>('identity');

/** Whether the key may be used. */
export type SigningLock = SigningLockValue;
export const SigningLock = internalToken<SigningLock>('signing-lock');

export type Network = NetworkValue;
export const Network = internalToken<Network>('network');

export type Verifier = VerifierValue;
export const Verifier = internalToken<Verifier>('verifier');

export type Mesh = MeshValue;
export const Mesh = internalToken<Mesh>('mesh');

export type MeshInbound = MeshInboundValue;
export const MeshInbound = internalToken<MeshInbound>('mesh-inbound');

/** The transport that takes over sockets of the node's own HTTP server. */
export interface MeshListener extends Transport {
  /** Must be called in the turn in which the socket was accepted. `remote` is the peer's address. */
  adopt(socket: RawSocket, remote: string): unknown;
}
export const MeshListener = internalToken<MeshListener>('mesh-listener');

export type EnvelopeHandlers = EnvelopeHandlersValue;
export const EnvelopeHandlers = internalToken<EnvelopeHandlers>('envelope-handlers');

/** Functions that plugins bound at the points where core asks them. */
export type ExtensionPoints = ExtensionPointsValue;
export const ExtensionPoints = internalToken<ExtensionPoints>('extension-points');

/** Whether this process is the writer of its store. Absent where a store never has another process. */
export type Writer = Writership;
export const Writer = internalToken<Writer>('writership');

/** The store of this process. Faces use `context.space`, which is theirs alone. */
export type Store = StoreValue;
export const Store = internalToken<Store>('store');

/** Byte strings under their hash. */
export type Blobs = BlobsValue;
export const Blobs = internalToken<Blobs>('blobs');

/** The blobs that agents upload to an aggregator. */
export type UploadedBlobs = BlobsValue;
export const UploadedBlobs = internalToken<UploadedBlobs>('uploaded-blobs');

/** Absent in a process without a ledger: use it with `optional`. */
export type Ledger = LedgerValue;
export const Ledger = internalToken<Ledger>('ledger');

/** The transactions that this process has the ledger do. There are none in a process without a ledger: use it with `optional`. */
export type RecordedTransactions = RecordedTransactionsValue;
export const RecordedTransactions = internalToken<RecordedTransactions>('recorded-transactions');

/** Host names and their addresses. */
export type Resolver = ResolverValue;
export const Resolver = internalToken<Resolver>('resolver');

/** Where HTTP calls go and come from: the machine's network unless the caller of `bootNode` gave another. */
export type HttpNetwork = HttpNetworkValue;
export const HttpNetwork = internalToken<HttpNetwork>('http-network');

/** Where answers to idempotent calls are kept: in the node's store unless another is given. */
export type IdempotencyStore = IdempotencyStoreValue;
export const IdempotencyStore = internalToken<IdempotencyStore>('idempotency-store');

/** This process, for its operator: the parts that came up, and the settings that are in force, secrets hidden. */
export interface Inspection {
  plugins(): SchemaTypes['loaded-plugins'];
  settings(): SchemaTypes['shown-settings'];
  /** Changes all of these settings or none, by their dotted names; null takes a change back. On disk when it resolves. */
  change(settings: SchemaTypes['setting-changes']['settings']): Promise<SchemaTypes['changed-settings']>;
}
export const Inspection = internalToken<Inspection>('inspection');

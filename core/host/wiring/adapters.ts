import type { MeshListener } from '../../internal-services.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Transport } from '../../mesh/transport.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { StorageAdapter } from '../../storage/adapter.ts';
import type { Declared } from './adapter-settings.ts';

/**
 * The adapters this process can use, by the name plugins.json gives them. Core does not know them: whoever starts it
 * hands them in, so a test or another program can bring its own.
 */
export interface Adapters {
  readonly storage: Readonly<Record<string, ((options: AdapterOptions) => Promise<StorageAdapter>) & Declared>>;
  readonly ledger: Readonly<Record<string, ((options: LedgerOptions) => Promise<Ledger>) & Declared>>;
  /** Transports to peers. */
  readonly transports: () => Promise<readonly Transport[]>;
}

export interface AdapterOptions {
  /** Its object of plugins.json. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** A folder of its own; made when missing. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface LedgerOptions extends AdapterOptions {
  /** The RPCs of one cluster; what decides about money is believed when all of them agree. */
  readonly rpcUrls: readonly [string, ...string[]];
  readonly metrics: Metrics;
  /** Where the settlement program of this mesh is, and the mesh's `network.id`. */
  readonly settlement?: { readonly programId: string; readonly config: string; readonly networkId: string };
}

/** A transport that also takes over sockets which the node's own HTTP server accepted. */
export function accepts(transport: Transport): transport is MeshListener {
  return 'adopt' in transport;
}

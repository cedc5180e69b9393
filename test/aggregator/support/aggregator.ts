import { adapters } from '../../../adapters/index.ts';
import { lowdbStorage } from '../../../adapters/storage-lowdb/index.ts';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { aggregatorProfile } from '../../../core/aggregator/index.ts';
import { Network, Verifier } from '../../../core/aggregator/providers.ts';
import { provider, value } from '../../../core/host/boot/boot-node.ts';
import { blobsProvider, uploadedBlobsProvider } from '../../../core/host/wiring/blobs-provider.ts';
import { identityProvider, signingLockProvider } from '../../../core/host/wiring/identity-provider.ts';
import {
  meshInboundProvider,
  meshListenerProvider,
  meshProvider,
  resolverProvider,
} from '../../../core/host/wiring/mesh-provider.ts';
import { Store } from '../../../core/internal-services.ts';
import { Verifier as StrictVerifier } from '../../../core/messaging/verification/verifier.ts';
import type { Clock } from '../../../core/platform/clock.ts';
import { type Log, silentLog } from '../../../core/platform/log.ts';
import { Clock as ClockToken, Contracts, Random } from '../../../core/services.ts';
import type { StorageAdapter } from '../../../core/storage/adapter.ts';
import { openStore } from '../../../core/storage/store.ts';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { type TestNode, testNode } from '../../support/node.ts';
import { network } from './agent.ts';

const meshProviders = [
  blobsProvider,
  uploadedBlobsProvider,
  signingLockProvider,
  identityProvider,
  resolverProvider,
  meshInboundProvider,
  meshListenerProvider(adapters),
  meshProvider,
];

export type Item = SchemaTypes['ingest-item'];
export type Result = SchemaTypes['ingest-result'];

export interface TestAggregator extends TestNode {
  /** What was logged as an error; a test that expects none says so. */
  readonly errors: readonly unknown[];
  /** Reads JSON and fails on any other status than 200. */
  read<T = any>(path: string): Promise<T>;
  /** Reads until the scores in the answer are what the test waits for; fails after ten seconds with the last answer. */
  scored<T = any>(path: string, isDone: (answer: T) => boolean): Promise<T>;
  fetch(path: string, init?: RequestInit): Promise<{ status: number; body: any }>;
  ingest(...items: Item[]): Promise<Result[]>;
}

export interface TestAggregatorOptions {
  readonly clock?: Clock;
  /** The folder of a lowdb store; memory unless given. */
  readonly dir?: string;
  readonly core?: Record<string, unknown>;
  readonly on?: typeof network;
  readonly api?: Record<string, unknown>;
}

/** An aggregator over real HTTP on a free port. */
export async function bootAggregator(options: TestAggregatorOptions = {}): Promise<TestAggregator> {
  const { clock, dir, core = { ingest: { newKeysPerHour: 10_000, itemsPerKeyPerMinute: 10_000 } }, on, api } = options;
  const store = provider(Store, {
    uses: { clock: ClockToken, random: Random, contracts: Contracts },
    async open({ clock, random, contracts }, { defer }) {
      const adapter: StorageAdapter = dir === undefined ? memoryStorage({ clock }) : lowdbStorage({ dir, clock });
      const validate = (schema: string, found: unknown) => contracts.problems(schema as never, found);
      const opened = await openStore(adapter, { clock, random, validate });
      defer(() => opened.close());
      return opened;
    },
  });
  const errors: unknown[] = [];
  const log: Log = {
    ...silentLog,
    error: (fields) => void errors.push((fields as { err?: unknown }).err),
    child: () => log,
  };
  const node = await testNode({
    log,
    core: aggregatorProfile,
    settings: { profile: 'aggregator', core, ...(api && { api }) },
    providers: [store, value(Network, on ?? network), value(Verifier, new StrictVerifier()), ...meshProviders],
    grace: 500,
    ...(clock && { clock }),
  });
  async function call(path: string, init?: RequestInit) {
    const response = await fetch(node.url + path, init);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
  return {
    ...node,
    errors,
    fetch: call,
    async read(path) {
      const { status, body } = await call(path);
      if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
      return body;
    },
    async scored(path, isDone) {
      for (const end = Date.now() + 10_000; ; ) {
        const { body: answer } = await call(path);
        if (isDone(answer)) return answer;
        if (Date.now() > end) throw new Error(`GET ${path}: ${JSON.stringify(answer)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async ingest(...items) {
      const headers = { 'content-type': 'application/json' };
      const { status, body } = await call('/ingest/envelopes', {
        method: 'POST',
        headers,
        body: JSON.stringify({ items }),
      });
      if (status !== 200) throw new Error(`ingest: ${status} ${JSON.stringify(body)}`, { cause: errors.at(-1) });
      return body.results;
    },
  };
}

export function statuses(results: readonly Result[]): string[] {
  return results.map(({ status }) => status);
}

// Runs in a worker of a browser: it counts a score again from its evidence, by the functions that the aggregator counts by.
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { verifyEvidence } from '../../core/aggregator/evidence/verify.ts';
import { openStore } from '../../core/storage/store.ts';

/** The part of a worker's own scope that is used here. */
interface WorkerScope {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
}

const scope = globalThis as unknown as WorkerScope;
/** For the tokens of leases, which no score depends on. */
const random = {
  bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  fraction: () => Math.random(),
};

scope.onmessage = async ({ data }) => {
  try {
    const counted = await verifyEvidence(String(data), async (clock) => {
      const store = await openStore(memoryStorage({ clock }), { clock, random, validate: () => [] });
      return store.space('recount');
    });
    scope.postMessage({ counted });
  } catch (error) {
    scope.postMessage({ problem: error instanceof Error ? error.message : String(error) });
  }
};

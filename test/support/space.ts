import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import type { StorageAdapter } from '../../core/storage/adapter.ts';
import type { Space } from '../../core/storage/space.ts';
import { openStore, type Store } from '../../core/storage/store.ts';

const contracts = loadContracts();

/** A store with the schemas of this package; in memory unless an adapter is given. */
export function openTestStore({
  clock = systemClock,
  adapter,
}: {
  clock?: Clock;
  adapter?: StorageAdapter;
} = {}): Promise<Store> {
  const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
  return openStore(adapter ?? memoryStorage({ clock }), { clock, random: systemRandom, validate });
}

/** The part of a fresh store that belongs to a node. */
export async function nodeSpace(clock: Clock = systemClock): Promise<Space> {
  return (await openTestStore({ clock })).space('node');
}

import { join } from 'node:path';
import type { SchemaName } from '../../contracts/typed.ts';
import { Store } from '../../internal-services.ts';
import type { Health } from '../../plugin.ts';
import { provider } from '../../provider.ts';
import { Clock, Contracts, Random } from '../../services.ts';
import type { StorageError, StorageFault } from '../../storage/adapter.ts';
import { openStore } from '../../storage/store.ts';
import { loadStorage } from '../loader/load-storage.ts';
import type { Adapters } from './adapters.ts';

/** Milliseconds between two looks at whether writes are taken again. */
const LOOK_AGAIN = 2_000;
/** Milliseconds in which a store that works has answered. */
const PATIENCE = 600;
const REMEDIES: Partial<Record<StorageFault, string>> = {
  full: 'Make room: it goes on by itself.',
  unavailable: 'See that it runs and can be reached: the node goes on by itself as soon as it takes writes again.',
  poisoned: 'Restart the node: it recovers all that was acknowledged.',
};

/** The store of the process, on the adapter that plugins.json names. */
export function storeProvider(adapters: Adapters) {
  return provider(Store, {
    uses: { clock: Clock, random: Random, contracts: Contracts },
    async open({ clock, random, contracts }, { settings, folder: home, log, defer, note, health }) {
      const make = await loadStorage(settings.storage.use ?? 'lowdb', home, adapters.storage);
      const adapter = await make({ settings: settings.storage, folder: join(settings.dataDir, 'store'), clock, log });
      const store = await openStore(adapter, {
        clock,
        random,
        validate: (name, value) => contracts.problems(name as SchemaName, value),
        troubled(trouble) {
          if (!trouble) return log.info({}, 'the store takes writes again');
          log.error({ err: trouble }, 'the store takes no writes');
          if (trouble.fault !== 'poisoned') lookAgain();
        },
      });
      let cancel = () => {};
      /** Until writes are taken: nobody else may have anything to write. */
      function lookAgain(): void {
        cancel();
        cancel = clock.after(LOOK_AGAIN, () => {
          store.probe().catch(() => store.trouble && store.trouble.fault !== 'poisoned' && lookAgain());
        });
      }
      health(
        () => (store.trouble ? unready(store.trouble) : { state: 'ok' }),
        () => store.look(PATIENCE),
      );
      defer(async () => {
        cancel();
        await store.close();
      });
      const { name, durability, processes, warnings } = store.guarantees;
      note(`storage: ${name}, durability ${durability}, ${processes === 'one' ? 'one process' : 'many processes'}`);
      for (const warning of warnings) note(`storage: ${warning}`);
      return store;
    },
  });
}

function unready({ fault, message }: StorageError): Health {
  const remedy = REMEDIES[fault];
  return { state: 'degraded', detail: message, ...(remedy !== undefined && { remedy }), unready: true };
}

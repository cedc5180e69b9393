import { join } from 'node:path';
import type { SchemaName } from '../http/route.ts';
import { loadStorage } from '../loader/load-storage.ts';
import { port } from '../port.ts';
import { Clock, Contracts, Random, Store } from '../ports.ts';
import { openStore } from '../storage/store.ts';
import type { Adapters } from './adapters.ts';

/** Milliseconds between two looks at whether there is room again. */
const LOOK_AGAIN = 2_000;

/** The store of the process, on the adapter that plugins.json names. */
export function storePort(adapters: Adapters) {
  return port(Store, {
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
          if (trouble.fault === 'full') lookAgain();
        },
      });
      let cancel = () => {};
      /** Until there is room: nobody else may have anything to write. */
      function lookAgain(): void {
        cancel = clock.after(LOOK_AGAIN, () => {
          store.probe().catch(() => store.trouble?.fault === 'full' && lookAgain());
        });
      }
      health(() => {
        const { trouble } = store;
        return trouble ? { state: 'degraded', detail: trouble.message, unready: true } : { state: 'ok' };
      });
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

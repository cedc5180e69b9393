import { join } from 'node:path';
import type { Configuration } from '../../host/config/configuration.ts';
import { loadStorage } from '../../host/loader/load-storage.ts';
import type { Adapters } from '../../host/wiring/adapters.ts';
import { silentLog } from '../../platform/log.ts';
import { messageOf } from '../../platform/problem.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Whether the store answers, where it is one that is dialled; of the others, whether what is in the data folder is whole. */
export async function storeFindings({ settings, folder }: Configuration, adapters: Adapters): Promise<Finding[]> {
  const { use = 'lowdb' } = settings.storage;
  try {
    const make = await loadStorage(use, folder, adapters.storage);
    if (!make.dial) {
      const place = join(settings.dataDir, 'store');
      const adapter = await make({ settings: settings.storage, folder: place, clock: systemClock, log: silentLog });
      const damage = (await adapter.examine?.()) ?? [];
      return damage.length > 0 ? damage.map((text) => fail('store', text)) : [ok('store', `${use}, in ${place}`)];
    }
    const { text, warnings } = await make.dial(settings.storage);
    return [ok('store', text), ...warnings.map((warning) => warn('store', warning))];
  } catch (error) {
    return [fail('store', messageOf(error), 'without it the node neither starts nor takes calls')];
  }
}

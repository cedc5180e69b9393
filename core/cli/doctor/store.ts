import { join } from 'node:path';
import type { Configuration } from '../../config/configuration.ts';
import { loadStorage } from '../../loader/load-storage.ts';
import { messageOf } from '../../problem.ts';
import type { Adapters } from '../../wiring/adapters.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Whether the store answers, where it is one that is dialled; the others stand in the data folder. */
export async function storeFindings({ settings, folder }: Configuration, adapters: Adapters): Promise<Finding[]> {
  const { use = 'lowdb' } = settings.storage;
  try {
    const { dial } = await loadStorage(use, folder, adapters.storage);
    if (!dial) return [ok('store', `${use}, in ${join(settings.dataDir, 'store')}`)];
    const { text, warnings } = await dial(settings.storage);
    return [ok('store', text), ...warnings.map((warning) => warn('store', warning))];
  } catch (error) {
    return [fail('store', messageOf(error), 'without it the node neither starts nor takes calls')];
  }
}

import type { SchemaTypes } from '../../../schemas/types.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

/** The space of the plugin `ownership`, and the declaration that core had until it became one. */
const PLUGIN = 'ownership';
const proposed = collection<SchemaTypes['stored-proposal']>('owner', { schema: 'stored-proposal' }).ref('proposed');
const BOUNDS = { bytes: 64 * 1024, pulls: 4 };

/** Moves the proposal of a store of before to the plugin that has it now, in one transaction. */
export async function moveOlderProposal(space: Space): Promise<void> {
  if (!(await space.get(proposed))) return;
  await space.txBeside([proposed], [{ space: PLUGIN, reads: [proposed] }], (tx, others) => {
    const known = tx.get(proposed);
    if (!known) return;
    others.guest(PLUGIN, BOUNDS, (own) => {
      if (!own.get(proposed)) own.put(proposed, known);
    });
    tx.del(proposed);
  });
}

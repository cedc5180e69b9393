import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Log } from '../../platform/log.ts';
import { collection } from '../../storage/declarations.ts';
import type { Found } from '../../storage/pages.ts';
import type { Store } from '../../storage/store.ts';
import { SPACE } from '../providers.ts';
import { ownership, type StoredOwnership } from '../store/ownership.ts';

/** The space and the declarations of the plugin `ownership`, which core had until it became one. */
const PLUGIN = 'ownership';
const proposed = collection<StoredOwnership>('links', { schema: 'stored-owner-link' });
const budget = collection<SchemaTypes['stored-link-budget']>('link-budget', { schema: 'stored-link-budget' });
const moved = collection<{ at: number }>('ownership-moved', { schema: () => [] });

const PAGE = 50;
const BOUNDS = { bytes: 512 * 1024, pulls: 8 };

/**
 * Copies proposals and claims of a store of before into the space of the plugin that has them now, once. Each is copied together with the note
 * how far this has come, so a crash costs nothing.
 */
export async function moveOlderProposals(store: Store, log: Log): Promise<void> {
  const space = store.space(SPACE);
  const done = moved.ref('done');
  if (await space.get(done)) return;
  let count = 0;
  for (let after: Found<StoredOwnership> | undefined; ; ) {
    const rows = await space.page(ownership, { limit: PAGE, after, once: true });
    const open = rows.map(({ value }) => value).filter(({ proposal }) => proposal !== null);
    const refs = open.map(({ key }) => proposed.ref(key));
    await space.txBeside([], [{ space: PLUGIN, reads: refs }], (_, others) =>
      others.guest(PLUGIN, BOUNDS, (tx) => {
        for (const row of open) if (!tx.get(proposed.ref(row.key))) tx.put(proposed.ref(row.key), row);
      }),
    );
    count += open.length;
    if (rows.length < PAGE) break;
    after = rows.at(-1);
  }
  const spent = budget.ref('links');
  await space.txBeside([spent], [], (tx, others) => {
    const known = tx.get(spent);
    if (known) others.guest(PLUGIN, BOUNDS, (own) => own.put(spent, known));
    tx.put(done, { at: tx.now });
  });
  if (count > 0) log.info({ count }, 'proposals of owners were moved to the plugin ownership');
}

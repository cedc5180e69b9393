import type { SchemaTypes } from '../../../schemas/types.ts';
import type { Log } from '../../platform/log.ts';
import { collection } from '../../storage/declarations.ts';
import type { Space } from '../../storage/space.ts';

type StoredCase = SchemaTypes['notary-case'];

const DAY = 86_400_000;
const ENDED: readonly unknown[] = ['other', 'released', 'refunded', 'decided', 'closed'];

/** The space and the declaration of the plugin `notary`. Core had the collection in its own space until it became one. */
const PLUGIN = 'notary';
const cases = collection<StoredCase, 'recent' | 'untold' | 'watched'>('notary-cases', {
  schema: 'notary-case',
  ttl: 120 * DAY,
  indexes: {
    recent: ({ opened_at }) => [opened_at],
    untold: ({ verdict }) => (verdict && Object.keys(verdict.sent).length < 2 ? [verdict.at] : undefined),
    watched: ({ opened_at, ledger, verdict }) => {
      const isOver = ledger ? ENDED.includes(ledger.state) : verdict !== null && verdict.escrow !== 'due';
      return isOver ? undefined : [opened_at];
    },
  },
});

const PAGE = 50;
const BOUNDS = { bytes: 512 * 1024, pulls: 4 };

/** Moves the cases of a store of before to the plugin that has them now, a page in one transaction, so a crash costs nothing. */
export async function moveOlderCases(space: Space, log: Log): Promise<void> {
  let count = 0;
  for (;;) {
    const rows = await space.page(cases, { limit: PAGE });
    if (rows.length === 0) break;
    const refs = rows.map(({ id }) => cases.ref(id));
    await space.txBeside(refs, [{ space: PLUGIN, reads: refs }], (tx, others) => {
      const known = refs.map((ref) => ({ ref, value: tx.get(ref) }));
      others.guest(PLUGIN, BOUNDS, (own) => {
        for (const { ref, value } of known) if (value && !own.get(ref)) own.put(ref, value);
      });
      for (const ref of refs) tx.del(ref);
    });
    count += rows.length;
  }
  if (count > 0) log.info({ count }, 'cases were moved to the plugin notary');
}

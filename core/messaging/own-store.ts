import { collection } from '../storage/declarations.ts';
import type { Space } from '../storage/space.ts';
import { nonces } from './records.ts';

/**
 * The agent that owns this store, and the format of the envelopes in it: 2 since deal messages of version 2 have a
 * public part.
 */
const keeper = collection<{ readonly agent: string; readonly format?: number }>('keeper', { schema: () => [] });

const FORMAT = 2;

/**
 * Takes a store for an agent, for ever. Rejects when it is that of another one: two nodes with one prefix on one Redis
 * would send each other's envelopes, and a key that was lost would lose its deals to the next one without a word.
 * `settleOlder` makes a store of before fit for today's messages, or names the deals that keep it from being taken.
 */
export async function claimStore(
  space: Space,
  agent: string,
  settleOlder: () => Promise<string | undefined> = async () => undefined,
): Promise<void> {
  const ref = keeper.ref('agent');
  const own = nonces.ref(agent);
  const [known, signed, ownSigned] = await Promise.all([
    space.get(ref),
    space.page(nonces, { limit: 1 }),
    space.get(own),
  ]);
  if (known?.format !== undefined && known.format > FORMAT) throw newer(known.format);
  const isOlder = known?.format !== FORMAT;
  const isOwn = known ? known.agent === agent : signed.length === 0 || ownSigned !== undefined;
  const underWay = isOlder && isOwn ? await settleOlder() : undefined;
  if (underWay !== undefined) throw older(underWay);
  const { value: holder } = !isOlder
    ? { value: known.agent }
    : await space.tx([ref, own], (tx) => {
        const before = tx.get(ref)?.agent;
        if (before !== undefined && before !== agent) return before;
        // Stores of earlier builds tell it by what was signed only.
        const other = tx.get(own) ? undefined : signed[0]?.id;
        if (other === undefined) tx.put(ref, { agent, format: FORMAT });
        return other ?? agent;
      });
  if (holder === agent) return;
  throw new Error(
    `this store is that of agent ${holder}, and the key here is that of ${agent}: ` +
      'put the key file of the former back, or give this node a data folder or a storage.prefix of its own',
  );
}

function newer(format: number): Error {
  return new Error(
    `this store holds messages of format ${format}, and this release reads formats up to ${FORMAT}: start the release that ` +
      'wrote it, or a newer one; or restore the copy from before the upgrade. See docs/upgrade.md',
  );
}

function older(underWay: string): Error {
  return new Error(
    `this store holds deals under way whose messages do not show who pays, as nodes of this network do now: ${underWay}. ` +
      'Nothing was changed. Finish them, or let them expire, with the release that wrote it; then start this one. ' +
      'See docs/upgrade.md',
  );
}

import type { Clock } from '../../platform/clock.ts';
import type { Space } from '../../storage/space.ts';
import { agents } from '../store/agents.ts';
import { formatRef, STORE_FORMAT } from '../store/format.ts';
import { FENCE, fenceRefs, formerWriterRefs, isFence, LOOK_MS, type StoredWriter } from '../store/writer.ts';

export interface FormatParts {
  readonly space: Space;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Every process of an earlier release that lives takes a free lease within one look; three show that there is none. */
const QUIET_MS = 3 * LOOK_MS;
/** A lease of an earlier release that is held for longer is renewed by somebody: it lasts six seconds. */
const HELD_MS = 6_000 + LOOK_MS;
const POLL_MS = 250;

/**
 * Makes sure that all processes on the store keep it in the format of this release: it is written down, and from then on earlier
 * releases refuse to start. Rejects where a newer release has been here, or an earlier one is.
 */
export async function claimFormat(parts: FormatParts): Promise<void> {
  const { space } = parts;
  const isNew = (await space.count(agents)) === 0;
  for (let looked = isNew; ; looked = false) {
    if (isOurs(await space.get(formatRef))) return;
    if (!looked) await leftByAll(parts);
    const { value } = await space.tx([formatRef, ...formerWriterRefs], (tx) => {
      if (isOurs(tx.get(formatRef))) return true;
      if (holderIn(formerWriterRefs.map((ref) => tx.get(ref)))) return false;
      tx.put(formatRef, { number: STORE_FORMAT });
      for (const ref of fenceRefs) tx.put(ref, FENCE);
      return true;
    });
    if (value) return;
  }
}

/** Whether the store has the format of this release; throws where a newer one has written it. */
function isOurs(found: { readonly number: number } | undefined): boolean {
  if (found && found.number > STORE_FORMAT) throw new Error(newer(found.number));
  return found?.number === STORE_FORMAT;
}

/** The process of an earlier release that is the writer. */
function holderIn(writers: readonly (StoredWriter | undefined)[]): StoredWriter | undefined {
  return writers.find((writer) => writer !== undefined && !isFence(writer));
}

/** Waits until no process of an earlier release can be there; rejects when one stays. */
async function leftByAll({ space, clock, signal }: FormatParts): Promise<void> {
  if (space.changes !== undefined) return;
  let [heldSince, freeSince] = [undefined, undefined] as (number | undefined)[];
  for (;;) {
    const holder = holderIn(await Promise.all(formerWriterRefs.map((ref) => space.get(ref))));
    // Another process of this release was faster.
    if (isOurs(await space.get(formatRef))) return;
    const now = clock.now();
    heldSince = holder && (heldSince ?? now);
    freeSince = holder ? undefined : (freeSince ?? now);
    if (holder && now - heldSince! > HELD_MS) throw new Error(earlier(holder));
    if (freeSince !== undefined && now - freeSince >= QUIET_MS) return;
    await clock.sleep(POLL_MS, signal);
  }
}

function earlier({ agent_id }: StoredWriter): string {
  return `An aggregator of an earlier release, ${agent_id}, uses this store, and this release keeps it in another format (${STORE_FORMAT}). Stop all aggregators of the earlier release, keep a copy of the store, and start this one (docs/upgrade.md).`;
}

function newer(format: number): string {
  return `This store has format ${format}, and this release reads formats up to ${STORE_FORMAT}. Start the release that wrote it, or a newer one; or restore the copy from before the upgrade (docs/upgrade.md).`;
}

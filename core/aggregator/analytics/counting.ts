import type { Logged } from '../../storage/pages.ts';
import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import { epochId, NOTHING_READ, type StoredState, stateRef, tallies } from '../store/analytics.ts';
import { ledgerEvents, type StoredLedgerEvent } from '../store/ledger.ts';
import { activity } from '../store/logs.ts';
import { ownersIn, putOwnerCluster, readOwnerCluster } from './owner-clusters.ts';
import { paidSamples, type Sample, samplesOf } from './samples.ts';
import { newTally, withSample } from './tally.ts';

/** Events counted in one transaction: few enough that nobody waits for it. */
const PAGE = 128;

/**
 * Counts one page of each log and moves the cursor in the same transaction, so that an event counts once whatever happens
 * between; false when both logs have been read to their ends. What comes meanwhile is left for the next time, so that while reports
 * come all the time a tally is not written for each of them. Another process that was faster costs nothing but the reading.
 */
export async function countPage(space: Space, epochs: Epochs): Promise<boolean> {
  const before = (await space.get(stateRef)) ?? NOTHING_READ;
  const [signed, settled] = await Promise.all([
    space.page(activity, { after: before.activity, limit: PAGE }),
    space.page(ledgerEvents, { after: before.ledger, limit: PAGE }),
  ]);
  if (signed.length === 0 && settled.length === 0) return false;
  const samples = [
    ...signed.flatMap(({ record }) => samplesOf(record)),
    ...settled.flatMap(({ record }) => paidSamples(record)),
  ];
  const owned = await Promise.all(ownersIn(settled).map((owner) => readOwnerCluster(space, owner)));
  const counts = byEpoch(samples, before, epochs);
  const refs = [...counts.values()].map(({ agentId, epoch }) => tallies.ref(epochId(agentId, epoch)));
  const { value: isCounted } = await space.tx([stateRef, ...refs], (tx) => {
    const state = tx.get(stateRef) ?? NOTHING_READ;
    if (state.activity !== before.activity || state.ledger !== before.ledger || state.closed !== before.closed)
      return false;
    for (const { agentId, epoch, samples: some } of counts.values()) {
      const ref = tallies.ref(epochId(agentId, epoch));
      tx.put(ref, some.reduce(withSample, tx.get(ref) ?? newTally(agentId, epoch)));
    }
    for (const cluster of owned) putOwnerCluster(tx, cluster);
    tx.put(stateRef, {
      ...state,
      activity: lastOf(signed) ?? state.activity,
      ledger: lastOf<StoredLedgerEvent>(settled) ?? state.ledger,
    });
    return true;
  });
  return !isCounted || signed.length === PAGE || settled.length === PAGE;
}

interface Counted {
  readonly agentId: string;
  readonly epoch: number;
  readonly samples: Sample[];
}

/** An epoch that is closed stays as it is; what comes too late for it is counted in the one behind. */
function byEpoch(samples: readonly Sample[], { closed }: StoredState, epochs: Epochs): Map<string, Counted> {
  const counts = new Map<string, Counted>();
  for (const sample of samples) {
    const { agentId, at } = sample;
    const epoch = Math.max(epochs.at(at), closed + 1);
    const id = epochId(agentId, epoch);
    const known = counts.get(id);
    if (known) known.samples.push(sample);
    else counts.set(id, { agentId, epoch, samples: [sample] });
  }
  return counts;
}

function lastOf<T>(rows: readonly Logged<T>[]): number | undefined {
  return rows.at(-1)?.id;
}

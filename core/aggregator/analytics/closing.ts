import type { Space } from '../../storage/space.ts';
import type { Epochs } from '../epochs.ts';
import {
  epochId,
  NOTHING_READ,
  newStanding,
  type StoredStanding,
  type StoredTally,
  type StoredVector,
  standings,
  stateRef,
  sumsRef,
  tallies,
  vectors,
} from '../store/analytics.ts';
import { isMeasured, vectorOf } from './entropy.ts';
import { type NetworkSums, NO_AGENTS, withVector } from './network-sums.ts';
import type { Pace } from './pace.ts';
import { CONCENTRATED, GRACE_MS, KEPT_EPOCHS, ONE, PRESENT_EPOCHS } from './parameters.ts';
import { namesIn } from './tally.ts';

/** Agents closed in one transaction. */
const PAGE = 16;

/** The last epoch that is to be closed at a moment. */
function lastEnded(now: number, epochs: Epochs): number {
  return epochs.at(now - GRACE_MS) - 1;
}

/**
 * Closes the epochs that have ended: each agent's counts become its vector, in steps that a crash cannot halve. Call it when
 * everything that is stored has been counted.
 */
export async function closeEnded(space: Space, epochs: Epochs, now: number, pace: Pace): Promise<void> {
  const last = lastEnded(now, epochs);
  const { value: closed } = await space.tx([stateRef], (tx) => {
    const state = tx.get(stateRef) ?? NOTHING_READ;
    if (state.closed >= last) return state.closed;
    tx.put(stateRef, { ...state, closed: last });
    return last;
  });
  const life = (epoch: number) => (epoch + KEPT_EPOCHS + 1) * epochs.ms - now;
  for (;;) {
    await pace.step();
    const rows = await space.page(tallies, { index: 'open', to: [closed + 1], limit: PAGE });
    if (rows.length === 0) break;
    await closeSome(
      space,
      rows.map(({ value }) => value),
      { closed, life },
    );
  }
  for (;;) {
    await pace.step();
    const rows = await space.page(standings, { index: 'present', to: [closed - PRESENT_EPOCHS + 1], limit: PAGE });
    if (rows.length === 0) return;
    await forgetSome(
      space,
      rows.map(({ id }) => id),
      closed,
    );
  }
}

async function closeSome(
  space: Space,
  open: readonly StoredTally[],
  { closed, life }: { readonly closed: number; readonly life: (epoch: number) => number },
): Promise<void> {
  const named = open.map(({ agent_id, epoch }) => ({ agentId: agent_id, epoch }));
  const tallyRefs = named.map(({ agentId, epoch }) => tallies.ref(epochId(agentId, epoch)));
  const standingRefs = named.map(({ agentId }) => standings.ref(agentId));
  await space.tx([sumsRef, ...tallyRefs, ...standingRefs], (tx) => {
    let sums = tx.get(sumsRef) ?? NO_AGENTS;
    for (const [index, { agentId, epoch }] of named.entries()) {
      const tally = tx.get(tallyRefs[index]!);
      // Another process has closed it.
      if (!tally) continue;
      const vector = vectorOf(tally);
      const before = tx.get(standingRefs[index]!) ?? newStanding(agentId);
      const after = withEpoch(before, tally, vector, epoch > closed - PRESENT_EPOCHS);
      sums = moved(sums, before, after);
      tx.put(standingRefs[index]!, after);
      tx.del(tallyRefs[index]!);
      const ttl = life(epoch);
      if (ttl > 0) tx.put(vectors.ref(epochId(agentId, epoch)), vector, { ttl });
    }
    tx.put(sumsRef, sums);
  });
}

/** Vectors that have become too old are present no more. */
async function forgetSome(space: Space, ids: readonly string[], closed: number): Promise<void> {
  const refs = ids.map((id) => standings.ref(id));
  await space.tx([sumsRef, ...refs], (tx) => {
    let sums = tx.get(sumsRef) ?? NO_AGENTS;
    for (const ref of refs) {
      const before = tx.get(ref);
      if (!before?.counted || before.latest === null || before.latest.epoch > closed - PRESENT_EPOCHS) continue;
      const after = { ...before, counted: false };
      sums = moved(sums, before, after);
      tx.put(ref, after);
    }
    tx.put(sumsRef, sums);
  });
}

/** An epoch in which nothing could be judged takes nothing away: silence does not clear an agent. */
function withEpoch(
  before: StoredStanding,
  tally: StoredTally,
  vector: StoredVector,
  isPresent: boolean,
): StoredStanding {
  const verified = withVerifiers(before.verified, tally, vector);
  const isNewer = before.latest === null || before.latest.epoch < vector.epoch;
  if (!isMeasured(vector) || !isNewer) return { ...before, verified };
  const partners = namesIn(tally.partners);
  return { ...before, latest: vector, partners, counted: isPresent, verified };
}

function withVerifiers(
  verified: StoredStanding['verified'],
  { verifiers }: StoredTally,
  { hv, n_hv }: StoredVector,
): StoredStanding['verified'] {
  if (hv === null) return verified;
  const { epochs, sum, below } = verified;
  const [name] = namesIn(verifiers).sort((one, other) => verifiers[other]! - verifiers[one]!);
  const top = name === undefined ? null : { agent_id: name, share: Math.round((ONE * verifiers[name]!) / n_hv) };
  return { epochs: epochs + 1, sum: sum + hv, below: below + (hv < CONCENTRATED ? 1 : 0), top };
}

function moved(sums: NetworkSums, before: StoredStanding, after: StoredStanding): NetworkSums {
  const left = before.counted && before.latest ? withVector(sums, before.latest, -1) : sums;
  return after.counted && after.latest ? withVector(left, after.latest, 1) : left;
}

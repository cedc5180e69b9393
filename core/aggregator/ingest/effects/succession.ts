import type { Succession } from '../../../messaging/successions.ts';
import { MOST_KEYS } from '../../../protocol/reputation/lineage.ts';
import type { Ref } from '../../../storage/declarations.ts';
import type { Space } from '../../../storage/space.ts';
import type { Tx } from '../../../storage/transaction.ts';
import type { Epochs } from '../../epochs.ts';
import { agents, newStanding, type StoredAgent } from '../../store/agents.ts';
import { stakes } from '../../store/ledger.ts';
import { activity } from '../../store/logs.ts';
import { deeds, explanations, scoreChanges } from '../../store/scores.ts';
import { seeAgent, sidesOf } from '../agent-rows.ts';

/** Milliseconds for which reports are taken that a key signed before it was replaced: those of its last deals are still on their way. */
const LATE = 3_600_000;

/**
 * - `unknown`: no claim of the old key was heard that names its recovery key.
 * - `forged`: the recovery key or the successor has not signed it.
 * - `time`: it is signed ahead of the clock, or was signed more than 30 epochs ago.
 * - `twice`: another successor was heard of first.
 * - `circular`: the successor was replaced itself, or is the old key.
 * - `history`: the successor has done something, or has replaced another key.
 * - `often`: the agent has had 32 keys.
 * - `rate`: one host shows more than are verified in an hour.
 */
export type SuccessionRefusal = NonNullable<ReturnType<typeof refusalOf>> | 'unknown' | 'forged' | 'time' | 'rate';

type Named = Pick<Succession, 'agent_id' | 'successor'>;

interface Facts {
  readonly old: StoredAgent | undefined;
  readonly next: StoredAgent | undefined;
  /** Whether the ledger knows something of the successor. */
  readonly onLedger: boolean;
}

export function successionRefs({ agent_id, successor }: Named): Ref<any>[] {
  return [agents.ref(agent_id), agents.ref(successor), deeds.ref(successor), stakes.ref(successor)];
}

export async function factsOf(space: Space, one: Named): Promise<Facts> {
  return factsIn(await space.getMany(successionRefs(one)));
}

function factsIn([old, next, done, stake]: readonly any[]): Facts {
  return { old, next, onLedger: done !== undefined || stake !== undefined };
}

/** Why the rows of the two keys do not allow it. */
export function refusalOf({ agent_id, successor }: Named, { old, next, onLedger }: Facts) {
  if (old?.successor) return old.successor.agent_id === successor ? undefined : ('twice' as const);
  if (next?.successor || agent_id === successor) return 'circular' as const;
  if (next?.predecessor !== undefined || onLedger || (next && hasCounted(next))) return 'history' as const;
  return (old?.standing.key_changes ?? 0) + 2 > MOST_KEYS ? ('often' as const) : undefined;
}

function hasCounted({ standing: { counts, scores }, disputes, verdicts }: StoredAgent): boolean {
  return scores.length + disputes + verdicts > 0 || Object.values(counts).some((count) => count > 0);
}

/** Moves name, history and standing of a key to its successor; what was said of the old key stays with it, and counts for the new one. */
export function succeed(tx: Tx, one: Succession, slot: number, epochs: Epochs): void {
  const { agent_id, successor, time } = one;
  const facts = factsIn(tx.pull(successionRefs(one)));
  if (facts.old?.successor || refusalOf(one, facts)) return;
  seeAgent(tx, agent_id, tx.now, epochs);
  seeAgent(tx, successor, tx.now, epochs);
  const [old, next] = tx.pull([agents.ref(agent_id), agents.ref(successor)]) as [StoredAgent, StoredAgent];
  tx.append(activity, { event_type: 'KEY_CHANGE', ...sidesOf(tx, agent_id, successor), slot, at: tx.now });
  const { key_changes, ...standing } = old.standing;
  const fresh = newStanding(epochs.at(tx.now));
  const { score, rank } = fresh;
  tx.put(agents.ref(agent_id), {
    ...old,
    standing: { ...fresh, key_changes },
    successor: { agent_id: successor, time, known_at: tx.now },
  });
  tx.put(agents.ref(successor), {
    ...next,
    name: old.name === '' ? next.name : old.name,
    first_seen: Math.min(old.first_seen, next.first_seen),
    disputes: old.disputes,
    verdicts: old.verdicts,
    ...(old.round_trip && { round_trip: old.round_trip }),
    // The next run counts them; until then nobody is shown with the score of another key.
    standing: { ...standing, score, rank, key_changes: key_changes + 1, updated: tx.now },
    predecessor: agent_id,
  });
  tx.del(explanations.ref(agent_id));
  tx.append(scoreChanges, { from: agent_id });
  tx.append(scoreChanges, { from: successor });
}

/** Why an envelope of this sender is not taken, signed at `at`: a replaced key is refused at once, but for late reports. */
export function replacedBy(sender: StoredAgent | undefined, at: number, now: number): string | undefined {
  const { successor } = sender ?? {};
  if (!successor || (at <= successor.time * 1_000 && now - successor.known_at <= LATE)) return undefined;
  return `its key was replaced by ${successor.agent_id}`;
}

import type { BountyPayload } from '../../../protocol/envelopes/payloads/payloads.ts';
import type { Tx } from '../../../storage/transaction.ts';
import { bountyRef, openBounties } from '../../store/bounties.ts';
import type { Signed } from '../signed.ts';
import { type Effect, NOTHING_DROPPED, NoRoom } from './effect.ts';

const MAX_OPEN = 16;
/** Characters of a summary that are kept. */
const MAX_SUMMARY = 1_000;

/**
 * BOUNTY: work for any agent that can do it, open until its deadline or until the sender makes a deal in its
 * conversation. A newer one of the same conversation replaces it.
 */
export function bountyEffect({ id, sender, slot, at }: Signed, payload: BountyPayload): Effect {
  const { required_capability, max_budget_usd, task_summary, conversation_id } = payload;
  const ref = bountyRef(sender, conversation_id);
  const deadline = at + payload.deadline_secs * 1_000;
  return {
    reads: () => [ref, openBounties.ref(sender)],
    apply(tx) {
      const known = tx.get(ref);
      if (deadline <= tx.now || (known && known.at > at)) return NOTHING_DROPPED;
      keepPlace(tx, sender, conversation_id, deadline);
      const stored = {
        ...{ envelope_id: id, agent_id: sender, conversation_id, required_capability, max_budget_usd },
        task_summary: [...task_summary].slice(0, MAX_SUMMARY).join(''),
        ...{ deadline, slot, at },
      };
      tx.put(ref, stored, { ttl: deadline - tx.now });
      return NOTHING_DROPPED;
    },
  };
}

/** The sender has made a deal. Runs in a transaction that read both documents, or reads them. */
export function closeBounty(tx: Tx, agentId: string, conversation: string): void {
  const ref = bountyRef(agentId, conversation);
  const [known] = tx.pull([ref]);
  if (!known) return;
  tx.del(ref);
  const [kept] = tx.pull([openBounties.ref(agentId)]);
  const open = (kept?.open ?? []).filter((one) => one.conversation_id !== conversation);
  if (open.length === 0) tx.del(openBounties.ref(agentId));
  else tx.put(openBounties.ref(agentId), { open }, { ttl: lifeOf(open, tx.now) });
}

function keepPlace(tx: Tx, agentId: string, conversation: string, deadline: number): void {
  const kept = tx.get(openBounties.ref(agentId))?.open ?? [];
  const others = kept.filter((one) => one.deadline > tx.now && one.conversation_id !== conversation);
  if (others.length >= MAX_OPEN) throw new NoRoom(`this key has ${MAX_OPEN} open bounties`);
  const open = [...others, { conversation_id: conversation, deadline }];
  tx.put(openBounties.ref(agentId), { open }, { ttl: lifeOf(open, tx.now) });
}

function lifeOf(open: readonly { readonly deadline: number }[], now: number): number {
  return Math.max(1, Math.max(...open.map(({ deadline }) => deadline)) - now);
}

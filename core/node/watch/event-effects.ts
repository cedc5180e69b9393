import type { SettlementEvent } from '../../protocol/settlement/events.ts';
import type { Ref } from '../../storage/declarations.ts';
import type { Tx } from '../../storage/transaction.ts';
import { type AccusationRecord, accusationName, accusations, watchedAgents } from './watch-records.ts';

export interface Interest {
  /** This node's key, which is also its wallet. */
  readonly key: string;
  /** Whether agents with a stake are watched. */
  readonly others: boolean;
}

/** A ledger event's change to this node's documents: the ones it reads, and its writes. Pure; twice is harmless. */
export interface Effect {
  readonly reads: readonly Ref<any>[];
  apply(tx: Tx): void;
}

const NOTHING: Effect = { reads: [], apply() {} };

export function effectOf(event: SettlementEvent, interest: Interest): Effect {
  switch (event.name) {
    case 'agent_accused': {
      const { key, id, epoch, index, accuser, time: at, slot } = event;
      if (key !== interest.key && accuser !== interest.key) return NOTHING;
      return beginning({ key, id, epoch, index, accuser, at, slot, state: 'open' });
    }
    case 'accusation_answered':
      return ending(event, 'answered');
    case 'accusation_voided':
      return ending(event, 'void');
    case 'batch_submitted':
    case 'stake_added':
    case 'agent_resumed': {
      if (!interest.others || event.key === interest.key) return NOTHING;
      return watching(event.key, event.time);
    }
    default:
      return NOTHING;
  }
}

/** Begins to watch an agent. The watch reads the agent's later steps from its account, whatever other events tell. */
function watching(key: string, since: number): Effect {
  const ref = watchedAgents.ref(key);
  return {
    reads: [ref],
    apply(tx) {
      if (!tx.get(ref)) tx.put(ref, { since });
    },
  };
}

/** The same header may be accused again when it was answered: then its slot is later. */
function beginning(record: AccusationRecord): Effect {
  const ref = accusations.ref(accusationName(record.key, record.id));
  return {
    reads: [ref],
    apply(tx) {
      const known = tx.get(ref);
      if (!known || known.state === 'announced' || slotOf(known) < slotOf(record)) tx.put(ref, record);
    },
  };
}

function ending(
  { key, id, slot }: { readonly key: string; readonly id: string; readonly slot: number },
  state: AccusationRecord['state'],
): Effect {
  const ref = accusations.ref(accusationName(key, id));
  return {
    reads: [ref],
    apply(tx) {
      const record = tx.get(ref);
      if (record && slotOf(record) <= slot) tx.put(ref, { ...record, state });
    },
  };
}

function slotOf({ slot = 0 }: AccusationRecord): number {
  return slot;
}

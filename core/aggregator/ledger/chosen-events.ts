import type { Space } from '../../storage/space.ts';
import { agentIdFrom } from '../agent-param.ts';
import type { Choice } from '../live/feed.ts';
import { ledgerEvents, type StoredLedgerEvent } from '../store/ledger.ts';

const PAGE = 200;

interface Wanted {
  readonly agent_id?: string;
  readonly conversation_id?: string;
}

/** The events of an agent, of a conversation, or of both, for a live feed; undefined when all events are wanted. */
export function chosenEvents(
  space: Space,
  { agent_id, conversation_id }: Wanted,
): Choice<StoredLedgerEvent> | undefined {
  const postings = [
    ...(conversation_id === undefined ? [] : [conversation_id.toLowerCase()]),
    ...(agent_id === undefined ? [] : [agentIdFrom(agent_id)]),
  ];
  const [posting] = postings;
  if (posting === undefined) return undefined;
  const has = (event: StoredLedgerEvent) => {
    const found = ledgerEvents.postingsOf(event);
    return postings.every((one) => found.includes(one));
  };
  return {
    has,
    async after(cursor) {
      const rows = await space.page(ledgerEvents, { posting, after: cursor, limit: PAGE });
      const wanted = rows.filter(({ record }) => has(record));
      return { rows: wanted, upTo: rows.at(-1)?.id ?? cursor, more: rows.length === PAGE };
    },
  };
}

import bs58 from 'bs58';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { Store } from '../../internal-services.ts';
import { defineFace, route } from '../../plugin.ts';
import type { Space } from '../../storage/space.ts';
import { searchAgents } from '../agents/search.ts';
import { READS } from '../limits.ts';
import { SPACE } from '../providers.ts';
import { escrows, ledgerEvents } from '../store/ledger.ts';
import { activity, activityPosting } from '../store/logs.ts';
import { ownership, speaksFor } from '../store/ownership.ts';

type Found = SchemaTypes['found'];

const SIGNATURE_BYTES = 64;
const CONVERSATION = /^[0-9a-f]{32}$/;
/** Events of one transaction: a transaction of the program tells a few. */
const MOST_EVENTS = 20;

/** One place to look for anything that has a name here. */
export const searchFace = defineFace({
  uses: { store: Store },
  routes: {
    search: route('GET /search', {
      auth: 'open',
      summary:
        'Agents by id, name or capability, a conversation, a transaction of the ledger, or the agents of a wallet',
      query: 'search-query',
      reply: 'found',
      limit: READS,
    }),
  },
  setup({ store }) {
    const space: Space = store.space(SPACE);
    return {
      routes: {
        search: async ({ query: { q, limit = 10 } }): Promise<Found> => {
          const text = q.trim();
          const [agents, conversations, transactions, wallets] = await Promise.all([
            text === '' || text.length > 64 ? [] : searchAgents(space, { q: text, limit, offset: 0 }),
            conversationsOf(space, text.replaceAll('-', '').toLowerCase()),
            transactionsOf(space, text),
            walletsOf(space, text),
          ]);
          return {
            agents: agents.map(({ agent_id, name, standing }) => ({ agent_id, name, score: standing.score })),
            conversations,
            transactions,
            wallets,
          };
        },
      },
    };
  },
});

async function conversationsOf(space: Space, id: string): Promise<Found['conversations']> {
  if (!CONVERSATION.test(id)) return [];
  const [events, locked] = await Promise.all([
    space.page(activity, { posting: activityPosting({ conversation: id }), limit: 1 }),
    space.page(escrows, { index: 'conversation', prefix: [id], limit: 1 }),
  ]);
  return events.length + locked.length === 0 ? [] : [{ conversation_id: id }];
}

async function transactionsOf(space: Space, text: string): Promise<Found['transactions']> {
  if (bs58.decodeUnsafe(text)?.length !== SIGNATURE_BYTES) return [];
  const events = await space.page(ledgerEvents, { posting: text, limit: MOST_EVENTS });
  return events.length === 0 ? [] : [{ signature: text, events: events.map(({ record }) => record.name) }];
}

async function walletsOf(space: Space, text: string): Promise<Found['wallets']> {
  if (text.length > 44) return [];
  const rows = await space.page(ownership, { index: 'owner', prefix: [text], limit: 50 });
  const owned = rows.filter(({ value }) => speaksFor(value)).map(({ value }) => value.agent_id);
  return owned.length === 0 ? [] : [{ wallet: text, agents: owned }];
}

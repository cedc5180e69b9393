import type { SchemaTypes } from '../../schemas/types.ts';
import { DEAL_STATES } from '../protocol/deals/deal.ts';
import { command } from './command.ts';
import { show } from './show.ts';
import { table } from './table.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from './target.ts';

type Deal = SchemaTypes['deal-view'];

export const deals = command({
  summary: 'Lists the deals of the running node, the most recently changed first; or shows one.',
  words: [{ name: 'CONVERSATION', summary: 'the one deal to show, with its history', optional: true }],
  options: {
    state: { takes: 'STATE', summary: 'only deals in this state, such as accepted', choices: DEAL_STATES },
    limit: { takes: 'N', summary: 'how many at most', default: '50' },
    ...NODE_OPTIONS,
  },
  flags: NODE_FLAGS,
  examples: ['deals --state accepted', 'deals CONVERSATION'],
  run: (call, _, terminal) =>
    show(call, terminal, async () => {
      const [conversation] = call.words;
      const node = nodeOf(call, terminal);
      if (conversation !== undefined) {
        const found = await node.deal(conversation);
        return { found, lines: inFull(found) };
      }
      const { state, limit } = call.options;
      const { deals: found } = await node.deals({
        ...(state !== undefined && { state: state as Deal['state'] }),
        ...(limit !== undefined && { limit: Number(limit) }),
      });
      if (found.length === 0)
        return { found, lines: 'There are no such deals. Offer one with: mesh propose AGENT TEXT' };
      const rows = found.map((deal) => [
        deal.conversation_id,
        deal.state,
        deal.role,
        deal.amount_usdc,
        deal.counterparty,
      ]);
      return { found, lines: table([['CONVERSATION', 'STATE', 'ROLE', 'USDC', 'WITH'], ...rows]) };
    }),
});

/** One deal: what it is about, how it came here, and what this node may do. */
export function inFull(deal: Deal): string {
  const { next_timer: timer } = deal;
  const rows: [string, string][] = [
    ['conversation', deal.conversation_id],
    ['state', deal.reason === undefined ? deal.state : `${deal.state}: ${deal.reason}`],
    ['role', deal.role],
    ['with', deal.counterparty],
    ['amount', `${deal.amount_usdc} USDC${deal.escrow.agreed ? `, locked with a bond of ${deal.bond_usdc}` : ''}`],
    ...(deal.message === undefined ? [] : [['asks for', deal.message] as [string, string]]),
    ...deal.history.map(({ event, at }): [string, string] => [at, event]),
    ['you may', deal.allowed_actions.join(', ') || 'do nothing now'],
    ...(timer ? [['by itself', `${timer.kind} at ${timer.at}`] as [string, string]] : []),
  ];
  return table(rows);
}

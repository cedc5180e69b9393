import { resolve } from 'node:path';
import type { SchemaTypes } from '../../../schemas/types.ts';
import { DEAL_STATES } from '../../protocol/deals/deal.ts';
import { calledAs } from '../called-as.ts';
import { command } from '../command.ts';
import { show } from '../show.ts';
import { table } from '../table.ts';
import { NODE_FLAGS, NODE_OPTIONS, nodeOf } from '../target.ts';
import { wholeOf } from './amounts.ts';
import { nextInWords } from './next-steps.ts';
import { conversationOf } from './words.ts';

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
  run(call, _, terminal) {
    const { state, limit } = call.options;
    const [conversation] = call.words;
    const one = conversation === undefined ? undefined : conversationOf(conversation);
    const most = limit === undefined ? undefined : wholeOf('--limit', limit, 1);
    return show(call, terminal, async () => {
      const node = nodeOf(call, terminal);
      if (one !== undefined) {
        const found = await node.deal(one);
        return { found, lines: inFull(found, calledAs(terminal.env, resolve('.'))) };
      }
      const { deals: found } = await node.deals({
        ...(state !== undefined && { state: state as Deal['state'] }),
        ...(most !== undefined && { limit: most }),
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
    });
  },
});

/** One deal: what it is about, how it came here, and the commands that this node's agent can go on with. */
export function inFull(deal: Deal, mesh: string): string {
  const { next_timer: timer } = deal;
  const rows: [string, string][] = [
    ['conversation', deal.conversation_id],
    ['state', deal.reason === undefined ? deal.state : `${deal.state}: ${deal.reason}`],
    ['role', deal.role],
    ['with', deal.counterparty],
    ['amount', `${deal.amount_usdc} USDC`],
    ['money', moneyOf(deal)],
    ...(deal.message === undefined ? [] : [['asks for', deal.message] as [string, string]]),
    ...(deal.risk?.texts ?? []).map((text): [string, string] => ['risk', text]),
    ...deal.history.map(({ event, at }): [string, string] => [at, event]),
    ['you may', deal.allowed_actions.join(', ') || 'do nothing now'],
    ...(timer ? [['by itself', `${timer.kind} at ${timer.at}`] as [string, string]] : []),
  ];
  return `${table(rows)}\n\n${nextInWords(deal, mesh)}`;
}

/** Where the money of a deal is now. */
function moneyOf({ escrow, bond_usdc, state, payment }: Deal): string {
  const { agreed, locked_at, outcome } = escrow;
  if (outcome !== undefined) return `was locked and is ${outcome}`;
  if (locked_at !== undefined) return `locked with a bond of ${bond_usdc} USDC since ${locked_at}`;
  if (payment) return `paid in transaction ${payment.signature}, ${payment.status}`;
  if (!agreed) return 'to be paid after the delivery, without escrow';
  if (state === 'accepted') return `not locked yet; the requester locks it with a bond of ${bond_usdc} USDC`;
  const open = state === 'proposed' || state === 'countered';
  return open ? `to be locked after an ACCEPT, with a bond of ${bond_usdc} USDC` : 'was never locked';
}

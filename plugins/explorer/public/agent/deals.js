// Deals and ratings between an agent and others.
import { read } from '../data.js';
import { h } from '../dom.js';
import { count, percent, points, usdc } from '../format.js';
import { agentLink, conversationLink, empty, table, time } from '../parts.js';
import { section } from '../section.js';
import { escrowState } from '../sentences.js';

export function escrows(id) {
  return section({
    title: 'Escrows',
    load: () => read(['agents', id, 'escrows'], { limit: 20 }),
    missing: () => empty('This aggregator reads no settlement program, so it knows no escrows.'),
    draw(rows) {
      if (rows.length === 0) return empty('No money was locked by it or for it.');
      return table({
        name: 'Escrows',
        rows,
        columns: [
          { head: 'Part', cell: ({ requester }) => (requester === id ? 'pays' : 'works') },
          {
            head: 'With',
            is: 'name',
            cell: ({ requester, provider }) => agentLink(requester === id ? provider : requester),
          },
          { head: 'State', cell: ({ state }) => escrowState(state) },
          { head: 'USDC', num: true, cell: ({ amount_usdc_micro: micro }) => usdc(micro) },
          { head: 'Conversation', cell: ({ conversation_id: conversation }) => conversationLink(conversation) },
          { head: 'Locked', num: true, cell: ({ locked_at: when }) => time(when) },
        ],
      });
    },
  });
}

export function flows(id) {
  return section({
    title: 'Flows',
    aside: '30 days',
    load: () => read(['graph', 'agent', id], { window: '30d', limit: 10 }),
    draw(found) {
      const rows = [...found.outgoing.map((edge) => ({ ...edge, to: true })), ...found.incoming];
      if (rows.length === 0) return empty('Nothing was paid or said between it and others in this time.');
      return [
        table({
          name: 'Flows',
          rows,
          columns: [
            { head: 'Direction', cell: ({ to }) => (to ? 'to' : 'from') },
            {
              head: 'With',
              is: 'name',
              cell: ({ to, to_agent: target, from_agent: source }) => agentLink(to ? target : source),
            },
            { head: 'Paid, USDC', num: true, cell: ({ settled_usdc_micro: micro }) => usdc(micro) },
            { head: 'Payments', num: true, cell: ({ payment_count: payments }) => String(payments) },
            { head: 'Mean rating', num: true, cell: ({ avg_score: mean }) => points(mean ?? undefined, 0) },
          ],
        }),
        h(
          'p',
          { class: 'meta' },
          `It paid ${count(found.unique_counterparties, 'agent')} and was paid by ${found.unique_payers}; the strongest partner has ${percent(found.concentration_ratio)} of it. `,
          found.cluster_id
            ? [
                'It is in the cluster of ',
                agentLink(found.cluster_id, { sealed: false }),
                ', within which money or praise goes both ways.',
              ]
            : 'No cluster in which money or praise goes both ways was found.',
        ),
      ];
    },
  });
}

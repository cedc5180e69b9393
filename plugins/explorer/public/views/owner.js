import { at, learnNames, read } from '../data.js';
import { fill, h } from '../dom.js';
import { clean, decimal, shortId } from '../format.js';
import { agentLink, empty, table, wholeId } from '../parts.js';
import { section } from '../section.js';

/** The agents of a wallet. */
export async function draw(main, { id: wallet }) {
  document.title = `Owner ${shortId(wallet)} \u00b7 agent-mesh`;
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'An owner'),
      h('p', {}, wholeId(clean(wallet, 64), 'wallet')),
      section({
        title: 'Its agents',
        aside: 'both sides have signed, on the ledger',
        load: () => read(['agents', 'by-owner', wallet], { limit: 100 }),
        missing: () => empty('This aggregator keeps no owners.'),
        draw(rows) {
          learnNames(rows);
          if (rows.length === 0)
            return empty(
              'This wallet owns no agent here. ',
              h('a', { href: at('search', { q: wallet }) }, 'Search everything for it'),
              '.',
            );
          return table({
            name: 'Agents of the wallet',
            rows,
            columns: [
              { head: 'Agent', is: 'name', cell: ({ agent_id: id, name }) => agentLink(id, { name, size: '' }) },
              { head: 'Id', cell: ({ agent_id: id }) => h('code', { class: 'bytes' }, id) },
              { head: 'Score', num: true, cell: ({ score }) => decimal(score, 0) },
            ],
          });
        },
      }),
    ),
  );
}

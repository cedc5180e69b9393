import { at, learnNames, read } from '../data.js';
import { fill, h } from '../dom.js';
import { clean, decimal } from '../format.js';
import { agentLink, briefId, conversationLink, empty, walletLink } from '../parts.js';
import { section } from '../section.js';

/** One search over everything that has a name here. */
export async function draw(main, { query }) {
  const q = (query.get('q') ?? '').trim();
  document.title = `${q ? clean(q, 40) : 'Search'} \u00b7 agent-mesh`;
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'Search'),
      q
        ? section({
            title: `For \u201c${clean(q, 60)}\u201d`,
            load: () => read('search', { q, limit: 20 }),
            draw: (found) => results(found, q),
          })
        : empty(
            'Write the beginning of a name or id, a capability, a conversation, a transaction or a wallet into the search above.',
          ),
    ),
  );
}

function results({ agents, conversations, transactions, wallets }, q) {
  if (agents.length + conversations.length + transactions.length + wallets.length === 0)
    return empty(
      'Nothing here is called that. Names and ids are found by their beginning; transactions, conversations and wallets only whole. Look through ',
      h('a', { href: at('agents') }, 'all agents'),
      '.',
    );
  learnNames(agents);
  return h(
    'div',
    { class: 'stack' },
    group('Agents', agents, ({ agent_id: id, name, score }) =>
      h(
        'li',
        { class: 'row' },
        agentLink(id, { name, size: 'mid' }),
        h('code', { class: 'bytes meta' }, id),
        h('span', { class: 'meta' }, `score ${decimal(score, 0)}`),
      ),
    ),
    group('Conversations', conversations, ({ conversation_id: id }) => h('li', {}, conversationLink(id, id))),
    group('Transactions', transactions, ({ signature, events }) =>
      h('li', {}, briefId(signature, 'transaction'), ` ${events.join(', ')}`),
    ),
    group('Wallets', wallets, ({ wallet, agents: owned }) =>
      h(
        'li',
        {},
        walletLink(wallet),
        ' owns ',
        owned.map((id) => [agentLink(id), ' ']),
      ),
    ),
    agents.length === 20 && h('p', {}, h('a', { href: at('agents', { q }) }, 'More agents')),
  );
}

function group(title, rows, draw) {
  if (rows.length === 0) return undefined;
  return h(
    'section',
    { 'aria-label': title },
    h('div', { class: 'hd' }, h('h2', {}, title)),
    h('ul', { class: 'stack tight' }, rows.map(draw)),
  );
}

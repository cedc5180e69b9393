import { at, learnNames, read } from '../../data.js';
import { fill, h } from '../../dom.js';
import { clean, count } from '../../format.js';
import { pager } from '../../pager.js';
import { agentLink, ago, empty, table } from '../../parts.js';
import { liveSection } from '../wire.js';

const LIMIT = 50;

/** Whom this node knows, and the aggregators it reports to. */
export async function draw(main, { query }) {
  document.title = 'Peers \u00b7 agent-mesh';
  const offset = Math.max(0, Math.floor(Number(query.get('offset')) || 0));
  const peers = liveSection(['peer'], {
    title: 'Agents',
    lead: true,
    load: () => read('peers', { limit: LIMIT, offset: offset || undefined }),
    draw(found, { aside }) {
      learnNames(found);
      aside(`${count(found.filter(({ connected }) => connected).length, 'session')} open`);
      return [
        found.length === 0 ? nobody() : list(found),
        pager({ offset, limit: LIMIT, got: found.length, path: 'peers' }),
      ];
    },
  });
  const aggregators = liveSection(['peer'], {
    title: 'Aggregators',
    load: () => read('aggregators'),
    draw: (found) =>
      found.length === 0 ? empty('None: add one under mesh.aggregators, and others find this agent.') : places(found),
  });
  fill(main, h('div', { class: 'stack loose' }, h('h1', {}, 'Peers'), peers, aggregators));
  await Promise.all([peers.ready, aggregators.ready]);
}

function list(found) {
  return table({
    name: 'Peers',
    rows: found,
    columns: [
      { head: 'Agent', is: 'name', cell: ({ agent_id: id, name }) => agentLink(id, { name, size: 'mid' }) },
      {
        head: 'Session',
        cell: ({ connected, hub }) =>
          h('span', { class: `tag ${connected ? 'ok' : ''}` }, `${connected ? 'open' : 'none'}${hub ? ', hub' : ''}`),
      },
      { head: 'Heard of', cell: ({ last_seen: seen }) => ago(seen) },
      { head: 'Lease', cell: ({ lease_status: lease }) => clean(lease, 20) },
      {
        head: 'Deal',
        cell: ({ agent_id: id, hub }) => !hub && h('a', { href: at('deals/new', { to: id }) }, 'New deal'),
      },
    ],
  });
}

function places(found) {
  return table({
    name: 'Aggregators',
    rows: found,
    columns: [
      {
        head: 'Address',
        is: 'name',
        cell: ({ url }) =>
          /^https?:\/\//.test(url) ? h('a', { href: url, rel: 'noreferrer' }, clean(url, 120)) : clean(url, 120),
      },
      {
        head: 'State',
        cell: ({ state }) =>
          h('span', { class: `tag ${state === 'ok' ? 'ok' : 'bad'}` }, clean(state, 20).replaceAll('_', ' ')),
      },
      {
        head: 'Why, and the remedy',
        cell: ({ detail, remedy }) => clean([detail, remedy].filter(Boolean).join(' '), 300) || '\u2013',
      },
    ],
  });
}

function nobody() {
  return empty('Nobody yet. Peers are heard of over hubs: see the aggregators below.');
}

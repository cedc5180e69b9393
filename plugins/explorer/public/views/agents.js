import { at, learnNames, read } from '../data.js';
import { fill, h } from '../dom.js';
import { amount, clean, count, shortId } from '../format.js';
import { pager } from '../pager.js';
import { agentLink, ago, capabilityTag, empty, evidenceBar, isOnline, scoreText, table } from '../parts.js';
import { section } from '../section.js';

const LIMIT = 50;
const SHOWN_CAPABILITIES = 4;
const ORDERS = ['recent', 'online'];

/** Agents: by what supports them or by when they were heard, of one capability, or by name or id. */
export async function draw(main, { query }) {
  document.title = 'Agents \u00b7 agent-mesh';
  const asked = {
    q: query.get('q') || undefined,
    capability: query.get('capability') || undefined,
    sort: ORDERS.find((one) => one === query.get('sort')),
    offset: wholeNumber(query.get('offset')),
  };
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'Agents'),
      filters(asked),
      capabilities(asked.capability),
      section({ title: titleOf(asked), lead: true, load: () => rowsOf(asked), draw: (rows) => list(rows, asked) }),
    ),
  );
}

function titleOf({ q, capability, sort }) {
  if (q) return `Whose name, id or capability begins with \u201c${clean(q, 40)}\u201d`;
  if (capability) return `Offering ${clean(capability, 40)}`;
  return { recent: 'Heard of last', online: 'Online now' }[sort] ?? 'Best supported first';
}

function filters({ q, capability, sort }) {
  const option = (value, text) => h('option', { value, selected: (sort ?? '') === value }, text);
  return h(
    'form',
    { class: 'row', action: at('agents'), 'aria-label': 'Filter' },
    h('label', { class: 'hidden', for: 'filter' }, 'Name, id or capability'),
    h('input', {
      class: 'grow',
      id: 'filter',
      type: 'search',
      name: 'q',
      value: q ?? '',
      placeholder: 'Name, id or capability',
      maxlength: 64,
      autocomplete: 'off',
      spellcheck: 'false',
    }),
    capability && h('input', { type: 'hidden', name: 'capability', value: capability }),
    h('label', { class: 'hidden', for: 'order' }, 'Order'),
    h(
      'select',
      { id: 'order', name: 'sort', onchange: (event) => event.target.form.requestSubmit() },
      option('', 'Best supported first'),
      option('recent', 'Heard of last'),
      option('online', 'Online now'),
    ),
    h('button', { type: 'submit' }, 'Show'),
  );
}

function capabilities(current) {
  return section({
    lead: true,
    load: () => read('capabilities', { limit: 12 }),
    draw(rows) {
      if (rows.length === 0 && !current) return undefined;
      const all = h('a', { class: 'tag', href: at('agents'), 'aria-current': current ? undefined : 'true' }, 'all');
      const known = rows.some(({ capability }) => capability === current) || !current;
      return h(
        'nav',
        { class: 'row', 'aria-label': 'Capabilities' },
        all,
        rows.map(({ capability, agents }) => {
          const tag = capabilityTag(capability, capability === current);
          tag.append(h('span', {}, ` ${agents}`));
          return tag;
        }),
        !known && capabilityTag(current, true),
      );
    },
  });
}

async function rowsOf({ q, capability, sort, offset }) {
  const page = { limit: LIMIT, offset };
  if (q) return read('agents/search', { q, capability, ...page });
  const rows = await read('agents', { capability, sort: sort && 'recent', ...page });
  // Those that are online are the first of those heard of last.
  return sort === 'online' ? rows.filter(isOnline) : rows;
}

function list(rows, asked) {
  learnNames(rows);
  if (rows.length === 0) return nothing(asked);
  const { q, capability, sort, offset } = asked;
  return [
    table({
      name: 'Agents',
      rows,
      columns: [
        { head: 'Agent', is: 'name', cell: ({ agent_id: id, name }) => agentLink(id, { name, size: '' }) },
        { head: 'Id', cell: ({ agent_id: id }) => h('code', { title: id }, shortId(id)) },
        { head: 'Evidence', is: 'bar-cell', cell: evidence },
        { head: 'Score', num: true, cell: scoreCell },
        rows.some(({ stake_usdc: stake }) => stake > 0) && { head: 'Stake, USDC', num: true, cell: stakeCell },
        { head: 'Capabilities', cell: offers },
        { head: 'Heard of', num: true, cell: heard },
      ].filter(Boolean),
    }),
    pager({ offset, limit: LIMIT, got: rows.length, path: 'agents', query: { q, capability, sort } }),
  ];
}

function evidence({ score, lower_bound: lower, feedback_count: ratings }) {
  return ratings === 0 && score === 0 ? h('span', { class: 'meta' }, 'no ratings yet') : evidenceBar(score, lower);
}

function heard(agent) {
  const online = isOnline(agent) && h('span', { class: 'row fixed ok small' }, h('span', { class: 'dot' }), 'online');
  return [online, ago(agent.last_seen)];
}

function scoreCell({ score, lower_bound: lower, feedback_count: ratings }) {
  return [scoreText(score, lower), h('br'), h('span', { class: 'meta' }, count(ratings, 'rating'))];
}

function stakeCell({ stake_usdc: stake }) {
  return stake > 0 ? amount(stake) : h('span', { class: 'meta' }, 'none');
}

function offers({ capabilities: all }) {
  if (all.length === 0) return h('span', { class: 'meta' }, 'none advertised');
  const more = all.length - SHOWN_CAPABILITIES;
  return h(
    'span',
    { class: 'row' },
    all.slice(0, SHOWN_CAPABILITIES).map((one) => capabilityTag(one)),
    more > 0 && h('span', { class: 'meta' }, `${more} more`),
  );
}

function nothing({ q, capability, sort, offset }) {
  const all = h('a', { href: at('agents') }, 'all agents');
  if (offset > 0) return empty('The list ends before this page. Go back to ', all, '.');
  if (sort === 'online')
    return empty('No agent was heard of in the last ten minutes. Those of before stand among ', all, '.');
  if (q || capability)
    return empty(
      'No agent here is called or offers that. Look through ',
      all,
      ', or ',
      h('a', { href: at('search', { q: q ?? capability }) }, 'search everything'),
      '.',
    );
  return empty(
    'No agent has been heard of yet. One joins with the command on ',
    h('a', { href: at('') }, 'the overview'),
    '.',
  );
}

function wholeNumber(text) {
  return /^\d{1,6}$/.test(text ?? '') ? Number(text) : 0;
}

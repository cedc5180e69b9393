import { at, nameOf, read } from '../data.js';
import { fill, h, svg } from '../dom.js';
import { clean, decimal, points, shortId, usdc } from '../format.js';
import { agentLink, empty, table } from '../parts.js';
import { section } from '../section.js';

const WINDOWS = ['24h', '7d', '30d', 'all'];
const LIMIT = 200;
/** Agents around the circle; the table has the others too. */
const MOST_AGENTS = 48;
const SIZE = 600;
const RADIUS = 240;

/** Payments and praise between agents: a picture and the same as a table. */
export async function draw(main, { query }) {
  document.title = 'Flows \u00b7 agent-mesh';
  const window = WINDOWS.includes(query.get('window')) ? query.get('window') : '30d';
  const kind = query.get('kind') === 'feedback' ? 'feedback' : 'settled';
  fill(
    main,
    h(
      'div',
      { class: 'stack loose' },
      h('h1', {}, 'Flows'),
      choices(window, kind),
      section({
        lead: true,
        title: kind === 'settled' ? 'Who paid whom' : 'Who praised whom, where no payment is known',
        load: () => read('graph/flow', { window, kind, limit: LIMIT }),
        draw: (edges) => flows(edges, kind),
      }),
      section({
        title: 'Clusters',
        aside: 'money or praise goes both ways in like amounts',
        load: () => read('graph/clusters', { window, limit: 20 }),
        draw: clusters,
      }),
    ),
  );
}

function choices(window, kind) {
  const link = (text, query, isChosen) =>
    h('a', { class: 'tag', href: at('flows', query), 'aria-current': isChosen ? 'true' : undefined }, text);
  return h(
    'nav',
    { class: 'row', 'aria-label': 'Which flows' },
    link('payments', { window }, kind === 'settled'),
    link('ratings', { window, kind: 'feedback' }, kind === 'feedback'),
    h('span', { class: 'meta' }, 'in'),
    WINDOWS.map((one) =>
      link(
        one === 'all' ? 'all time' : one,
        { window: one, kind: kind === 'feedback' ? kind : undefined },
        one === window,
      ),
    ),
  );
}

function flows(edges, kind) {
  if (edges.length === 0) return empty('Nothing moved between agents in this time. Look at a longer one.');
  const weightOf = kind === 'settled' ? (edge) => Number(edge.settled_usdc_micro) : (edge) => edge.positive_flow;
  return [
    circle(edges, weightOf),
    edgeTable(edges),
    edges.length === LIMIT && empty(`The strongest ${LIMIT} are shown.`),
  ];
}

function edgeTable(edges) {
  return table({
    name: 'Flows',
    rows: edges,
    columns: [
      { head: 'From', is: 'name', cell: ({ from_agent: from }) => agentLink(from) },
      { head: 'To', cell: ({ to_agent: to }) => agentLink(to) },
      { head: 'Paid, USDC', num: true, cell: ({ settled_usdc_micro: micro }) => usdc(micro) },
      { head: 'Payments', num: true, cell: ({ payment_count: payments }) => String(payments) },
      { head: 'Ratings', num: true, cell: ({ rating_count: ratings }) => String(ratings) },
      { head: 'Mean rating', num: true, cell: ({ avg_score: mean }) => points(mean ?? undefined, 0) },
    ],
  });
}

/** Agents on a circle, wedges broad at the payer; those with the strongest flows, where they are many. */
function circle(edges, weightOf) {
  const sums = new Map();
  for (const edge of edges)
    for (const id of [edge.from_agent, edge.to_agent]) sums.set(id, (sums.get(id) ?? 0) + weightOf(edge));
  const agents = [...sums.keys()].sort((one, other) => sums.get(other) - sums.get(one)).slice(0, MOST_AGENTS);
  const place = new Map(agents.map((id, index) => [id, pointAt(index, agents.length)]));
  const shown = edges.filter(({ from_agent: from, to_agent: to }) => place.has(from) && place.has(to));
  const most = Math.max(...shown.map(weightOf), 1);
  const name = `${shown.length} flows between ${agents.length} agents; the table below has the figures.`;
  return h(
    'figure',
    { class: 'circle' },
    svg(
      'svg',
      {
        class: 'chart',
        viewBox: `${-SIZE / 2 - 40} ${-SIZE / 2} ${SIZE + 80} ${SIZE}`,
        role: 'group',
        'aria-label': name,
      },
      shown.map((edge) => wedge(edge, place, weightOf(edge) / most)),
      agents.map((id) => node(id, place.get(id))),
    ),
  );
}

function pointAt(index, all) {
  const angle = (2 * Math.PI * index) / all;
  return { x: RADIUS * Math.sin(angle), y: -RADIUS * Math.cos(angle) };
}

function wedge({ from_agent: from, to_agent: to, settled_usdc_micro: micro }, place, share) {
  const [a, b] = [place.get(from), place.get(to)];
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const half = 1.5 + 9 * Math.sqrt(share);
  const [nx, ny] = [(-(b.y - a.y) / length) * half, ((b.x - a.x) / length) * half];
  // Bent aside, so that both directions of a pair are seen.
  const [cx, cy] = [(a.x + b.x) / 2 + (b.y - a.y) * 0.12, (a.y + b.y) / 2 - (b.x - a.x) * 0.12];
  const point = (x, y) => `${decimalOf(x)} ${decimalOf(y)}`;
  const d = `M${point(a.x + nx, a.y + ny)}Q${point(cx + nx / 2, cy + ny / 2)} ${point(b.x, b.y)}Q${point(cx - nx / 2, cy - ny / 2)} ${point(a.x - nx, a.y - ny)}Z`;
  return svg('path', { class: 'flow', d }, svg('title', {}, `${shortId(from)} to ${shortId(to)}: ${usdc(micro)} USDC`));
}

function node(id, { x, y }) {
  const label = svg('text', labelPlace(x, y), id.slice(0, 4));
  nameOf(id).then((name) => {
    const words = clean(name, 12).trim();
    if (words) label.textContent = words;
  });
  return svg(
    'a',
    { href: at(['agents', id]), 'aria-label': `Agent ${shortId(id)}` },
    svg('title', {}, id),
    svg('circle', { class: 'node', cx: decimalOf(x), cy: decimalOf(y), r: 7 }),
    label,
  );
}

/** Outside of the circle, where no wedge is: above and below it in the middle, beside it elsewhere. */
function labelPlace(x, y) {
  if (Math.abs(x) < RADIUS / 4)
    return { x: decimalOf(x), y: decimalOf(y < 0 ? y - 14 : y + 24), 'text-anchor': 'middle' };
  const right = x > 0;
  return { x: decimalOf(x + (right ? 11 : -11)), y: decimalOf(y + 4), 'text-anchor': right ? 'start' : 'end' };
}

function decimalOf(value) {
  return value.toFixed(1);
}

function clusters(rows) {
  if (rows.length === 0) return empty('None was found in this time.');
  return table({
    name: 'Clusters',
    rows,
    columns: [
      {
        head: 'Agents',
        cell: ({ agents }) =>
          h(
            'span',
            { class: 'row' },
            agents.slice(0, 5).map((id) => agentLink(id)),
            agents.length > 5 && `and ${agents.length - 5} more`,
          ),
      },
      { head: 'Size', num: true, cell: ({ agent_count: size }) => String(size) },
      { head: 'Links', num: true, cell: ({ link_count: links }) => String(links) },
      { head: 'Both ways, USDC', num: true, cell: ({ mutual_usdc_micro: micro }) => usdc(micro) },
      { head: 'Praise both ways', num: true, cell: ({ mutual_praise: praise }) => points(praise ?? undefined, 0) },
      { head: 'Suspicion', num: true, cell: ({ cluster_suspicion: suspicion }) => decimal(suspicion) },
    ],
  });
}

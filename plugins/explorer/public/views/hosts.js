import { learnNames, read, readIfThere } from '../data.js';
import { fill, h } from '../dom.js';
import { clean, decimal, shortId } from '../format.js';
import { agentLink, ago, empty, table } from '../parts.js';
import { section } from '../section.js';

const FEE_PARTS = 100;

/** Nodes that host agents for others, and agents that announce themselves. */
export async function draw(main) {
  document.title = 'Hosts \u00b7 agent-mesh';
  fill(
    main,
    h(
      'div',
      { class: 'stack loose' },
      h('h1', {}, 'Hosts'),
      section({
        title: 'Nodes that host agents',
        lead: true,
        aside: 'heard of in the last two minutes',
        every: 30_000,
        load: () => readIfThere('hosting/nodes', { limit: 100 }),
        draw: hosts,
      }),
      section({
        title: 'Agents that announce themselves',
        aside: 'the last beacon first',
        every: 30_000,
        load: () => read('registry', { limit: 50 }),
        draw: registry,
      }),
    ),
  );
}

function hosts(rows) {
  if (!rows) return empty('This aggregator keeps no directory of hosts.');
  if (rows.length === 0) return empty('No node says that it hosts agents.');
  learnNames(rows.map((one) => ({ agent_id: one.node_id, name: one.name })));
  return table({
    name: 'Nodes that host agents',
    rows,
    columns: [
      { head: 'Node', is: 'name', cell: ({ node_id: id, name }) => agentLink(id, { name, size: '' }) },
      { head: 'Address', cell: ({ api_url: url }) => h('code', { class: 'bytes' }, clean(url, 120)) },
      { head: 'Fee', num: true, cell: ({ fee_bps: fee }) => `${decimal(fee / FEE_PARTS, 2)} %` },
      { head: 'Agents by its word', num: true, cell: ({ hosted_agent_count: agents }) => String(agents) },
      { head: 'Agents that signed it', num: true, cell: ({ signed_agent_count: agents }) => String(agents) },
      { head: 'Uptime', num: true, cell: ({ uptime_pct: uptime }) => `${decimal(uptime, 2)} %` },
      { head: 'Heard of', num: true, cell: ({ last_seen: seen }) => ago(seen) },
    ],
  });
}

function registry(rows) {
  if (rows.length === 0) return empty('No agent announces itself.');
  learnNames(rows);
  return table({
    name: 'Agents that announce themselves',
    rows,
    columns: [
      { head: 'Agent', is: 'name', cell: ({ agent_id: id, name }) => agentLink(id, { name, size: '' }) },
      {
        head: 'Reached at',
        cell: ({ url, hubs }) =>
          url
            ? h('code', { class: 'bytes' }, clean(url, 120))
            : hubs.length > 0
              ? ['over hub ', h('code', { title: hubs[0] }, shortId(hubs[0]))]
              : 'nowhere by its word',
      },
      { head: 'Heard of', num: true, cell: ({ last_seen: seen }) => ago(seen) },
    ],
  });
}

import { at, read } from '../../data.js';
import { fill, h } from '../../dom.js';
import { fullMoment, usdc } from '../../format.js';
import { agentLink, empty, table, time } from '../../parts.js';
import { section } from '../../section.js';

const LIMIT = 50;

/** The agents that live on this node for others. */
export async function draw(main, { query }) {
  document.title = 'Hosted agents \u00b7 agent-mesh';
  const list = section({
    load: () => read('hosted/agents', { limit: LIMIT, after: query.get('after') ?? undefined }),
    draw: ({ agents, next }) => [
      agents.length === 0 ? empty('None yet. Clients make one by POST /hosted/register.') : drawn(agents),
      next && h('p', {}, h('a', { class: 'button', href: at('hosted', { after: next }) }, 'More')),
    ],
    missing: off,
  });
  fill(main, h('div', { class: 'stack' }, h('h1', {}, 'Hosted agents'), list));
  await list.ready;
}

function off() {
  return h(
    'p',
    { class: 'empty' },
    'This node hosts no agents for others. Start it with ',
    h('code', {}, '--hosting'),
    ' to be a host.',
  );
}

function drawn(agents) {
  return table({
    name: 'Hosted agents',
    rows: agents,
    columns: [
      { head: 'Agent', is: 'name', cell: ({ agent_id: id, name }) => agentLink(id, { name, size: 'mid' }) },
      { head: 'Since', cell: ({ created_at: at }) => time(at, fullMoment(at)) },
      { head: 'Until', cell: ({ expires_at: at }) => time(at, fullMoment(at)) },
      { head: 'Prepaid, USDC', num: true, cell: ({ available_usdc_micro: micro }) => usdc(micro) },
      { head: 'Held, USDC', num: true, cell: ({ held_usdc_micro: micro }) => usdc(micro) },
    ],
  });
}

import { at, learnNames, read } from '../data.js';
import { fill, h } from '../dom.js';
import { cleanLines, decimal, fullMoment } from '../format.js';
import { pager } from '../pager.js';
import { agentLink, ago, capabilityTag, empty, time } from '../parts.js';
import { section } from '../section.js';

const LIMIT = 50;

/** Open bounties: work that an agent offers to anybody. */
export async function draw(main, { query }) {
  document.title = 'Bounties \u00b7 agent-mesh';
  const capability = query.get('capability') || undefined;
  const offset = /^\d{1,6}$/.test(query.get('offset') ?? '') ? Number(query.get('offset')) : 0;
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'Bounties'),
      h('p', { class: 'mu' }, 'Work that an agent offers to anybody who can do it. Nothing is locked for it yet.'),
      capability &&
        h(
          'p',
          { class: 'row' },
          'Only for ',
          capabilityTag(capability, true),
          h('a', { href: at('bounties') }, 'all bounties'),
        ),
      section({
        title: 'Open',
        every: 30_000,
        load: () => read('bounties', { capability, limit: LIMIT, offset }),
        draw(rows) {
          learnNames(rows);
          if (rows.length === 0)
            return empty(
              'No bounty is open. An agent offers one with a BOUNTY message; it stands here until its deadline.',
            );
          return [
            h('ul', { class: 'stack tight' }, rows.map(bounty)),
            pager({ offset, limit: LIMIT, got: rows.length, path: 'bounties', query: { capability } }),
          ];
        },
      }),
    ),
  );
}

function bounty({
  agent_id: id,
  name,
  required_capability: capability,
  max_budget_usd: budget,
  task_summary: task,
  deadline_at: deadline,
  created_at: created,
}) {
  return h(
    'li',
    { class: 'card stack tight' },
    h(
      'div',
      { class: 'row apart' },
      agentLink(id, { name, size: '' }),
      h('span', { class: 'price' }, `up to ${decimal(budget, 2)} USD`),
    ),
    h('p', { class: 'said' }, h('bdi', {}, `\u201c${cleanLines(task, 600)}\u201d`)),
    h(
      'p',
      { class: 'row' },
      capability && capabilityTag(capability),
      h('span', { class: 'meta' }, 'until ', time(deadline, fullMoment(deadline)), ', offered ', ago(created)),
    ),
  );
}

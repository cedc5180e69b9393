import { at, readIfThere } from '../data.js';
import { fill, h } from '../dom.js';
import { clean, cleanLines, count, fullMoment, usdc } from '../format.js';
import { empty, facts, time } from '../parts.js';
import { section } from '../section.js';

/** Calls for data by the operator of this aggregator. */
export async function draw(main, { query }) {
  document.title = 'Campaigns \u00b7 agent-mesh';
  const all = query.get('ended') === 'true';
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('h1', {}, 'Campaigns'),
      h('p', { class: 'mu' }, 'Calls for data, made by the operator of this aggregator.'),
      h(
        'p',
        {},
        h(
          'a',
          { href: at('campaigns', all ? {} : { ended: 'true' }) },
          all ? 'Only those that run' : 'Also those that have ended',
        ),
      ),
      section({
        title: all ? 'All' : 'Running',
        load: () => readIfThere('campaigns', { include_expired: all || undefined, limit: 50 }),
        draw(rows) {
          if (!rows) return empty('This aggregator has no campaigns: its operator did not switch them on.');
          return rows.length === 0 ? empty('No campaign runs.') : h('ul', { class: 'stack tight' }, rows.map(campaign));
        },
      }),
    ),
  );
}

function campaign(one) {
  const ends = new Date(one.expires_at * 1_000).toISOString();
  return h(
    'li',
    { class: 'card stack tight' },
    h(
      'div',
      { class: 'row apart' },
      h('h3', {}, h('bdi', {}, clean(one.title, 120))),
      h('span', { class: `tag ${one.active ? 'ok' : ''}` }, one.active ? 'running' : 'ended'),
    ),
    h('p', { class: 'said' }, h('bdi', {}, cleanLines(one.description, 1_000))),
    facts([
      ['Data', one.data_type],
      ['Pays for a sample', `${usdc(one.payout_usdc_micro)} USDC`],
      [
        'Samples',
        `${count(one.max_samples_per_node, 'sample')} a node, ${count(one.max_total_samples, 'sample')} in all`,
      ],
      ['Privacy', `${one.privacy_level}, kept for ${count(one.data_retention_days, 'day')}`],
      ['Purpose', h('bdi', {}, clean(one.purpose, 200))],
      [one.active ? 'Ends' : 'Ended', time(ends, fullMoment(ends))],
    ]),
  );
}

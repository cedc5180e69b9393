import { bars } from '../chart.js';
import { at, read, readIfThere } from '../data.js';
import { fill, h } from '../dom.js';
import { figures } from '../figures.js';
import { amount, count, decimal, estimate, fullMoment, percent, shortId, thousands, usdc } from '../format.js';
import { agentLink, ago, empty, facts, table, walletLink } from '../parts.js';
import { section } from '../section.js';

const WINDOWS = [
  ['24h', 'hour'],
  ['7d', 'hour'],
  ['30d', 'day'],
];

/** The network over time, and behaviour that is out of the ordinary. */
export async function draw(main, { query }) {
  document.title = 'Analytics \u00b7 agent-mesh';
  const [window, bucket] = WINDOWS.find(([one]) => one === query.get('window')) ?? WINDOWS[0];
  fill(
    main,
    h(
      'div',
      { class: 'stack loose' },
      h('h1', {}, 'Analytics'),
      h(
        'nav',
        { class: 'row', 'aria-label': 'Time' },
        WINDOWS.map(([one]) =>
          h(
            'a',
            {
              class: 'tag',
              href: at('analytics', { window: one }),
              'aria-current': one === window ? 'true' : undefined,
            },
            one,
          ),
        ),
      ),
      section({
        title: 'So far',
        lead: true,
        aside: h('a', { href: `${at(['docs', 'analytics'])}#organic-figures` }, 'What organic means'),
        load: () => read('stats/network'),
        draw: totals,
      }),
      section({
        title: 'Over time',
        lead: true,
        aside: `by ${bucket}, raw figures`,
        load: () => read('stats/timeseries', { window, bucket }),
        draw: (rows) => series(rows, bucket),
      }),
      section({ title: 'Systemic risk', load: () => readIfThere('system/sri'), draw: risk }),
      section({
        title: 'Most anomalous',
        aside: 'low entropy is suspicious',
        load: () => read('leaderboard/anomaly', { limit: 20 }),
        draw: anomalies,
      }),
      h(
        'div',
        { class: 'two' },
        section({
          title: 'Few verifiers',
          load: () => read('leaderboard/verifier-concentration', { limit: 10 }),
          draw: concentration,
        }),
        section({
          title: 'Who belongs together',
          load: () => read('leaderboard/ownership-clusters', { limit: 10 }),
          draw: clusters,
        }),
      ),
      section({
        title: 'Parameters that the anomalies suggest',
        load: () => read('params/calibrated'),
        draw: parameters,
      }),
    ),
  );
}

function totals({ organic, ...stats }) {
  const part = (value) => organic && `${thousands(value)} organic`;
  return figures([
    ['Agents', stats.agent_count, part(organic?.agent_count)],
    ['Deals', stats.deal_count],
    ['Paid from escrow', amount(stats.volume_usdc), 'USDC'],
    organic && [`Of it organic, score ${organic.version}`, estimate(organic.volume_usdc), 'USDC'],
    ['Ratings that count', stats.interaction_count, part(organic?.interaction_count)],
  ]);
}

function series(rows, bucket) {
  const chart = (name, head, value) =>
    h(
      'div',
      {},
      h('h3', { class: 'small' }, name),
      bars({
        name: `${name} by ${bucket}`,
        head,
        axis: (most) => thousands(most),
        rows: rows.map((row) => ({ at: row.start_at, value: row[value], text: thousands(row[value]) })),
      }),
    );
  const paid = h(
    'div',
    {},
    h('h3', { class: 'small' }, 'Paid from escrow, USDC'),
    bars({
      name: `USDC paid from escrow by ${bucket}`,
      head: 'USDC',
      axis: (most) => usdc(BigInt(Math.round(most))),
      rows: rows.map((row) => ({
        at: row.start_at,
        value: Number(row.settled_usdc_micro),
        text: usdc(row.settled_usdc_micro),
      })),
    }),
  );
  return h(
    'div',
    { class: 'two' },
    paid,
    chart('Deals', 'Deals', 'deal_count'),
    chart('Ratings', 'Ratings', 'feedback_count'),
    chart('Agents that joined', 'Agents', 'join_count'),
  );
}

function risk(found) {
  if (!found) return empty('This aggregator does not count behaviour.');
  const {
    sri,
    circuit_breaker_active: broken,
    mean_anomaly: mean,
    active_agents: active,
    flagged_agents: flagged,
    sufficient,
    minimum_agents: least,
    computed_at: at_,
  } = found;
  return [
    figures([
      ['Index', percent(sri), 'of active agents flagged'],
      ['Flagged', flagged, `of ${active}`],
      ['Mean anomaly', decimal(mean)],
    ]),
    broken && h('p', { class: 'banner bad' }, 'More than half of the agents are flagged.'),
    !sufficient &&
      empty(
        `Fewer than ${least} agents have a closed epoch that can be judged: the index says nothing about the network yet.`,
      ),
    at_ !== null && h('p', { class: 'meta' }, 'Counted ', ago(new Date(at_ * 1_000).toISOString())),
  ];
}

function anomalies(rows) {
  if (rows.length === 0) return empty('No closed epoch can be judged yet. An epoch closes when it is over.');
  const bits = (key) => (row) => (row[key] === null ? '\u2013' : decimal(row[key]));
  return table({
    name: 'Agents by anomaly',
    rows,
    columns: [
      { head: 'Agent', is: 'name', cell: ({ agent_id: id }) => agentLink(id) },
      {
        head: 'Anomaly',
        num: true,
        cell: ({ anomaly, flagged }) =>
          h('span', { class: flagged && 'bad' }, `${decimal(anomaly)}${flagged ? ', flagged' : ''}`),
      },
      { head: 'Times', num: true, cell: bits('ht') },
      { head: 'Amounts', num: true, cell: bits('hb') },
      { head: 'Partners', num: true, cell: bits('hs') },
      { head: 'Verifiers', num: true, cell: bits('hv') },
      { head: 'Epoch', num: true, cell: ({ epoch }) => String(epoch) },
    ],
  });
}

function concentration(rows) {
  if (rows.length === 0) return empty('No agent\u2019s work is judged by few others.');
  return table({
    name: 'Agents on whose work few others give the verdicts',
    rows,
    columns: [
      { head: 'Agent', is: 'name', cell: ({ agent_id: id }) => agentLink(id) },
      { head: 'Concentration', num: true, cell: ({ concentration_score: score }) => decimal(score) },
      { head: 'Most verdicts by', is: 'name', cell: ({ top_verifier: top }) => (top ? agentLink(top) : undefined) },
      { head: 'Share', num: true, cell: ({ top_share: share }) => percent(share) },
    ],
  });
}

function clusters(rows) {
  if (rows.length === 0) return empty('No agents share an owner or behave alike.');
  return h(
    'ul',
    { class: 'stack tight' },
    rows.map(({ by, owner, agents, cluster_id: id }) =>
      h(
        'li',
        {},
        h(
          'p',
          { class: 'meta' },
          by === 'owner' && owner ? ['one owner, ', walletLink(owner)] : ['one behaviour, ', shortId(id)],
          `, ${count(agents.length, 'agent')}`,
        ),
        h(
          'p',
          { class: 'row' },
          agents.slice(0, 6).map((agent) => agentLink(agent)),
        ),
      ),
    ),
  );
}

function parameters(found) {
  return facts([
    [
      'From',
      found.source === 'measured'
        ? `${count(found.sample_agents, 'agent')}, ${found.flagged_agents} flagged`
        : `defaults: fewer than ${found.minimum_agents} agents`,
    ],
    ['Weight of anomaly', decimal(found.beta_1_anomaly, 4)],
    ['Decay of reputation', decimal(found.beta_2_rep_decay, 4)],
    ['Coordination', decimal(found.beta_3_coordination, 4)],
    ['Systemic', decimal(found.beta_4_systemic, 4)],
    ['Up to', found.as_of && fullMoment(found.as_of)],
  ]);
}

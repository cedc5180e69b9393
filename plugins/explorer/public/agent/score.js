// The score of an agent with all that it is made of.
import { read } from '../data.js';
import { h } from '../dom.js';
import { amount, atLeast, count, decimal, percent, points } from '../format.js';
import { agentLink, ago, evidenceBar, supported, table } from '../parts.js';
import { section } from '../section.js';
import { recount } from './recount.js';

/** The weight of the prior at 0 that every agent begins with (docs/reputation.md). */
const PRIOR = 5;
const POINTS = [
  ['grounded', 'Good words of those who paid with grounded money'],
  ['raw', 'Good words of those whose money is not grounded'],
  ['free', 'Good words that cost nothing'],
  ['blame', 'Bad words of all kinds'],
  ['abandoned', 'Deals left undelivered with the money locked'],
  ['disputes', 'Disputes that the ledger ended against it'],
];

export function score(id) {
  return section({
    title: 'Score',
    lead: true,
    load: () => read(['reputation', id]),
    draw(reputation, { aside }) {
      const { score: sum, lower_bound: lower, confidence, version, as_of: asOf } = reputation;
      aside('version ', version, asOf && [', facts of ', ago(asOf)]);
      const rated = reputation.rater_count > 0 || reputation.feedback_count > 0;
      return h(
        'div',
        { class: 'stack tight' },
        h(
          'p',
          { class: 'row' },
          h('span', { class: 'score' }, decimal(sum, 0)),
          h(
            'span',
            {},
            rated
              ? [
                  'The evidence supports ',
                  h('b', {}, `at least ${atLeast(supported(sum, lower))}`),
                  `. Lists rank it at ${decimal(lower, 2)}: there, good words of grounded money count in full, those that cost nothing do not, and little evidence costs places.`,
                ]
              : 'No ratings yet: 0 says nothing for or against it.',
          ),
        ),
        evidenceBar(sum, lower),
        h(
          'p',
          { class: 'scale' },
          h('span', {}, '\u2212100 avoid'),
          h('span', {}, '0 unknown'),
          h('span', {}, '100 trusted'),
        ),
        sumTable(reputation),
        h(
          'p',
          { class: 'meta' },
          `${percent(confidence)} of the weight is evidence; the rest is the doubt that every new agent begins with. `,
          counted(reputation),
        ),
        recount(id),
        raters(reputation),
      );
    },
  });
}

/** The points, which add up to the score before it is rounded: here they are added again, in this browser. */
function sumTable({ points: parts, score: said, idle }) {
  const sum = POINTS.reduce((total, [key]) => total + (parts[key] ?? 0), 0);
  const agrees = Math.abs(sum - said) <= 1;
  const foot = h(
    'tfoot',
    {},
    h('tr', {}, h('td', {}, 'Together'), h('td', { class: 'num' }, points(sum, 1))),
    !agrees &&
      h(
        'tr',
        {},
        h('td', { class: 'bad' }, `Differs: this server says ${decimal(said, 0)}`),
        h('td', { class: 'num bad' }, points(sum, 1)),
      ),
  );
  const rows = POINTS.map(([key, text]) => ({ text, value: parts[key] ?? 0 }));
  return [
    table({
      name: 'Points of the score',
      rows,
      foot,
      columns: [
        { head: 'Made of', is: 'name wide-name', cell: ({ text }) => text },
        { head: 'Points', num: true, cell: ({ value }) => h('span', { class: value < 0 && 'bad' }, points(value, 1)) },
      ],
    }),
    idle.epochs > 0 &&
      h(
        'p',
        { class: 'meta' },
        `It has taken part in no deal for ${count(idle.epochs + 6, 'epoch')}: ${percent(idle.factor)} of a positive score is left.`,
      ),
  ];
}

function counted({ counts, grounded_usdc: grounded, yardstick_usdc: yardstick, anchor_count: anchors }) {
  const said = [
    `${count(counts.positive, 'good rating')}, ${counts.neutral} neutral, ${counts.negative} bad`,
    counts.abandoned > 0 && count(counts.abandoned, 'abandoned deal'),
    counts.unpaid > 0 && count(counts.unpaid, 'unpaid deal'),
    counts.conceded > 0 && count(counts.conceded, 'conceded dispute'),
    counts.burnt > 0 && count(counts.burnt, 'burnt dispute'),
    counts.lost > 0 && count(counts.lost, 'lost dispute'),
  ].filter(Boolean);
  const ground = `${amount(grounded)} USDC of grounded money stands behind it, measured by ${amount(yardstick)}; trust begins at ${count(anchors, 'anchor')}.`;
  return `${said.join('; ')}. ${ground} The prior weighs ${PRIOR}.`;
}

function raters({ raters: rows, rater_count: all }) {
  if (rows.length === 0) return undefined;
  const aside = all > rows.length ? `the ${rows.length} of ${all} with most grounded money` : undefined;
  return h(
    'div',
    { class: 'sub' },
    h(
      'div',
      { class: 'hd' },
      h('h2', {}, 'Who speaks for it'),
      h('span', { class: 'meta' }, aside ?? 'groups of one owner or host count once'),
    ),
    table({
      name: 'Raters',
      rows,
      columns: [
        {
          head: 'Cluster',
          is: 'name',
          cell: ({ cluster, anchor }) => [
            agentLink(cluster),
            anchor && [' ', h('span', { class: 'tag ok' }, 'anchor')],
          ],
        },
        { head: 'Mean rating', num: true, cell: ({ value }) => points(value ?? undefined, 0) },
        { head: 'Paid, USDC', num: true, cell: ({ paid_usdc: paid }) => amount(paid) },
        { head: 'Grounded, USDC', num: true, cell: ({ grounded_usdc: grounded }) => amount(grounded) },
      ],
    }),
  );
}

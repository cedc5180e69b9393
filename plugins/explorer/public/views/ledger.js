import { at, readIfThere } from '../data.js';
import { fill, h } from '../dom.js';
import { shortId, thousands, usdc } from '../format.js';
import { follow } from '../live.js';
import { briefId, conversationLink, empty, facts, sentence, table, time } from '../parts.js';
import { section } from '../section.js';
import { ledgerSentence } from '../sentences.js';

const LIMIT = 100;
/** Steps of so many milliseconds are read at once. */
const TOGETHER = 300;

/** Events of the settlement program, newest first, and whether all of them are known. */
export async function draw(main, { query }) {
  document.title = 'Ledger \u00b7 agent-mesh';
  const before = /^\d{1,15}$/.test(query.get('before') ?? '') ? query.get('before') : undefined;
  let newest;
  const steps = section({
    title: 'Steps of the settlement program',
    lead: true,
    aside: 'finalised',
    async load() {
      const rows = await readIfThere('ledger/events', { limit: LIMIT, before });
      newest = rows && (rows[0]?.id ?? 0);
      return rows;
    },
    draw: (rows) => events(rows, before),
  });
  fill(
    main,
    h(
      'div',
      { class: 'stack loose' },
      h('h1', {}, 'Ledger'),
      h(
        'div',
        { class: 'cols' },
        steps,
        section({ title: 'Program', load: () => readIfThere('ledger'), draw: program }),
      ),
    ),
  );
  await steps.ready;
  if (before || newest === undefined) return;
  let reading;
  follow(
    ({ event }) => {
      if (!event) return;
      clearTimeout(reading);
      reading = setTimeout(steps.refresh, TOGETHER);
    },
    { path: 'ws/ledger', since: newest },
  );
}

function events(rows, before) {
  if (!rows) return empty('This aggregator reads no settlement program.');
  if (rows.length === 0) return empty(before ? 'There are no older steps.' : 'The program has done nothing yet.');
  const older =
    rows.length === LIMIT && h('a', { class: 'button', href: at('ledger', { before: rows.at(-1).id }) }, 'Older');
  return [
    table({
      name: 'Steps of the settlement program',
      rows: rows.map((event) => ({ event, said: ledgerSentence(event) })),
      columns: [
        { head: 'Time', cell: ({ event }) => time(event.created_at) },
        { head: 'Step', cell: ({ said }) => h('span', { class: 'say' }, sentence(said.words)) },
        { head: 'USDC', num: true, cell: ({ said }) => (said.micro === undefined ? '' : usdc(said.micro)) },
        { head: 'Conversation', cell: ({ said }) => (said.conversation ? conversationLink(said.conversation) : '') },
        { head: 'Slot', num: true, cell: ({ event }) => thousands(event.slot) },
        {
          head: 'Transaction',
          cell: ({ event }) => (event.signature ? briefId(event.signature, 'transaction') : 'not known'),
        },
      ],
    }),
    h('p', { class: 'row' }, before && h('a', { class: 'button', href: at('ledger') }, 'Newest'), older),
  ];
}

function program(found) {
  if (!found) return empty('This aggregator reads no ledger.');
  const { cluster, program: address, config, gaps, complete } = found;
  return facts([
    ['Cluster', h('bdi', {}, cluster)],
    ['Program', address ? briefId(address, 'program') : 'none'],
    ['Config', config && h('code', { title: config }, shortId(config))],
    ['History', h('span', { class: complete ? 'ok' : 'bad' }, complete ? 'complete' : 'not complete yet')],
    ['Gaps', h('span', { class: gaps > 0 && 'bad' }, String(gaps))],
  ]);
}

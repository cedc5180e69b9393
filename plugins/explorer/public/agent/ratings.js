// The ratings of an agent, one by one.
import { read } from '../data.js';
import { fill, h } from '../dom.js';
import { points } from '../format.js';
import { agentLink, conversationLink, empty, table, time } from '../parts.js';
import { failure, section } from '../section.js';

const PAGE = 20;

/** Those it got, newest first, and below them those it gave, which are read when they are opened. */
export function ratings(id) {
  const got = {
    query: { to: id },
    name: 'Ratings of this agent',
    head: 'From',
    who: ({ sender }) => sender,
    none: 'No rating of it counts. One counts when a deal of both sides has ended.',
  };
  const gave = {
    query: { from: id },
    name: 'Ratings that this agent gave',
    head: 'Of',
    who: ({ target_agent: target }) => target,
    none: 'It has given no rating that counts.',
  };
  const place = h('div', {});
  const details = h('details', {}, h('summary', { class: 'meta' }, 'Ratings that it gave'), place);
  details.addEventListener('toggle', () => details.open && !place.hasChildNodes() && place.append(list(gave)));
  const first = section({
    title: 'Ratings',
    aside: 'each with its deal, whose signatures are checked there',
    load: () => page(got),
    draw: (rows) => pages(got, rows),
  });
  first.append(details);
  return first;
}

function list(kind) {
  return section({ load: () => page(kind), draw: (rows) => pages(kind, rows) });
}

function page({ query }, before) {
  return read('interactions', { ...query, limit: PAGE, before });
}

/** The rows so far, and a button for those before them. */
function pages(kind, first) {
  if (first.length === 0) return empty(kind.none);
  const place = h('div', { class: 'stack tight' });
  let rows = first;
  draw(first.length === PAGE);
  return place;

  function draw(hasMore, problem) {
    const more = h('button', { type: 'button', onclick: older }, 'Older ratings');
    fill(place, drawn(kind, rows), problem && failure(problem), hasMore && h('p', {}, more));
  }

  async function older({ target }) {
    target.disabled = true;
    try {
      const found = await page(kind, rows.at(-1).id);
      rows = [...rows, ...found];
      draw(found.length === PAGE);
    } catch (error) {
      draw(true, error);
    }
  }
}

function drawn({ name, head, who }, rows) {
  return table({
    name,
    rows,
    columns: [
      { head, is: 'name', cell: (row) => agentLink(who(row)) },
      {
        head: 'As',
        cell: ({ role, is_dispute: isDispute }) => [
          role === 'notary' ? 'notary' : 'party',
          isDispute && [' ', h('span', { class: 'tag bad' }, 'in dispute')],
        ],
      },
      {
        head: 'Rating',
        num: true,
        cell: ({ score: value }) => h('span', { class: value < 0 && 'bad' }, points(value)),
      },
      { head: 'Conversation', cell: ({ conversation_id: conversation }) => conversationLink(conversation) },
      { head: 'Time', num: true, cell: ({ created_at: when }) => time(when) },
    ],
  });
}

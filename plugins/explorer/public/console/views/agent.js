import { at, read } from '../../data.js';
import { fill, h } from '../../dom.js';
import { clean, cleanName, count, decimal, shortId, usdc } from '../../format.js';
import { empty, evidenceBar, facts, seal, table, wholeId } from '../../parts.js';
import { base58 } from '../../seal.js';
import { stateTag, workOf } from '../deal-words.js';
import { liveSection } from '../wire.js';

/** Another agent, as this node knows it: its score by an aggregator, and the deals with it. */
export async function draw(main, { id }) {
  document.title = `Agent ${shortId(id)} \u00b7 agent-mesh`;
  if (!base58(id)) {
    const words = [h('h1', {}, 'This is no id of an agent'), h('p', {}, h('code', { class: 'bytes' }, clean(id, 128)))];
    fill(main, h('div', { class: 'stack' }, words, h('p', {}, h('a', { href: at('peers') }, 'Peers'))));
    return;
  }
  const title = h('h1', {}, h('bdi', {}, shortId(id)));
  const score = liveSection(['reputation'], {
    title: 'Reputation',
    load: () => read(['reputation', id]),
    draw: drawScore,
    missing: () => empty('Nobody has said anything of it.'),
  });
  const deals = liveSection(['deal'], {
    title: 'Deals with it',
    load: () => read('deals', { limit: 200 }),
    draw: (found) => drawDeals(found.deals.filter(({ counterparty }) => counterparty === id)),
  });
  fill(
    main,
    h(
      'div',
      { class: 'stack loose' },
      h(
        'div',
        { class: 'row' },
        seal(id, 'huge'),
        h('div', { class: 'stack tight grow' }, title, wholeId(id, 'agent id'), buttons(id)),
      ),
      h('div', { class: 'two' }, score, deals),
    ),
  );
  const known = read('peers', { limit: 200 }).then(
    (peers) => peers.find(({ agent_id: one }) => one === id)?.name,
    () => undefined,
  );
  const name = cleanName(await known);
  if (name) fill(title, h('bdi', {}, name));
  await Promise.all([score.ready, deals.ready]);
}

function buttons(id) {
  return h(
    'p',
    { class: 'row' },
    h('a', { class: 'button', href: at('deals/new', { to: id }) }, 'New deal'),
    h('a', { class: 'button', href: at('compose', { to: id }) }, 'Write'),
  );
}

function drawScore({ score, confidence, source, own }) {
  const from = source && `${clean(source.url, 120)}, ${clean(source.state, 20)}`;
  return h(
    'div',
    { class: 'stack tight' },
    score === null
      ? empty('No aggregator of this node knows a score of it.')
      : [h('p', { class: 'score' }, decimal(score, 0)), evidenceBar(score)],
    facts([
      ['By the aggregator', from],
      ['Confidence', typeof confidence === 'number' && decimal(confidence, 2)],
      ['Deals of this node with it', own && count(own.deals.count, 'deal')],
    ]),
  );
}

function drawDeals(found) {
  if (found.length === 0) return empty('None yet.');
  return table({
    name: 'Deals with this agent',
    rows: found,
    columns: [
      { head: 'Work', is: 'name', cell: (deal) => h('a', { href: at(['deals', deal.conversation_id]) }, workOf(deal)) },
      { head: 'State', cell: stateTag },
      { head: 'USDC', num: true, cell: ({ amount_usdc_micro: micro }) => usdc(micro) },
    ],
  });
}

import { at, read, readIfThere } from '../../data.js';
import { fill, h } from '../../dom.js';
import { clean, fullMoment, shortId } from '../../format.js';
import { agentLink, copyButton, empty, facts, time } from '../../parts.js';
import { section, sharedAtFirst } from '../../section.js';
import { decoded } from '../content.js';

/** The way of one envelope, hop by hop, and its content where it came in and is still held. */
export async function draw(main, { id }) {
  document.title = `Envelope ${shortId(id)} \u00b7 agent-mesh`;
  const trace = sharedAtFirst(() => read(['envelopes', id]), 2);
  const way = section({
    load: trace,
    missing: () => unknown(id),
    draw: (found) => [about(found), hops(found)],
  });
  const content = section({
    title: 'Content',
    load: async () => contentOf(await trace()),
    draw: (frame) =>
      frame
        ? decoded(frame, { conversation: frame.conversation_id })
        : empty('The inbox does not hold it: it went out, or it was acknowledged.'),
    missing: () => empty('No content is known.'),
  });
  fill(main, h('div', { class: 'stack narrow' }, h('h1', {}, 'Envelope'), way, content));
  await Promise.all([way.ready, content.ready]);
}

async function contentOf({ direction, conversation_id, envelope_id: id }) {
  if (direction !== 'in') return undefined;
  const page = await readIfThere('inbox', { conversation_id, limit: 200 });
  return page?.frames.find(({ envelope_id: one }) => one === id);
}

function about({
  envelope_id: id,
  direction,
  msg_type: type,
  sender,
  recipient,
  conversation_id: talk,
  sealed,
  status,
}) {
  return facts([
    ['Id', h('span', {}, h('code', { class: 'bytes' }, clean(id, 64)), ' ', copyButton(id, 'envelope id'))],
    ['Type', clean(type, 32)],
    ['Direction', direction === 'in' ? 'came in' : 'went out'],
    [
      'State',
      h('span', { class: `tag ${status === 'refused' || status === 'expired' ? 'bad' : 'ok'}` }, clean(status, 20)),
    ],
    ['From', agentLink(sender)],
    ['To', recipient ? agentLink(recipient) : 'everybody'],
    [
      'Conversation',
      /^0+$/.test(talk) ? 'none' : h('a', { class: 'mono bytes', href: at(['deals', talk]) }, clean(talk, 36)),
    ],
    ['Sealed', sealed ? 'yes' : 'no'],
  ]);
}

function hops({ hops: found }) {
  return h(
    'section',
    { 'aria-label': 'Its way', class: 'sub' },
    h('div', { class: 'hd' }, h('h2', {}, 'Its way')),
    h(
      'ol',
      { class: 'checks' },
      found.map(({ at: when, event, detail }, index) =>
        h(
          'li',
          {},
          h('span', { class: 'mu' }, String(index + 1)),
          h(
            'div',
            {},
            h('p', {}, clean(event, 60)),
            h('p', { class: 'meta' }, time(when, fullMoment(when)), detail && `: ${clean(detail, 300)}`),
          ),
        ),
      ),
    ),
  );
}

function unknown(id) {
  return h(
    'div',
    { class: 'stack tight' },
    h('p', {}, 'This node has not seen an envelope with that id, or has forgotten it.'),
    h('p', {}, h('code', { class: 'bytes' }, clean(id, 128))),
    h(
      'p',
      {},
      'Those that came stand in ',
      h('a', { href: at('inbox') }, 'the inbox'),
      '; those of a deal in its history.',
    ),
  );
}

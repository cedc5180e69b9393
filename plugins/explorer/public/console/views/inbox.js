import { at, call, read } from '../../data.js';
import { fill, h, refill } from '../../dom.js';
import { clean, count, fullMoment } from '../../format.js';
import { follow } from '../../live.js';
import { agentLink, briefId, empty, facts, seal, time } from '../../parts.js';
import { failure } from '../../section.js';
import { decoded } from '../content.js';
import { protocols } from '../session.js';

const LIMIT = 200;
/** Only so many stand in the page; the others stay in the inbox. */
const MOST = 200;
const SAYS = {
  PROPOSE: 'offers a deal',
  COUNTER: 'answers with another offer',
  ACCEPT: 'agrees',
  REJECT: 'declines or withdraws',
  DELIVER: 'delivered',
  DISPUTE: 'disputes a delivery',
  VERDICT: 'gave a verdict',
  FEEDBACK: 'rated you',
  MESSAGE: 'writes',
  BROADCAST: 'tells everybody',
  BOUNTY: 'offers work to everybody',
  NOTARIZE_BID: 'looks for a notary, or offers to be one',
  NOTARIZE_ASSIGN: 'names you as notary',
  ADVERTISE: 'says what it can do',
  DISCOVER: 'looks for somebody',
};

/** Letters of others to this agent, as they come. */
export async function draw(main) {
  document.title = 'Inbox \u00b7 agent-mesh';
  const list = h('ol', { class: 'feed', 'aria-live': 'off' });
  const detail = h('div', {});
  const notes = h('div', { class: 'place', role: 'status' });
  const total = h('span', { class: 'meta' });
  const acknowledge = h('button', { type: 'button', class: 'quiet', onclick: acknowledgeAll }, 'Acknowledge all');
  let frames = [];
  let chosen;
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h(
        'div',
        { class: 'row apart' },
        h('h1', {}, 'Inbox'),
        h('div', { class: 'row' }, acknowledge, h('a', { class: 'button', href: at('compose') }, 'Write')),
      ),
      notes,
      h(
        'div',
        { class: 'two' },
        h('section', { 'aria-label': 'Letters' }, h('div', { class: 'hd' }, h('h2', {}, 'Letters'), total), list),
        h('section', { class: 'card stack tight beside', 'aria-label': 'One letter', tabindex: 0 }, detail),
      ),
    ),
  );
  show();
  try {
    frames = (await newest()).slice(-MOST);
  } catch (error) {
    if (error.code === undefined) throw error;
    fill(
      notes,
      failure(error, () => location.reload()),
    );
    return;
  }
  redraw();
  const since = frames.at(-1)?.cursor ?? 0;
  follow(told, {
    path: 'ws/inbox',
    since,
    protocols,
    idOf: ({ type, cursor }) => (type === 'inbox' ? undefined : cursor),
  });

  function told({ event }) {
    if (!event) return;
    frames = [...frames, event].slice(-MOST);
    redraw(event);
  }

  function redraw(fresh) {
    fill(total, count(frames.length, 'letter'));
    acknowledge.disabled = frames.length === 0;
    refill(
      list,
      frames.length > 0
        ? frames.toReversed().map((frame) => row(frame, frame === fresh))
        : h('li', {}, empty('Nothing has come that is not acknowledged.')),
    );
  }

  function row(frame, isNew) {
    const { cursor, sender, msg_type: type, timestamp } = frame;
    const classes = [isNew && 'new', chosen === cursor && 'chosen-row'].filter(Boolean).join(' ');
    const open = () => {
      chosen = cursor;
      show(frame);
      redraw();
      detail.scrollIntoView({ block: 'nearest' });
      detail.querySelector('h2').focus({ preventScroll: true });
    };
    return h(
      'li',
      { class: classes || undefined, 'data-key': `letter ${cursor}` },
      time(timestamp),
      h(
        'span',
        { class: 'row fixed what' },
        seal(sender),
        h('span', { class: 'say' }, agentLink(sender, { sealed: false }), ` ${SAYS[type] ?? clean(type, 32)}`),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'small',
          'aria-label': `Read letter ${cursor}`,
          onclick: open,
        },
        'Read',
      ),
    );
  }

  function show(frame) {
    if (!frame) return fill(detail, h('h2', {}, 'One letter'), empty('Choose one of the list.'));
    const {
      envelope_id: id,
      msg_type: type,
      sender,
      conversation_id: conversation,
      timestamp,
      nonce,
      slot,
      sealed,
      cursor,
    } = frame;
    fill(
      detail,
      h('h2', { tabindex: -1 }, clean(type, 32)),
      facts([
        ['From', agentLink(sender)],
        ['Time', time(timestamp, fullMoment(timestamp))],
        [
          'Envelope',
          h('a', { class: 'mono', href: at(['envelopes', id]), title: id }, `${id.slice(0, 6)}\u2026${id.slice(-6)}`),
        ],
        [
          'Conversation',
          /^0+$/.test(conversation)
            ? 'none'
            : h('a', { class: 'mono', href: at(['deals', conversation]) }, `${conversation.slice(0, 8)}\u2026`),
        ],
        ['Number', briefId(String(nonce), 'number')],
        ['Slot', slot],
        ['Sealed', sealed ? 'yes' : 'no'],
      ]),
      decoded(frame, { conversation }),
      h('p', {}, h('button', { type: 'button', onclick: () => acknowledgeTo(cursor) }, 'Acknowledge to here')),
    );
  }

  async function acknowledgeAll() {
    const last = frames.at(-1);
    if (last) await acknowledgeTo(last.cursor);
  }

  async function acknowledgeTo(cursor) {
    try {
      await call('POST', 'inbox/ack', { body: { cursor } });
      const gone = frames.filter((frame) => frame.cursor <= cursor).length;
      frames = frames.filter((frame) => frame.cursor > cursor);
      redraw();
      show();
      fill(
        notes,
        h(
          'p',
          { class: 'banner ok' },
          `${count(gone, 'letter')} acknowledged; the node forgets ${gone === 1 ? 'it' : 'them'}.`,
        ),
      );
    } catch (error) {
      if (error.code === undefined) throw error;
      fill(notes, failure(error));
    }
  }
}

/** The list is read from its oldest letter; a page of the newest is at the end of it. */
async function newest() {
  let frames = [];
  for (let since = 0; ; ) {
    const page = await read('inbox', { since, limit: LIMIT });
    frames = [...frames, ...page.frames].slice(-MOST);
    if (page.frames.length < LIMIT || page.next === since) return frames;
    since = page.next;
  }
}

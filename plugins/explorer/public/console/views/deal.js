import { at, read, readIfThere } from '../../data.js';
import { fill, h } from '../../dom.js';
import { later } from '../../first.js';
import { clean, cleanLines, count, duration, fullMoment, shortId, usdc } from '../../format.js';
import { agentLink, copyButton, empty, facts, icon, seal, time } from '../../parts.js';
import { decoded } from '../content.js';
import { eventWords, stepButtons, strip } from '../deal-parts.js';
import { reasonOf, roleOf, stateTag, timerOf, workOf } from '../deal-words.js';
import { panelPlace } from '../panel.js';
import { liveSection } from '../wire.js';

/** One deal: what is agreed, what happened, the work, and the steps that can be taken now. */
export async function draw(main, { id }) {
  document.title = `Deal ${shortId(id)} \u00b7 agent-mesh`;
  const place = panelPlace();
  const title = h('h1', {}, 'Deal');
  const deal = liveSection(['deal'], {
    lead: true,
    load: () => read(['deals', id]),
    missing: () => unknown(id),
    draw(found) {
      fill(title, workOf(found));
      return whole(found, place, () => {
        deal.refresh();
        work.refresh();
      });
    },
  });
  const work = liveSection(['envelope', 'deal'], {
    title: 'The work',
    load: () => readIfThere('inbox', { conversation_id: id, limit: 200 }),
    missing: () => undefined,
    draw: (found) => delivered(found?.frames ?? [], id),
  });
  fill(
    main,
    h(
      'div',
      { class: 'stack' },
      h('p', { class: 'meta' }, h('a', { href: at('deals') }, 'Deals')),
      title,
      place,
      deal,
      work,
    ),
  );
  await Promise.all([deal.ready, work.ready]);
}

function whole(deal, place, after) {
  const buttons = stepButtons(deal, place, after);
  const side = h('div', { class: 'stack loose' });
  later(() => fill(side, terms(deal), escrow(deal)));
  return h('div', { class: 'cols' }, h('div', { class: 'stack loose' }, now(deal, buttons), history(deal)), side);
}

function now(deal, buttons) {
  const reason = reasonOf(deal);
  return h(
    'section',
    { class: 'card stack tight', 'aria-label': 'Now' },
    h('h2', { class: 'hidden' }, 'Now'),
    h(
      'p',
      { class: 'row apart' },
      h(
        'span',
        { class: 'row' },
        agentLink(deal.counterparty, { size: 'mid' }),
        h('span', { class: 'mu' }, roleOf(deal)),
      ),
      h('b', { class: 'price' }, `${usdc(deal.amount_usdc_micro)} USDC`),
    ),
    strip(deal),
    h(
      'p',
      { class: 'row' },
      stateTag(deal),
      reason && h('span', { class: 'mu' }, reason),
      h('span', { class: 'meta' }, timerOf(deal)),
    ),
    buttons ?? h('p', { class: 'meta' }, 'There is nothing to do for you now.'),
  );
}

function history(deal) {
  return h(
    'section',
    { 'aria-label': 'History' },
    h('div', { class: 'hd' }, h('h2', {}, 'History')),
    h(
      'ol',
      { class: 'chain' },
      deal.history.map((entry) =>
        h(
          'li',
          { 'data-key': `${entry.event} ${entry.at}` },
          seal(entry.by, 'mid') ?? h('span', { class: 'ledger-step' }, icon('lock')),
          h(
            'div',
            { class: 'say' },
            h(
              'p',
              {},
              seal(entry.by) ? agentLink(entry.by, { sealed: false }) : clean(entry.by, 40),
              ' ',
              eventWords(entry, deal),
            ),
            h('p', { class: 'meta' }, time(entry.at, fullMoment(entry.at))),
          ),
          entry.envelope_id &&
            h('div', { class: 'end small' }, h('a', { href: at(['envelopes', entry.envelope_id]) }, 'Envelope')),
        ),
      ),
    ),
  );
}

function terms(deal) {
  return h(
    'section',
    { 'aria-label': 'Terms' },
    h('div', { class: 'hd' }, h('h2', {}, 'Terms')),
    facts([
      [
        'Conversation',
        h(
          'span',
          {},
          h('code', { class: 'bytes' }, deal.conversation_id),
          ' ',
          copyButton(deal.conversation_id, 'conversation id'),
        ),
      ],
      ['Requester', agentLink(deal.requester)],
      ['Provider', agentLink(deal.provider)],
      ['Notary', deal.notary ? agentLink(deal.notary) : 'none'],
      ['Amount', `${usdc(deal.amount_usdc_micro)} USDC`],
      ['Bond', deal.bond_usdc_micro > 0 && `${usdc(deal.bond_usdc_micro)} USDC`],
      ['Time to deliver', duration(deal.deadline_secs * 1_000)],
      ['Due', deal.deadline && time(deal.deadline, fullMoment(deal.deadline))],
      ['Review', duration(deal.review_secs * 1_000)],
      ['Rounds', count(deal.max_rounds, 'counter-offer')],
      ['Acceptance check', deal.acceptance && h('code', { class: 'bytes' }, clean(deal.acceptance, 64))],
    ]),
    deal.risk &&
      h(
        'div',
        { class: 'stack tight sub' },
        h('h3', {}, 'Your risk'),
        deal.risk.texts.map((text) => h('p', { class: 'meta' }, clean(text, 300))),
      ),
  );
}

function escrow({ escrow: found, payment, unavailable_actions: not = [] }) {
  const money = (micro) => micro !== undefined && `${usdc(micro)} USDC`;
  const moment = (iso) => iso && time(iso, fullMoment(iso));
  return h(
    'section',
    { 'aria-label': 'Money' },
    h('div', { class: 'hd' }, h('h2', {}, 'Money')),
    facts([
      ['Escrow', found.agreed ? 'agreed' : 'not agreed'],
      ['Locked', moment(found.locked_at)],
      ['Delivery named', moment(found.delivered_at)],
      ['Disputed', moment(found.disputed_at)],
      ['Contested', moment(found.contested_at)],
      ['Ended', found.outcome],
      ['To the provider', money(found.to_provider_usdc_micro)],
      ['To the requester', money(found.to_requester_usdc_micro)],
      ['Burnt', found.burnt_usdc_micro > 0 && money(found.burnt_usdc_micro)],
      ['Payment', payment && `${payment.status}`],
      ['Transaction', payment && h('code', { class: 'bytes' }, clean(payment.signature, 100))],
    ]),
    not.length > 0 && h('p', { class: 'meta' }, clean(not[0].reason, 200)),
  );
}

/** The delivery of the other side, decoded, as text; or its words when it declined. */
function delivered(frames, id) {
  const all = frames.filter(({ msg_type: type }) => type === 'DELIVER');
  const refusal = frames.find(({ msg_type: type, payload }) => type === 'REJECT' && payload?.reason);
  if (refusal)
    return h(
      'p',
      { class: 'said' },
      'The other side declined: ',
      h('bdi', {}, `\u201c${cleanLines(refusal.payload.reason, 600)}\u201d`),
    );
  if (all.length === 0)
    return empty(
      'Nothing of the other side is here. Its work stands here as soon as it comes, until you acknowledge it in the inbox.',
    );
  return all.map((frame) => h('div', { class: 'stack tight' }, decoded(frame, { conversation: id })));
}

function unknown(id) {
  return h(
    'div',
    { class: 'stack tight' },
    h('p', {}, 'This node has no deal with that id.'),
    h('p', {}, h('code', { class: 'bytes' }, clean(id, 128))),
    h(
      'p',
      {},
      'Look through ',
      h('a', { href: at('deals') }, 'all deals'),
      ', or ',
      h('a', { href: at('deals/new') }, 'make a new one'),
      '.',
    ),
  );
}

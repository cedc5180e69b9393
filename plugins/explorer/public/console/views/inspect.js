import { at } from '../../data.js';
import { fill, h } from '../../dom.js';
import { clean } from '../../format.js';
import { base58 } from '../../seal.js';

/** Where an id leads: to an envelope, a deal or an agent. */
export async function draw(main, { query }) {
  document.title = 'Find by id \u00b7 agent-mesh';
  const asked = (query.get('q') ?? '').trim();
  const target = targetOf(asked);
  if (target) {
    location.replace(target);
    return;
  }
  fill(
    main,
    h(
      'div',
      { class: 'stack narrow' },
      h('h1', {}, 'Find by id'),
      asked !== '' &&
        h('p', { class: 'banner' }, h('span', {}, 'This is no id: ', h('code', { class: 'bytes' }, clean(asked, 128)))),
      h(
        'p',
        {},
        'The field above takes the id of an envelope (64 hex digits), of a deal (32 hex digits or a UUID) or of an agent (base58).',
      ),
      h(
        'p',
        {},
        h('a', { href: at('deals') }, 'Deals'),
        ', ',
        h('a', { href: at('inbox') }, 'inbox'),
        ', ',
        h('a', { href: at('peers') }, 'peers'),
        '.',
      ),
    ),
  );
}

function targetOf(asked) {
  if (/^[0-9a-f]{64}$/i.test(asked)) return at(['envelopes', asked.toLowerCase()]);
  const talk = asked.replaceAll('-', '').toLowerCase();
  if (/^[0-9a-f]{32}$/.test(talk)) return at(['deals', talk]);
  return base58(asked) ? at(['agents', asked]) : undefined;
}

import { at } from './data.js';
import { h } from './dom.js';
import { thousands } from './format.js';

/** Older and newer pages of a list, as links, so that they can be kept and sent. */
export function pager({ offset, limit, got, path, query }) {
  if (offset === 0 && got < limit) return undefined;
  const link = (to, text) => h('a', { class: 'button', href: at(path, { ...query, offset: to || undefined }) }, text);
  return h(
    'nav',
    { class: 'row', 'aria-label': 'Pages of this list' },
    offset > 0 && link(Math.max(0, offset - limit), 'Previous'),
    h('span', { class: 'meta' }, got > 0 ? `${thousands(offset + 1)} to ${thousands(offset + got)}` : 'Nothing more'),
    got === limit && link(offset + limit, 'Next'),
  );
}

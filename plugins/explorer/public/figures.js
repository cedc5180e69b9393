import { h } from './dom.js';
import { decimal, thousands } from './format.js';

/** Figures of totals for a `dl`. */
export function figures(rows) {
  const known = rows.filter(Boolean);
  const shown = (value) =>
    typeof value === 'number' ? (Number.isInteger(value) ? thousands(value) : decimal(value, 2)) : value;
  return h(
    'dl',
    { class: 'figures' },
    known.map(([name, value, aside]) =>
      h('div', {}, h('dt', {}, name), h('dd', {}, shown(value), aside && h('small', {}, ` ${aside}`))),
    ),
  );
}

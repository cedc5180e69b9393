// Bars over time. The table with the same figures stands below each, to be opened.
import { h, svg } from './dom.js';
import { later } from './first.js';
import { fullMoment } from './format.js';
import { table } from './parts.js';

const HEIGHT = 140;
const LEFT = 56;
const BASE = 116;
const TOP = 10;
/** Of the whole picture: its words are as large as those beside it, on a phone too. */
const WIDTH = matchMedia('(max-width: 600px)').matches ? 340 : 560;

/** `bars({ name, rows: [{ at, value, text }], head, axis })`: `value` sets the height, `text` is what it is exactly. */
export function bars({ name, rows, head, axis, width = WIDTH }) {
  const most = Math.max(...rows.map(({ value }) => value), 0);
  const step = (width - LEFT) / Math.max(1, rows.length);
  const heightOf = (value) => (most === 0 ? 0 : ((BASE - TOP) * value) / most);
  const label = (iso) => (iso ? iso.slice(5, 16).replace('T', ' ') : '');
  const [first, last] = [rows[0]?.at, rows.at(-1)?.at];
  const chart = svg(
    'svg',
    { class: 'chart', viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': name },
    [0, most].map((value) => svg('path', { class: 'line', d: `M${LEFT} ${BASE - heightOf(value)}H${width}` })),
    svg('text', { x: LEFT - 6, y: BASE + 4, 'text-anchor': 'end' }, '0'),
    most > 0 && svg('text', { x: LEFT - 6, y: TOP + 4, 'text-anchor': 'end' }, axis(most)),
    rows.map(({ at, value, text }, index) => {
      const high = heightOf(value);
      const box = { x: LEFT + index * step + step * 0.1, y: BASE - high, width: step * 0.8, height: high };
      return svg('rect', { class: 'value', ...box }, svg('title', {}, `${fullMoment(at)}: ${text}`));
    }),
    svg('text', { x: LEFT, y: HEIGHT - 6 }, label(first)),
    svg('text', { x: width, y: HEIGHT - 6, 'text-anchor': 'end' }, last ? `${label(last)} UTC` : ''),
  );
  const figures = () =>
    table({
      name,
      columns: [
        { head: 'From', cell: ({ at }) => fullMoment(at) },
        { head, num: true, cell: ({ text }) => text },
      ],
      rows: [...rows].reverse(),
    });
  const same = h('details', {}, h('summary', { class: 'meta' }, 'The same as a table'));
  // It is closed at first, so it is none of the first facts.
  later(() => same.append(figures()));
  return h('figure', {}, chart, same);
}

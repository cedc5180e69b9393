import { type Figure, reaches } from './bench.ts';

/** `{ name: { value, goal, unit } }` */
export function asJson(figures: readonly Figure[]): string {
  const shown = figures.map(({ name, value, goal = null, unit }) => [name, { value: rounded(value), goal, unit }]);
  return JSON.stringify(Object.fromEntries(shown));
}

/** One figure as a line: its value, its goal, and what it was computed from. */
export function asLine(figure: Figure): string {
  const { name, value, goal, unit, from = {} } = figure;
  const parts = Object.entries(from).map(([key, part]) => `${key} ${rounded(part)}`);
  const mark = goal === undefined ? ' ' : reaches(figure) ? '+' : '-';
  const wanted = goal === undefined ? '' : `  (goal ${goal})`;
  return `${mark} ${name}: ${rounded(value)} ${unit}${wanted}${parts.length > 0 ? `  ${parts.join(', ')}` : ''}`;
}

/** Four digits: more would pretend. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

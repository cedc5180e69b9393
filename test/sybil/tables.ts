import type { Outcome, Row } from './play.ts';
import type { Summary } from './study.ts';

const HEAD = ['attack', 'lost', 'float', 'AUC', 'outranked', 'best score', 'place', 'drop', 'grounded', 'goal', ''];

/** One line for each attack: what it costs, what it gains, what was promised, and whether that holds. */
export function tableOf({ rows }: Outcome): string {
  return markdown(HEAD, rows.map(lineOf));
}

function lineOf(row: Row): string[] {
  const { attack, lost, float, auc, outranked, best, place, drop, grounded, goals, broken } = row;
  const verdict = goals.length === 0 ? 'told' : broken.length === 0 ? 'holds' : `BROKEN: ${broken.join(', ')}`;
  // A smear has victims and wins nothing for itself.
  const won = place > 0 ? [auc.toFixed(3), `${outranked}`, `${best}`, `${place}`] : ['', '', '', ''];
  const rest = place > 0 ? ['', short(grounded)] : [`${drop}`, ''];
  return [attack, short(lost), short(float), ...won, ...rest, goals.join(', ') || 'none', verdict];
}

export function summaryOf(summaries: readonly Summary[]): string {
  const lines = summaries.map(({ goal, promised, worst, mean, seed, holds }) => [
    ...[goal, promised, short(worst), short(mean), `${seed}`],
    holds === undefined ? 'told' : holds ? 'holds' : 'BROKEN',
  ]);
  return markdown(['goal', 'promised', 'worst', 'mean', 'seed of the worst', ''], lines);
}

/** A table with columns as wide as what is in them. */
export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, place) => Math.max(3, title.length, ...rows.map((row) => row[place]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, place) => cell.padEnd(widths[place]!)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}

/** To three digits behind the point. */
export function short(value: number): string {
  return String(Math.round(value * 1_000) / 1_000 || 0);
}

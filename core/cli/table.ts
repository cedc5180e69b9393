import { visible } from '../platform/visible-text.ts';

/** Rows as aligned columns, each on one line. The last column is not padded; a missing cell is a dash. */
export function table(rows: readonly (readonly (string | number | null | undefined)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => visible(String(cell ?? '-'))));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!))).join('  '))
    .join('\n');
}

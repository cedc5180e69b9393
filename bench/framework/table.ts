import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { type BenchContext, type Figure, reaches } from './bench.ts';
import { rounded } from './report.ts';

const FILE = join(packageRoot, 'docs/performance.md');
const FIGURES = ['<!-- figures: npm run bench -- --table -->', '<!-- end of figures -->'] as const;
const COSTS = ['<!-- costs: npm run bench -- costs --table -->', '<!-- end of costs -->'] as const;

/**
 * Puts the figures into docs/performance.md, in place of those of the same name. Others stay as an earlier run left them; a table
 * of which there is nothing new stays as a whole.
 */
export function writeTable(figures: readonly Figure[], events: BenchContext['events']): void {
  const measured = figures.filter(({ exact }) => !exact);
  const exact = figures.filter((figure) => figure.exact);
  let text = readFileSync(FILE, 'utf8');
  if (measured.length > 0) {
    text = placed(text, FIGURES, (before) => `${machine(events)}\n\n${tableOf(rowsWith(rowsOf(before), measured))}`);
  }
  if (exact.length > 0) text = placed(text, COSTS, () => costsOf(exact));
  writeFileSync(FILE, text);
}

/** Rows of a table by the names of their figures. */
export type Rows = ReadonlyMap<string, string>;

export function rowsOf(table: string): Rows {
  const named = table.split('\n').flatMap((row) => {
    const name = /^\| `([^`]+)` \|/.exec(row)?.[1];
    return name === undefined ? [] : [[name, row] as const];
  });
  return new Map(named);
}

/** The rows with those of new figures: in their old place, or at the end. */
export function rowsWith(before: Rows, figures: readonly Figure[]): Rows {
  return new Map([...before, ...figures.map((figure) => [figure.name, rowOf(figure)] as const)]);
}

function placed(text: string, [begin, end]: readonly [string, string], tableFrom: (before: string) => string): string {
  const [front, rest] = text.split(begin);
  const [before, after] = rest?.split(end) ?? [];
  if (front === undefined || before === undefined || after === undefined)
    throw new Error(`${FILE} lacks the place for ${begin}`);
  return `${front}${begin}\n${tableFrom(before)}\n${end}${after}`;
}

function machine({ small, large }: BenchContext['events']): string {
  const [{ model } = { model: 'unknown processor' }] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return (
    `Measured on ${cpus().length} cores (${model.trim()}), ${gigabytes} GB, Node ${process.versions.node}, ` +
    `load ${load} at the end, with ${small.toLocaleString('en')} and ${large.toLocaleString('en')} events; rows of benches that did not ` +
    'run this time are from an earlier run.'
  );
}

function rowOf(figure: Figure): string {
  const { name, value, goal, unit, from = {} } = figure;
  const parts = Object.entries(from).map(([key, part]) => `${key} ${rounded(part)}`);
  const mark = goal === undefined ? '' : reaches(figure) ? `${goal}` : `${goal} **missed**`;
  return `| \`${name}\` | ${rounded(value)} ${unit} | ${mark} | ${parts.join(', ')} |`;
}

function tableOf(rows: Rows): string {
  return ['| Figure | Value | Goal | Computed from |', '|---|---|---|---|', ...rows.values()].join('\n');
}

function costsOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, from = {} }) => {
    const parts = Object.entries(from).map(([key, part]) => `${key} ${part.toLocaleString('en')}`);
    return `| \`${name}\` | ${value.toLocaleString('en')} ${unit} | ${parts.join(', ')} |`;
  });
  return ['| Cost | Value | Of which |', '|---|---|---|', ...rows].join('\n');
}

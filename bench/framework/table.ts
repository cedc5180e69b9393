import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { type BenchContext, type Figure, reaches } from './bench.ts';
import { rounded } from './report.ts';

const FILE = join(packageRoot, 'docs/performance.md');
const FIGURES = ['<!-- figures: npm run bench -- --table -->', '<!-- end of figures -->'] as const;
const COSTS = ['<!-- costs: npm run bench -- costs --table -->', '<!-- end of costs -->'] as const;

/** Puts the figures in place of those that docs/performance.md shows; a table of which there is none stays as it is. */
export function writeTable(figures: readonly Figure[], events: BenchContext['events']): void {
  const measured = figures.filter(({ exact }) => !exact);
  const exact = figures.filter((figure) => figure.exact);
  let text = readFileSync(FILE, 'utf8');
  if (measured.length > 0) text = placed(text, FIGURES, `${machine(events)}\n\n${tableOf(measured)}`);
  if (exact.length > 0) text = placed(text, COSTS, costsOf(exact));
  writeFileSync(FILE, text);
}

function placed(text: string, [begin, end]: readonly [string, string], table: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${FILE} lacks the place for ${begin}`);
  return `${before}${begin}\n${table}\n${end}${after}`;
}

function machine({ small, large }: BenchContext['events']): string {
  const [{ model } = { model: 'unknown processor' }] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return (
    `Measured on ${cpus().length} cores (${model.trim()}), ${gigabytes} GB, Node ${process.versions.node}, ` +
    `load ${load} at the end, with ${small.toLocaleString('en')} and ${large.toLocaleString('en')} events.`
  );
}

function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, value, goal, unit, from = {} } = figure;
    const parts = Object.entries(from).map(([key, part]) => `${key} ${rounded(part)}`);
    const mark = goal === undefined ? '' : reaches(figure) ? `${goal}` : `${goal} **missed**`;
    return `| \`${name}\` | ${rounded(value)} ${unit} | ${mark} | ${parts.join(', ')} |`;
  });
  return ['| Figure | Value | Goal | Computed from |', '|---|---|---|---|', ...rows].join('\n');
}

function costsOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, from = {} }) => {
    const parts = Object.entries(from).map(([key, part]) => `${key} ${part.toLocaleString('en')}`);
    return `| \`${name}\` | ${value.toLocaleString('en')} ${unit} | ${parts.join(', ')} |`;
  });
  return ['| Cost | Value | Of which |', '|---|---|---|', ...rows].join('\n');
}

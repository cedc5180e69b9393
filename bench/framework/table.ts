import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../core/package-root.ts';
import { type BenchContext, type Figure, reaches } from './bench.ts';
import { rounded } from './report.ts';

const FILE = join(packageRoot, 'docs/performance.md');
const BEGIN = '<!-- figures: npm run bench -- --table -->';
const END = '<!-- end of figures -->';

/** Puts the figures in place of those that docs/performance.md shows. */
export function writeTable(figures: readonly Figure[], events: BenchContext['events']): void {
  const text = readFileSync(FILE, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${FILE} lacks the place for the figures`);
  writeFileSync(FILE, `${before}${BEGIN}\n${machine(events)}\n\n${tableOf(figures)}\n${END}${after}`);
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

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** The rows of the table under a heading of a page in docs/, as objects by column name. Backticks are dropped. */
export function tableUnder(page: string, heading: string): Record<string, string>[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const [, section] = text.split(new RegExp(`^#+ ${heading}$`, 'm'));
  assert.ok(section, `${page} has no heading "${heading}"`);
  const lines = section
    .split(/^#+ /m)[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  const [head, , ...rows] = lines.map(cells);
  assert.ok(head && rows.length > 0, `${page} has no table under "${heading}"`);
  return rows.map((row) => {
    assert.equal(row.length, head.length, `a row of "${heading}" has ${row.length} cells: ${row.join(' | ')}`);
    return Object.fromEntries(head.map((name, i) => [name, row[i]!]));
  });
}

function cells(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split('|')
    .map((cell) => cell.replaceAll('`', '').trim());
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from './browser.ts';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations that axe-core finds in the page as it stands, each with the markup of its first places. */
export async function violationsIn(page: Page): Promise<string[]> {
  await page.run(await source);
  return page.run(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`);
}

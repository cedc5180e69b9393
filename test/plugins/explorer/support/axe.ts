import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from './browser.ts';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations that axe-core finds in the page as it stands, each with the markup of its first places. */
export async function violationsIn(page: Page): Promise<string[]> {
  await page.run(await source);
  return violations(page, {});
}

/** Those of colours alone: all that another theme changes. Only after `violationsIn`, in the same page. */
export function violationsOfColours(page: Page): Promise<string[]> {
  return violations(page, { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } });
}

function violations(page: Page, rules: object): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  return page.run(`axe.run(document, ${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`);
}

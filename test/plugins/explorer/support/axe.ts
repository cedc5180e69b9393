import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from './browser.ts';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations that axe-core finds in the page as it stands, each with the markup of its first places. */
export async function violationsIn(page: Page): Promise<string[]> {
  await page.run(await source);
  return violations(page, {});
}

/**
 * Those of colours alone: all that another theme changes. Only after `violationsIn`, in the same page. Of texts that look alike, in colours,
 * ground, size and weight, one is looked at: `FAULTS_OF_PAGE` computes the contrast of each.
 */
export function violationsOfColours(page: Page): Promise<string[]> {
  return violations(
    page,
    { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
    `{ include: ${ONE_OF_EACH_LOOK} }`,
  );
}

const ONE_OF_EACH_LOOK = `(() => {
  const grounds = new Map([[null, '']]);
  const ground = (one) => {
    if (!grounds.has(one)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(one);
      const own = backgroundColor === 'rgba(0, 0, 0, 0)' && backgroundImage === 'none' && opacity === '1' ? '' : [backgroundColor, backgroundImage, opacity].join();
      grounds.set(one, own === '' ? ground(one.parentElement) : ground(one.parentElement) + ';' + own);
    }
    return grounds.get(one);
  };
  const looks = new Map();
  for (const one of document.body.querySelectorAll('*')) {
    if (![...one.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim()) && !one.matches('input, select, textarea')) continue;
    if (!one.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight, textDecorationLine } = getComputedStyle(one);
    const link = one.closest('a');
    const around = link && getComputedStyle(link.parentElement).color;
    looks.set([one.tagName, color, ground(one), fontSize, fontWeight, textDecorationLine, Boolean(link), around].join(' '), link ?? one);
  }
  return [...new Set(looks.values())];
})()`;

function violations(page: Page, rules: object, context = 'document'): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  return page.run(`axe.run(${context}, ${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(' | ')))`);
}

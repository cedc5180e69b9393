import assert from 'node:assert/strict';
import { violationsIn, violationsOfColours } from './axe.ts';
import type { Look, Page } from './browser.ts';
import { FAULTS_OF_PAGE } from './faults-of-page.ts';

/** Holds the page that is open to all that holds for every page, light and dark, and as narrow as a desk at 400 %. */
export async function isWhole(page: Page, path: string, look: Look & { readonly width: number }): Promise<void> {
  for (const dark of [false, true]) {
    await page.look({ ...look, dark });
    assert.ok((await page.run<number>('document.documentElement.scrollWidth')) <= look.width, `${path} is too wide`);
    assert.deepEqual(await page.run(FAULTS_OF_PAGE), [], `${path} dark: ${dark}`);
    const violations = dark ? await violationsOfColours(page) : await violationsIn(page);
    assert.deepEqual(violations, [], `${path} dark: ${dark}`);
  }
  assert.ok((await page.run<number>("document.querySelectorAll('*').length")) < 1_500, `${path} is too much`);
  await page.look({ ...look, width: 320 });
  // A window takes its new width a moment later.
  await page.until('innerWidth === 320 && document.documentElement.scrollWidth <= 320', 10_000);
  await page.look(look);
}

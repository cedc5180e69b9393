import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROWS } from './specified-rows.ts';

const TITLE = /\bit\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`)/g;

/** The tests in the specification's words say in their titles which rows they are of. */
describe('the rows of the specification', () => {
  const titles = readdirSync(import.meta.dirname)
    .filter((name) => /^words-.*\.test\.ts$/.test(name))
    .flatMap((name) => [...readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(TITLE)])
    .map(([, single, double, template]) => single ?? double ?? template ?? '');

  for (const row of ROWS) {
    it(`${row} has a test in its own words`, () => {
      // The row alone: not as the beginning of a longer path.
      const literal = row.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      assert.ok(
        titles.some((title) => new RegExp(`(^|[ (])${literal}(?![\\w/?{-]|:\\w)`).test(title)),
        'no title of words-*.test.ts has it',
      );
    });
  }
});

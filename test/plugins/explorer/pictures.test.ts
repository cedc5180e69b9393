import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../../core/platform/package-root.ts';
import { explorer } from '../../../plugins/explorer/index.ts';
import { PICTURES } from './pictures/pages.ts';

const FOLDER = join(packageRoot, 'docs/pictures');
const MOST_BYTES = 100_000;

describe('the pictures of the pages', () => {
  it('are each of a page that exists, small, in light and dark, of desks and phones', async () => {
    const files = await readdir(FOLDER);
    assert.deepEqual(files.sort(), PICTURES.map(({ name }) => `${name}.webp`).sort());
    for (const { name, face, path } of PICTURES) {
      const pages: Readonly<Record<string, string>> = explorer[face]!.routes!.pages.spec.pages ?? {};
      assert.ok(pages[path], `${name}.webp shows ${path}, which is no page any more; run npm run pictures`);
      const { size } = await stat(join(FOLDER, `${name}.webp`));
      assert.ok(size > 2_000 && size < MOST_BYTES, `${name}.webp has ${size} bytes`);
      const start = await readFile(join(FOLDER, `${name}.webp`));
      assert.equal(start.toString('latin1', 8, 12), 'WEBP', name);
    }
    assert.deepEqual([...new Set(PICTURES.map(({ look }) => look.dark === true))].sort(), [false, true]);
    assert.ok(PICTURES.some(({ look }) => look.width === 360));
  });

  it('stand in the README and in the page of the explorer', async () => {
    for (const file of ['README.md', 'docs/explorer.md']) {
      const text = await readFile(join(packageRoot, file), 'utf8');
      const shown = [...text.matchAll(/pictures\/([\w-]+)\.webp/g)].map(([, name]) => name);
      assert.ok(shown.length > 2, file);
      for (const name of shown)
        assert.ok(
          PICTURES.some((one) => one.name === name),
          `${file} shows ${name}`,
        );
    }
  });
});

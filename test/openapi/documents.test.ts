import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientFiles } from '../../clients/generate/files.ts';
import { ERRORS } from '../../core/contracts/errors.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { errorPage } from './error-page.ts';
import { printedDocument } from './printed-document.ts';

describe('the committed documents of the API', () => {
  for (const profile of ['node', 'aggregator'] as const) {
    it(`docs/openapi-${profile}.json is what mesh openapi prints; otherwise run npm run openapi`, async () => {
      const committed = readFileSync(join(packageRoot, `docs/openapi-${profile}.json`), 'utf8');
      assert.ok(committed === (await printedDocument(profile)), 'the document differs from the code');
    });
  }

  it('are what the clients in JavaScript and Python were written from; otherwise run npm run clients', async () => {
    for (const [path, text] of await clientFiles()) {
      assert.ok(readFileSync(join(packageRoot, path), 'utf8') === text, `${path} differs from the documents`);
    }
  });

  it('docs/errors.md has a row for every code, and is what npm run openapi writes', async () => {
    const committed = readFileSync(join(packageRoot, 'docs/errors.md'), 'utf8');
    assert.ok(committed === (await errorPage()), 'the page differs from the code: run npm run openapi');
    for (const [code, [status, title]] of Object.entries(ERRORS)) {
      assert.ok(committed.includes(`| ${status} | \`${code}\` | ${title} | `), code);
    }
  });
});

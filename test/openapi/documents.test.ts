import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { printedDocument } from './printed-document.ts';

describe('the committed API documents', () => {
  for (const profile of ['node', 'aggregator'] as const) {
    it(`docs/openapi-${profile}.json is what mesh openapi prints; otherwise run npm run openapi`, async () => {
      const committed = readFileSync(join(packageRoot, `docs/openapi-${profile}.json`), 'utf8');
      assert.ok(committed === (await printedDocument(profile)), 'the document differs from the code');
    });
  }
});

// `npm run openapi`: writes docs/openapi-*.json, what `mesh openapi` prints, and docs/errors.md. Builds first what has changed: the
// programs that an aggregator serves at /recount are made by the build.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../bin/prepare.js';
import { packageRoot } from '../../core/platform/package-root.ts';
import { errorPage } from './error-page.ts';
import { printedDocument } from './printed-document.ts';

build();
for (const profile of ['node', 'aggregator'] as const) {
  writeFileSync(join(packageRoot, 'docs', `openapi-${profile}.json`), await printedDocument(profile));
}
writeFileSync(join(packageRoot, 'docs', 'errors.md'), await errorPage());

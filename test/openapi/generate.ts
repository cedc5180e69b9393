// `npm run openapi`: writes docs/openapi-*.json, what `mesh openapi` prints, and docs/errors.md. Installs and builds nothing.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import { errorPage } from './error-page.ts';
import { printedDocument } from './printed-document.ts';

for (const profile of ['node', 'aggregator'] as const) {
  writeFileSync(join(packageRoot, 'docs', `openapi-${profile}.json`), await printedDocument(profile));
}
writeFileSync(join(packageRoot, 'docs', 'errors.md'), await errorPage());

#!/usr/bin/env node
import { join } from 'node:path';
// The `mesh` command. In a checkout it first installs and builds what is missing, so that `npm start` is the only step.
import { pathToFileURL } from 'node:url';
import { isOrphan } from './parents.js';
import { build, checkNodeVersion, install, isCheckout, root } from './prepare.js';

checkNodeVersion();
if (isCheckout()) {
  install();
  build();
}
const built = (path) => import(pathToFileURL(join(root, 'dist', path)).href);
const [{ main }, { adapters, localnet, program }, { plugins, standard }] = await Promise.all(
  ['core/cli/mesh.js', 'adapters/index.js', 'plugins/index.js'].map(built),
);
process.exitCode = await main(process.argv.slice(2), {
  parts: { adapters, plugins, standard },
  localnet,
  program,
  // Test code, from its sources: an installed package has neither.
  upstreams: isCheckout()
    ? async () => {
        await import('ts-blank-space/register');
        return (await import('../test/upstreams/dev.ts')).upstreams;
      }
    : undefined,
  isOrphan,
});

#!/usr/bin/env node
import { join } from 'node:path';
// The `mesh` command. In a checkout it first installs and builds what is missing, so that `npm start` is the only step.
import { pathToFileURL } from 'node:url';
import { build, checkNodeVersion, install, isCheckout, root } from './prepare.js';

checkNodeVersion();
if (isCheckout()) {
  install();
  build();
}
const { main } = await import(pathToFileURL(join(root, 'dist', 'core', 'cli', 'main.js')).href);
process.exitCode = await main(process.argv.slice(2));

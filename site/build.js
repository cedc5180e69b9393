// `npm run site`: installs the generator of the documentation when it is missing, and builds docs/ into site/dist. A page that links
// to one that does not exist, or that stands in no group of the menu, fails the build. `npm run site -- --serve` serves it as well.
import { join } from 'node:path';
import { checkNodeVersion, fail, root, run, say } from '../bin/prepare.js';
import { sidePackages } from '../bin/side-packages.js';

checkNodeVersion();
try {
  sidePackages(join(root, 'site'), () => say('Installing the generator of the site (once; about half a minute) ...'));
} catch (error) {
  fail(error.message);
}
const vitepress = join('site', 'node_modules', 'vitepress', 'bin', 'vitepress.js');
run(process.execPath, [vitepress, 'build', 'site']);
say('The site is in site/dist: any web server for files serves it.');
if (process.argv.includes('--serve')) run(process.execPath, [vitepress, 'preview', 'site', '--host', '127.0.0.1']);

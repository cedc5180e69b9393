// `npm run site`: installs the generator of the documentation when it is missing, and builds docs/ into site/dist. A page that links
// to one that does not exist, or that stands in no group of the menu, fails the build. `npm run site -- --serve` serves it as well.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNodeVersion, root, run, say } from '../bin/prepare.js';

const packages = join(root, 'site', 'node_modules');
const lock = readFileSync(join(root, 'site', 'package-lock.json'), 'utf8');
const mark = join(packages, '.lock-of-install');

checkNodeVersion();
if (!existsSync(mark) || readFileSync(mark, 'utf8') !== lock) {
  say('Installing the generator of the site (once; about half a minute) ...');
  run('npm', ['ci', '--prefix', 'site', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']);
  writeFileSync(mark, lock);
}
const vitepress = join('site', 'node_modules', 'vitepress', 'bin', 'vitepress.js');
run(process.execPath, [vitepress, 'build', 'site']);
say('The site is in site/dist: any web server for files serves it.');
if (process.argv.includes('--serve')) run(process.execPath, [vitepress, 'preview', 'site', '--host', '127.0.0.1']);

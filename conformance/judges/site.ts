import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/platform/package-root.ts';
import type { Judge } from '../judge.ts';
import { run } from '../provide/command.ts';

const DEAD_LINK = /Found dead link (\S+) in file (\S+)/g;
const FILE = /^file: (\S+)/m;

export const site: Judge = {
  name: 'Pages of the documentation',
  source: 'VitePress, which parses every page and follows every link',
  exceptions: [],
  async judge() {
    const { code, out, err } = await run(process.execPath, ['site/build.js'], { cwd: packageRoot });
    const said = out + err;
    const dead = [...said.matchAll(DEAD_LINK)].map(([, link, page]) => ({ name: page!, found: `leads to ${link}` }));
    if (code !== 0 && dead.length === 0)
      dead.push({ name: FILE.exec(said)?.[1] ?? 'the build', found: said.slice(-500) });
    return { cases: code === 0 ? pages(join(packageRoot, 'site/dist')) : dead.length, failures: dead };
  },
};

function pages(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html')).length;
}

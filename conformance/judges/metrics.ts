import { join } from 'node:path';
import type { Failure, Judge } from '../judge.ts';
import { run } from '../provide/command.ts';
import { debianPackage } from '../provide/debian.ts';
import { withEach } from '../subjects.ts';

export const metrics: Judge = {
  name: 'Metrics',
  source: 'promtool check metrics, of Debian’s prometheus',
  exceptions: [],
  async judge() {
    const promtool = join(await debianPackage('prometheus'), 'usr/bin/promtool');
    const found = await withEach(async ({ profile, url }) => {
      // Counters of calls are there once there was a call.
      for (const path of ['/health', '/ready', '/nothing-here']) await (await fetch(url + path)).arrayBuffer();
      const text = await (await fetch(`${url}/metrics`)).text();
      const { out, err, code } = await run(promtool, ['check', 'metrics'], { input: text });
      const lines = `${out}\n${err}`.split('\n').filter(Boolean);
      if (code !== 0 && lines.length === 0) throw new Error(`promtool ended with ${code}`);
      const failures = lines.map((line): Failure => ({ name: `${profile}: ${line.split(' ')[0]}`, found: line }));
      return { families: text.split('\n').filter((line) => line.startsWith('# TYPE')).length, failures };
    });
    const cases = found.reduce((sum, { families }) => sum + families, 0);
    return { cases, failures: found.flatMap(({ failures }) => failures) };
  },
};

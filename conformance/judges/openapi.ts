import { join } from 'node:path';
import type { Failure, Judge } from '../judge.ts';
import { run } from '../provide/command.ts';
import { folder } from '../provide/folder.ts';
import { npmPackages } from '../provide/npm.ts';
import { withEach } from '../subjects.ts';
import { document } from './document.ts';

interface Problem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

const SPECIFIED = 'the specification has both paths; a literal segment is matched before a parameter';

const FRAMES = 'x-frame refers to it, where the linter does not look';

export const openapi: Judge = {
  name: 'OpenAPI documents',
  source: 'Redocly, ruleset recommended-strict',
  exceptions: [
    { name: 'aggregator: no-ambiguous-paths #/paths/~1agents~1{agent_id}~1', reason: SPECIFIED },
    { name: 'node: no-unused-components #/components/schemas/node-event', reason: FRAMES },
    { name: 'node: no-unused-components #/components/schemas/inbox-stream-frame', reason: FRAMES },
  ],
  async judge() {
    const redocly = join(await npmPackages(), '.bin/redocly');
    const found = await withEach(async (subject) => {
      const file = await document(subject, 'openapi.json');
      const args = ['lint', file, '--config', join(folder, 'redocly.yaml'), '--format', 'json'];
      const { out, err } = await run(redocly, [...args, '--max-problems', '10000'], { cwd: folder });
      const answer = parsed(out);
      if (answer === undefined) throw new Error(`redocly said: ${(err || out).slice(-400)}`);
      const failures = answer.problems.map(
        ({ ruleId, message, location }): Failure => ({
          name: `${subject.profile}: ${ruleId} ${location[0]?.pointer ?? ''}`,
          found: message,
        }),
      );
      return { operations: await operationsOf(subject.url), failures };
    });
    const cases = found.reduce((sum, { operations }) => sum + operations, 0);
    return { cases, failures: found.flatMap(({ failures }) => failures) };
  },
};

function parsed(text: string): { readonly problems: readonly Problem[] } | undefined {
  const start = text.indexOf('{');
  return start === -1 ? undefined : JSON.parse(text.slice(start));
}

async function operationsOf(url: string): Promise<number> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
  return Object.values(paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Failure, Judge } from '../judge.ts';
import { npmPackages } from '../provide/npm.ts';
import { withEach } from '../subjects.ts';
import { document } from './document.ts';

interface Diagnostic {
  readonly code: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
  /** 0 is an error, 1 a warning, 2 and 3 are hints. */
  readonly severity: number;
}

interface Parser {
  parse(text: string): Promise<{ readonly diagnostics: readonly Diagnostic[] }>;
}

export const asyncapi: Judge = {
  name: 'AsyncAPI documents',
  source: "AsyncAPI's own parser, errors and warnings",
  exceptions: [],
  async judge() {
    const load = createRequire(join(await npmPackages(), 'index.js'));
    const { Parser: AsyncApiParser } = load('@asyncapi/parser') as { Parser: new () => Parser };
    const found = await withEach(async (subject) => {
      const text = readFileSync(await document(subject, 'asyncapi.json'), 'utf8');
      const { diagnostics } = await new AsyncApiParser().parse(text);
      const failures = diagnostics
        .filter(({ severity }) => severity <= 1)
        .map(
          ({ code, path, message }): Failure => ({
            name: `${subject.profile}: ${code} #/${path.join('/')}`,
            found: message,
          }),
        );
      return { channels: Object.keys(JSON.parse(text).channels).length, failures };
    });
    const cases = found.reduce((sum, { channels }) => sum + channels, 0);
    return { cases, failures: found.flatMap(({ failures }) => failures) };
  },
};

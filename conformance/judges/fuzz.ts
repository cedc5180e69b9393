import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Failure, Findings, Judge } from '../judge.ts';
import { run } from '../provide/command.ts';
import { installed } from '../provide/folder.ts';
import { pythonEnvironment } from '../provide/python.ts';
import { type Subject, withEach } from '../subjects.ts';

const SEED = 7;
const EXAMPLES = 10;
const CHECKS = [
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/** Every operation may answer with these besides; 500 is none of them. */
const EVERYWHERE = ['403', '421', '429', '431', '503'];

export const fuzz: Judge = {
  name: 'Schema fuzzer',
  source: `Schemathesis, seed ${SEED}: each call an answer that its document declares`,
  exceptions: [
    {
      name: 'aggregator: Serialization not possible',
      reason: 'the fuzzer writes no CBOR; the same body is tried as JSON, and CBOR has tests of its own',
    },
  ],
  async judge() {
    const program = join(await pythonEnvironment(), 'bin/st');
    const found = await withEach((subject) => fuzzed(program, subject));
    const cases = found.reduce((sum, one) => sum + one.cases, 0);
    return { cases, failures: found.flatMap(({ failures }) => failures) };
  },
};

async function fuzzed(program: string, subject: Subject): Promise<Findings> {
  const { profile, url, secret } = subject;
  const folder = installed('documents');
  const report = join(folder, `${profile}-fuzz.json`);
  const file = join(folder, `${profile}-fuzzed.json`);
  await writeFile(file, JSON.stringify(await strictDocument(url)));
  const args = ['run', file, '--url', url, '-H', `Authorization: Bearer ${secret}`, '--seed', String(SEED)];
  args.push('--max-examples', String(EXAMPLES), '--phases', 'examples,coverage,fuzzing', '--checks', CHECKS.join());
  args.push('--continue-on-failure', '--no-shrink', '--no-color', '--warnings', 'off', '--generation-database', 'none');
  const { out, err } = await run(program, [...args, '--report', 'json', '--report-json-path', report], { cwd: folder });
  const told = join(folder, `${profile}-fuzz.txt`);
  await writeFile(told, out + err);
  return findingsOf(profile, JSON.parse(readFileSync(report, 'utf8')), told);
}

/**
 * The served document with every status named: a `default` would declare whatever is answered. Without the examples of event streams:
 * the fuzzer fills headers from examples of answers, and no header holds a line break.
 */
async function strictDocument(url: string): Promise<object> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as any;
  for (const path of Object.values<any>(document.paths)) {
    for (const { responses } of Object.values<any>(path)) {
      delete responses.default;
      for (const { content } of Object.values<any>(responses)) delete content?.['text/event-stream']?.example;
      for (const status of EVERYWHERE) responses[status] ??= { $ref: '#/components/responses/problem' };
    }
  }
  return document;
}

interface Report {
  readonly complete: boolean;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly title: string; readonly operations: readonly string[] }[];
  readonly errors: readonly { readonly title: string; readonly count: number }[];
}

function findingsOf(profile: string, report: Report, told: string): Findings {
  const { complete, operations, test_cases, failures, errors } = report;
  const found: Failure[] = failures.flatMap(({ title, operations: at }) =>
    at.map((operation) => ({ name: `${profile}: ${operation}: ${title}`, found: `the calls are in ${told}` })),
  );
  for (const { title, count } of errors)
    found.push({ name: `${profile}: ${title}`, found: `${count} times; see ${told}` });
  if (!complete || operations.tested < operations.total) {
    found.push({
      name: `${profile}: unfinished`,
      found: `${operations.tested} of ${operations.total} operations tested`,
    });
  }
  return { cases: test_cases.generated, failures: found };
}

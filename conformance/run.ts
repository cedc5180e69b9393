/**
 * Foreign judges of the product: public suites, linters and a fuzzer, in one command.
 *
 *     npm run conformance                       every judge; ends with 1 when one finds what is no listed exception
 *     npm run conformance -- noise metrics      the judges whose names contain these words
 *     npm run conformance -- a2a --tck FOLDER   with A2A's kit, which is in no registry
 *     npm run -s conformance -- --json          one JSON array on stdout
 *
 * The judges are installed in conformance/, from npm, PyPI and Debian's packages, when they are first needed. Nothing of
 * them is committed. Progress goes to stderr.
 */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Given, type Judge, type Verdict, verdictOf } from './judge.ts';
import { tableOf } from './table.ts';

const SHOWN = 12;

async function verdictBy(judge: Judge, given: Given): Promise<Verdict> {
  try {
    return verdictOf(judge, await judge.judge(given));
  } catch (error) {
    const failure = { name: judge.name, found: `the judge did not come to an end: ${(error as Error).message}` };
    return { name: judge.name, source: judge.source, cases: 0, failures: [failure], excepted: [] };
  }
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(args);
  // They load the whole product: a wrong flag is told without it.
  const { judges } = await import('./judges.ts');
  const given: Given = values.tck === undefined ? {} : { tck: resolve(values.tck) };
  const words = positionals.map((word) => word.toLowerCase());
  const named = judges.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
  );
  // Without a name, a judge that cannot be had from a registry is left out, and said to be.
  const chosen = named.filter(({ needs }) => needs?.(given) === undefined);
  const missing = named.filter(({ needs }) => needs?.(given) !== undefined);
  for (const { name, needs } of missing) console.error(`${name} is left out: ${needs!(given)}.`);
  if (chosen.length === 0) {
    if (missing.length === 0)
      console.error(`There is no such judge. Judges: ${judges.map(({ name }) => name).join(', ')}.`);
    return 2;
  }
  const verdicts: Verdict[] = [];
  for (const judge of chosen) {
    console.error(`${judge.name} ...`);
    verdicts.push(await verdictBy(judge, given));
  }
  console.log(values.json ? JSON.stringify(verdicts, null, 2) : tableOf(verdicts));
  const failing = verdicts.filter(({ failures }) => failures.length > 0);
  for (const { name, failures } of values.json ? [] : failing) {
    console.log(`\n${name}: ${failures.length}`);
    for (const failure of failures.slice(0, SHOWN)) console.log(`  ${failure.name}\n    ${failure.found}`);
    if (failures.length > SHOWN) console.log(`  and ${failures.length - SHOWN} more; --json shows all`);
  }
  const isLacking = words.length > 0 && missing.length > 0;
  return failing.length > 0 || isLacking ? 1 : 0;
}

function parsed(args: readonly string[]) {
  const options = { json: { type: 'boolean', default: false }, tck: { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

process.exitCode = await main(process.argv.slice(2));

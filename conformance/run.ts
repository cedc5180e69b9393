/**
 * Foreign judges of the product: public suites, linters and a fuzzer, in one command.
 *
 *     npm run conformance                     every judge; ends with 1 when one finds what is no listed exception
 *     npm run conformance -- noise metrics    the judges whose names contain these words
 *     npm run -s conformance -- --json        one JSON array on stdout
 *
 * The judges are installed in conformance/, from npm, PyPI and Debian's packages, when they are first needed. Nothing of
 * them is committed. Progress goes to stderr.
 */

import { type Judge, type Verdict, verdictOf } from './judge.ts';
import { judges } from './judges.ts';
import { tableOf } from './table.ts';

const SHOWN = 12;

async function verdictBy(judge: Judge): Promise<Verdict> {
  try {
    return verdictOf(judge, await judge.judge());
  } catch (error) {
    const failure = { name: judge.name, found: `the judge did not come to an end: ${(error as Error).message}` };
    return { name: judge.name, source: judge.source, cases: 0, failures: [failure], excepted: [] };
  }
}

async function main(args: readonly string[]): Promise<number> {
  const words = args.filter((arg) => !arg.startsWith('-')).map((word) => word.toLowerCase());
  const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--json');
  const chosen = judges.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
  );
  if (unknown || chosen.length === 0) {
    console.error(
      `There is ${unknown ? `no ${unknown}` : 'no such judge'}. Judges: ${judges.map(({ name }) => name).join(', ')}.`,
    );
    return 2;
  }
  const verdicts: Verdict[] = [];
  for (const judge of chosen) {
    console.error(`${judge.name} ...`);
    verdicts.push(await verdictBy(judge));
  }
  console.log(args.includes('--json') ? JSON.stringify(verdicts, null, 2) : tableOf(verdicts));
  const failing = verdicts.filter(({ failures }) => failures.length > 0);
  for (const { name, failures } of args.includes('--json') ? [] : failing) {
    console.log(`\n${name}: ${failures.length}`);
    for (const failure of failures.slice(0, SHOWN)) console.log(`  ${failure.name}\n    ${failure.found}`);
    if (failures.length > SHOWN) console.log(`  and ${failures.length - SHOWN} more; --json shows all`);
  }
  return failing.length > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));

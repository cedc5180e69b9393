/**
 * The benches: what the mesh does, beside what the machine, or somebody else, does with the same work.
 *
 *     npm run bench                        every bench at full size
 *     npm run bench -- --quick --json      small sizes; one JSON object { name: { value, goal, unit } } on stdout
 *     npm run bench -- storage             one bench by its name
 *     npm run bench -- --table             also writes the figures into docs/performance.md
 *
 * Progress goes to stderr.
 */
import { benches } from './benches.ts';
import type { Bench, Figure } from './framework/bench.ts';
import { openContext, say } from './framework/context.ts';
import { asJson, asLine } from './framework/report.ts';
import { installRivals, rivalsAreInstalled } from './framework/rivals.ts';
import { writeTable } from './framework/table.ts';

const FLAGS = ['--quick', '--json', '--table'];

function chosen(names: readonly string[], quick: boolean): Bench[] {
  const known = new Map(benches.map((bench) => [bench.name, bench]));
  for (const name of names) {
    if (!known.has(name)) throw new Error(`there is no bench ${name}; there are ${[...known.keys()].join(', ')}`);
  }
  const wanted = benches.filter(({ name, onDemand, thorough }) =>
    names.length > 0 ? names.includes(name) : !onDemand && !(quick && thorough),
  );
  return wanted.filter(({ name, rivals }) => {
    if (!rivals || !quick || rivalsAreInstalled()) return true;
    say(`${name} is left out: its rivals are not installed (npm install --prefix bench)`);
    return false;
  });
}

async function main(args: readonly string[]): Promise<void> {
  const unknown = args.find((arg) => arg.startsWith('-') && !FLAGS.includes(arg));
  if (unknown) throw new Error(`there is no ${unknown}; there are ${FLAGS.join(', ')}`);
  const quick = args.includes('--quick');
  const list = chosen(
    args.filter((arg) => !arg.startsWith('-')),
    quick,
  );
  if (list.some(({ rivals }) => rivals)) installRivals();
  const context = openContext(quick);
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', () => context.close());
  const figures: Figure[] = [];
  for (const bench of list) {
    say(`${bench.name}: ${bench.summary} ...`);
    const began = performance.now();
    const found = await bench.run(context);
    for (const figure of found) say(`  ${asLine(figure)}`);
    say(`  in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    figures.push(...found);
  }
  if (args.includes('--table')) writeTable(figures, context.events);
  if (args.includes('--json')) console.log(asJson(figures));
}

await main(process.argv.slice(2));

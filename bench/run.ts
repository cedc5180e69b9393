/**
 * The benches: what the mesh does, beside what the machine, or somebody else, does with the same work.
 *
 *     npm run bench                        every bench at full size
 *     npm run -s bench -- --quick --json   small sizes; one JSON object { name: { value, goal, unit } } on stdout
 *     npm run bench -- storage             one bench by its name
 *     npm run bench -- --table             also writes the figures into docs/performance.md
 *
 * Rivals are installed once, when a bench needs them; a quick run goes without those that cannot be had. Progress goes to
 * stderr.
 */
import { benches } from './benches.ts';
import type { Bench, BenchContext, Figure } from './framework/bench.ts';
import { openContext, say } from './framework/context.ts';
import { asJson, asLine } from './framework/report.ts';
import { installRivals } from './framework/rivals.ts';
import { writeTable } from './framework/table.ts';

const FLAGS = ['--quick', '--json', '--table'];

function chosen(names: readonly string[], quick: boolean): Bench<any>[] {
  const known = new Map(benches.map((bench) => [bench.name, bench]));
  for (const name of names) {
    if (!known.has(name)) throw new Error(`there is no bench ${name}; there are ${[...known.keys()].join(', ')}`);
  }
  return benches.filter(({ name, onDemand, thorough }) =>
    names.length > 0 ? names.includes(name) : !onDemand && !(quick && thorough),
  );
}

/** Those that can be run here, once the rivals are installed. */
function runnable(list: readonly Bench<any>[], quick: boolean): readonly Bench<any>[] {
  if (!list.some(({ rivals }) => rivals) || installRivals()) return list;
  if (!quick) throw new Error('the rivals could not be installed; `npm run bench -- --quick` goes without them');
  const [left, kept] = [list.filter(({ rivals }) => rivals), list.filter(({ rivals }) => !rivals)];
  say(`left out, because the rivals could not be installed: ${left.map(({ name }) => name).join(', ')}`);
  return kept;
}

async function main(args: readonly string[]): Promise<void> {
  const unknown = args.find((arg) => arg.startsWith('-') && !FLAGS.includes(arg));
  if (unknown) throw new Error(`there is no ${unknown}; there are ${FLAGS.join(', ')}`);
  const quick = args.includes('--quick');
  const names = args.filter((arg) => !arg.startsWith('-'));
  const list = runnable(chosen(names, quick), quick);
  const context = await openContext(quick);
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', () => context.close());
  const took = stopwatch();
  say('Preparing ...');
  const prepared = await prepareAll(list, context);
  say(`  in ${took()}`);
  const figures: Figure[] = [];
  for (const [index, bench] of list.entries()) {
    say(`${bench.name}: ${bench.summary} ...`);
    const found = await bench.run(context, prepared[index]);
    for (const figure of found) say(`  ${asLine(figure)}`);
    say(`  in ${took()}`);
    figures.push(...found);
  }
  if (args.includes('--table')) writeTable(figures, context.events);
  if (args.includes('--json')) console.log(asJson(figures));
}

/**
 * Two at a time, because more would make each other's connections time out on two cores. From the end of the list, so that
 * the longest is not the last to begin.
 */
async function prepareAll(list: readonly Bench<any>[], context: BenchContext): Promise<unknown[]> {
  const prepared: unknown[] = [];
  const left = [...list.entries()];
  const lane = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const [index, bench] = next;
      if (!bench.prepare) continue;
      const took = stopwatch();
      prepared[index] = await bench.prepare(context);
      say(`  ${bench.name} in ${took()}`);
    }
  };
  await Promise.all([lane(), lane()]);
  return prepared;
}

/** Tells the time since it was last asked. */
function stopwatch(): () => string {
  let began = performance.now();
  return () => {
    const seconds = (performance.now() - began) / 1_000;
    began = performance.now();
    return `${seconds.toFixed(1)} s`;
  };
}

await main(process.argv.slice(2));

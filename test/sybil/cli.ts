/**
 * `npm run sybil -- --seed 1001`: plays the attacks on the score through the real ingest of an aggregator and a real ledger, next
 * to honest traffic, and ends with 1 when one of them wins what docs/reputation.md says it cannot.
 */
import { parseArgs } from 'node:util';
import { failed, playIngest } from './play.ts';
import { attacksTable, goalsTable, playReported, REPORTED, reported, versionsTable } from './reported.ts';
import { type Studied, studied, summed } from './study.ts';
import { tableOf } from './tables.ts';
import { SIZES } from './world.ts';

/** Numbers were chosen with the seeds below 1000; what is reported is of others. */
const FIRST_SEED = 1_001;
const HELP = `npm run sybil -- [--seed S] [--size small|medium|large] [--json]
npm run sybil -- --fast [--seed S] [--seeds N] [--size small|medium|large] [--json]
npm run sybil -- --model [--seed S] [--seeds N] [--json]
npm run sybil -- --write-docs [--go-on] [--seeds N]

  --seed   decides who trades with whom; ${FIRST_SEED} unless given. The numbers of the score were chosen with seeds below 1000
  --size   small (unless given) takes a minute on a quiet machine, medium some, large more than half an hour
  --fast   the same ingest, with a ledger that is settled in memory: many seeds in the time of one
  --model  the economy of 350 agents and 90 epochs, scored by the same functions without ingest and ledger: a summary over N seeds,
           and each attack against older versions of the score
  --write-docs  plays the model with seeds ${REPORTED[0]} to ${REPORTED.at(-1)} and puts its tables into docs/reputation.md; half an hour.
           Each seed is kept when it is played
  --go-on  keeps the seeds that --write-docs has played with the same sources, and plays the others
  --seeds  how many seeds, from S on; 20 for the model and 1 for the fast play unless given. At most so many now, of those that
           --write-docs plays
  --json   prints one JSON object instead of the table`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(FIRST_SEED) },
    seeds: { type: 'string' },
    size: { type: 'string', default: 'small' },
    model: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
    'go-on': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) say(HELP);
else if (values['write-docs']) writeDocs();
else if (values.model) model(seedsFrom(values.seeds ?? '20'));
else for (const seed of seedsFrom((values.fast && values.seeds) || '1')) await ingest(seed, values.size);

async function ingest(seed: number, name: string): Promise<void> {
  const size = name === 'small' || name === 'medium' || name === 'large' ? SIZES[name] : undefined;
  if (!size) return usage(`--size must be small, medium or large, not ${name}.`);
  const begun = performance.now();
  const outcome = await playIngest({
    seed,
    size,
    fast: values.fast,
    onRow: ({ attack }) => say(`${since(begun)} s  ${attack}`),
  });
  const { deals, reports, steps, unlike = [] } = outcome;
  for (const line of unlike) say(`UNLIKE THE MODEL ${line}`);
  print({ ...outcome, size: name, seconds: since(begun) }, tableOf(outcome));
  const happened = `${deals} deals, ${reports} reports, ${steps} steps on the ledger in ${since(begun)} s`;
  say(`seed ${seed}, ${happened}: ${failed(outcome) ? 'BROKEN' : 'all goals hold'}`);
  if (failed(outcome)) process.exitCode = 1;
}

function model(seeds: readonly number[]): void {
  const all = seeds.map(playing());
  const summaries = summed(all);
  print({ all, summaries }, [goalsTable(all), versionsTable(all), attacksTable(all)].join('\n\n'));
  process.exitCode = summaries.some(({ holds }) => holds === false) ? 1 : 0;
}

function writeDocs(): void {
  const most = natural('seeds', values.seeds ?? String(REPORTED.length));
  const left = playReported(playing(), values['go-on'] ? reported() : [], most);
  if (left > 0) say(`${left} seeds are left: npm run sybil -- --write-docs --go-on`);
}

function playing(): (seed: number) => Studied {
  const begun = performance.now();
  return (seed) => {
    const one = studied(seed, SIZES.full, (broken) => {
      for (const { attack, broken: goals } of broken) say(`seed ${seed} BROKEN ${attack}: ${goals}`);
    });
    say(`${since(begun)} s  seed ${seed}`);
    return one;
  };
}

function seedsFrom(count: string): number[] {
  const first = natural('seed', values.seed);
  return Array.from({ length: natural('seeds', count) }, (_, index) => first + index);
}

function print(found: object, table: string): void {
  process.stdout.write(values.json ? `${JSON.stringify(found)}\n` : `${table}\n`);
}

function natural(flag: string, text: string): number {
  const number = Number(text);
  return Number.isSafeInteger(number) && number >= 1
    ? number
    : usage(`--${flag} must be a whole number from 1 on, not ${text}.`);
}

function usage(problem: string): never {
  say(`${problem}\n\n${HELP}`);
  return process.exit(2);
}

function since(begun: number): number {
  return Math.round((performance.now() - begun) / 1_000);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

import { readFileSync, writeFileSync } from 'node:fs';
import { type Studied, summed } from './study.ts';
import { markdown, short, summaryOf } from './tables.ts';
import { VERSIONS } from './versions.ts';

/** Seeds that nothing was chosen or settled on: not the numbers of the score, not how its goals are measured. */
export const REPORTED = Array.from({ length: 24 }, (_, index) => 3_001 + index);

const PAGE = new URL('../../docs/reputation.md', import.meta.url);
const KEPT = new URL('./reported.ndjson', import.meta.url);
const BLOCK = /(<!-- npm run sybil -- --write-docs -->\n).*?(<!-- \/ -->)/s;

/** Of each reported seed, as it was when the page was written. */
export function reported(): Studied[] {
  const lines = readFileSync(KEPT, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Studied);
}

/**
 * Plays those reported seeds, at most `most` of them, that are not among `kept`, and keeps all after each: a run that is interrupted
 * loses the seed it is at. Gives how many are left.
 */
export function playReported(
  play: (seed: number) => Studied,
  kept: readonly Studied[],
  most: number,
  keep: (all: readonly Studied[]) => void = keepReported,
): number {
  const left = REPORTED.filter((seed) => !kept.some((one) => one.seed === seed));
  let all = kept;
  for (const seed of left.slice(0, most)) {
    all = [...all, play(seed)].sort((one, other) => one.seed - other.seed);
    keep(all);
  }
  return REPORTED.length - all.length;
}

function keepReported(all: readonly Studied[]): void {
  writeFileSync(KEPT, `${all.map((one) => JSON.stringify(one)).join('\n')}\n`);
  writeFileSync(PAGE, pageWith(readPage(), all));
}

export function readPage(): string {
  return readFileSync(PAGE, 'utf8');
}

/** The page with the tables of these seeds in it. */
export function pageWith(page: string, all: readonly Studied[]): string {
  const text = [playedOf(all), goalsTable(all), versionsTable(all), attacksTable(all)].join('\n\n');
  return page.replace(BLOCK, (_, begin: string, end: string) => `${begin}${text}\n${end}`);
}

/** Which of the reported seeds the tables are made of. */
function playedOf(all: readonly Studied[]): string {
  const left = REPORTED.length - all.length;
  const missing = left > 0 ? `; the other ${left} up to ${REPORTED.at(-1)} were not played yet` : '';
  return `Seeds ${all[0]!.seed} to ${all.at(-1)!.seed}${missing}.`;
}

export function goalsTable(all: readonly Studied[]): string {
  return summaryOf(summed(all));
}

/** How each version treats honest sellers, and what a place among its first twenty costs. */
export function versionsTable(all: readonly Studied[]): string {
  const rows = VERSIONS.map(({ name }) => {
    const missed = all.map(({ honest }) => honest[name]!.missed);
    const places = all.map(({ honest }) => honest[name]!.place);
    const costs = places.filter((place) => place !== null);
    const cost = costs.length === 0 ? '' : `${short(Math.round(least(costs)))} / ${short(Math.round(meanOf(costs)))}`;
    return [name, short(round(meanOf(missed))), short(round(Math.max(...missed))), cost];
  });
  return markdown(
    ['version', 'honest with rank <= 0, %', 'worst seed', 'a place in the top 20, USDC: least / mean'],
    rows,
  );
}

/** Each attack against each version, in the mean of the seeds. */
export function attacksTable(all: readonly Studied[]): string {
  const names = VERSIONS.map(({ name }) => name);
  const rows = Object.keys(all[0]!.attacks).map((attack) => {
    const of = (pick: (found: Studied['attacks'][string][string]) => number, version: string) =>
      all.map(({ attacks }) => pick(attacks[attack]![version]!));
    return [
      attack,
      short(round(meanOf(all.map(({ lost }) => lost[attack]!)))),
      ...names.map((name) => meanOf(of(({ auc }) => auc, name)).toFixed(3)),
      ...names.map((name) => short(Math.round(meanOf(of(({ detected }) => detected, name))))),
      ...names.map((name) => short(least(of(({ place }) => place, name)))),
    ];
  });
  const heads = ['AUC', 'detected %', 'best place'].flatMap((what) =>
    names.map((name, index) => (index === 0 ? `${what}: ${name}` : name)),
  );
  return markdown(['attack', 'lost', ...heads], rows);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function least(values: readonly number[]): number {
  return Math.min(...values);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

// Which test files run when, and how. What a file costs was measured: `npm run test:all -- --costs` writes costs.json, the
// processor time of each file in seconds. The dear ones start first, so that they do not leave one process alone at the end.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Processor time in seconds of each file that takes a second or more. */
export const COSTS = JSON.parse(readFileSync(join(import.meta.dirname, 'costs.json'), 'utf8'));

/** A file that costs more runs in `npm run test:all` only, unless it is named below. A file that nobody measured is cheap. */
export const DEAR = 3;

/** Dear, and in `npm test` all the same: one path through each of the things that a user would miss first. */
export const KEPT = [
  'test/cli/start.test.ts',
  'test/docs/readme.test.ts',
  'test/money/money.test.ts',
  'test/node/escrow.test.ts',
  'test/plugins/billing/payouts.test.ts',
  'test/plugins/explorer/browser.test.ts',
  'test/plugins/hosting/hosted.test.ts',
  'test/value/whole.test.ts',
];

/**
 * `npm run test:fast`, which takes under a minute: the rules, the contracts, what needs neither a mesh nor a ledger nor the build, and
 * one path through an aggregator and two nodes. Folders and files, of which those named below are left out.
 */
export const FAST = [
  'test/cli/commands.test.ts',
  'test/contract',
  'test/deals',
  'test/envelopes',
  'test/host',
  'test/http',
  'test/identity',
  'test/layout',
  'test/layout.test.ts',
  'test/messaging',
  'test/node/message.test.ts',
  'test/reputation',
];

/** In those folders, and start processes, which takes them the time of ten others, or `mesh`, which builds what has changed. */
export const BUILT = ['test/host/loader.test.ts', 'test/http/idempotency-restart.test.ts'];

/**
 * Measure memory, delays or rates, or give several nodes a bounded time to agree, which a neighbour on the same processors would
 * disturb. They run after all others.
 */
export const ALONE = [
  'test/aggregator/score-job.test.ts',
  'test/hostile/floods.test.ts',
  'test/hostile/full-inbox.test.ts',
  'test/hostile/peers.test.ts',
  'test/hostile/strangers.test.ts',
  'test/registry-8004/gate.test.ts',
  'test/storage/redis-processes.test.ts',
  'test/storage/redis-restart.test.ts',
  'test/money/money.test.ts',
  'test/value/whole.test.ts',
];

/** Every test file, the dear ones first. */
export function allFiles(root) {
  return inOrder(testFiles(root, ['test']));
}

/** Those of `npm test`. */
export function usualFiles(root) {
  return inOrder(testFiles(root, ['test']).filter((file) => costOf(file) <= DEAR || KEPT.includes(file)));
}

export function fastFiles(root) {
  const found = testFiles(root, FAST).filter((file) => ![...BUILT, ...ALONE].includes(file));
  return inOrder(found.filter((file) => costOf(file) <= DEAR));
}

/** What `costs.json` says for these outcomes of a whole run. */
export function costsOf(outcomes) {
  const all = outcomes.map(({ file, processorMs }) => [file, Math.round(processorMs / 1_000)]);
  const noted = all.filter(([, seconds]) => seconds >= 1);
  return Object.fromEntries(noted.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function inOrder(files) {
  const dearFirst = [...files].sort((one, other) => costOf(other) - costOf(one));
  const isAlone = (file) => ALONE.includes(file);
  return { beside: dearFirst.filter((file) => !isAlone(file)), alone: dearFirst.filter(isAlone) };
}

function costOf(file) {
  return COSTS[file] ?? 0;
}

function testFiles(root, paths) {
  const below = (path) =>
    statSync(join(root, path)).isDirectory()
      ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((name) => `${path}/${name}`)
      : [path];
  return paths
    .flatMap(below)
    .filter((path) => path.endsWith('.test.ts'))
    .sort();
}

// Which test files run how. Everything that is not named here runs beside the others, in the order of its path.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

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

/** The slowest, which start first. `npm test` names its slowest files at the end. */
export const SLOW = [
  'test/docs/upstreams.test.ts',
  'test/plugins/explorer/console.test.ts',
  'test/plugins/explorer/docs.test.ts',
  'test/node/caps.test.ts',
  'test/spec/plugin-guide.test.ts',
  'test/launchpad/killed.test.ts',
  'test/node/double-pay.test.ts',
  'test/cli/start.test.ts',
  'test/dev/data.test.ts',
  'test/node/deliveries.test.ts',
  'test/dev/command.test.ts',
  'test/localnet/persistence.test.ts',
  'test/spec/bad-input.test.ts',
  'test/plugins/explorer/browser.test.ts',
  'test/node/escrow-accounts.test.ts',
  'test/cli/program.test.ts',
  'test/plugins/hosting/hosted.test.ts',
  'test/node/disputes.test.ts',
  'test/docs/readme.test.ts',
  'test/plugins/push/node-killed.test.ts',
  'test/cli/plugin-mistakes.test.ts',
  'test/plugins/mcp/stdio.test.ts',
  'test/sybil/sybil.test.ts',
  'test/node/notary.test.ts',
  'test/plugins/push/node.test.ts',
  'test/plugins/hosting/fees.test.ts',
  'test/aggregator/score-lease.test.ts',
  'test/virtual/scenarios.test.ts',
  'test/plugins/billing/kills.test.ts',
  'test/node/behavior/duties.test.ts',
  'test/dev/redis.test.ts',
  'test/node/handlers.test.ts',
  'test/plugins/push/leaving.test.ts',
  'test/cli/operate.test.ts',
  'test/virtual/mesh.test.ts',
  'test/node/exempt.test.ts',
  'test/plugins/hosting/killed.test.ts',
  'test/kit/hello-plugin.test.ts',
  'test/kit/packed-dev.test.ts',
  'test/ledger/incoming.test.ts',
  'test/node/wallet-killed.test.ts',
  'test/node/behavior/lease.test.ts',
  'test/cli/localnet.test.ts',
  'test/ledger/recorded-outcomes.test.ts',
  'test/aggregator/analytics-model.test.ts',
  'test/plugins/billing/payouts.test.ts',
  'test/ledger/crowded-history.test.ts',
  'test/hostile/attacks.test.ts',
  'test/localnet/refusals.test.ts',
  'test/plugins/hosting/heartbeat.test.ts',
  'test/cli/backup.test.ts',
  'test/mesh/relay.test.ts',
  'test/plugins/billing/flows.test.ts',
  'test/storage/redis-attacks.test.ts',
  'test/hostile/readers.test.ts',
  'test/localnet/programs.test.ts',
  'test/cli/background.test.ts',
  'test/plugins/push/providers.test.ts',
  'test/node/escrow.test.ts',
  'test/docs/agents.test.ts',
  'test/node/history.test.ts',
  'test/plugins/skills/files.test.ts',
];

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

/** Every test file below `root`, those that take longest first. */
export function allFiles(root) {
  const found = testFiles(root, ['test']);
  const first = SLOW.filter((file) => found.includes(file));
  const rest = found.filter((file) => !SLOW.includes(file) && !ALONE.includes(file));
  return { beside: [...first, ...rest], alone: ALONE };
}

export function fastFiles(root) {
  return { beside: testFiles(root, FAST).filter((file) => ![...BUILT, ...SLOW, ...ALONE].includes(file)), alone: [] };
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

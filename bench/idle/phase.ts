/**
 * `<seconds>`: a node with a stake and without a deal is left alone, and its calls to the ledger's RPC are counted. A node
 * without a stake beside it shows what the stake adds. Both have epochs of a day, as a mesh has.
 */
import { happens } from '../../test/support/happens.ts';
import { startMesh } from '../../test/support/mesh.ts';
import { RpcProxy } from '../../test/support/rpc-proxy.ts';

export interface IdleCalls {
  /** Calls in an hour, by method. */
  readonly staked: Readonly<Record<string, number>>;
  readonly unstaked: Readonly<Record<string, number>>;
}

const HOUR = 3_600;
/** After the start, the first stake and the first lease. */
const SETTLES_MS = 5_000;

const [seconds] = process.argv.slice(2).map(Number) as [number];
const proxies = { staked: await RpcProxy.start(), unstaked: await RpcProxy.start() };
const mesh = await startMesh({
  nodes: ['staked', 'unstaked'],
  storage: 'lowdb',
  usdc: { staked: '100' },
  rpcUrl(url, name) {
    if (name !== 'staked' && name !== 'unstaked') return url;
    proxies[name].target = url;
    return proxies[name].url;
  },
});
try {
  const { staked } = mesh.nodes;
  const { status } = await staked.post('/stake/add', { amount_usdc: '20' });
  if (status !== 200) throw new Error(`staking was answered with ${status}`);
  await staked.restart();
  await happens('the lease is paid', async () => (await staked.get('/lease')).body.payments.length > 0 || undefined);
  await new Promise((done) => setTimeout(done, SETTLES_MS));
  const before = counts();
  await new Promise((done) => setTimeout(done, seconds * 1_000));
  const after = counts();
  const found: IdleCalls = {
    staked: perHour(before.staked, after.staked),
    unstaked: perHour(before.unstaked, after.unstaked),
  };
  process.stdout.write(JSON.stringify(found));
} finally {
  await mesh.stop();
  for (const proxy of Object.values(proxies)) await proxy.stop();
}

function counts() {
  return { staked: { ...proxies.staked.passed }, unstaked: { ...proxies.unstaked.passed } };
}

function perHour(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const calls = Object.entries(after).map(([method, count]) => [method, count - (before[method] ?? 0)] as const);
  return Object.fromEntries(
    calls.filter(([, count]) => count > 0).map(([method, n]) => [method, (n * HOUR) / seconds]),
  );
}

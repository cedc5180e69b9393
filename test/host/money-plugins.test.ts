import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import { type SettledLocalnet, startSettledLocalnet } from '../../adapters/localnet-settlement.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import { silentLog } from '../../core/platform/log.ts';
import type { Profile } from '../../core/plugin.ts';
import { plugins, standard } from '../../plugins/index.ts';

/** Those that move money through others, by the profile that they are for. */
const MATRIX: Readonly<Record<Profile, readonly string[]>> = {
  node: ['launchpad', 'trade', 'registry8004'],
  aggregator: ['billing', 'sponsor', 'registry8004'],
};
const CONFIG: Readonly<Record<string, object>> = {
  trade: { apiUrl: 'http://127.0.0.1:9' },
  launchpad: { apiUrl: 'http://127.0.0.1:9' },
  sponsor: { apiUrl: 'http://127.0.0.1:9' },
  billing: { secret: 'a secret of the tests, long enough' },
};

describe('the plugins that move money through others', function () {
  this.timeout(120_000);
  let localnet: SettledLocalnet;
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-matrix-'));
    localnet = await startSettledLocalnet({ log: silentLog, networkId: 'matrix' });
  });
  after(async () => {
    await localnet?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  let boots = 0;
  /** Its routes, and the plugins that it says are well, with these on and the others of the matrix off. */
  async function shown(profile: Profile, on: readonly string[], ask: readonly string[] = []) {
    const switched = MATRIX[profile].map((name) => [name, on.includes(name) ? (CONFIG[name] ?? {}) : false]);
    const node = await startNode({
      parts: { adapters, plugins, standard },
      ...{ log: silentLog, grace: 100 },
      config: {
        folder,
        value: {
          ...{ profile, listen: '127.0.0.1:0', dataDir: join(folder, `data-${boots++}`), storage: { use: 'memory' } },
          network: { id: 'matrix' },
          mesh: { aggregators: [], allowPrivatePeers: true },
          ledger: { rpcUrl: localnet.url, ...localnet.settlement },
          plugins: Object.fromEntries(switched),
        },
      },
    });
    try {
      const headers = { authorization: `Bearer ${node.apiSecret}` };
      const read = async (path: string): Promise<any> => (await fetch(node.url + path, { headers })).json();
      const { paths } = await read('/openapi.json');
      const routes = Object.entries<object>(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      );
      const { plugins: health } = await read('/health');
      const missing: string[] = [];
      for (const route of ask) {
        const [method, path] = route.split(' ') as [string, string];
        const answer = await fetch(node.url + path.replace(/\{\w+\}/g, 'x'), { method, headers });
        const { code } = (await answer.json().catch(() => ({}))) as { code?: string };
        if (answer.status === 404 && code === 'not_found') missing.push(route);
      }
      const well = Object.keys(health).filter((name) => health[name].state === 'ok');
      return { routes: new Set(routes), well: well.filter((name) => MATRIX[profile].includes(name)), missing };
    } finally {
      await node.stop();
    }
  }

  for (const profile of ['node', 'aggregator'] as const)
    it(`of a ${profile} are on and off, alone and together, and each brings its routes and no others`, async () => {
      const names = MATRIX[profile];
      const none = await shown(profile, []);
      assert.deepEqual(none.well, []);
      const own = new Map<string, readonly string[]>();
      for (const name of names) {
        const { routes, well } = await shown(profile, [name]);
        assert.deepEqual(well, [name]);
        own.set(
          name,
          [...routes].filter((route) => !none.routes.has(route)),
        );
        for (const route of none.routes) assert.ok(routes.has(route), `${route} is gone with ${name}`);
        assert.ok(own.get(name)!.length > 0, `${name} brings no route`);
      }
      const all = [...own.values()].flat();
      assert.equal(new Set(all).size, all.length, 'two bring the same route');
      assert.deepEqual((await shown(profile, [], all)).missing.sort(), [...all].sort());
      for (const left of [undefined, ...names]) {
        const on = names.filter((name) => name !== left);
        const { routes, well } = await shown(profile, on);
        assert.deepEqual(well.sort(), [...on].sort());
        const wanted = [...none.routes, ...on.flatMap((name) => own.get(name)!)];
        assert.deepEqual([...routes].sort(), wanted.sort(), `without ${left}`);
      }
    });
});

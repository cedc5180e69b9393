import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BootError, bootNode, type Provider, provider, type RunningNode } from '../../core/host/boot/boot-node.ts';
import { silentLog } from '../../core/platform/log.ts';
import { packageRoot } from '../../core/platform/package-root.ts';
import { guardedToken } from '../../core/platform/token.ts';
import { definePlugin, type Plugin } from '../../core/plugin.ts';
import { PerPlugin } from '../../core/provider.ts';

interface Vault {
  readonly asker: string;
  readonly mayAct: boolean;
}
const Vault = guardedToken<Vault>('test-vault', 'deals:read', 'deals:act');
const vaultProvider = provider(Vault, {
  open: () => new PerPlugin<Vault>(({ name, may }) => ({ asker: name, mayAct: may('deals:act') })),
});

const sdk = pathToFileURL(join(packageRoot, 'core/plugin.ts')).href;

/** A plugin in a file of its own that serves what it found in the vault; its token is made from the name alone. */
function source(name: string, permissions: readonly string[]): string {
  return `import { definePlugin, route, token, typed } from ${JSON.stringify(sdk)};
    export default definePlugin({ name: ${JSON.stringify(name)}, api: '2.0', permissions: ${JSON.stringify(permissions)},
      node: { uses: { vault: token('test-vault') },
        routes: { look: route('GET /${name}', { auth: 'open', reply: typed({ type: 'object' }) }) },
        setup: ({ vault }) => ({ routes: { look: () => vault } }) } });`;
}

describe('permissions', () => {
  let folder = '';
  let node: RunningNode | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mesh-'));
  });
  afterEach(async () => {
    await node?.stop();
    node = undefined;
    await rm(folder, { recursive: true });
  });

  function boot(plugins: Record<string, unknown>, builtIn: Plugin[] = [], providers: Provider[] = [vaultProvider]) {
    const value = { listen: '127.0.0.1:0', plugins };
    const builtins = { profiles: { node: builtIn, aggregator: [] }, plugins: {} };
    return bootNode({ config: { value, folder }, builtins, providers, log: silentLog });
  }

  async function problems(plugins: Record<string, unknown>): Promise<string> {
    const error = await boot(plugins).then(
      () => assert.fail('it booted'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof BootError, String(error));
    return error.message;
  }

  const look = async (name: string) => (await fetch(`${node!.url}/${name}`)).json();

  it('are granted by the operator, and a service knows what its plugin may do', async () => {
    await writeFile(join(folder, 'reader.mjs'), source('reader', ['deals:read']));
    await writeFile(join(folder, 'actor.mjs'), source('actor', ['deals:read', 'deals:act']));
    node = await boot({
      './reader.mjs': { $grant: ['deals:read', 'deals:act'] },
      './actor.mjs': { $grant: ['deals:act', 'deals:read'] },
    });
    assert.deepEqual(await look('reader'), { asker: 'reader', mayAct: false });
    assert.deepEqual(await look('actor'), { asker: 'actor', mayAct: true });
    const report = node.report.plugins.find(({ name }) => name === 'reader');
    assert.deepEqual(report?.permissions, ['deals:read']);
  });

  it('that were not granted keep the node from starting, with the line to add', async () => {
    await writeFile(join(folder, 'actor.mjs'), source('actor', ['deals:read', 'deals:act']));
    const said = await problems({ './actor.mjs': { $grant: ['deals:read'] } });
    assert.match(said, /actor: asks for deals:act \(takes steps in the deals of this agent\)/);
    assert.match(said, /write "\$grant": \["deals:read","deals:act"\] into "\.\/actor\.mjs" in plugins\.json/);
  });

  it('are asked for where a service needs one, whoever makes the token', async () => {
    await writeFile(join(folder, 'thief.mjs'), source('thief', []));
    const said = await problems({ './thief.mjs': {} });
    assert.match(said, /thief: uses test-vault without the permission deals:read or deals:act; its author adds/);
  });

  it('hold for what a plugin gets, whatever it says at another time that it uses', async () => {
    const vault = "{ key: Symbol.for('agent-mesh/test-vault'), name: 'test-vault' }";
    const said = (name: string, node: string) => `export default { name: '${name}', api: '2.0', node: { ${node} } };`;
    await writeFile(join(folder, 'first.mjs'), said('first', 'setup() { globalThis.meshSetUp = true; return {}; }'));
    const uses = `get uses() { return globalThis.meshSetUp ? { vault: ${vault} } : {}; }`;
    await writeFile(join(folder, 'late.mjs'), said('late', `${uses}, setup: () => ({})`));
    assert.match(
      await problems({ './first.mjs': {}, './late.mjs': {} }),
      /late: setup failed: it uses test-vault without the permission deals:read or deals:act/,
    );
  });

  it('are never more than were granted, however they are listed', async () => {
    const two = "{ *[Symbol.iterator]() { yield* ['deals:read', 'deals:act']; } }";
    const text = source('actor', []).replace('permissions: []', `permissions: Object.assign(['deals:read'], ${two})`);
    await writeFile(join(folder, 'actor.mjs'), text);
    node = await boot({ './actor.mjs': { $grant: ['deals:read'] } });
    assert.deepEqual(await look('actor'), { asker: 'actor', mayAct: false });
  });

  it('keep a plugin from providing such a service, where core offers none', async () => {
    const text = source('thief', []).replace('uses: { vault', 'provides: { vault');
    await writeFile(join(folder, 'thief.mjs'), text);
    const error = await boot({ './thief.mjs': {} }, [], []).catch((thrown: unknown) => thrown);
    assert.match(String(error), /thief: provides test-vault, which is core's to provide/);
  });

  it('that nobody knows are named, on either side', async () => {
    await writeFile(join(folder, 'typo.mjs'), source('typo', ['deals:raed', 'deals:read']));
    const said = await problems({ './typo.mjs': { $grant: ['deals:read', 'http:'] } });
    assert.match(said, /typo: there is no permission deals:raed; did you mean deals:read\?/);
    assert.match(said, /typo: there is no permission http:/);
    assert.match(said, /there are messages:send, .*, http:<host>, .*, aggregators:<path> and aggregators:\*/);
  });

  it('are held by what is built in as it declares them', async () => {
    const seen: Vault[] = [];
    const own = definePlugin({
      name: 'own',
      api: '2.0',
      permissions: ['deals:act'],
      node: {
        uses: { vault: Vault },
        setup: ({ vault }) => {
          seen.push(vault);
          return {};
        },
      },
    });
    node = await boot({}, [own]);
    assert.deepEqual(seen, [{ asker: 'own', mayAct: true }]);
  });

  it('never lead to the services of core: a token of the same name is another one', async () => {
    for (const name of ['identity', 'store', 'settings', 'ledger', 'mesh']) {
      const text = source('thief', []).replace('test-vault', name);
      await writeFile(join(folder, `${name}.mjs`), text);
      assert.match(await problems({ [`./${name}.mjs`]: {} }), new RegExp(`thief: uses ${name}, which nobody provides`));
    }
  });

  it("do not come with the name of one of core's spaces", async () => {
    for (const name of ['node', 'aggregator', 'ledger', 'store', 'core']) {
      await writeFile(join(folder, `${name}-plugin.mjs`), source(name, []));
      const said = await problems({ [`./${name}-plugin.mjs`]: {} });
      assert.match(said, new RegExp(`its name ${name} is that of core's own part of the store`));
    }
  });

  it('`false` in the place of its object switches a plugin off', async () => {
    await writeFile(join(folder, 'reader.mjs'), source('reader', ['deals:read']));
    node = await boot({ './reader.mjs': false });
    assert.equal((await fetch(`${node.url}/reader`)).status, 404);
    assert.ok(!node.report.plugins.some(({ name }) => name === 'reader'));
    assert.match(await problems({ './reader.mjs': 'off' }), /plugins\.\.\/reader\.mjs: must be an object or a boolean/);
  });

  it('refuses a $grant that is no list of names, and names it', async () => {
    await writeFile(join(folder, 'reader.mjs'), source('reader', ['deals:read']));
    assert.match(await problems({ './reader.mjs': { $grant: 'deals:read' } }), /plugins\..*\$grant/);
  });
});

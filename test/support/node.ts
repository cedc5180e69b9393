import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BootOptions, bootNode, type RunningNode } from '../../core/host/boot/boot-node.ts';
import { silentLog } from '../../core/platform/log.ts';
import type { Plugin } from '../../core/plugin.ts';
import type { Provider } from '../../core/provider.ts';
import { memoryIdempotency } from './idempotency.ts';

export const SECRET = 'a-secret-for-tests-only';

export interface TestNode extends RunningNode {
  readonly folder: string;
}

export interface TestNodeOptions extends Omit<Partial<BootOptions>, 'config' | 'builtins' | 'providers'> {
  readonly providers?: readonly Provider[];
  readonly settings?: Record<string, unknown>;
  readonly env?: Record<string, string>;
  readonly argv?: string[];
  /** Faces of the profile under test. */
  readonly core?: readonly Plugin[];
  /** Built-in plugins; all of them are listed in plugins.json unless `settings.plugins` says otherwise. */
  readonly plugins?: readonly Plugin[];
}

/** Boots a node on a free port with a fresh data directory; `stop` removes the directory. */
export async function testNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const { settings = {}, env, argv, core = [], plugins = [], providers = [], ...rest } = options;
  const folder = await mkdtemp(join(tmpdir(), 'mesh-'));
  const listed = Object.fromEntries(plugins.map(({ name }) => [name, {}]));
  const value = {
    listen: '127.0.0.1:0',
    dataDir: './data',
    plugins: listed,
    ...settings,
    api: { secret: SECRET, ...(settings['api'] as object) },
  };
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const node = await bootNode({
      log: silentLog,
      ...rest,
      providers: [memoryIdempotency, ...providers],
      config: { value, folder, env: env ?? {}, argv: argv ?? [] },
      builtins: {
        profiles: { node: core, aggregator: core },
        plugins: Object.fromEntries(plugins.map((plugin) => [plugin.name, () => plugin])),
      },
    });
    return {
      folder,
      url: node.url,
      publicUrl: node.publicUrl,
      port: node.port,
      apiSecret: node.apiSecret,
      report: node.report,
      get: (token) => node.get(token),
      reload: () => node.reload(),
      async stop() {
        const problems = await node.stop();
        await remove();
        return problems;
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

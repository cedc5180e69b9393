import type { Plugin, PluginFlag } from '../../plugin.ts';
import { type ConfigurationSource, givenIn } from '../config/configuration.ts';
import { FLAGS, type Flag, variableOf } from '../config/flags.ts';
import { isVariableOfNode } from '../config/unknown-variables.ts';
import { importDefault } from './import-default.ts';
import type { Builtins } from './load.ts';
import { locate } from './locate.ts';

/**
 * A source of configuration with the flags of the plugins that it lists, and of those that are built in. The file is read
 * first, then what its plugins declare; only then flags and variables can be understood. Nothing is loaded when core knows
 * every flag and variable that is given.
 */
export async function withPluginFlags(
  source: ConfigurationSource,
  plugins: Builtins['plugins'],
): Promise<ConfigurationSource> {
  if (source.flags !== undefined || !asksForMore(source)) return source;
  return { ...source, flags: await pluginFlags(source, plugins) };
}

/** The flags of plugins: those that are listed, then those that are built in and not listed. */
export async function pluginFlags(source: ConfigurationSource, plugins: Builtins['plugins']): Promise<readonly Flag[]> {
  const { value, folder } = givenIn(source);
  const listed = Object.entries((value['plugins'] ?? {}) as Record<string, unknown>);
  const flags: Flag[] = [];
  for (const [key, entry] of listed) {
    // A built-in plugin may be switched on by its flag; a stranger's plugin that is switched off is not run.
    if (isOff(entry) && !Object.hasOwn(plugins, key)) continue;
    const plugin = await loaded(key, folder, plugins);
    if (plugin) flags.push(...flagsOf(plugin, key));
  }
  const keys = new Set(listed.map(([key]) => key));
  for (const [key, load] of Object.entries(plugins)) if (!keys.has(key)) flags.push(...flagsOf(await load(), key));
  return flags;
}

/** The declared flags of a plugin that stands in plugins.json under a key. */
function flagsOf({ flags = {} }: Plugin, key: string): Flag[] {
  return Object.entries(flags).flatMap(([member, declared]) =>
    isFlag(declared)
      ? [{ ...declared, name: declared.flag.slice(2), key: `plugins.${key}.${member}`, plugin: key }]
      : [],
  );
}

function isFlag(declared: PluginFlag): boolean {
  return typeof declared?.flag === 'string' && declared.flag.startsWith('--');
}

/** Undefined for what cannot be loaded: the plan says why. */
async function loaded(key: string, folder: string, plugins: Builtins['plugins']): Promise<Plugin | undefined> {
  try {
    const location = locate(key, folder, Object.keys(plugins));
    const found = location.from === 'built-in' ? await plugins[key]!() : await importDefault(location.url);
    return typeof found === 'object' && found !== null ? (found as Plugin) : undefined;
  } catch {
    return undefined;
  }
}

function isOff(entry: unknown): boolean {
  return entry === false || (entry as { enabled?: unknown } | null)?.enabled === false;
}

function asksForMore({ argv = [], env = {} }: ConfigurationSource): boolean {
  const names = new Set(FLAGS.map(({ name }) => name));
  const variables = new Set(FLAGS.map(variableOf));
  const isOther = (arg: string) => arg.startsWith('--') && !names.has(arg.slice(2).split('=')[0]!.replace(/^no-/, ''));
  const isRead = (name: string) => !name.startsWith('NODE_') || variables.has(name) || isVariableOfNode(name);
  return argv.some(isOther) || Object.keys(env).some((name) => env[name] !== '' && !isRead(name));
}

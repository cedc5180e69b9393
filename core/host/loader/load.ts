import type { Settings } from '../../internal-services.ts';
import { didYouMean } from '../../platform/nearest-name.ts';
import { messageOf, type Problem } from '../../platform/problem.ts';
import type { Plugin, Profile } from '../../plugin.ts';
import { CORE_SPACES } from '../../storage/names.ts';
import { importDefault } from './import-default.ts';
import { type Location, locate } from './locate.ts';
import { placed } from './own-files.ts';
import { shapeProblems } from './plugin-shape.ts';

/** The plugins and adapters of this package; the caller imports them, core does not know them. */
export interface Builtins {
  /** The faces that make a profile, in order; each is a plugin like any other. */
  readonly profiles: Readonly<Record<Profile, readonly Plugin[]>>;
  /** Built-in plugins by the bare word used in plugins.json. */
  readonly plugins: Readonly<Record<string, () => Plugin | Promise<Plugin>>>;
  /** Keys of `plugins` that a profile has without a line in plugins.json; `false` there switches one off. */
  readonly standard?: Readonly<Record<Profile, readonly string[]>>;
  /** How the file of any other plugin is imported, for who wants it read again; its default export unless given. */
  readonly importFile?: (url: string) => Promise<unknown>;
}

export interface Loaded {
  readonly plugin: Plugin;
  /** Its key in plugins.json; for core faces the name. */
  readonly key: string;
  readonly from: 'core' | Location['from'];
  readonly version: string | undefined;
  /** The file that was imported; absent for what is built in. */
  readonly url?: string;
  /** When it fails: true leaves it out, false stops the boot. */
  readonly optional: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  /** Permissions that the operator gives it, by `$grant`; what is built in needs none. */
  readonly granted: readonly string[];
}

export interface LoadResult {
  readonly loaded: Loaded[];
  readonly problems: (Problem & { readonly optional: boolean })[];
}

/** Finds, gates, imports and checks the shape of everything the settings ask for; collects what goes wrong. */
export async function loadPlugins(settings: Settings, folder: string, builtins: Builtins): Promise<LoadResult> {
  const profile = settings.profile;
  const { importFile = importDefault } = builtins;
  const loaded: Loaded[] = builtins.profiles[profile].map((plugin) => ({
    plugin,
    key: plugin.name,
    from: 'core',
    version: undefined,
    optional: false,
    config: (settings.core as Record<string, Record<string, unknown>>)[plugin.name] ?? {},
    granted: [],
  }));
  const problems: LoadResult['problems'] = [];
  const parts = loaded.map(({ key }) => key);
  for (const name of Object.keys(settings.core)) {
    if (!loaded.some(({ key }) => key === name)) {
      const moved = Object.hasOwn(builtins.plugins, name) && !parts.includes(name);
      const what = moved
        ? `${name} is a plugin now, and its settings are no part of core any more`
        : `the profile ${profile} has no part of that name${didYouMean(name, parts)}`;
      const hint = moved && { hint: `move the line: "plugins": { "${name}": ${shownSettings(settings, name)} }` };
      problems.push({ where: `core.${name}`, what, ...hint, optional: false });
    }
  }
  const standard = Object.fromEntries((builtins.standard?.[profile] ?? []).map((key) => [key, true]));
  for (const [key, entry] of Object.entries({ ...standard, ...settings.plugins })) {
    const { enabled = entry, optional = false, $grant, ...config } = typeof entry === 'object' ? entry : {};
    if (enabled === false) continue;
    // The schema of plugins.json has refused anything else, and the other problems shall be found too.
    const granted = Array.isArray($grant) ? $grant : [];
    try {
      const location = locate(key, folder, Object.keys(builtins.plugins));
      const plugin =
        location.from === 'built-in' ? await builtins.plugins[key]!() : ((await importFile(location.url)) as Plugin);
      const faults = faultsOf(key, plugin, profile, location);
      problems.push(...faults.map((fault) => ({ ...fault, optional })));
      if (faults.length > 0) continue;
      const twin = loaded.find((other) => other.plugin.name === plugin.name);
      if (twin) throw new Error(`its name ${plugin.name} is taken by ${twin.key}`);
      const version = location.from === 'package' ? location.version : undefined;
      const url = location.from === 'built-in' ? {} : { url: location.url };
      loaded.push({ plugin, key, from: location.from, version, ...url, optional, config, granted });
    } catch (error) {
      const meant = didYouMean(key, Object.keys(builtins.plugins));
      problems.push({ where: key, what: messageOf(error) + meant, optional });
    }
  }
  return { loaded, problems };
}

/** Its settings as they stand, for the line to write; without what may be a secret. */
function shownSettings({ core }: Settings, name: string): string {
  const settings = (core as Record<string, Record<string, unknown>>)[name] ?? {};
  const plain = Object.values(settings).every((value) => typeof value === 'number' || typeof value === 'boolean');
  return plain ? JSON.stringify(settings) : '{ … }';
}

/** The faults that keep an export from being a plugin of this profile, each with its place in the source. */
function faultsOf(where: string, plugin: unknown, profile: Profile, location: Location): Problem[] {
  if (typeof plugin !== 'object' || plugin === null) {
    const hint = 'write export default definePlugin({ name, api, node: { … } })';
    return [{ where, what: 'it has no default export made by definePlugin', hint }];
  }
  const url = location.from === 'built-in' ? undefined : location.url;
  const shape = shapeProblems(plugin).map((problem) => placed({ where, ...problem }, url));
  if (shape.length > 0) return shape;
  const { name, api, [profile]: face } = plugin as Plugin;
  if (CORE_SPACES.includes(name)) {
    return [{ where, what: `its name ${name} is that of core's own part of the store`, hint: 'give it another name' }];
  }
  if (location.from === 'package' && location.api !== api) {
    return [{ where, what: `its package.json says plugin API ${location.api}, its code ${api}` }];
  }
  return face ? [] : [{ where, what: `it has nothing for the profile ${profile}; remove it from plugins.json` }];
}

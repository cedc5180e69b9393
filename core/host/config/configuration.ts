import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Contracts } from '../../contracts/contracts.ts';
import type { Settings } from '../../contracts/settings.ts';
import { isRecord } from '../../platform/kind-of.ts';
import { type ListenAddress, parseListen } from '../../platform/listen.ts';
import { packageRoot } from '../../platform/package-root.ts';
import { messageOf, type Problem } from '../../platform/problem.ts';
import { allFlags, type Flag, settingOf } from './flags.ts';
import { parseJsonc } from './jsonc.ts';
import { dataFolderOf, type KeptSettings, readKept } from './kept-settings.ts';
import { type Override, overridesOfFlags, overridesOfVariables } from './overrides.ts';
import { resolveReferences } from './references.ts';
import { unknownVariables } from './unknown-variables.ts';

export interface Configuration {
  readonly settings: Settings;
  /**
   * Where plugins.json lies, or the working directory for that of this package; plugins and files are looked for from
   * here.
   */
  readonly folder: string;
  readonly listen: ListenAddress;
  /** The file that was read, unless a value was given. */
  readonly file?: string;
  /** Its content, before flags, variables and defaults. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The settings that were changed over the API. */
  readonly kept: KeptSettings;
  /** The values of flags and variables; the last one of a key holds. */
  readonly overrides: readonly Override[];
  /** All that is wrong with it; `bootNode` reports them together with what else it finds. */
  readonly problems: readonly Problem[];
  /** Settings that have no effect or are unwise; a start goes on. */
  readonly warnings: readonly Problem[];
}

export interface ConfigurationSource {
  /**
   * The file; otherwise plugins.json in the working directory, otherwise the one of this package, whose paths mean the
   * working directory: keys and data must not lie among installed packages, where npm removes them.
   */
  readonly file?: string;
  /** Its content, instead of a file. */
  readonly value?: object;
  /** The folder that relative paths of `value` mean; the working directory unless given. */
  readonly folder?: string;
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The flags that plugins declare; none unless given. */
  readonly flags?: readonly Flag[];
  /** In place of the settings that the data folder keeps, to try others. */
  readonly kept?: KeptSettings;
}

/** The content of the file or value, and its place; the reason why it cannot be read goes to `problems`. */
export function givenIn({ value, folder, file }: ConfigurationSource, problems: Problem[] = []) {
  return value ? ofValue(value, folder) : readFile(file, problems);
}

export function readConfiguration(source: ConfigurationSource, contracts: Contracts): Configuration {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const { value, folder, file } = givenIn(source, problems);
  const isRead = problems.length === 0;
  const given = structuredClone(value);
  const env = source.env ?? {};
  const known = allFlags(source.flags);
  const variables = overridesOfVariables(env, known);
  const flags = overridesOfFlags(source.argv ?? [], known);
  problems.push(...variables.problems, ...flags.problems);
  warnings.push(...unknownVariables(env, known), ...flags.overrides.flatMap(inSight));
  const overrides = [...variables.overrides, ...flags.overrides];
  const kept = source.kept ?? readKept(dataFolderOf(value, overrides, { folder, env }), problems);
  for (const [key, changed] of Object.entries(kept.values)) put(value, key.split('.'), changed);
  for (const { overrides } of [variables, flags]) apply(value, overrides, problems);

  const resolved = resolveReferences(value, { folder, env }, problems) as Record<string, unknown>;
  if (isRead) {
    for (const { pointer, message } of contracts.problems('settings', resolved, 'input')) {
      problems.push({ where: keyAt(pointer) || 'plugins.json', what: message });
    }
  }
  const settings = resolved as Settings;
  const listen = parseListen(String(settings.listen ?? '127.0.0.1:9090'));
  if (!listen)
    problems.push({ where: 'listen', what: `${settings.listen} is no address and port`, hint: 'write 127.0.0.1:9090' });
  if (typeof settings.dataDir === 'string') settings.dataDir = resolve(folder, settings.dataDir);
  if (typeof settings.log?.file === 'string') settings.log.file = resolve(folder, settings.log.file);
  if (settings.agent?.keyFile !== undefined) settings.agent.keyFile = resolve(folder, settings.agent.keyFile);
  const read = { given, kept, overrides, ...(file !== undefined && { file }) };
  return { settings, folder, listen: listen ?? { host: '127.0.0.1', port: 0 }, ...read, problems, warnings };
}

/** `plugins../hello.js` of the JSON pointer `/plugins/.~1hello.js`. */
function keyAt(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
}

function inSight({ flag, source }: Override): Problem[] {
  if (!flag.secret) return [];
  const what = 'can be read by every user of this machine, in its list of processes';
  return [{ where: source, what, hint: `put it into a file and write "${flag.key}": { "$file": "path" }` }];
}

function ofValue(value: object, folder = '.'): { value: Record<string, unknown>; folder: string; file?: string } {
  return { value: structuredClone(value) as Record<string, unknown>, folder: resolve(folder) };
}

function readFile(
  given: string | undefined,
  problems: Problem[],
): { value: Record<string, unknown>; folder: string; file?: string } {
  const here = resolve('plugins.json');
  const file = given ? resolve(given) : existsSync(here) ? here : join(packageRoot, 'plugins.json');
  const folder = given ? dirname(file) : resolve('.');
  try {
    const value = parseJsonc(readFileSync(file, 'utf8'));
    if (!isRecord(value)) throw new Error('it must be an object');
    return { value: value as Record<string, unknown>, folder, file };
  } catch (error) {
    problems.push({ where: file, what: messageOf(error) });
    return { value: {}, folder, file };
  }
}

function apply(value: Record<string, unknown>, overrides: readonly Override[], problems: Problem[]): void {
  const set = new Map<string, Override>();
  for (const override of overrides) {
    const { key } = override.flag;
    const earlier = set.get(key);
    if (earlier && earlier.value !== override.value) {
      problems.push({
        where: override.source,
        what: `says something else than ${earlier.source}`,
        hint: 'give one of them',
      });
    }
    set.set(key, override);
    const { plugin } = override.flag;
    // Switching off what is not there changes nothing, and does not bring it in.
    if (override.value === false && plugin !== undefined && !hasPlugin(value, plugin)) continue;
    const path = settingOf(override.flag);
    put(value, path, override.value);
  }
}

function hasPlugin(value: Record<string, unknown>, name: string): boolean {
  return typeof value['plugins'] === 'object' && value['plugins'] !== null && Object.hasOwn(value['plugins'], name);
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) target[key] = value;
  else {
    const inner = target[key];
    // A plugin that `false` switches off stays so, unless the flag says otherwise.
    const object = isRecord(inner) ? inner : inner === false ? { enabled: false } : {};
    target[key] = object;
    put(object, rest, value);
  }
}

import type { Contracts } from '../../contracts/contracts.ts';
import { isRecord } from '../../platform/kind-of.ts';
import { shownUrl } from '../../platform/shown-url.ts';
import { CHANGEABLE, reasonFixed } from '../config/changeable.ts';
import type { Configuration } from '../config/configuration.ts';
import type { KeptSettings } from '../config/kept-settings.ts';
import type { Plan } from './plan.ts';

const OWN_SCHEMAS: ReadonlySet<string> = new Set(['core', 'plugins']);
const HIDDEN = '(hidden)';
/** How long a token holds is none. */
const DURATION = /(days|secs|minutes|ms)$/i;
const SECRET = /secret|token|password|passphrase|credential|(api|private|partner)_?key$/i;

export interface ShownSetting {
  /** The names that lead to it, with dots between. */
  readonly key: string;
  /** `null` is one that nobody has set and that has no usual value. */
  readonly value: object | string | number | boolean | null;
  /** A flag, a variable, the file or `default`. */
  readonly source: string;
  /** From the schema: a sentence on its meaning. */
  readonly about?: string;
  /** When a change over the API holds; undefined for a setting that cannot be changed there, and then `fixed` says why. */
  readonly change?: 'now' | 'restart';
  readonly fixed?: string;
  /** The part of the schema that a change must fit. */
  readonly shape?: object;
  /** Changed over the API, now or before this start. */
  readonly kept?: true;
  /** The value of the next start, where it is another; null is the one that holds without a change. */
  readonly after_restart?: ShownSetting['value'];
}

/** The settings that are in force, those of parts and plugins among them; secrets are hidden. */
export function shownSettings(
  found: Configuration,
  plan: Plan,
  contracts: Contracts,
  kept: KeptSettings = found.kept,
): ShownSetting[] {
  const schema = contracts.schemaOf('settings');
  const parts = partsOf(plan);
  return settingsIn(withThoseOfNow(found, kept), parts, schema).map(({ path, isReference, ...shown }) => {
    const described = schemaAt(path, schema, parts);
    const about = (described as { description?: string } | undefined)?.description;
    return { ...shown, ...(about && { about }), ...changeOf(shown, isReference, described, found, kept) };
  });
}

/** A change that a running node takes over is in force; every other waits. */
function withThoseOfNow(found: Configuration, kept: KeptSettings): Configuration {
  const isNow = ([key]: readonly [string, unknown]) => CHANGEABLE.get(key) === 'now';
  const before = Object.entries(found.kept.values).filter((one) => !isNow(one));
  const now = Object.entries(kept.values).filter(isNow);
  return { ...found, kept: { ...kept, values: Object.fromEntries([...before, ...now]) } };
}

/** Whether and when a change over the API holds, and what was changed there. */
function changeOf(
  { key, value, source }: ShownSetting,
  isReference: boolean,
  described: object | undefined,
  found: Configuration,
  kept: KeptSettings,
): Partial<ShownSetting> {
  const change = CHANGEABLE.get(key);
  if (value === HIDDEN && !isReference) return { fixed: 'a secret changes where it is kept' };
  if (change === undefined) return { fixed: reasonFixed(key) };
  if (found.overrides.some(({ flag }) => flag.key === key))
    return { fixed: `${source} was given at the start, and wins over a change` };
  if (isReference) return { fixed: `it is taken from ${source}, and changes there` };
  const [now, before] = [kept.values[key], found.kept.values[key]];
  const isOther = change === 'restart' && JSON.stringify(now) !== JSON.stringify(before);
  const next = (now ?? null) as ShownSetting['value'];
  return {
    change,
    shape: described ?? {},
    ...(now !== undefined && { kept: true as const }),
    ...(isOther && JSON.stringify(next) !== JSON.stringify(value) && { after_restart: next }),
  };
}

function schemaAt(path: readonly string[], schema: object, parts: readonly Part[]): object | undefined {
  const part = parts.find((one) => one.path.every((name, at) => path[at] === name));
  let at: unknown = part?.schema ?? schema;
  for (const name of part ? path.slice(part.path.length) : path) {
    const { properties } = (at ?? {}) as { readonly properties?: Readonly<Record<string, object>> };
    at = properties?.[name];
  }
  return at as object | undefined;
}

/** A part of the profile or a plugin: where its configuration stands, what it takes, and what is in force. */
interface Part {
  readonly path: readonly string[];
  readonly schema: object;
  readonly config: unknown;
}

function partsOf({ faces }: Plan): Part[] {
  return faces.flatMap(({ loaded: { plugin, key, from }, config: inForce }) => {
    if (!plugin.config) return [];
    return [{ path: [from === 'core' ? 'core' : 'plugins', key], schema: plugin.config.schema, config: inForce }];
  });
}

/** Every setting there is, in the order of its schema; `null` is one that is not set. */
function settingsIn(
  found: Configuration,
  parts: readonly Part[],
  schema: object,
): (ShownSetting & { readonly path: readonly string[]; readonly isReference: boolean })[] {
  const { $schema: _, ...settings } = found.settings as Record<string, unknown>;
  const own = leavesOf(settings, []);
  const filled = parts.flatMap(({ config: inForce, path }) => leavesOf(inForce, path));
  const values = new Map([...own, ...filled].map(([path, value]) => [path.join('.'), { path, value }]));
  const known = [
    ...namesIn(schema, []).filter(([first]) => first !== '$schema'),
    ...parts.flatMap((part) => namesIn(part.schema, part.path)),
  ];
  const keys = [...values.keys()];
  const unset = known.filter((path) => {
    const key = path.join('.');
    return !values.has(key) && !keys.some((one) => one.startsWith(`${key}.`));
  });
  for (const path of unset) values.set(path.join('.'), { path, value: null });
  const order = new Map(known.map((path, at) => [path.join('.'), at]));
  const rank = ({ path }: { readonly path: readonly string[] }) => order.get(path.join('.')) ?? order.size;
  return [...values.values()]
    .sort((one, other) => rank(one) - rank(other))
    .map(({ path, value }) => {
      const { source, isReference } = originOf(path, found);
      const isSecret = value !== null && (isReference || namesSecret(path));
      return {
        ...{ key: path.join('.'), path, isReference },
        value: isSecret ? HIDDEN : ((withoutCredentials(value, path) as ShownSetting['value']) ?? null),
        source,
      };
    });
}

/** The names that a schema of settings has for values; parts and plugins have schemas of their own. */
function namesIn(schema: object, path: readonly string[]): (readonly string[])[] {
  const { properties } = schema as { readonly properties?: Readonly<Record<string, object>> };
  if (properties) return Object.entries(properties).flatMap(([name, inner]) => namesIn(inner, [...path, name]));
  return path.length === 1 && OWN_SCHEMAS.has(path[0]!) ? [] : [path];
}

/** Every value that is no object with members, with the names that lead to it. */
function leavesOf(value: unknown, path: readonly string[]): [path: readonly string[], value: unknown][] {
  if (!isRecord(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) =>
    isRecord(inner) && Object.keys(inner).length === 0 ? [] : leavesOf(inner, [...path, name]),
  );
}

function originOf(path: readonly string[], { given, kept, overrides, file }: Configuration) {
  const override = overrides.findLast(({ flag }) => flag.key === path.join('.'));
  if (override) return { source: override.source, isReference: override.flag.secret === true };
  if (Object.hasOwn(kept.values, path.join('.'))) return { source: kept.file, isReference: false };
  let at: unknown = given;
  for (const name of path) {
    if (!isRecord(at) || !Object.hasOwn(at, name)) return { source: 'default', isReference: false };
    at = at[name];
  }
  const reference = isRecord(at) ? Object.entries(at).find(([name]) => name === '$env' || name === '$file') : undefined;
  const where = file ?? 'the configuration';
  return { source: reference ? `${where}, ${reference.join(' ')}` : where, isReference: holdsReference(at) };
}

/** Also as an item of a list, which is one value here. */
function holdsReference(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const names = Object.keys(given);
  return names.includes('$env') || names.includes('$file') || Object.values(given).some(holdsReference);
}

/** Whether the value, or an object that it is in, is called a secret. A plugin's own name says nothing about its values. */
function namesSecret(path: readonly string[]): boolean {
  const named = OWN_SCHEMAS.has(path[0]!) ? path.slice(2) : path;
  return named.some((name) => SECRET.test(name) && !DURATION.test(name));
}

/** URLs carry keys as user, query or, at RPCs, as path. */
function withoutCredentials(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutCredentials(item, path));
  if (typeof value !== 'string' || !/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return value;
  return shownUrl(value, path[0] === 'ledger');
}

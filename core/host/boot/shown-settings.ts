import type { Contracts } from '../../contracts/contracts.ts';
import { isRecord } from '../../platform/kind-of.ts';
import { shownUrl } from '../../platform/shown-url.ts';
import type { Configuration } from '../config/configuration.ts';
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
}

/** The settings that are in force, those of parts and plugins among them; secrets are hidden. */
export function shownSettings(found: Configuration, plan: Plan, contracts: Contracts): ShownSetting[] {
  return settingsIn(found, partsOf(plan), contracts.schemaOf('settings'));
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
function settingsIn(found: Configuration, parts: readonly Part[], schema: object): ShownSetting[] {
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
        key: path.join('.'),
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

function originOf(path: readonly string[], { given, overrides, file }: Configuration) {
  const override = overrides.findLast(({ flag }) => flag.key === path.join('.'));
  if (override) return { source: override.source, isReference: override.flag.secret === true };
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

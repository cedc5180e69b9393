import { nearestName } from '../../platform/nearest-name.ts';
import type { AnyFace, Plugin, Profile } from '../../plugin.ts';
import { apiMismatch } from './locate.ts';

/** One thing wrong with a value, and the text to look for in its source. */
export interface ShapeProblem {
  readonly what: string;
  readonly hint?: string;
  readonly find?: RegExp;
}

type Names<T> = Readonly<Record<keyof T & string, true>>;

const MEMBERS: Names<Required<Plugin>> = {
  name: true,
  api: true,
  summary: true,
  permissions: true,
  config: true,
  flags: true,
  schemas: true,
  errors: true,
  node: true,
  aggregator: true,
};
const FACE_MEMBERS: Names<Required<AnyFace>> = {
  uses: true,
  provides: true,
  routes: true,
  guards: true,
  envelopes: true,
  inboundGates: true,
  receives: true,
  sends: true,
  indexes: true,
  ledgerEvents: true,
  setup: true,
};
const PROFILES = ['node', 'aggregator'] as const satisfies readonly Profile[];

/** The faults of a plugin as a value, before its declarations are read. */
export function shapeProblems(plugin: object): ShapeProblem[] {
  const { name, api } = plugin as Plugin;
  const problems: ShapeProblem[] = unknownMembers(plugin, Object.keys(MEMBERS), 'a plugin');
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    problems.push({ what: `its name ${JSON.stringify(name)} must be kebab-case`, find: /\bname\s*:/ });
  }
  const mismatch = apiMismatch(api);
  if (mismatch) problems.push({ what: mismatch, find: /\bapi\s*:/ });
  problems.push(...memberProblems(plugin as Plugin));
  const faces = PROFILES.filter((profile) => (plugin as Plugin)[profile] !== undefined);
  if (faces.length === 0) problems.push({ what: 'it has neither a node nor an aggregator face, so it adds nothing' });
  for (const profile of faces) problems.push(...faceProblems((plugin as Plugin)[profile], profile));
  return problems;
}

function memberProblems({ permissions = [], config, schemas = [], errors = {} }: Plugin): ShapeProblem[] {
  const problems: ShapeProblem[] = [];
  if (!isListOf(permissions, 'string')) {
    problems.push(wrong('permissions', 'must be a list', "permissions: ['messages:send']"));
  }
  if (config !== undefined && !isObject((config as { schema?: unknown })?.schema)) {
    problems.push(wrong('config', 'is not made by typed', "config: typed({ type: 'object', properties: { … } })"));
  }
  if (!isListOf(schemas, 'object')) problems.push(wrong('schemas', 'must be a list', 'schemas: [shape.schema]'));
  for (const [code, row] of Object.entries(errors)) {
    const [status, sentence] = Array.isArray(row) ? (row as unknown[]) : [];
    const isStatus = Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599;
    if (isStatus && typeof sentence === 'string' && sentence !== '') continue;
    const hint = `write ${code}: [409, 'One sentence for the client.']`;
    problems.push({
      what: `its error ${code} needs a status from 400 to 599 and a sentence`,
      hint,
      find: member(code),
    });
  }
  return problems;
}

function faceProblems(face: unknown, profile: Profile): ShapeProblem[] {
  const its = `its ${profile} face`;
  if (!isObject(face)) return [{ what: `${its} must be an object with a setup function`, find: member(profile) }];
  const { setup, uses = {}, provides = {} } = face as Partial<AnyFace>;
  const problems: ShapeProblem[] = unknownMembers(face, Object.keys(FACE_MEMBERS), its);
  if (typeof setup !== 'function') {
    const hint = 'write setup(services, context) { return { routes: { … } }; }';
    problems.push({ what: `${its} has no setup function`, hint, find: member(profile) });
  }
  for (const part of ['uses', 'provides', 'routes', 'guards'] as const) {
    const value = (face as Record<string, unknown>)[part];
    if (value === undefined || (isObject(value) && !Array.isArray(value))) continue;
    problems.push({ what: `${its} has ${part} that are no object`, find: member(part) });
  }
  for (const [key, used] of Object.entries(uses)) {
    if (isToken(used) || (isObject(used) && isToken((used as { optional?: unknown }).optional))) continue;
    const hint = "import a token of agent-mesh/services, or make one with token('name')";
    problems.push({ what: `${its} uses ${key}, which is no token`, hint, find: member(key) });
  }
  for (const [key, offered] of Object.entries(provides)) {
    if (isToken(offered)) continue;
    const hint = "make one with token('name')";
    problems.push({ what: `${its} provides ${key}, which is no token`, hint, find: member(key) });
  }
  return problems;
}

/** Members that nobody reads: what they say would have no effect, without a word. */
export function unknownMembers(value: object, known: readonly string[], what: string): ShapeProblem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      // Names of three letters, such as use and job, are too short for slips of the finger.
      const meant = nearestName(key, known) ?? known.find((one) => one === `${key}s`);
      const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
      return { what: `${what} has no member ${key}`, hint, find: member(key) };
    });
}

/** Where a member of an object is written: `name: value`, or `name() {`. */
export function member(name: string): RegExp {
  return new RegExp(`(?<![\\w$.])['"]?${name.replaceAll(/[^\w]/g, '\\$&')}['"]?\\s*(?::|\\([^)]*\\)\\s*\\{)`);
}

function wrong(name: string, what: string, instead: string): ShapeProblem {
  return { what: `its ${name} ${what}`, hint: `write ${instead}`, find: member(name) };
}

function isToken(value: unknown): boolean {
  return isObject(value) && typeof (value as { key?: unknown }).key === 'symbol';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isListOf(value: unknown, type: 'string' | 'object'): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === type && one !== null);
}

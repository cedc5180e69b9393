import { apiMismatch } from '../host/loader/locate.ts';
import type { Plugin } from '../plugin.ts';
import type { Findings, PluginTrial } from './plugin-trial.ts';

const MEMBERS = [
  ...['name', 'api', 'summary', 'permissions', 'config', 'flags'],
  ...['schemas', 'errors', 'node', 'aggregator'],
];
const FACE_MEMBERS = ['uses', 'provides', 'routes', 'guards', 'setup'];

/** What is wrong with the value itself; when this finds something, nothing else can be tried. */
export function shapeProblems(plugin: unknown): string[] {
  if (typeof plugin !== 'object' || plugin === null) return ['it is no object made by definePlugin'];
  const { name, api, node, aggregator } = plugin as Plugin;
  const problems = unknown(plugin, MEMBERS, 'a plugin');
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9-]{0,63}$/.test(name)) {
    problems.push(`its name ${JSON.stringify(name)} must be kebab-case`);
  }
  const mismatch = apiMismatch(api);
  if (mismatch) problems.push(mismatch);
  if (!node && !aggregator) problems.push('it has neither a node nor an aggregator face, so it adds nothing');
  for (const [profile, face] of Object.entries({ node, aggregator })) {
    if (!face) continue;
    problems.push(...unknown(face, FACE_MEMBERS, `its ${profile} face`));
    if (typeof face.setup !== 'function') problems.push(`its ${profile} face has no setup function`);
  }
  return problems;
}

/** Everything a start checks before it runs any of the plugin's code. */
export async function declarationHolds(trial: PluginTrial): Promise<Findings> {
  return { problems: await trial.planProblems() };
}

/** The configuration schema takes the configuration given, and refuses what it says it refuses. */
export async function configurationHolds({ plugin, options, contracts }: PluginTrial): Promise<Findings> {
  const { config: contract } = plugin;
  if (!contract) return { problems: [] };
  for (const schema of plugin.schemas ?? []) contracts.add(schema);
  const fault = contracts.fault(contract);
  if (fault) return { problems: [`its configuration schema cannot be used: ${fault}`] };
  const good = options.config as Record<string, unknown>;
  const refused = (value: object) => contracts.problems(contract, structuredClone(value), 'input');
  const [wrong] = refused(good);
  if (wrong) {
    const what = `${wrong.pointer || 'it'} ${wrong.message}`;
    return { problems: [`its configuration schema refuses ${JSON.stringify(good)}: ${what}; give another one`] };
  }
  const schema = contract.schema as {
    readonly required?: readonly string[];
    readonly properties?: Readonly<Record<string, { type?: unknown; default?: unknown }>>;
    readonly additionalProperties?: unknown;
  };
  const { required = [], properties = {} } = schema;
  const attempts: [value: object, what: string][] = [
    ...required
      .filter((name) => properties[name]?.default === undefined)
      .map((name): [object, string] => [without(good, name), `it requires ${name}, but a configuration lacks it`]),
    ...Object.entries(properties)
      .filter(([, { type }]) => typeof type === 'string')
      .map(([name, { type }]): [object, string] => [
        { ...good, [name]: type === 'string' ? 7 : 'text' },
        `its ${name} must be of type ${type}, but it is not`,
      ]),
  ];
  if (schema.additionalProperties === false)
    attempts.push([{ ...good, '?': 1 }, 'it takes no other member than its own']);
  const problems = attempts
    .filter(([value]) => refused(value).length === 0)
    .map(([, what]) => `its configuration schema accepts what it should refuse: ${what}`);
  return schema.additionalProperties === false
    ? { problems }
    : { problems, notes: ['its configuration schema lets a misspelt member pass; say additionalProperties: false'] };
}

function without(value: Record<string, unknown>, name: string): object {
  const { [name]: _, ...rest } = value;
  return rest;
}

function unknown(value: object, known: readonly string[], what: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${what} has no member ${key}; there are ${known.join(', ')}`);
}

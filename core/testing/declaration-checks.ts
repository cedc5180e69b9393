import { shapeProblems } from '../host/loader/plugin-shape.ts';
import { whatHelps } from '../platform/problem.ts';
import type { Findings, PluginTrial } from './plugin-trial.ts';

/** The faults of the value itself; when there is one, nothing else can be tried. */
export function shapeFaults(plugin: unknown): string[] {
  if (typeof plugin !== 'object' || plugin === null) return ['it is no object made by definePlugin'];
  return shapeProblems(plugin).map(whatHelps);
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

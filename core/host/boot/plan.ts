import type { Contracts } from '../../contracts/contracts.ts';
import type { PluginFlag } from '../../platform/plugin-flag.ts';
import type { Problem } from '../../platform/problem.ts';
import { type Token, type TypedSchema, typed } from '../../plugin.ts';
import { closedSchema } from '../config/closed-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import { variableOf } from '../config/flags.ts';
import { type Declarations, faceOf, readDeclarations } from '../loader/declarations.ts';
import { envelopeProblems } from '../loader/envelope-types.ts';
import { extensionProblems } from '../loader/extension-faults.ts';
import { type Builtins, type Loaded, loadPlugins } from '../loader/load.ts';
import { inOrder, type Unit } from '../loader/order.ts';
import { grantedByName, heldBy, permissionProblems } from '../loader/permissions.ts';
import { operations } from './operations.ts';

/** A face in its place in the order. */
export interface PlannedFace extends Unit {
  readonly loaded: Loaded;
  /** Validated, defaults filled in. */
  readonly config: unknown;
  /** The permissions it declares and was granted. */
  readonly held: ReadonlySet<string>;
  /** Those of them that were granted in these words. */
  readonly named: ReadonlySet<string>;
}

/** Everything that is known before anything is opened or run. */
export interface Plan {
  readonly faces: readonly PlannedFace[];
  readonly declarations: Declarations;
  /** Optional plugins left out, and why. */
  readonly out: readonly { readonly name: string; readonly reason: string }[];
  readonly problems: readonly Problem[];
}

const NO_CONFIG = typed<object>({ type: 'object', additionalProperties: false });

/**
 * Loads and checks what a configuration asks for. `given` are the services that core and its providers will offer;
 * undefined when that cannot be told, and then nobody is blamed for services that are missing.
 */
export async function planNode(
  configuration: Configuration,
  builtins: Builtins,
  contracts: Contracts,
  given: readonly Token<any>[] | undefined,
): Promise<Plan> {
  const { settings, folder } = configuration;
  if (configuration.problems.length > 0 && !isLoadable(settings)) {
    return {
      faces: [],
      declarations: readDeclarations([], 'node', contracts),
      out: [],
      problems: configuration.problems,
    };
  }
  const { loaded, problems: faults } = await loadPlugins(settings, folder, withOperations(builtins));
  const out = faults.filter(({ optional }) => optional).map((fault) => ({ name: fault.where, reason: fault.what }));
  const fatal = faults.filter(({ optional }) => !optional);
  for (let candidates = loaded; ; ) {
    const plan = compose(candidates, settings.profile, contracts, given);
    const failing = candidates.filter(
      ({ optional, plugin }) => optional && plan.problems.some(({ where }) => where === plugin.name),
    );
    if (failing.length === 0)
      return { ...plan, out, problems: [...configuration.problems, ...fatal, ...plan.problems] };
    for (const { plugin } of failing) {
      const reasons = plan.problems.filter(({ where }) => where === plugin.name).map(({ what }) => what);
      out.push({ name: plugin.name, reason: reasons.join('; ') });
    }
    candidates = candidates.filter((candidate) => !failing.includes(candidate));
  }
}

function compose(
  loaded: readonly Loaded[],
  profile: 'node' | 'aggregator',
  contracts: Contracts,
  given: readonly Token<any>[] | undefined,
): Omit<Plan, 'out'> {
  const declarations = readDeclarations(loaded, profile, contracts);
  const problems: Problem[] = [...declarations.problems];
  const units = loaded.map((one): PlannedFace => {
    const { plugin } = one;
    const face = faceOf(one, profile);
    const config = structuredClone(one.config);
    problems.push(...configProblems(one, config, contracts));
    const uses = Object.values(face.uses ?? {}) as PlannedFace['uses'];
    const provides = Object.values(face.provides ?? {}) as PlannedFace['provides'];
    problems.push(...permissionProblems(one, uses, provides));
    problems.push(...envelopeProblems(one, profile), ...extensionProblems(one, profile));
    return { name: plugin.name, uses, provides, loaded: one, config, held: heldBy(one), named: grantedByName(one) };
  });
  const { ordered, problems: unmet } = inOrder(units, given ?? []);
  return { faces: ordered, declarations, problems: given ? [...problems, ...unmet] : problems };
}

function configProblems({ plugin, from }: Loaded, config: unknown, contracts: Contracts): Problem[] {
  const { name: where, config: open = NO_CONFIG, flags } = plugin;
  const schema = closedConfig(open);
  const fault = from === 'core' ? undefined : contracts.fault(schema);
  if (fault) return [{ where, what: `its configuration schema cannot be used: ${fault}` }];
  return contracts.problems(schema, config, 'input').map(({ pointer, message }) => ({
    where,
    what: `its configuration is wrong: ${pointer.slice(1).replaceAll('/', '.') || 'it'} ${message}`,
    hint: `correct it in plugins.json${orFlag(flags?.[pointer.split('/')[1] ?? ''])}`,
  }));
}

/** The other two places where a member may have been set. */
function orFlag(flag: PluginFlag | undefined): string {
  return flag ? `, ${flag.flag} or ${variableOf({ name: flag.flag.slice(2) })}, wherever it was given` : '';
}

/** Its object in plugins.json takes no member that the plugin does not name. */
export function closedConfig(config: TypedSchema<object>): TypedSchema<object> {
  const schema = closedSchema(config.schema);
  const known = closedConfigs.get(schema) ?? typed<object>(schema);
  closedConfigs.set(schema, known);
  return known;
}
const closedConfigs = new WeakMap<object, TypedSchema<object>>();

/** Whether a configuration with problems is still whole enough to look at its plugins. */
function isLoadable({ profile, plugins, core }: Configuration['settings']): boolean {
  const objects = [plugins, core, ...Object.values(plugins ?? {}).filter((entry) => typeof entry !== 'boolean')];
  return (
    (profile === 'node' || profile === 'aggregator') && objects.every((one) => typeof one === 'object' && one !== null)
  );
}

/** Every profile begins with what core itself serves. */
export function withOperations(builtins: Builtins): Builtins {
  const { node, aggregator } = builtins.profiles;
  return { ...builtins, profiles: { node: [operations, ...node], aggregator: [operations, ...aggregator] } };
}

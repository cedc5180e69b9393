import { type Contracts, loadContracts } from '../contracts/contracts.ts';
import { CORE_SERVICES } from '../host/boot/core-services.ts';
import { checkProviders, lastOfEach } from '../host/boot/open-providers.ts';
import { type Plan, planNode } from '../host/boot/plan.ts';
import { type Configuration, type ConfigurationSource, readConfiguration } from '../host/config/configuration.ts';
import { allFlags, type Flag } from '../host/config/flags.ts';
import { pluginFlags, withPluginFlags } from '../host/loader/plugin-flags.ts';
import { describeProblem, type Problem } from '../platform/problem.ts';
import {
  COMMON_OPTIONS,
  type Command,
  type Composition,
  type NodeFlags,
  type Terminal,
  UsageError,
} from './command.ts';

/** Where a command finds its configuration: `--config FILE`, the node's flags, and the environment. */
export function sourceOf(flags: NodeFlags, { env }: Pick<Terminal, 'env'>): ConfigurationSource {
  return { ...flags, env };
}

/** The flags that a command line may hold, of plugins too where the command takes all; all there are for its help. */
export async function flagsOnLine(
  { flags, options }: Command,
  args: readonly string[],
  { builtins }: Composition,
  isHelp: boolean,
): Promise<readonly Flag[]> {
  if (flags !== 'all' && flags !== 'listed') return allFlags();
  const own = ['config', ...Object.keys(options), ...Object.keys(COMMON_OPTIONS)].map((name) => `--${name}`);
  const argv = args.filter((arg) => !own.includes(arg.split('=')[0]!));
  const at = args.findIndex((arg) => /^--config(=|$)/.test(arg));
  const file = args[at]?.includes('=') ? args[at].slice('--config='.length) : args[at + 1];
  const source = { argv, ...(at !== -1 && file !== undefined && { file }) };
  const ofPlugins = isHelp
    ? await pluginFlags(source, builtins.plugins)
    : (await withPluginFlags(source, builtins.plugins)).flags;
  return allFlags(ofPlugins);
}

/** The configuration of a command that does its work only with a whole one, and takes core's flags alone. */
export function wholeConfiguration(flags: NodeFlags, terminal: Terminal): Configuration {
  return whole(sourceOf(flags, terminal), loadContracts());
}

/** The same for a command that takes the flags of plugins too. */
export async function wholeConfigurationOfAll(
  flags: NodeFlags,
  { builtins }: Composition,
  terminal: Terminal,
  contracts: Contracts = loadContracts(),
): Promise<Configuration> {
  return whole(await withPluginFlags(sourceOf(flags, terminal), builtins.plugins), contracts);
}

function whole(source: ConfigurationSource, contracts: Contracts): Configuration {
  const found = readConfiguration(source, contracts);
  if (found.problems.length > 0) throw new UsageError(found.problems.map(describeProblem).join('\n'));
  return found;
}

export interface Checked {
  readonly configuration: Configuration;
  readonly contracts: Contracts;
  readonly plan: Plan;
  readonly problems: readonly Problem[];
}

/** Everything a start would check before it opens anything. */
export async function checkConfigured(
  flags: NodeFlags,
  composition: Composition,
  terminal: Terminal,
): Promise<Checked> {
  const contracts = loadContracts();
  const source = await withPluginFlags(sourceOf(flags, terminal), composition.builtins.plugins);
  const configuration = readConfiguration(source, contracts);
  const isWhole = configuration.problems.length === 0;
  const providers = isWhole ? lastOfEach(composition.providers(configuration.settings)) : [];
  const given = isWhole ? [...CORE_SERVICES, ...providers.map(({ token }) => token)] : undefined;
  const plan = await planNode(configuration, composition.builtins, contracts, given);
  const { settings, folder } = configuration;
  const unfit = await composition.check?.(settings, folder, contracts);
  const problems = [...checkProviders(providers, CORE_SERVICES).problems, ...plan.problems, ...(unfit ?? [])];
  return { configuration, contracts, plan, problems };
}

import { type Contracts, loadContracts } from '../contracts/contracts.ts';
import { CORE_SERVICES } from '../host/boot/core-services.ts';
import { type Plan, planNode } from '../host/boot/plan.ts';
import { checkPorts, lastOfEach } from '../host/boot/ports.ts';
import { type Configuration, type ConfigurationSource, readConfiguration } from '../host/config/configuration.ts';
import { describeProblem, type Problem } from '../platform/problem.ts';
import { type Composition, type NodeFlags, type Terminal, UsageError } from './command.ts';

/** Where a command finds its configuration: `--config FILE`, the node's flags, and the environment. */
export function sourceOf(flags: NodeFlags, { env }: Pick<Terminal, 'env'>): ConfigurationSource {
  return { ...flags, env };
}

/** The configuration of a command that does its work only with a whole one. */
export function wholeConfiguration(
  flags: NodeFlags,
  terminal: Terminal,
  contracts: Contracts = loadContracts(),
): Configuration {
  const found = readConfiguration(sourceOf(flags, terminal), contracts);
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
  const source = { plugins: composition.builtins.plugins, ...sourceOf(flags, terminal) };
  const configuration = readConfiguration(source, contracts);
  const isWhole = configuration.problems.length === 0;
  const ports = isWhole ? lastOfEach(composition.ports(configuration.settings)) : [];
  const given = isWhole ? [...CORE_SERVICES, ...ports.map(({ token }) => token)] : undefined;
  const plan = await planNode(configuration, composition.builtins, contracts, given);
  const { settings, folder } = configuration;
  const unfit = await composition.check?.(settings, folder, contracts);
  const problems = [...checkPorts(ports, CORE_SERVICES).problems, ...plan.problems, ...(unfit ?? [])];
  return { configuration, contracts, plan, problems };
}

/**
 * The life of a node or aggregator: read, plan, open, set up, mount, listen, ready, jobs; and all of it backwards at
 * stop. Nothing here ends the process.
 */

import { type Contracts, loadContracts } from '../../contracts/contracts.ts';
import { type HttpNetwork, systemHttp } from '../../http/network.ts';
import type { Settings } from '../../internal-services.ts';
import type { Clock, Random } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Problem } from '../../platform/problem.ts';
import { systemClock, systemRandom } from '../../platform/system-clock.ts';
import type { Token } from '../../plugin.ts';
import type { Provider } from '../../provider.ts';
import { type Configuration, type ConfigurationSource, readConfiguration } from '../config/configuration.ts';
import type { Builtins } from '../loader/load.ts';
import { withPluginFlags } from '../loader/plugin-flags.ts';
import { CORE_SERVICES } from './core-services.ts';
import { openFaces } from './open-faces.ts';
import { openLog } from './open-log.ts';
import { checkProviders, lastOfEach } from './open-providers.ts';
import { planNode } from './plan.ts';
import type { Reloaded } from './reload.ts';
import { BootError, type BootReport } from './report.ts';
import { RunningParts } from './running.ts';

export { type Provider, type ProviderContext, provider, value } from '../../provider.ts';
export type { ConfigurationSource } from '../config/configuration.ts';
export type { Builtins } from '../loader/load.ts';
export type { Reloaded } from './reload.ts';
export { BootError, type BootReport, describeReport, type PluginReport } from './report.ts';

export interface BootOptions {
  /** The file or value of plugins.json, with flags and variables. `env` is empty unless given. */
  readonly config: ConfigurationSource;
  /** Profiles and plugins this package brings along. */
  readonly builtins: Builtins;
  /** How core's services are made, given what is configured; a later provider replaces an earlier one of the same token. */
  readonly providers?: readonly Provider[] | ((settings: Settings) => readonly Provider[]);
  /** Further faults of settings that a schema of plugins.json cannot tell, such as those of adapters. */
  readonly check?: (settings: Settings, folder: string, contracts: Contracts) => Promise<readonly Problem[]>;
  /** JSON lines on standard output at the configured level unless given. */
  readonly log?: Log;
  readonly clock?: Clock;
  readonly random?: Random;
  /** The schemas, for processes that boot many nodes with the same plugins; each node compiles its own unless given. */
  readonly contracts?: Contracts;
  /** Where it listens and calls others; the machine's network unless given. */
  readonly network?: HttpNetwork;
  /** Check every reply and frame against its contract; on unless `env.NODE_ENV` is `production`. */
  readonly checkReplies?: boolean;
  /** Milliseconds that calls in flight get at stop; 10 000 unless given. */
  readonly grace?: number;
  /** Milliseconds between pings on WebSockets; 30 000 unless given. */
  readonly heartbeat?: number;
}

export interface RunningNode {
  /** Where this machine reaches it. */
  readonly url: string;
  /** Where others reach it: `api.publicUrl`, else the same. */
  readonly publicUrl: string;
  readonly port: number;
  /** The Bearer value of this node's API. */
  readonly apiSecret: string;
  readonly report: BootReport;
  /** A service of this node; throws when there is none. */
  get<T>(token: Token<T>): T;
  /** Reads its configuration again and takes over what can change while it runs. */
  reload(): Promise<Reloaded>;
  /** Stops everything in reverse order, within deadlines; returns what went wrong. A second call waits for the first. */
  stop(): Promise<Problem[]>;
}

/** Boots a node. Rejects with a `BootError` that has every problem, after closing what was opened. */
export async function bootNode(options: BootOptions): Promise<RunningNode> {
  const { clock = systemClock, random = systemRandom, network = systemHttp } = options;
  const { contracts = loadContracts() } = options;
  const source = await withPluginFlags(options.config, options.builtins.plugins);
  const configuration = readConfiguration(source, contracts);
  const unlogged: Problem[] = [];
  const own = options.log ? undefined : openLog(configuration.settings.log, unlogged);
  const log = options.log ?? own!;

  const parts = new RunningParts({
    ...{ configuration, source, contracts, clock, random, network, log, ...tuning(options) },
    setLevel: (wanted) => own?.setLevel(wanted),
  });
  const chosen = providersOf(options, configuration);
  const providers = lastOfEach(chosen ?? []);
  const { ordered, problems: providerProblems } = checkProviders(providers, CORE_SERVICES);
  const given = chosen && [...CORE_SERVICES, ...providers.map(({ token }) => token)];
  const plan = await planNode(configuration, options.builtins, contracts, given);
  parts.status.plan = plan;
  const unfit = await options.check?.(configuration.settings, configuration.folder, contracts);
  const early = [...unlogged, ...providerProblems, ...plan.problems, ...(unfit ?? [])];
  if (early.length > 0) throw failure(early, parts);

  try {
    failOn(await parts.prepare());
    failOn(await parts.openProviders(ordered));
    failOn(await openFaces(plan, parts));
    failOn(await parts.listen());
    failOn(await parts.becomeReady());
  } catch (error) {
    const closing = await parts.stop();
    if (!(error instanceof Problems)) throw error;
    throw failure([...error.problems, ...closing], parts);
  }
  for (const { where, what, hint } of configuration.warnings) log.warn({ where, hint }, `${where} ${what}`);
  log.info({ profile: parts.report.profile, version: parts.report.version, url: parts.url }, 'ready');
  return parts;
}

/** Undefined when the configuration is too broken to choose providers by: its problems say so. */
function providersOf(
  { providers = [] }: BootOptions,
  { settings, problems }: Configuration,
): readonly Provider[] | undefined {
  if (typeof providers !== 'function') return providers;
  return problems.length === 0 ? providers(settings) : undefined;
}

function tuning({ checkReplies, grace, heartbeat, config }: BootOptions) {
  return {
    checkReplies: checkReplies ?? config.env?.['NODE_ENV'] !== 'production',
    grace: grace ?? 10_000,
    ...(heartbeat !== undefined && { heartbeat }),
  };
}

function failure(problems: readonly Problem[], parts: RunningParts): BootError {
  parts.status.problems = problems;
  return new BootError(parts.report);
}

class Problems extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('boot failed');
    this.problems = problems;
  }
}

function failOn(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new Problems(problems);
}

import { type Contracts, loadContracts } from '../contracts/contracts.ts';
import type { Contract } from '../contracts/typed.ts';
import { CORE_SERVICES } from '../host/boot/core-services.ts';
import { lastOfEach } from '../host/boot/open-providers.ts';
import { planNode } from '../host/boot/plan.ts';
import { readConfiguration } from '../host/config/configuration.ts';
import { Components } from '../host/openapi/components.ts';
import { exampleOf } from '../host/openapi/example.ts';
import { composition, type Parts } from '../host/wiring/composition.ts';
import type { Endpoint } from '../http/route.ts';
import { messageOf, whatHelps } from '../platform/problem.ts';
import type { AnyFace, Plugin, Profile } from '../plugin.ts';
import { settingsFor, startTestNode, type TestNode, type TestNodeOptions } from './test-node.ts';

export interface PluginTrialOptions extends Omit<TestNodeOptions, 'profile' | 'log' | 'clock' | 'random'> {
  /** Input for an endpoint, by its name; made from its schemas where nothing is given. */
  readonly examples?: Readonly<Record<string, EndpointExample>>;
  /** Bearer values for guards that plugins declare, by the guard's name. */
  readonly tokens?: Readonly<Record<string, string>>;
}

export interface EndpointExample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The findings of a check. */
export interface Findings {
  /** Sentences; the plugin keeps the contract when there is none. */
  readonly problems: readonly string[];
  /** Points that could not be judged, and why. */
  readonly notes?: readonly string[];
}

/** One plugin under test in one profile. */
export class PluginTrial {
  readonly plugin: Plugin;
  readonly profile: Profile;
  readonly options: PluginTrialOptions;
  readonly contracts: Contracts = loadContracts();
  readonly #parts: Parts;

  constructor({ adapters, plugins }: Parts, plugin: Plugin, profile: Profile, options: PluginTrialOptions) {
    // A plugin is tried without the standard ones, so that what it breaks is its own.
    this.#parts = { adapters, plugins };
    this.plugin = plugin;
    this.profile = profile;
    const config = options.config ?? this.#exampleConfig();
    this.options = { ...options, config };
  }

  get face(): AnyFace {
    return this.plugin[this.profile]!;
  }

  get endpoints(): readonly (readonly [name: string, endpoint: Endpoint])[] {
    return Object.entries((this.face.routes ?? {}) as Record<string, Endpoint>);
  }

  start(instead: Partial<TestNodeOptions> = {}, plugin: Plugin = this.plugin): Promise<TestNode> {
    return startTestNode(this.#parts, plugin, { ...this.options, profile: this.profile, ...instead });
  }

  /** Faults that a start refuses before it opens anything. */
  async planProblems(): Promise<readonly string[]> {
    const { builtins, providers } = composition(this.#parts);
    const value = settingsFor(this.plugin, { ...this.options, profile: this.profile });
    const configuration = readConfiguration({ value }, this.contracts);
    const beside = (this.options.beside ?? []).map(([one]) => one);
    const plugins = Object.fromEntries([...beside, this.plugin].map((one) => [one.name, () => one]));
    const opened = lastOfEach([...providers(configuration.settings), ...(this.options.services ?? [])]);
    const given = [...CORE_SERVICES, ...opened.map(({ token }) => token)];
    const plan = await planNode(configuration, { ...builtins, plugins }, this.contracts, given);
    return plan.problems.map(whatHelps);
  }

  /** A value that fits a contract, as far as one can be made. */
  example(contract: Contract): unknown {
    const components = new Components(this.contracts);
    return exampleOf(components.use(contract), (ref) => components.resolve(ref));
  }

  #exampleConfig(): object {
    try {
      return (this.plugin.config && (this.example(this.plugin.config) as object)) ?? {};
    } catch (error) {
      throw new Error(`its configuration schema cannot be used: ${messageOf(error)}`);
    }
  }
}

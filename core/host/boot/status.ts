import type { Clock } from '../../platform/clock.ts';
import type { Problem } from '../../platform/problem.ts';
import { VERSION } from '../../platform/version.ts';
import type { NodeState } from '../../services.ts';
import type { Configuration } from '../config/configuration.ts';
import type { ExtensionTable } from './extension-table.ts';
import type { StandingFace } from './faces.ts';
import type { RunningJob } from './jobs.ts';
import type { Plan } from './plan.ts';
import type { BootReport, PluginReport } from './report.ts';
import { healthOf, ServiceHealths } from './service-healths.ts';

type PluginState = NodeState['plugins'][string];

/** The state of a node's parts, for the boot report and `/health`. */
export class NodeStatus {
  phase: NodeState['phase'] = 'starting';
  plan: Plan | undefined;
  url: string | undefined;
  jobs: readonly RunningJob[] = [];
  problems: readonly Problem[] = [];
  readonly standing: StandingFace[] = [];
  readonly notes: string[] = [];
  /** Optional plugins that failed in setup, and why. */
  readonly leftOut = new Map<string, string>();
  /** Optional plugins that could not get ready, and why. */
  readonly unready = new Map<string, string>();
  /** How the services say they are that were opened before the faces. */
  readonly services: ServiceHealths;
  readonly #configuration: Configuration;
  readonly #extensions: Pick<ExtensionTable, 'trouble'>;

  constructor(configuration: Configuration, clock: Clock, extensions: Pick<ExtensionTable, 'trouble'>) {
    this.#configuration = configuration;
    this.#extensions = extensions;
    this.services = new ServiceHealths(clock);
  }

  state(): NodeState {
    const standing = this.standing.map((one): [string, PluginState] => [one.planned.name, this.#stateOf(one)]);
    const out = this.#out().map(([name, detail]): [string, PluginState] => [name, { state: 'out', detail }]);
    const { profile } = this.#configuration.settings;
    return {
      profile,
      version: VERSION,
      phase: this.phase,
      plugins: Object.fromEntries([...standing, ...out]),
      services: this.services.told(),
    };
  }

  report(): BootReport {
    const missing = this.#out().map(([name, detail]): PluginReport => {
      return { name, from: 'optional', state: 'out', detail, ms: 0, routes: 0, streams: 0, permissions: [] };
    });
    return {
      profile: this.#configuration.settings.profile,
      version: VERSION,
      ...(this.url !== undefined && { url: this.url }),
      plugins: [...this.standing.map((one) => this.#reportOf(one)), ...missing],
      notes: this.notes,
      problems: this.problems,
    };
  }

  #reportOf({ planned, ms }: StandingFace): PluginReport {
    const { from, version } = planned.loaded;
    const endpoints = this.plan?.declarations.endpoints.filter(({ plugin }) => plugin === planned.name) ?? [];
    const routes = endpoints.filter(({ endpoint }) => endpoint.kind === 'route').length;
    const name = { name: planned.name, from, ...(version !== undefined && { version }) };
    return { ...name, state: 'ok', ms, routes, streams: endpoints.length - routes, permissions: [...planned.held] };
  }

  #stateOf({ planned, face }: StandingFace): PluginState {
    const unready = this.unready.get(planned.name);
    if (unready) return { state: 'degraded', detail: unready };
    const ill = this.jobs.find((job) => job.plugin === planned.name && job.trouble() !== undefined);
    if (ill) return { state: 'degraded', detail: `the job ${ill.name} ${ill.trouble()}` };
    const trouble = this.#extensions.trouble(planned.name);
    if (trouble !== undefined) return { state: 'degraded', detail: trouble };
    return face.health ? healthOf(face.health) : { state: 'ok' };
  }

  #out(): (readonly [name: string, reason: string])[] {
    return [...(this.plan?.out ?? []).map(({ name, reason }) => [name, reason] as const), ...this.leftOut];
  }
}

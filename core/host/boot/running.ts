import { setMaxListeners } from 'node:events';
import { GateFactory } from '../../http/gate-factory.ts';
import { builtInGuards } from '../../http/guards.ts';
import type { HttpNetwork } from '../../http/network.ts';
import { HttpServer } from '../../http/server.ts';
import * as internal from '../../internal-services.ts';
import type { Clock, Random } from '../../platform/clock.ts';
import { urlOf } from '../../platform/listen.ts';
import type { Log } from '../../platform/log.ts';
import { placeOf, thrownMessage } from '../../platform/place-of.ts';
import { describeProblem, messageOf, type Problem, remedyOf } from '../../platform/problem.ts';
import { Scope, within } from '../../platform/scope.ts';
import { VERSION } from '../../platform/version.ts';
import { ONLY_PROCESS } from '../../platform/writership.ts';
import type { Token } from '../../plugin.ts';
import type { Provider, ProviderContext } from '../../provider.ts';
import * as offered from '../../services.ts';
import { apiSecretOf } from '../config/api-secret.ts';
import type { Configuration, ConfigurationSource } from '../config/configuration.ts';
import { faceOf } from '../loader/declarations.ts';
import { type ApiDescription, describeApi } from '../openapi/document.ts';
import { describeStreams } from '../openapi/streams.ts';
import { ServiceContainer } from './container.ts';
import { EnvelopeTable } from './envelope-handlers.ts';
import { accessOf, exposureOf, keptByNobody, listenProblem, secretNote } from './exposure.ts';
import { ExtensionTable } from './extension-table.ts';
import type { FaceTools, StandingFace } from './faces.ts';
import { inspectionOf } from './inspection.ts';
import { startJob } from './jobs.ts';
import { createMetrics } from './metrics-registry.ts';
import { mount } from './mount.ts';
import { offeredMetrics } from './offered-metrics.ts';
import { openProviders } from './open-providers.ts';
import { type Reloaded, reload } from './reload.ts';
import type { BootReport } from './report.ts';
import { NodeStatus } from './status.ts';

const READY_DEADLINE = 30_000;
const JOBS_DEADLINE = 5_000;

export interface RunningOptions {
  readonly configuration: Configuration;
  /** Where the configuration came from, for reading it again. */
  readonly source: ConfigurationSource;
  readonly setLevel: (level: string) => void;
  readonly contracts: offered.Contracts;
  readonly clock: Clock;
  readonly random: Random;
  readonly network: HttpNetwork;
  readonly log: Log;
  readonly checkReplies: boolean;
  readonly grace: number;
  readonly heartbeat?: number;
}

/** A running node: its parts, opened and closed in order. */
export class RunningParts {
  readonly services = new ServiceContainer();
  readonly scope: Scope;
  readonly status: NodeStatus;
  port = 0;
  apiSecret = '';
  #level: string;
  readonly #options: RunningOptions;
  readonly #stop = new AbortController();
  readonly #metrics = createMetrics();
  readonly #envelopes: EnvelopeTable;
  readonly #extensions: ExtensionTable;
  #server: HttpServer | undefined;
  #stopped: Promise<Problem[]> | undefined;

  constructor(options: RunningOptions) {
    const { configuration, contracts, clock, random, network } = options;
    this.#options = options;
    this.#level = configuration.settings.log?.level ?? 'info';
    this.#envelopes = new EnvelopeTable(this.#metrics, clock);
    this.#extensions = new ExtensionTable(this.#metrics, clock);
    this.status = new NodeStatus(configuration, clock, this.#extensions);
    const help = '1 while the service is well, 0 while it is not; /ready says why.';
    this.#metrics.gauges('mesh_service_ok', help, 'service', () => this.status.services.well());
    this.#metrics.build({ version: VERSION, profile: configuration.settings.profile, node: process.versions.node });
    this.status.notes.push(...configuration.warnings.map((warning) => `warning: ${describeProblem(warning)}`));
    this.scope = new Scope('core', clock);
    const inspected = { status: this.status, level: () => this.#level, reload: () => this.reload() };
    const offers: [Token<any>, unknown][] = [
      [offered.Clock, clock],
      [offered.Random, random],
      [internal.HttpNetwork, network],
      [offered.Metrics, offeredMetrics(this.#metrics, options.log)],
      [offered.Contracts, contracts],
      [internal.Settings, configuration.settings],
      [internal.EnvelopeHandlers, this.#envelopes],
      [internal.ExtensionPoints, this.#extensions],
      [internal.Inspection, inspectionOf({ ...options, ...inspected })],
      [offered.Operations, this.#operations()],
    ];
    for (const [token, service] of offers) this.services.provide(token, service);
  }

  get url(): string {
    if (this.port === 0) throw new Error('the URL is not known before the node listens');
    return urlOf(this.#options.configuration.listen.host, this.port);
  }

  /** The URL at which others reach the node: the configured one, else its own. */
  get publicUrl(): string {
    return this.#options.configuration.settings.api.publicUrl?.replace(/\/$/, '') ?? this.url;
  }

  get<T>(token: Token<T>): T {
    const service = this.services.get(token);
    if (service === undefined) throw new Error(`nobody provides ${token.name}`);
    return service;
  }

  async prepare(): Promise<Problem[]> {
    const { settings } = this.#options.configuration;
    try {
      this.apiSecret = await apiSecretOf(settings.dataDir, settings.api.secret, this.#options.random);
      return [];
    } catch (error) {
      const hint = remedyOf(error);
      return [{ where: 'api.secret', what: `could not be read or made: ${messageOf(error)}`, ...(hint && { hint }) }];
    }
  }

  openProviders(ordered: readonly Provider[]): Promise<Problem[]> {
    const tell = (name: string, ...how: Parameters<ProviderContext['health']>) =>
      this.status.services.add(name, ...how);
    return openProviders(ordered, this.services, this.#portContext(), tell, this.scope, this.#options.clock);
  }

  #portContext(): Omit<ProviderContext, 'defer' | 'health'> {
    const { configuration, log } = this.#options;
    const { settings, folder } = configuration;
    const note = (text: string) => void this.status.notes.push(text);
    const { signal } = this.#stop;
    return { profile: settings.profile, settings, folder, log, signal, note, url: () => this.publicUrl };
  }

  faceTools(): FaceTools {
    const { configuration, clock, log } = this.#options;
    const { signal } = this.#stop;
    const { settings } = configuration;
    const note = (text: string) => void this.status.notes.push(text);
    return { settings, services: this.services, clock, log, signal, note, url: () => this.publicUrl };
  }

  stand(face: StandingFace): void {
    this.status.standing.push(face);
    this.#envelopes.add(face);
    this.#extensions.add(face, faceOf(face.planned.loaded, this.#options.configuration.settings.profile));
  }

  leaveOut(name: string, reason: string): void {
    this.status.leftOut.set(name, reason);
  }

  /** Mounts everything and opens the listener. */
  async listen(): Promise<Problem[]> {
    const { configuration, contracts, clock, random, network, log, checkReplies, heartbeat } = this.#options;
    const { settings, listen } = configuration;
    const { declarations } = this.status.plan!;
    const secretAt = secretNote(settings, listen, declarations.endpoints);
    if (secretAt) this.status.notes.push(secretAt);
    const { served, problems } = mount(
      declarations,
      this.status.standing,
      builtInGuards(
        accessOf(settings, listen, () => this.apiSecret),
        { audience: () => this.publicUrl, clock },
      ),
      this.services.get(internal.Till),
    );
    const idempotency = this.services.get(internal.IdempotencyStore);
    if (!idempotency) problems.push(...keptByNobody(served));
    if (problems.length > 0) return problems;
    this.#server = new HttpServer({
      served,
      contracts,
      clock,
      random,
      network,
      log,
      checkReplies,
      metrics: this.#metrics,
      errors: declarations.errors,
      gates: new GateFactory(contracts, clock, { ...settings.api, checkReplies }),
      idempotency,
      agentKeys: this.services.get(offered.AgentKeys),
      ...exposureOf(settings, listen),
      ...(heartbeat !== undefined && { heartbeat }),
    });
    try {
      this.port = await this.#server.listen(listen.host, listen.port);
      this.status.url = this.url;
      return [];
    } catch (error) {
      return [listenProblem(settings.listen, error)];
    }
  }

  /** Runs every `ready`, then starts the jobs. */
  async becomeReady(): Promise<Problem[]> {
    const { clock, random } = this.#options;
    const problems: Problem[] = [];
    for (const { planned, face, log } of this.status.standing) {
      try {
        await within(clock, READY_DEADLINE, () => face.ready?.());
      } catch (error) {
        if (planned.loaded.optional) {
          this.status.unready.set(planned.name, `getting ready failed: ${messageOf(error)}`);
          log.error({ err: error, at: placeOf(error) }, 'getting ready failed');
        } else problems.push({ where: planned.name, what: `getting ready failed: ${thrownMessage(error)}` });
      }
    }
    if (problems.length > 0) return problems;
    this.status.phase = 'ready';
    // Every job waits for this signal while it sleeps.
    setMaxListeners(0, this.#stop.signal);
    const writership = this.services.get(internal.Writer) ?? ONLY_PROCESS;
    const tools = { clock, random, metrics: this.#metrics, signal: this.#stop.signal, writership };
    this.status.jobs = this.status.standing.flatMap(({ planned, face, log }) =>
      (face.jobs ?? []).map((job) => startJob(planned.name, job, log, tools)),
    );
    return [];
  }

  async reload(): Promise<Reloaded> {
    const { configuration, source, contracts, random, setLevel, log } = this.#options;
    const setSecret = (secret: string) => {
      this.apiSecret = secret;
    };
    const inForce = { apiSecret: this.apiSecret, level: this.#level };
    const reloaded = await reload({
      ...{ configuration, source, contracts, random, ...inForce, setSecret },
      setLevel: (level) => {
        this.#level = level;
        setLevel(level);
      },
    });
    const { changed, restart, problems } = reloaded;
    if (problems.length > 0) log.error({ problems }, 'the configuration is wrong, and was not reloaded');
    else log.info({ changed, restart }, 'the configuration was reloaded');
    return reloaded;
  }

  stop(): Promise<Problem[]> {
    this.#stopped ??= this.#close();
    return this.#stopped;
  }

  get report(): BootReport {
    return this.status.report();
  }

  /** Backwards: jobs, then the listener and its sockets, then faces, then providers. */
  async #close(): Promise<Problem[]> {
    const { clock, grace } = this.#options;
    this.status.phase = 'stopping';
    this.#stop.abort(new Error('the node is stopping'));
    const problems: Problem[] = [];
    const drained = this.#server?.drain((this.#options.configuration.settings.api.drainSecs ?? 0) * 1_000);
    await Promise.all(
      this.status.jobs.map(({ plugin, name, ended }) =>
        within(clock, JOBS_DEADLINE, () => ended).catch((error: unknown) => {
          problems.push({ where: plugin, what: `the job ${name} was left behind: ${messageOf(error)}` });
        }),
      ),
    );
    await drained;
    await this.#server?.close(grace);
    for (const face of [...this.status.standing].reverse()) problems.push(...(await face.close()));
    return [...problems, ...(await this.scope.close())];
  }

  #operations(): offered.Operations {
    return {
      state: () => this.status.state(),
      look: () => this.status.services.look(),
      metrics: async () => {
        await this.status.services.look();
        return { contentType: this.#metrics.contentType, text: await this.#metrics.render() };
      },
      apiDocument: () => describeApi(this.#description()),
      streamDocument: () => describeStreams(this.#description()),
    };
  }

  /** The source of the documents: the declarations of the faces that stand. */
  #description(): ApiDescription {
    const { configuration, contracts } = this.#options;
    const { profile } = configuration.settings;
    const standing = new Set(this.status.standing.map(({ planned }) => planned.name));
    const { endpoints, ...rest } = this.status.plan!.declarations;
    const declarations = { ...rest, endpoints: endpoints.filter(({ plugin }) => standing.has(plugin)) };
    return { profile, version: VERSION, declarations, contracts, url: this.publicUrl };
  }
}

import type { Clock, Random } from '../clock.ts';
import { apiSecretOf } from '../config/api-secret.ts';
import type { Configuration } from '../config/configuration.ts';
import { urlOf } from '../config/listen.ts';
import { ServiceContainer } from '../container.ts';
import { AdmissionDesk } from '../http/admission.ts';
import { builtInGuards } from '../http/guards.ts';
import { MemoryIdempotency } from '../http/idempotency.ts';
import { HttpServer } from '../http/server.ts';
import type { Log } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { describeApi } from '../openapi/document.ts';
import type { Token } from '../plugin.ts';
import * as ports from '../ports.ts';
import { messageOf, type Problem } from '../problem.ts';
import { Scope, within } from '../scope.ts';
import { VERSION } from '../version.ts';
import { EnvelopeTable } from './envelope-handlers.ts';
import { accessOf, exposureOf, listenProblem } from './exposure.ts';
import type { FaceTools, StandingFace } from './faces.ts';
import { type RunningJob, startJob } from './jobs.ts';
import { mount } from './mount.ts';
import type { Plan } from './plan.ts';
import type { BootReport } from './report.ts';

const READY_DEADLINE = 30_000;
const JOBS_DEADLINE = 5_000;

export interface RunningOptions {
  readonly configuration: Configuration;
  readonly contracts: ports.Contracts;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly checkReplies: boolean;
  readonly grace: number;
  readonly heartbeat?: number;
}

/** What a node consists of while it runs, and how each part is opened and closed. */
export class RunningParts {
  readonly services = new ServiceContainer();
  readonly scope: Scope;
  plan: Plan | undefined;
  port = 0;
  apiSecret = '';
  readonly #options: RunningOptions;
  readonly #stop = new AbortController();
  readonly #metrics = createMetrics();
  readonly #envelopes = new EnvelopeTable(this.#metrics);
  readonly #notes: string[] = [];
  readonly #standing: StandingFace[] = [];
  readonly #leftOut = new Map<string, string>();
  #jobs: RunningJob[] = [];
  #server: HttpServer | undefined;
  #phase: ports.NodeState['phase'] = 'starting';
  #stopped: Promise<Problem[]> | undefined;

  constructor(options: RunningOptions) {
    const { configuration, contracts, clock, random } = options;
    this.#options = options;
    this.scope = new Scope('core', clock);
    const offers: [Token<any>, unknown][] = [
      [ports.Clock, clock],
      [ports.Random, random],
      [ports.Metrics, this.#metrics],
      [ports.Contracts, contracts],
      [ports.Settings, configuration.settings],
      [ports.EnvelopeHandlers, this.#envelopes],
      [ports.Operations, this.#operations()],
    ];
    for (const [token, service] of offers) this.services.provide(token, service);
  }

  get url(): string {
    const { settings, listen } = this.#options.configuration;
    if (settings.api?.publicUrl) return settings.api.publicUrl.replace(/\/$/, '');
    if (this.port === 0) throw new Error('the URL is not known before the node listens');
    return urlOf(listen.host, this.port);
  }

  get<T>(token: Token<T>): T {
    const service = this.services.get(token);
    if (service === undefined) throw new Error(`nobody provides ${token.name}`);
    return service;
  }

  async prepare(): Promise<void> {
    const { settings } = this.#options.configuration;
    this.apiSecret = await apiSecretOf(settings.dataDir, settings.api.secret, this.#options.random);
  }

  portContext() {
    const { configuration, log } = this.#options;
    const { settings } = configuration;
    const note = (text: string) => void this.#notes.push(text);
    return { profile: settings.profile, settings, log, signal: this.#stop.signal, note, url: () => this.url };
  }

  faceTools(): FaceTools {
    const { configuration, clock, log } = this.#options;
    const { signal } = this.#stop;
    return { settings: configuration.settings, services: this.services, clock, log, signal, url: () => this.url };
  }

  stand(face: StandingFace): void {
    this.#standing.push(face);
    this.#envelopes.add(face);
  }

  leaveOut(name: string, reason: string): void {
    this.#leftOut.set(name, reason);
  }

  /** Mounts everything and opens the listener. */
  async listen(): Promise<Problem[]> {
    const { configuration, contracts, clock, log, checkReplies, heartbeat } = this.#options;
    const { settings, listen } = configuration;
    const { declarations } = this.plan!;
    const { served, problems } = mount(declarations, this.#standing, builtInGuards(accessOf(settings, this.apiSecret)));
    if (problems.length > 0) return problems;
    this.#server = new HttpServer({
      served,
      contracts,
      clock,
      log,
      checkReplies,
      metrics: this.#metrics,
      errors: declarations.errors,
      desk: new AdmissionDesk(contracts, clock, settings.api.limit),
      idempotency: this.services.get(ports.IdempotencyStore) ?? new MemoryIdempotency(clock),
      ...exposureOf(settings, listen),
      ...(heartbeat !== undefined && { heartbeat }),
    });
    try {
      this.port = await this.#server.listen(listen.host, listen.port);
      return [];
    } catch (error) {
      return [listenProblem(settings.listen, error)];
    }
  }

  /** Runs every `ready`, then starts the jobs. */
  async becomeReady(): Promise<Problem[]> {
    const { clock, random } = this.#options;
    const problems: Problem[] = [];
    for (const { planned, face } of this.#standing) {
      try {
        await within(clock, READY_DEADLINE, () => face.ready?.());
      } catch (error) {
        problems.push({ where: planned.name, what: `getting ready failed: ${messageOf(error)}` });
      }
    }
    if (problems.length > 0) return problems;
    this.#phase = 'ready';
    const tools = { clock, random, metrics: this.#metrics, signal: this.#stop.signal };
    this.#jobs = this.#standing.flatMap(({ planned, face, log }) =>
      (face.jobs ?? []).map((job) => startJob(planned.name, job, log, tools)),
    );
    return [];
  }

  stop(): Promise<Problem[]> {
    this.#stopped ??= this.#close();
    return this.#stopped;
  }

  get report(): BootReport {
    const { settings } = this.#options.configuration;
    const out = [...(this.plan?.out ?? []).map(({ name, reason }) => [name, reason] as const), ...this.#leftOut];
    const plugins = this.#standing.map(({ planned, ms }) => {
      const { from, version } = planned.loaded;
      const endpoints = this.plan!.declarations.endpoints.filter(({ plugin }) => plugin === planned.name);
      const routes = endpoints.filter(({ endpoint }) => endpoint.kind === 'route').length;
      const counts = { state: 'ok' as const, ms, routes, streams: endpoints.length - routes };
      return { name: planned.name, from, ...(version && { version }), ...counts };
    });
    const missing = out.map(([name, detail]) => {
      return { name, from: 'optional', state: 'out' as const, detail, ms: 0, routes: 0, streams: 0 };
    });
    const url = this.port === 0 ? {} : { url: this.url };
    return {
      profile: settings.profile,
      version: VERSION,
      ...url,
      plugins: [...plugins, ...missing],
      notes: this.#notes,
    };
  }

  /** Backwards: jobs, then the listener and its sockets, then faces, then ports. */
  async #close(): Promise<Problem[]> {
    const { clock, grace } = this.#options;
    this.#phase = 'stopping';
    this.#stop.abort(new Error('the node is stopping'));
    const problems: Problem[] = [];
    try {
      await within(clock, JOBS_DEADLINE, () => Promise.all(this.#jobs.map(({ ended }) => ended)));
    } catch (error) {
      problems.push({ where: 'jobs', what: messageOf(error) });
    }
    await this.#server?.close(grace);
    for (const face of [...this.#standing].reverse()) problems.push(...(await face.close()));
    return [...problems, ...(await this.scope.close())];
  }

  #operations(): ports.Operations {
    const { configuration, contracts } = this.#options;
    return {
      state: () => ({
        profile: configuration.settings.profile,
        version: VERSION,
        phase: this.#phase,
        plugins: Object.fromEntries(this.#states()),
      }),
      metrics: async () => ({ contentType: this.#metrics.contentType, text: await this.#metrics.render() }),
      apiDocument: () => {
        const { profile } = configuration.settings;
        const standing = new Set(this.#standing.map(({ planned }) => planned.name));
        const { endpoints, ...rest } = this.plan!.declarations;
        const declarations = { ...rest, endpoints: endpoints.filter(({ plugin }) => standing.has(plugin)) };
        return describeApi({ profile, version: VERSION, declarations, contracts, url: this.url });
      },
    };
  }

  #states(): [string, ports.NodeState['plugins'][string]][] {
    const out = [...(this.plan?.out ?? []).map(({ name, reason }) => [name, reason] as const), ...this.#leftOut];
    return [
      ...this.#standing.map(({ planned, face }): [string, ports.NodeState['plugins'][string]] => {
        const failed = this.#jobs.find((job) => job.plugin === planned.name && job.failure() !== undefined);
        const health = face.health?.() ?? { state: 'ok' };
        return [planned.name, failed ? { state: 'degraded', detail: `the job ${failed.name} failed` } : health];
      }),
      ...out.map(([name, detail]): [string, ports.NodeState['plugins'][string]] => [name, { state: 'out', detail }]),
    ];
  }
}

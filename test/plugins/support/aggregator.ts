import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningNode } from '../../../core/host/boot/boot-node.ts';
import type { Adapters } from '../../../core/host/wiring/adapters.ts';
import { startNode } from '../../../core/host/wiring/composition.ts';
import { Network } from '../../../core/internal-services.ts';
import { type Log, silentLog } from '../../../core/platform/log.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import { tokenClaims } from '../../../core/protocol/signer/agent-token.ts';
import { plugins, standard } from '../../../plugins/index.ts';
import { TestAgent } from '../../aggregator/support/agent.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import type { ShiftedClock } from '../../support/shifted-clock.ts';
import { timedAdapters } from '../../support/timed-adapters.ts';

export const NETWORK = 'plugin-tests';
export const HOSTING_SECRET = 'a-hosting-secret-for-tests';

export interface AggregatorOptions {
  readonly storage?: Record<string, unknown>;
  readonly plugins?: Record<string, unknown>;
  readonly settings?: Record<string, unknown>;
  readonly dir?: string;
  readonly clock?: ShiftedClock;
  /** The adapters of each start, instead of this package's. */
  readonly adapters?: () => Adapters;
}

export interface Asked {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The agent whose token goes along. */
  readonly as?: TestAgent;
}

/** An aggregator as anybody starts it, with the standard plugins, on a free port and a clock that can jump. */
export class PluginAggregator {
  readonly clock: ShiftedClock;
  readonly errors: unknown[] = [];
  readonly dir: string;
  readonly #options: AggregatorOptions;
  #node: RunningNode | undefined;

  private constructor(dir: string, options: AggregatorOptions) {
    this.dir = dir;
    this.#options = options;
    this.clock = options.clock ?? new BriskClock();
  }

  static async start(options: AggregatorOptions = {}): Promise<PluginAggregator> {
    const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'mesh-plugins-')));
    const aggregator = new PluginAggregator(dir, options);
    await aggregator.begin();
    return aggregator;
  }

  async begin(): Promise<void> {
    const { storage = { use: 'memory' }, plugins: configured, settings } = this.#options;
    const log: Log = { ...silentLog, error: (fields) => void this.errors.push(fields), child: () => log };
    this.#node = await startNode({
      parts: { adapters: this.#options.adapters?.() ?? timedAdapters, plugins, standard },
      log,
      grace: 500,
      clock: this.clock,
      config: {
        folder: this.dir,
        value: {
          profile: 'aggregator',
          listen: '127.0.0.1:0',
          dataDir: join(this.dir, 'data'),
          network: { id: NETWORK },
          storage,
          plugins: { hosting: { hostingSecret: HOSTING_SECRET }, ...configured },
          ...settings,
        },
      },
    });
  }

  get node(): RunningNode {
    return this.#node!;
  }

  get url(): string {
    return this.node.url;
  }

  /** An agent of this mesh that goes by this aggregator's clock. */
  agent(name: string): TestAgent {
    return new TestAgent(name, () => this.clock.now(), this.node.get(Network));
  }

  async call(line: string, { body, headers = {}, as }: Asked = {}) {
    const [method, path] = line.split(' ') as [string, string];
    const bytes = body instanceof Uint8Array ? body : Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const token = as && tokenOf(as, { audience: this.node.publicUrl, method, target: path, body: bytes }, this.clock);
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(body !== undefined && !(body instanceof Uint8Array) && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: bytes }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  async read(path: string): Promise<any> {
    const { status, body } = await this.call(`GET ${path}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  /** Makes agents known, as their nodes would. */
  async introduce(...agents: TestAgent[]): Promise<void> {
    const items = agents.map((agent) => agent.beacon('someone').whole);
    const { body } = await this.call('POST /ingest/envelopes', { body: { items } });
    for (const result of body.results) assert.equal(result.status, 'accepted', JSON.stringify(result));
  }

  /** Signs a heartbeat as its host does. */
  heartbeat(host: TestAgent, change: Record<string, unknown> = {}, by: TestAgent = host) {
    const body = {
      ...{
        node_id: host.id,
        name: 'a host',
        api_url: 'https://93.184.216.34:8443',
        fee_bps: 50,
        hosted_agent_count: 3,
      },
      time: Math.floor(this.clock.now() / 1000),
      ...change,
    };
    const bytes = Buffer.from(JSON.stringify(body));
    const fields = { body_hash: createHash('sha256').update(bytes).digest(), time: body.time };
    const signature = by.identity.signDomain('heartbeat/1', by.network, fields);
    return {
      body: bytes,
      headers: {
        'content-type': 'application/json',
        'x-signature': Buffer.from(signature).toString('hex'),
        authorization: `Bearer ${HOSTING_SECRET}`,
      },
    };
  }

  async halt(): Promise<void> {
    await this.node.stop();
  }

  async stop(): Promise<void> {
    await this.halt();
    await rm(this.dir, { recursive: true, force: true });
  }
}

type TokenRequest = Parameters<typeof tokenClaims>[1];

export function tokenOf({ identity }: TestAgent, request: TokenRequest, clock: { now(): number }): string {
  return identity.signAgentToken(tokenClaims(identity.address, request, clock.now(), systemRandom));
}

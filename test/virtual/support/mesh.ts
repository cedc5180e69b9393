import { tmpdir } from 'node:os';
import { memoryStorage } from '../../../adapters/storage-memory/index.ts';
import { AggregatorClient } from '../../../core/client/aggregator-client.ts';
import { NodeClient } from '../../../core/client/node-client.ts';
import { loadContracts } from '../../../core/contracts/contracts.ts';
import { type RunningNode, value } from '../../../core/host/boot/boot-node.ts';
import type { Adapters } from '../../../core/host/wiring/adapters.ts';
import { startNode } from '../../../core/host/wiring/composition.ts';
import { Identity, Verifier } from '../../../core/internal-services.ts';
import { toHex } from '../../../core/platform/bytes.ts';
import { silentLog } from '../../../core/platform/log.ts';
import type { Plugin } from '../../../core/plugin.ts';
import { type Identity as IdentityValue, identityFromSeed } from '../../../core/protocol/signer/identity.ts';
import { Rows } from '../../../core/storage/rows.ts';
import { MemoryNetwork } from '../../support/memory-mesh/memory-network.ts';
import { SeededRandom } from './seeded-random.ts';
import { stateHash } from './state-hash.ts';
import { VirtualTime } from './time.ts';
import { VirtualHttp } from './virtual-http.ts';
import { VirtualVerifier } from './virtual-verifier.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** 2026-01-01, the beginning of an epoch. */
const START = Date.UTC(2026, 0, 1);
const SECRET = 'a-secret-for-tests-only';
const AGGREGATOR = 'aggregator';
/** Agents that hear every BEACON; the others ask the aggregator where a peer is, as phones do. */
const HEARING = 10;
/** Compiled once for all nodes of the process. */
const contracts = loadContracts();

export interface VirtualMeshOptions {
  readonly seed: string;
  /** How many nodes run for an agent: `agent-0`, `agent-1` and so on. */
  readonly agents: number;
  /** How many more are hubs beside the aggregator: `hub-0` and so on. */
  readonly hubs?: number;
  /** Seconds between BEACONs and between pings; an hour each. */
  readonly beaconSecs?: number;
  readonly pingSecs?: number;
  /** Plugins of every agent. */
  readonly plugins?: (member: VirtualMember) => readonly Plugin[];
}

/** One node of the mesh; what it stores and who it is outlive its restarts. */
export class VirtualMember {
  readonly name: string;
  readonly identity: IdentityValue;
  readonly rows: Rows;
  readonly client: NodeClient;
  /** For what its agent decides by chance. */
  readonly random: SeededRandom;
  readonly #boot: (member: VirtualMember) => Promise<RunningNode>;
  readonly #time: VirtualTime;
  #running: RunningNode | undefined;
  #starts = 0;

  constructor(name: string, mesh: VirtualMesh, boot: (member: VirtualMember) => Promise<RunningNode>) {
    this.name = name;
    this.random = mesh.random.branch(name);
    this.identity = identityFromSeed(this.random.branch('key').bytes(32));
    this.rows = new Rows(() => mesh.time.now());
    const { fetch } = mesh.http.host(`client-of-${name}`);
    const keys = this.random.branch('idempotency');
    const newKey = () => toHex(keys.bytes(16));
    this.client = new NodeClient({ url: urlOf(name), secret: SECRET, clock: mesh.time, fetch, newKey });
    this.#boot = boot;
    this.#time = mesh.time;
  }

  get id(): string {
    return this.identity.address;
  }

  get node(): RunningNode {
    if (!this.#running) throw new Error(`${this.name} is down`);
    return this.#running;
  }

  get up(): boolean {
    return this.#running !== undefined;
  }

  /** How often it was started; each time it draws from a source of randomness of its own. */
  get starts(): number {
    return this.#starts;
  }

  async start(): Promise<void> {
    this.#starts += 1;
    this.#running = await this.#time.until(this.#boot(this));
  }

  async stop(): Promise<void> {
    const { node } = this;
    this.#running = undefined;
    const problems = await this.#time.until(node.stop());
    if (problems.length > 0) throw new Error(`${this.name} did not stop well: ${JSON.stringify(problems)}`);
  }
}

/**
 * A whole mesh in one process: an aggregator, hubs and agents, each a node booted as in production, on one virtual
 * time. What follows from the seed: every key, nonce, jitter and latency, and the order of what happens at one moment.
 */
export class VirtualMesh {
  readonly random: SeededRandom;
  readonly time: VirtualTime;
  readonly http: VirtualHttp;
  /** The transport of the mesh; nodes have their member's name there. */
  readonly wires: MemoryNetwork;
  readonly members = new Map<string, VirtualMember>();
  readonly aggregator: AggregatorClient;
  readonly #options: VirtualMeshOptions;
  readonly #verifier = new VirtualVerifier();

  constructor(options: VirtualMeshOptions) {
    this.#options = options;
    this.random = new SeededRandom(options.seed);
    this.time = new VirtualTime(this.random.branch('order'), START);
    const latencies = this.random.branch('latency');
    const latency = () => 5 + latencies.below(60);
    this.http = new VirtualHttp(this.time, latency);
    this.wires = new MemoryNetwork(this.time, { latency });
    const { fetch } = this.http.host('watcher');
    this.aggregator = new AggregatorClient({ url: `http://${AGGREGATOR}`, clock: this.time, fetch });
    const { agents, hubs = 0 } = options;
    const hubNames = named('hub', hubs);
    this.#add(AGGREGATOR, { profile: 'aggregator', mesh: { hubs: hubNames.map(urlOf) } });
    for (const name of hubNames) this.#add(name, { mesh: { relayServer: true, aggregators: [urlOf(AGGREGATOR)] } });
    for (const [index, name] of named('agent', agents).entries()) {
      const hub = index % 10 < 2 ? hubNames[index % hubs] : undefined;
      const mesh = { aggregators: [urlOf(AGGREGATOR)], hubs: hub ? [urlOf(hub)] : [] };
      this.#add(name, { mesh: { ...mesh, ...(index >= HEARING && { topics: ['notary', 'reputation'] }) } });
    }
  }

  get agents(): VirtualMember[] {
    return [...this.members.values()].filter(({ name }) => name.startsWith('agent-'));
  }

  agent(index: number): VirtualMember {
    return this.members.get(`agent-${index}`)!;
  }

  async start(): Promise<void> {
    for (const member of this.members.values()) await member.start();
  }

  /** Stops whoever is up, the aggregator last. */
  async stop(): Promise<void> {
    for (const member of [...this.members.values()].reverse()) if (member.up) await member.stop();
  }

  /** What all stores hold. */
  hash(): string {
    return stateHash(new Map([...this.members.values()].map(({ name, rows }) => [name, rows])));
  }

  #add(name: string, { mesh, ...settings }: { profile?: 'aggregator'; mesh: object }): void {
    const { beaconSecs = HOUR / SECOND, pingSecs = HOUR / SECOND, plugins } = this.#options;
    const network = this.http.host(name);
    this.members.set(
      name,
      new VirtualMember(name, this, (member) => {
        const own = settings.profile ? [] : (plugins?.(member) ?? []);
        return startNode({
          parts: {
            adapters: this.#adapters(member),
            plugins: Object.fromEntries(own.map((one) => [one.name, () => one])),
          },
          providers: [value(Identity, member.identity), value(Verifier, this.#verifier)],
          contracts,
          clock: this.time,
          random: member.random.branch(`start-${member.starts}`),
          network,
          log: silentLog,
          checkReplies: false,
          grace: SECOND,
          config: {
            folder: tmpdir(),
            value: {
              ...settings,
              listen: '127.0.0.1:80',
              dataDir: `${tmpdir()}/unused`,
              network: { id: 'virtual' },
              agent: { name },
              mesh: { ...mesh, beaconSecs, pingSecs },
              storage: { use: 'memory' },
              api: { secret: SECRET, publicUrl: urlOf(name) },
              plugins: Object.fromEntries(own.map((one) => [one.name, {}])),
              ...(settings.profile && { core: { ingest: { newKeysPerHour: 10_000, itemsPerKeyPerMinute: 10_000 } } }),
            },
          },
        });
      }),
    );
  }

  #adapters({ name, rows }: VirtualMember): Adapters {
    const inner = this.wires.transport(name);
    const transport = {
      ...inner,
      schemes: ['ws:'],
      dial: (url: string, signal: AbortSignal) => inner.dial(`memory:${new URL(url).hostname}`, signal),
      adopt: () => undefined,
    };
    return {
      storage: { memory: async ({ clock }) => memoryStorage({ clock, rows }) },
      ledger: {},
      transports: async () => [transport],
    };
  }
}

function named(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${kind}-${index}`);
}

function urlOf(name: string): string {
  return `http://${name}`;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters } from '../../adapters/index.ts';
import type { Program } from '../../adapters/localnet/open-chain.ts';
import { type SettledLocalnet, startSettledLocalnet } from '../../adapters/localnet-settlement.ts';
import { AggregatorClient } from '../../core/client/aggregator-client.ts';
import { NodeClient } from '../../core/client/node-client.ts';
import type { RunningNode } from '../../core/host/boot/boot-node.ts';
import type { Adapters } from '../../core/host/wiring/adapters.ts';
import { startNode } from '../../core/host/wiring/composition.ts';
import type { Clock } from '../../core/platform/clock.ts';
import { type Log, silentLog } from '../../core/platform/log.ts';
import type { Plugin } from '../../core/plugin.ts';
import type { SettlementNumbers } from '../../core/protocol/settlement/numbers.ts';
import type { Provider } from '../../core/provider.ts';
import { standard, plugins as standardPlugins } from '../../plugins/index.ts';
import type { RpcFaults } from '../../schemas/types.ts';
import { BriskClock } from './brisk-clock.ts';
import { happens } from './happens.ts';
import { ShiftedClock } from './shifted-clock.ts';
import { type Watched, watch } from './sockets.ts';

const NETWORK = 'mesh-tests';
const SLOTS_PER_SECOND = 2.5;
/** Rates and caps that no test meets unless it sets its own. */
const USUAL = {
  aggregator: { ingest: { newKeysPerHour: 10_000, itemsPerKeyPerMinute: 10_000 } },
  node: {
    money: { maxEscrow: '1000000', maxStake: '1000000', maxPerDay: '1000000', maxPerPartnerPerDay: '1000000' },
    deals: { partnerStart: '999999999999', partnerLimit: '1000000', maxDisputes: 1_000 },
  },
};

export interface MeshOptions<N extends string> {
  /** The nodes to boot, by name. */
  readonly nodes: readonly N[];
  /** `lowdb` for tests that restart nodes; memory unless given. */
  readonly storage?: 'memory' | 'lowdb';
  /** Starts a localnet, gives every node 1 SOL, and these nodes USDC (decimal). One per test file: engines are not freed. */
  readonly usdc?: Partial<Record<N, string>>;
  /** Numbers of the settlement program in place of the protocol's, such as short epochs. */
  readonly numbers?: Partial<SettlementNumbers>;
  /** Programs that the localnet has beside the settlement program. */
  readonly programs?: readonly Program[];
  /** What goes wrong at the localnet's RPC, and how many RPC nodes it has; `mesh.localnet.play` changes it. */
  readonly faults?: RpcFaults;
  /** What a node calls instead of the localnet's own URL, given that URL, its name, and the URLs of all views. */
  readonly rpcUrl?: (url: string, name: string, views: readonly string[]) => string | readonly string[];
  /** Plugins of single nodes and the aggregator. */
  readonly plugins?: Partial<Record<N | 'aggregator', readonly Plugin[]>>;
  /** The time all nodes live by; the machine's unless given. `advance` moves a shifted one. */
  readonly clock?: Clock;
  /** The time single nodes live by. */
  readonly clocks?: Partial<Record<N, Clock>>;
  /** Settings on top of the usual ones, for every node. */
  readonly settings?: Record<string, any>;
  /** Services in place of core’s own, for every node. */
  readonly providers?: readonly Provider[];
  /** Nobody is to know where to dial the others. */
  readonly isolated?: boolean;
  /** Settings on top of those, for single nodes and the aggregator. */
  readonly own?: Partial<Record<N | 'aggregator', Record<string, any>>>;
  readonly log?: Log;
  /** The adapters of one node, by its name, instead of this package's. */
  readonly adapters?: (name: string) => Adapters;
}

export interface Answer {
  readonly status: number;
  readonly body: any;
  readonly headers: Headers;
}

/** One node with what a test needs of it; stays the same object over restarts. */
export class Member {
  readonly name: string;
  readonly #boot: () => Promise<RunningNode>;
  #running: RunningNode | undefined;
  id = '';

  constructor(name: string, boot: () => Promise<RunningNode>) {
    this.name = name;
    this.#boot = boot;
  }

  get node(): RunningNode {
    if (!this.#running) throw new Error(`${this.name} is down`);
    return this.#running;
  }

  get url(): string {
    return this.node.url;
  }

  get secret(): string {
    return this.node.apiSecret;
  }

  get client(): NodeClient {
    return new NodeClient({ url: this.url, secret: this.secret });
  }

  async start(): Promise<void> {
    this.#running = await this.#boot();
    this.id = (await this.client.identity()).agent_id;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    const problems = await running?.stop();
    if (problems?.length) throw new Error(`${this.name} did not stop well: ${JSON.stringify(problems)}`);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** A call with the API secret, unless `headers` says otherwise; whatever comes back. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.secret}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.call('POST', path, body, headers);
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  /** A stream, watched by a socket of its own. */
  watch(path: string): Watched {
    return watch(this.url + path);
  }

  /** The deal as this node shows it once `is` holds. */
  dealWhen(conversation: string, is: string | ((deal: any) => boolean)) {
    return happens(`a deal of ${this.name}: ${is}`, async () => {
      const deal = await this.client.deal(conversation).catch(() => undefined);
      return deal && (typeof is === 'string' ? deal.state === is : is(deal)) ? deal : undefined;
    });
  }
}

export interface Mesh<N extends string> {
  readonly nodes: Readonly<Record<N, Member>>;
  readonly aggregator: AggregatorClient;
  readonly aggregatorNode: RunningNode;
  /** Holds the data folder of every node, by its name. */
  readonly folder: string;
  /** Only with `usdc`. */
  readonly localnet: SettledLocalnet;
  /** Time jumps ahead for every node and for the ledger, in seconds and, at two and a half a second, slots. */
  advance(seconds: number): void;
  /** Resolves when every running node knows where to dial every other. */
  acquainted(): Promise<void>;
  /** Stops everything and removes its files. */
  stop(): Promise<void>;
}

/** An aggregator and nodes in this process, talking over real sockets on free ports, acquainted with each other. */
export async function startMesh<const N extends string>(options: MeshOptions<N>): Promise<Mesh<N>> {
  const { nodes: names, storage = 'memory', usdc, numbers = {}, rpcUrl = same, log = silentLog } = options;
  const folder = await mkdtemp(join(tmpdir(), 'mesh-'));
  const shifted = options.clock instanceof ShiftedClock ? options.clock : new BriskClock();
  const clock = options.clock ?? shifted;
  const localnet =
    usdc &&
    (await startSettledLocalnet({
      log: silentLog,
      admin: true,
      networkId: NETWORK,
      numbers,
      ...(options.programs && { programs: options.programs }),
      ...(options.faults && { faults: options.faults }),
    }));
  const advance = (seconds: number) => {
    shifted.shift(seconds * 1000);
    localnet?.warp({ seconds, slots: Math.ceil(seconds * SLOTS_PER_SECOND), blocks: 1 });
  };
  // At the start of an epoch, so that how much fits into it does not depend on the time of day.
  if (numbers.epochSecs) advance(numbers.epochSecs - (Math.floor(shifted.now() / 1000) % numbers.epochSecs));

  function boot(name: string, profile: 'node' | 'aggregator', aggregators: string[], plugins: readonly Plugin[] = []) {
    const { mesh, ledger, ...settings }: Record<string, object> = options.settings ?? {};
    const own: Record<string, object> = options.own?.[name as N] ?? {};
    const value = {
      profile,
      listen: '127.0.0.1:0',
      dataDir: join(folder, name),
      network: { id: NETWORK },
      agent: { name },
      storage: { use: storage },
      plugins: Object.fromEntries(plugins.map((plugin) => [plugin.name, {}])),
      ...settings,
      ...own,
      mesh: { aggregators, ...mesh, ...own['mesh'] },
      ledger: {
        ...(localnet && { ...rpcOf(rpcUrl, localnet, name), ...localnet.settlement }),
        ...ledger,
        ...own['ledger'],
      },
      core: { ...USUAL[profile], ...settings['core'], ...own['core'] },
    };
    const builtins = Object.fromEntries(plugins.map((plugin) => [plugin.name, () => plugin]));
    const parts = {
      adapters: options.adapters?.(name) ?? adapters,
      plugins: { ...standardPlugins, ...builtins },
      standard,
    };
    const time = options.clocks?.[name as N] ?? clock;
    const providers = options.providers ?? [];
    return startNode({ parts, log, providers, grace: 1_000, config: { value, folder }, clock: time });
  }

  const aggregatorNode = await boot('aggregator', 'aggregator', [], options.plugins?.aggregator);
  const members = names.map(
    (name) => new Member(name, () => boot(name, 'node', [aggregatorNode.url], options.plugins?.[name])),
  );
  const nodes = Object.fromEntries(members.map((member) => [member.name, member])) as Record<N, Member>;
  for (const member of members) await member.start();
  const mesh: Mesh<N> = {
    nodes,
    aggregator: new AggregatorClient({ url: aggregatorNode.url }),
    aggregatorNode,
    folder,
    get localnet() {
      if (!localnet) throw new Error('this mesh has no ledger; give it usdc');
      return localnet;
    },
    advance,
    async acquainted() {
      for (const member of members) {
        const others = members.filter((other) => other !== member).map(({ id }) => id);
        await happens(`${member.name} knows the others`, async () => {
          const known = new Set((await member.client.peers()).filter(({ url }) => url).map(({ agent_id }) => agent_id));
          const listed = new Set((await mesh.aggregator.agents()).filter(({ url }) => url).map((one) => one.agent_id));
          return others.every((id) => known.has(id) || listed.has(id)) || undefined;
        });
      }
    },
    async stop() {
      for (const member of members) await member.stop();
      await aggregatorNode.stop();
      await localnet?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  if (localnet) {
    for (const member of members) {
      await localnet.faucet.sol(member.id, 1_000_000_000n);
      const amount = usdc?.[member.name as N];
      if (amount) await localnet.faucet.usdc(member.id, BigInt(Math.round(Number(amount) * 1e6)));
    }
  }
  if (!options.isolated) await mesh.acquainted();
  return mesh;
}

function same(url: string): string {
  return url;
}

function rpcOf(rpcUrl: NonNullable<MeshOptions<string>['rpcUrl']>, { url, views }: SettledLocalnet, name: string) {
  const chosen = rpcUrl(
    url,
    name,
    views.map((view) => view.url),
  );
  return typeof chosen === 'string' ? { rpcUrl: chosen } : { rpcUrls: chosen };
}

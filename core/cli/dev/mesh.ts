import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RpcFaults } from '../../../schemas/types.ts';
import { AggregatorClient } from '../../client/aggregator-client.ts';
import { NodeClient } from '../../client/node-client.ts';
import { KEY_FILE } from '../../host/backup/manifest.ts';
import type { RunningNode } from '../../host/boot/boot-node.ts';
import { openKeyFile } from '../../host/key-file.ts';
import { type Parts, startNode } from '../../host/wiring/composition.ts';
import { Identity, Ledger } from '../../internal-services.ts';
import type { Log } from '../../platform/log.ts';
import { makeFolder } from '../../platform/new-file.ts';
import { systemRandom } from '../../platform/system-clock.ts';
import { networkNameIn } from './data-folder.ts';
import { freePorts } from './free-ports.ts';
import type { DevPorts, DevStorage } from './options.ts';
import { startRedis } from './redis.ts';
import type { RunningUpstreams, UpstreamLedger, Upstreams } from './upstreams.ts';

/** The embedded ledger, as the adapter that is handed in starts it. */
export type StartLocalnet = (options: {
  port: number;
  /** Without it the chain is gone when it stops. */
  dir?: string;
  log: Log;
  networkId?: string;
  /** Faults that its RPC makes on purpose. */
  faults?: RpcFaults;
  programs?: Upstreams['programs'];
  /** Serves methods that change accounts and time, too. */
  admin?: boolean;
}) => Promise<{
  readonly url: string;
  readonly wsUrl: string;
  readonly genesisHash: string;
  /** Every RPC node of it, its own first. */
  readonly views: readonly { readonly url: string }[];
  /** Its settlement program, for the mesh of that network. */
  readonly settlement: SettlementSettings;
  readonly faucet: UpstreamLedger['faucet'];
  stop(): Promise<void>;
}>;

interface SettlementSettings {
  readonly program: string;
  readonly config: string;
}

export interface DevMesh {
  readonly rpcUrl: string;
  /** `network.id` of the mesh. */
  readonly networkId: string;
  readonly settlement: SettlementSettings;
  readonly aggregator: { readonly url: string; readonly client: AggregatorClient };
  readonly requester: DevNode;
  readonly worker: DevNode;
  /** All nodes, those two first. */
  readonly nodes: readonly DevNode[];
  /** Fills the wallets of agents that have spent more than half of what they began with. */
  refill(): Promise<void>;
  /** The stand-ins, where they were asked for. */
  readonly upstreams: RunningUpstreams['services'];
  stop(): Promise<void>;
}

export interface DevNode {
  readonly name: string;
  readonly url: string;
  readonly agentId: string;
  readonly client: NodeClient;
}

/** A part of the mesh that has just come up. */
export interface StartedPart {
  readonly name: string;
  readonly url: string;
  /** In place of which service it stands. */
  readonly about?: string;
  readonly agentId?: string;
  /** The default port, when it was busy. */
  readonly insteadOf?: number;
}

/** An agent of the mesh, which has a node of its own. */
export interface DevAgent {
  readonly name: string;
  /** Buys: it gets USDC at the start, and its money counts as an ordinary buyer's. */
  readonly buys?: boolean;
  /** Gets USDC without counting as an ordinary buyer. */
  readonly hasMoney?: boolean;
}

export interface DevMeshOptions {
  readonly folder: string;
  readonly ports: DevPorts;
  readonly storage: DevStorage;
  readonly parts: Parts;
  readonly startLocalnet: StartLocalnet;
  /** The agents, the requester and the worker first; those two alone unless given. */
  readonly agents?: readonly DevAgent[];
  /** Stand-ins for the services outside of the mesh, which its members then use. */
  readonly upstreams?: Upstreams | undefined;
  readonly log: Log;
  /** Between two parts the start gives up when it is aborted. */
  readonly signal: AbortSignal;
  /** Told of each part when it is up. */
  readonly started: (part: StartedPart) => void;
}

const TWO: readonly DevAgent[] = [{ name: 'requester', buys: true }, { name: 'word-counter' }];
const PORTS = { aggregator: 9080, node: 9090, rpc: 8899, redis: 6390 };
/** Milliseconds that calls in flight get when a node stops. */
const GRACE = 1_000;
const ENOUGH_LAMPORTS = 1_000_000_000n;
const ENOUGH_USDC = 1_000_000_000n;
/** The demo trades without end, with money that a faucet made. */
const DEMO_MONEY = { maxEscrow: '1000', maxStake: '1000', maxPerDay: '1000000', maxPerPartnerPerDay: '1000000' };
/** Agents of a demo bind themselves to strangers for more than others would. */
const DEMO_DEALS = { partnerStart: '100', partnerLimit: '1000' };

/** Starts a ledger, an aggregator and the nodes of the agents in this process. A failure stops the parts already started. */
export async function startDevMesh(options: DevMeshOptions): Promise<DevMesh> {
  const { folder, ports: asked, startLocalnet, log, signal, started, agents = TWO } = options;
  const ports = await freePorts({
    node: { flag: '--port', asked: asked.node, standard: PORTS.node, count: agents.length },
    aggregator: { flag: '--aggregator-port', asked: asked.aggregator, standard: PORTS.aggregator, count: 1 },
    rpc: { flag: '--rpc-port', asked: asked.rpc, standard: PORTS.rpc, count: 2 },
    redis: { flag: '--storage', asked: undefined, standard: PORTS.redis, count: 1 },
  });
  const moved = (name: keyof typeof asked, offset = 0) =>
    ports[name] === (asked[name] ?? PORTS[name]) ? {} : { insteadOf: PORTS[name] + offset };
  const networkId = networkNameIn(folder);
  const running: { stop(): Promise<unknown> }[] = [];
  const stop = async () => {
    for (const part of running.splice(0).reverse()) await part.stop();
  };
  try {
    const beside = options.upstreams && { programs: options.upstreams.programs, admin: true };
    const ledger = await startLocalnet({ port: ports.rpc, dir: join(folder, 'ledger'), log, networkId, ...beside });
    running.push(ledger);
    started({ name: 'ledger', url: ledger.url, ...moved('rpc') });

    const upstreams = await options.upstreams?.start(ledger);
    if (upstreams) {
      running.push(upstreams);
      for (const service of upstreams.services) started(service);
      const urls = Object.fromEntries(upstreams.services.map(({ name, url }) => [name, url]));
      writeFileSync(join(folder, 'upstreams.json'), `${JSON.stringify(urls)}\n`);
    }

    signal.throwIfAborted();
    let redis: string | undefined;
    if (options.storage === 'redis') {
      const server = await startRedis(join(folder, 'redis'), ports.redis, log);
      running.push(server);
      redis = server.url;
      started({ name: 'redis', url: redis });
    }

    signal.throwIfAborted();
    const surroundings = {
      ledger: { rpcUrl: ledger.url, ...ledger.settlement },
      ...{ networkId, redis, plugins: upstreams?.plugins },
    };
    const anchors = agents.filter(({ buys }) => buys).map(({ name }) => anchorOf(folder, name));
    const aggregator = await member('aggregator', ports.aggregator, options, surroundings, { anchors });
    running.push(aggregator);
    await fund(aggregator, aggregator.get(Identity).address, ledger.faucet, 0n);
    started({ name: 'aggregator', url: aggregator.url, ...moved('aggregator') });

    const nodes: DevNode[] = [];
    const wallets: (() => Promise<void>)[] = [];
    for (const [offset, { name, buys, hasMoney }] of agents.entries()) {
      signal.throwIfAborted();
      const node = await member(name, ports.node + offset, options, surroundings, { aggregators: [aggregator.url] });
      running.push(node);
      const described = await describe(name, node);
      const fill = () => fund(node, described.agentId, ledger.faucet, buys || hasMoney ? ENOUGH_USDC : 0n);
      await fill();
      wallets.push(fill);
      started({ name, url: node.url, agentId: described.agentId, ...moved('node', offset) });
      nodes.push(described);
    }
    const client = new AggregatorClient({ url: aggregator.url });
    const [requester, worker] = nodes as [DevNode, DevNode];
    const { settlement, url: rpcUrl } = ledger;
    return {
      ...{ rpcUrl, networkId, settlement, aggregator: { url: aggregator.url, client }, requester, worker },
      ...{ nodes, upstreams: upstreams?.services ?? [], stop },
      async refill() {
        for (const fill of wallets) await fill();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Everything around a member of the mesh. */
interface Surroundings {
  readonly ledger: SettlementSettings & { readonly rpcUrl: string };
  readonly networkId: string;
  readonly redis: string | undefined;
  readonly plugins: RunningUpstreams['plugins'] | undefined;
}

function member(
  name: string,
  port: number,
  { folder, parts, log }: DevMeshOptions,
  { ledger, networkId, redis, plugins }: Surroundings,
  { aggregators = [], anchors }: { readonly aggregators?: string[]; readonly anchors?: readonly string[] },
): Promise<RunningNode> {
  return startNode({
    parts,
    log: log.child({ node: name }),
    grace: GRACE,
    config: {
      value: {
        profile: anchors ? 'aggregator' : 'node',
        listen: `127.0.0.1:${port}`,
        dataDir: join(folder, name),
        network: { id: networkId },
        agent: { name },
        mesh: { aggregators },
        ledger,
        storage: redis === undefined ? { use: 'lowdb' } : { use: 'redis', url: redis, prefix: `mesh-${name}` },
        core: anchors
          ? { reputation: { anchors }, evidence: { keep: true } }
          : { money: DEMO_MONEY, deals: DEMO_DEALS },
        plugins: plugins?.[anchors ? 'aggregator' : 'node'] ?? {},
      },
    },
  });
}

/** A buyer is an ordinary buyer of its own mesh: its key is made before the aggregator starts, which lists it. */
function anchorOf(folder: string, name: string): string {
  const dir = join(folder, name);
  makeFolder(dir);
  return openKeyFile(join(dir, KEY_FILE), systemRandom).address;
}

async function describe(name: string, node: RunningNode): Promise<DevNode> {
  const client = new NodeClient({ url: node.url, secret: node.apiSecret });
  const { agent_id } = await client.identity();
  return { name, url: node.url, agentId: agent_id, client };
}

/** Tops up what is below half; a wallet of an earlier run keeps what it has. */
async function fund(node: RunningNode, address: string, faucet: UpstreamLedger['faucet'], usdc: bigint): Promise<void> {
  const ledger = node.get(Ledger);
  const { lamports } = await ledger.balances(address);
  if (lamports < ENOUGH_LAMPORTS / 2n) await faucet.sol(address, ENOUGH_LAMPORTS);
  if ((await ledger.usdc(address)) < usdc / 2n) await faucet.usdc(address, usdc);
}

import { join } from 'node:path';
import type { RunningNode } from '../boot/boot-node.ts';
import { AggregatorClient } from '../client/aggregator-client.ts';
import { NodeClient } from '../client/node-client.ts';
import type { Log } from '../log.ts';
import { Ledger } from '../ports.ts';
import { type Parts, startNode } from '../wiring/composition.ts';
import { freePorts } from './free-ports.ts';
import type { DevPorts } from './options.ts';

/** The embedded ledger, as the adapter that is handed in starts it. */
export type StartLocalnet = (options: { port: number; dir: string; log: Log }) => Promise<{
  readonly url: string;
  readonly faucet: {
    sol(address: string, lamports: bigint): Promise<string>;
    usdc(owner: string, minor: bigint): Promise<string>;
  };
  stop(): Promise<void>;
}>;

export interface DevMesh {
  readonly rpcUrl: string;
  readonly aggregator: Member & { readonly client: AggregatorClient };
  readonly requester: Member & { readonly client: NodeClient };
  readonly worker: Member & { readonly client: NodeClient };
  stop(): Promise<void>;
}

interface Member {
  readonly url: string;
  readonly agentId: string;
  readonly apiSecret: string;
}

export interface DevMeshOptions {
  readonly folder: string;
  readonly ports: DevPorts;
  readonly parts: Parts;
  readonly startLocalnet: StartLocalnet;
  readonly log: Log;
  /** Told of each part as it starts. */
  readonly progress: (text: string) => void;
}

const NETWORK = 'local';
const ENOUGH_LAMPORTS = 1_000_000_000n;
const ENOUGH_USDC = 1_000_000_000n;

/** Starts a ledger, an aggregator and two nodes in this process. What was started is stopped when a part fails. */
export async function startDevMesh(options: DevMeshOptions): Promise<DevMesh> {
  const { folder, ports, startLocalnet, log, progress } = options;
  const taken = new Set<number>();
  const node = await freePorts('--port', ports.node, 9090, 2, taken);
  const aggregatorPort = await freePorts('--aggregator-port', ports.aggregator, 9080, 1, taken);
  const rpc = await freePorts('--rpc-port', ports.rpc, 8899, 2, taken);
  const running: { stop(): Promise<unknown> }[] = [];
  const stop = async () => {
    for (const part of running.reverse()) await part.stop();
    running.length = 0;
  };
  try {
    progress('Starting the ledger ...');
    const ledger = await startLocalnet({ port: rpc, dir: join(folder, 'ledger'), log });
    running.push(ledger);
    progress('Starting the aggregator ...');
    const aggregator = await member('aggregator', aggregatorPort, options, ledger.url, []);
    running.push(aggregator);
    progress('Starting two nodes ...');
    const requester = await member('requester', node, options, ledger.url, [aggregator.url]);
    running.push(requester);
    const worker = await member('word-counter', node + 1, options, ledger.url, [aggregator.url]);
    running.push(worker);
    const parts = [describeMember(aggregator), await describeNode(requester), await describeNode(worker)] as const;
    progress('Giving the requester USDC and both nodes SOL ...');
    await fund(requester, parts[1].agentId, ledger.faucet, ENOUGH_USDC);
    await fund(worker, parts[2].agentId, ledger.faucet, 0n);
    return {
      rpcUrl: ledger.url,
      aggregator: { ...parts[0], agentId: '', client: new AggregatorClient({ url: aggregator.url }) },
      requester: parts[1],
      worker: parts[2],
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function member(
  name: string,
  port: number,
  { folder, parts, log }: DevMeshOptions,
  rpcUrl: string,
  aggregators: string[],
): Promise<RunningNode> {
  return startNode({
    parts,
    log: log.child({ node: name }),
    grace: 1_000,
    config: {
      value: {
        profile: name === 'aggregator' ? 'aggregator' : 'node',
        listen: `127.0.0.1:${port}`,
        dataDir: join(folder, name),
        network: { id: NETWORK },
        agent: { name },
        mesh: { aggregators },
        ledger: { rpcUrl },
        plugins: {},
      },
    },
  });
}

function describeMember({ url, apiSecret }: RunningNode) {
  return { url, apiSecret };
}

async function describeNode(node: RunningNode) {
  const client = new NodeClient({ url: node.url, secret: node.apiSecret });
  const { agent_id } = await client.identity();
  return { ...describeMember(node), agentId: agent_id, client };
}

async function fund(node: RunningNode, address: string, faucet: Faucet, usdc: bigint): Promise<void> {
  const ledger = node.get(Ledger);
  const { lamports } = await ledger.balances(address);
  if (lamports < ENOUGH_LAMPORTS) await faucet.sol(address, ENOUGH_LAMPORTS);
  if ((await ledger.usdc(address)) < usdc / 2n) await faucet.usdc(address, usdc);
}

type Faucet = Awaited<ReturnType<StartLocalnet>>['faucet'];

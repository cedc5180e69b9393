import { aggregatorProfile } from '../../aggregator/index.ts';
import { agentsPort } from '../../aggregator/offered/agents-port.ts';
import type { Contracts } from '../../contracts/contracts.ts';
import type { Settings } from '../../internal-services.ts';
import { nodeProfile } from '../../node/index.ts';
import { nodePorts } from '../../node/ports.ts';
import type { Problem } from '../../platform/problem.ts';
import type { Port } from '../../provider.ts';
import { type BootOptions, type Builtins, bootNode, type RunningNode } from '../boot/boot-node.ts';
import { adapterProblems } from './adapter-settings.ts';
import type { Adapters } from './adapters.ts';
import { blobsPort } from './blobs-port.ts';
import { diskPort } from './disk-port.ts';
import { idempotencyPort } from './idempotency-port.ts';
import { haltPort, identityPort, networkPort, verifierPort } from './identity-port.ts';
import { ledgerPort } from './ledger-port.ts';
import { meshInboundPort, meshListenerPort, meshPort, resolverPort } from './mesh-port.ts';
import { blobsOfPluginsPort } from './offered/blobs-port.ts';
import { httpPort } from './offered/http-port.ts';
import { selfPort } from './self-port.ts';
import { storePort } from './store-port.ts';
import { transactionsPort } from './transactions-port.ts';

/** What this package brings along beside core; `bin/mesh.js` hands it in. */
export interface Parts {
  readonly adapters: Adapters;
  readonly plugins: Builtins['plugins'];
}

/** What a node or aggregator is made of, whatever its configuration says. */
export interface Composition {
  /** The ports of every profile. */
  readonly common: (settings: Settings) => readonly Port[];
  readonly builtins: Builtins;
  readonly ports: (settings: Settings) => readonly Port[];
  /** What is wrong with the settings of the adapters that were chosen. */
  readonly check: (settings: Settings, folder: string, contracts: Contracts) => Promise<readonly Problem[]>;
}

export function composition({ adapters, plugins }: Parts): Composition {
  return {
    builtins: { profiles: { node: nodeProfile, aggregator: aggregatorProfile }, plugins },
    common: (settings) => commonPorts(settings, adapters),
    ports: (settings) => [
      ...commonPorts(settings, adapters),
      ...(settings.profile === 'node' ? nodePorts : [agentsPort]),
    ],
    check: (settings, folder, contracts) => adapterProblems(settings, folder, adapters, contracts),
  };
}

export interface StartOptions extends Omit<BootOptions, 'builtins' | 'ports' | 'check'> {
  readonly parts: Parts;
  /** Services in place of core's own, for tests. */
  readonly ports?: readonly Port[];
}

/** Starts a node or an aggregator as its configuration says. */
export function startNode({ parts, ports: own = [], ...options }: StartOptions): Promise<RunningNode> {
  const { builtins, ports, check } = composition(parts);
  return bootNode({ ...options, builtins, check, ports: (settings) => [...ports(settings), ...own] });
}

function commonPorts(settings: Settings, adapters: Adapters): Port[] {
  const { rpcUrl, rpcUrls = rpcUrl === undefined ? [] : [rpcUrl] } = settings.ledger;
  const [first, ...others] = rpcUrls;
  return [
    diskPort,
    storePort(adapters),
    idempotencyPort,
    haltPort,
    blobsPort,
    identityPort,
    networkPort,
    selfPort,
    blobsOfPluginsPort,
    httpPort,
    verifierPort,
    resolverPort,
    meshInboundPort,
    meshListenerPort(adapters),
    meshPort,
    ...(first === undefined ? [] : [ledgerPort(adapters, [first, ...others]), transactionsPort]),
  ];
}

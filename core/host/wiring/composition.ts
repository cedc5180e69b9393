import { aggregatorProfile } from '../../aggregator/index.ts';
import { agentsProvider } from '../../aggregator/offered/agents-provider.ts';
import { ownerLinksProvider } from '../../aggregator/offered/owner-links-provider.ts';
import { handingProvider, writerProvider } from '../../aggregator/writer/writer-provider.ts';
import type { Contracts } from '../../contracts/contracts.ts';
import type { Settings } from '../../internal-services.ts';
import { nodeProfile } from '../../node/index.ts';
import { nodeProviders } from '../../node/providers.ts';
import type { Problem } from '../../platform/problem.ts';
import type { Provider } from '../../provider.ts';
import { type BootOptions, type Builtins, bootNode, type RunningNode } from '../boot/boot-node.ts';
import { adapterProblems } from './adapter-settings.ts';
import type { Adapters } from './adapters.ts';
import { blobsProvider, uploadedBlobsProvider } from './blobs-provider.ts';
import { diskProvider } from './disk-provider.ts';
import { idempotencyProvider } from './idempotency-provider.ts';
import { identityProvider, networkProvider, signingLockProvider, verifierProvider } from './identity-provider.ts';
import { ledgerProvider } from './ledger-provider.ts';
import { meshInboundProvider, meshListenerProvider, meshProvider, resolverProvider } from './mesh-provider.ts';
import { blobsOfPluginsProvider } from './offered/blobs-provider.ts';
import { cardKeysProvider } from './offered/card-keys-provider.ts';
import { httpProvider } from './offered/http-provider.ts';
import { ledgerAccountsProvider } from './offered/ledger-accounts-provider.ts';
import { signaturesProvider } from './offered/signatures-provider.ts';
import { transactionsOfPluginsProvider } from './offered/transactions-provider.ts';
import { selfProvider } from './self-provider.ts';
import { storeProvider } from './store-provider.ts';
import { transactionsProvider } from './transactions-provider.ts';

const aggregatorProviders: readonly Provider[] = [
  agentsProvider,
  uploadedBlobsProvider,
  ownerLinksProvider,
  handingProvider,
  writerProvider,
];

/** The parts of this package beside core; `bin/mesh.js` hands them in. */
export interface Parts {
  readonly adapters: Adapters;
  readonly plugins: Builtins['plugins'];
  /** The plugins that each profile has without a line in plugins.json. */
  readonly standard?: NonNullable<Builtins['standard']>;
}

/** The parts of a node or aggregator, whatever its configuration says. */
export interface Composition {
  /** The providers of every profile. */
  readonly common: (settings: Settings) => readonly Provider[];
  readonly builtins: Builtins;
  readonly providers: (settings: Settings) => readonly Provider[];
  /** Faults in the settings of the chosen adapters. */
  readonly check: (settings: Settings, folder: string, contracts: Contracts) => Promise<readonly Problem[]>;
}

export function composition({ adapters, plugins, standard }: Parts): Composition {
  return {
    builtins: {
      profiles: { node: nodeProfile, aggregator: aggregatorProfile },
      plugins,
      ...(standard && { standard }),
    },
    common: (settings) => commonProviders(settings, adapters),
    providers: (settings) => [
      ...commonProviders(settings, adapters),
      ...(settings.profile === 'node' ? nodeProviders : aggregatorProviders),
    ],
    check: (settings, folder, contracts) => adapterProblems(settings, folder, adapters, contracts),
  };
}

export interface StartOptions extends Omit<BootOptions, 'builtins' | 'providers' | 'check'> {
  readonly parts: Parts;
  /** Services in place of core's own, for tests. */
  readonly providers?: readonly Provider[];
}

/** Starts a node or an aggregator as its configuration says. */
export function startNode({ parts, providers: own = [], ...options }: StartOptions): Promise<RunningNode> {
  const { builtins, providers, check } = composition(parts);
  return bootNode({ ...options, builtins, check, providers: (settings) => [...providers(settings), ...own] });
}

function commonProviders(settings: Settings, adapters: Adapters): Provider[] {
  const { rpcUrl, rpcUrls = rpcUrl === undefined ? [] : [rpcUrl] } = settings.ledger;
  const [first, ...others] = rpcUrls;
  return [
    diskProvider,
    storeProvider(adapters),
    idempotencyProvider,
    signingLockProvider,
    blobsProvider,
    identityProvider,
    networkProvider,
    selfProvider,
    blobsOfPluginsProvider,
    httpProvider,
    transactionsOfPluginsProvider,
    ledgerAccountsProvider,
    verifierProvider,
    signaturesProvider,
    cardKeysProvider,
    resolverProvider,
    meshInboundProvider,
    meshListenerProvider(adapters),
    meshProvider,
    ...(first === undefined ? [] : [ledgerProvider(adapters, [first, ...others]), transactionsProvider]),
  ];
}

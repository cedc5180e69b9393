import { genesisHashOf } from '../../ledger/clusters.ts';
import type { Cluster } from '../../ledger/ledger.ts';
import type { WalletConfig } from '../wallet/wallet-config.ts';

/**
 * The cluster that offers of x402 name. A localnet may go by the name of another one, whose USDC it has; an offer that gave a public
 * cluster a false name would have buyers sign for another ledger, so that stops the start.
 */
export function shownCluster(cluster: Cluster, { x402As }: Pick<WalletConfig, 'x402As'>): Cluster {
  if (x402As === undefined) return cluster;
  if (cluster.name !== 'localnet')
    throw new Error(
      `core.wallet.x402As is for a localnet, and the ledger is of the cluster ${cluster.name}: leave it out of plugins.json.`,
    );
  return { ...cluster, name: x402As, genesisHash: genesisHashOf(x402As)! };
}

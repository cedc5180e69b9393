import { clusterName, usdcMintOf } from '../../core/ledger/clusters.ts';
import type { Cluster } from '../../core/ledger/ledger.ts';
import type { JsonRpc } from './json-rpc.ts';
import type { Witnesses } from './witnesses.ts';

/** Which cluster a node is of; throws where there is no USDC and none is given. */
export async function clusterOf(rpc: JsonRpc, usdcMint: string | undefined): Promise<Cluster> {
  const genesisHash = await genesisHashOf(rpc);
  const name = clusterName(genesisHash);
  const mint = usdcMint ?? usdcMintOf(name);
  if (mint === undefined)
    throw new Error(`There is no official USDC on the cluster ${genesisHash} (${name}): configure the mint to use.`);
  return { name, genesisHash, usdcMint: mint };
}

/** Throws where a node is of another cluster than the first. */
export async function checkSameCluster({ all }: Witnesses): Promise<void> {
  const [first, ...others] = await Promise.all(all.map(genesisHashOf));
  const other = others.findIndex((hash) => hash !== first);
  if (other !== -1)
    throw new Error(
      `RPC ${other + 2} of the ledger is of another cluster (${others[other]}) than RPC 1 (${first}): give RPCs of one cluster.`,
    );
}

async function genesisHashOf(rpc: JsonRpc): Promise<string> {
  return (await rpc.ask('getGenesisHash', [])).address();
}

import { clusterName, usdcMintOf } from '../../core/ledger/clusters.ts';
import type { Cluster } from '../../core/ledger/ledger.ts';
import { Answer } from './answers.ts';
import type { JsonRpc } from './json-rpc.ts';

/** Which cluster a node is of; throws where there is no USDC and none is given. */
export async function clusterOf(rpc: JsonRpc, usdcMint: string | undefined): Promise<Cluster> {
  const genesisHash = new Answer(await rpc.call('getGenesisHash', []), 'getGenesisHash').text();
  const name = clusterName(genesisHash);
  const mint = usdcMint ?? usdcMintOf(name);
  if (mint === undefined)
    throw new Error(`There is no official USDC on the cluster ${genesisHash} (${name}): configure the mint to use.`);
  return { name, genesisHash, usdcMint: mint };
}

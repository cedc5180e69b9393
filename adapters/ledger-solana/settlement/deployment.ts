import bs58 from 'bs58';
import type { Cluster } from '../../../core/ledger/ledger.ts';
import { equalBytes } from '../../../core/platform/bytes.ts';
import type { SettlementNumbers } from '../../../core/protocol/settlement/numbers.ts';
import { type Account, type Commitment, publicKey, readAccounts } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { type AccountValues, decodeAccount, networkHash } from '../program/index.ts';
import { portNumbers } from './numbers.ts';

/** Where the settlement program of a mesh is, as plugins.json names it. */
export interface SettlementAddress {
  readonly programId: string;
  readonly config: string;
  /** `network.id`: part of the network that the config account stores. */
  readonly networkId: string;
}

/** A deployment that was found on the ledger and is the one that was meant. */
export interface FoundDeployment {
  readonly programId: string;
  readonly config: string;
  readonly mint: string;
  readonly treasury: string;
  readonly network: Uint8Array;
  readonly numbers: SettlementNumbers;
}

/** Reads the config account; throws with a plain sentence when it is not the deployment of this mesh. */
export async function findDeployment(
  rpc: JsonRpc,
  cluster: Cluster,
  address: SettlementAddress,
  commitment: Commitment = 'finalized',
): Promise<FoundDeployment> {
  const { config } = address;
  const [account] = await readAccounts(rpc, [publicKey(config)], commitment);
  if (!account) throw refusal(config, `does not exist on ${cluster.name}`, 'is ledger.config of this cluster?');
  return deploymentOf(account, cluster, address);
}

/** The same of the config account, as it was read. */
export function deploymentOf(
  account: Account,
  cluster: Cluster,
  { programId, config, networkId }: SettlementAddress,
): FoundDeployment {
  if (account.owner !== programId)
    throw refusal(config, `belongs to ${account.owner}, not to the program ${programId}`, 'check ledger.program');
  const values = decodeAccount(programId, 'config', account);
  if (!values) throw refusal(config, 'is no config account of the settlement program', 'check ledger.config');
  checkParties(values, cluster, { programId, config, networkId });
  const { mint, treasury, network } = values;
  return { programId, config, mint, treasury, network, numbers: portNumbers(values) };
}

function checkParties(values: AccountValues<'config'>, cluster: Cluster, address: SettlementAddress): void {
  const { config, networkId } = address;
  if (values.mint !== cluster.usdcMint)
    throw refusal(config, `is for the mint ${values.mint}, not for USDC ${cluster.usdcMint}`, 'deploy one for USDC');
  const place = { ...address, mint: values.mint, treasury: values.treasury };
  const network = networkHash(place, { genesisHash: bs58.decode(cluster.genesisHash), networkId });
  if (!equalBytes(network, values.network))
    throw refusal(
      config,
      `was made for another network than "${networkId}" on ${cluster.name}`,
      'set network.id to the name it was deployed with',
    );
}

function refusal(config: string, what: string, hint: string): Error {
  return new Error(`The settlement config ${config} ${what}; ${hint}.`);
}

import type { Cluster } from '../../../core/ledger/ledger.ts';
import type { DeployOptions } from '../../../core/ledger/program-deployment.ts';
import { type Commitment, publicKey, readAccountsAt } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';
import type { DeployedProgram } from '../program/index.ts';
import { deploymentOf, type FoundDeployment } from '../settlement/deployment.ts';
import { deployedOf, programAccounts } from './deployed.ts';

/** A deployment as it stands on the ledger, all as of one moment. */
export interface Standing {
  readonly program: DeployedProgram | 'nothing' | 'other';
  /** Undefined while there is none. */
  readonly config: FoundDeployment | undefined;
}

/** Throws when the config account is another mesh's, and `ledger_unavailable` when the node is behind the slot. */
export async function readStanding(
  rpc: JsonRpc,
  cluster: Cluster,
  { keys, networkId }: Pick<DeployOptions, 'keys' | 'networkId'>,
  commitment: Commitment,
  atLeast = 0,
): Promise<Standing> {
  const programId = keys.program.address;
  const config = keys.config.address;
  const addresses = [...programAccounts(programId), publicKey(config)];
  const { value } = await readAccountsAt(rpc, addresses, commitment, atLeast);
  const [account, data, made] = value;
  return {
    program: deployedOf(account, data),
    config: made ? deploymentOf(made, cluster, { programId, config, networkId }) : undefined,
  };
}

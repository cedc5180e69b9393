import { toHex } from '../../../core/bytes.ts';
import type { Clock } from '../../../core/clock.ts';
import type { ProgramReport, VerifyOptions } from '../../../core/ledger/program-deployment.ts';
import { clusterOf } from '../cluster.ts';
import { publicKey, readAccounts } from '../holdings.ts';
import { JsonRpc } from '../json-rpc.ts';
import { decodeAccount, isProgram, readProgram } from '../program/index.ts';
import { findDeployment } from '../settlement/deployment.ts';
import { portNumbers } from '../settlement/numbers.ts';
import { readDeployed } from './deployed.ts';

/** What is deployed, and whether it is what this version means. */
export async function verifySettlement(options: VerifyOptions, clock: Clock): Promise<ProgramReport> {
  const { program, config: address, networkId } = options;
  const rpc = new JsonRpc(options.rpcUrl, clock);
  try {
    const cluster = await clusterOf(rpc, options.usdcMint);
    const problems: string[] = [];
    const deployed = await readDeployed(rpc, program);
    const matches = deployed !== undefined && isProgram(deployed, readProgram());
    if (!deployed) problems.push(`There is no program at ${program} on ${cluster.name}.`);
    else if (!matches) problems.push('The program on the ledger is not the one of this version.');
    const config = address === undefined ? undefined : await readConfig(rpc, program, address);
    if (address !== undefined && !config) problems.push(`${address} is no config account of the program ${program}.`);
    if (config && networkId !== undefined)
      await findDeployment(rpc, cluster, { programId: program, config: config.address, networkId }).catch(
        (error: Error) => problems.push(error.message),
      );
    const upgradeAuthority = deployed?.upgradeAuthority ?? null;
    return { cluster: cluster.name, program, matches, upgradeAuthority, ...(config && { config }), problems };
  } finally {
    rpc.close();
  }
}

async function readConfig(rpc: JsonRpc, program: string, address: string): Promise<ProgramReport['config']> {
  const [account] = await readAccounts(rpc, [publicKey(address)], 'finalized');
  const values = account ? decodeAccount(program, 'config', account) : undefined;
  if (!values) return undefined;
  const { mint, treasury, network } = values;
  return { address, mint, treasury, network: toHex(network), numbers: portNumbers(values) };
}

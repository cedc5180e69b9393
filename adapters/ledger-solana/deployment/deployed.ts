import { publicKey, readAccounts } from '../holdings.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { type DeployedProgram, decodeProgramData, LOADER, programDataAddress } from '../program/index.ts';

const FINAL_LOADER = 'BPFLoader2111111111111111111111111111111111';

/** A deployed program, by either loader; undefined when there is none at the address. */
export async function readDeployed(rpc: JsonRpc, program: string): Promise<DeployedProgram | undefined> {
  const [account, data] = await readAccounts(rpc, [publicKey(program), publicKey(programDataAddress(program))]);
  if (account?.owner === FINAL_LOADER) return { upgradeAuthority: undefined, bytes: account.data };
  return account?.owner === LOADER && data ? decodeProgramData(data) : undefined;
}

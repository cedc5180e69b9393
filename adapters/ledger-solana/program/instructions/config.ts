import { type Deployment, eventAuthorityAddress, tokenAddress } from '../addresses.ts';
import { type ProgramInstruction, programInstruction } from '../instruction.ts';
import type { Numbers } from '../layout/accounts.ts';

export interface NetworkName {
  /** Genesis hash of the cluster, 32 bytes. */
  readonly genesisHash: Uint8Array;
  /** `network.id`: 1 to 64 bytes of UTF-8. */
  readonly networkId: string;
}

/**
 * Sets the numbers of a deployment. The config account must have been created with `CONFIG_SIZE` bytes, owned by the
 * program, and signs.
 */
export function initConfig(deployment: Deployment, network: NetworkName, numbers: Numbers): ProgramInstruction {
  return programInstruction(deployment.programId, 'initConfig', {
    accounts: {
      config: deployment.config,
      mint: deployment.mint,
      treasuryAta: tokenAddress(deployment, deployment.treasury),
      eventAuthority: eventAuthorityAddress(deployment),
    },
    args: { ...network, ...numbers, treasury: deployment.treasury },
  });
}

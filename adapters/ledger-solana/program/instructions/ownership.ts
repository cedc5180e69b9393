import { type Deployment, ownerLinkAddress } from '../addresses.ts';
import { type ProgramInstruction, programInstruction } from '../instruction.ts';

/**
 * Signed by the payer. The two instructions directly before it must be `ed25519Instruction` over `ownerText`, signed by
 * the owner, and then over `ownerStatement`, signed by the key.
 */
export function claimOwner(deployment: Deployment, key: string, payer: string): ProgramInstruction {
  const accounts = { payer, config: deployment.config, ownerLink: ownerLinkAddress(deployment, key) };
  return programInstruction(deployment.programId, 'claimOwner', { accounts, args: {} });
}

import { agentAddress, type Deployment } from '../addresses.ts';
import { type ProgramInstruction, programInstruction } from '../instruction.ts';

export interface Batch {
  readonly epoch: bigint;
  readonly count: number;
  /** 32 bytes; zero when the count is 0. */
  readonly root: Uint8Array;
}

/** Signed by the key. */
export function submitBatch(deployment: Deployment, key: string, batch: Batch): ProgramInstruction {
  const accounts = { key, config: deployment.config, agent: agentAddress(deployment, key) };
  return programInstruction(deployment.programId, 'submitBatch', { accounts, args: batch });
}

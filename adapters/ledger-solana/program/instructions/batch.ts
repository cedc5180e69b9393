import { accusationAddress, agentAddress, type Deployment, tokenAddress, vaultAddress } from '../addresses.ts';
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

/**
 * Signed by the accuser. The instruction directly before it must be `ed25519Instruction` over `envelopeStatement` of
 * the header, signed by the agent's key. `id` is the id of that header.
 */
export function accuse(deployment: Deployment, key: string, id: Uint8Array, accuser: string): ProgramInstruction {
  const accusation = accusationAddress(deployment, key, id);
  const accounts = { accuser, accusation, ...slashing(deployment, key, accuser) };
  return programInstruction(deployment.programId, 'accuse', { accounts, args: {} });
}

export interface OpenAccusation {
  readonly key: string;
  readonly id: Uint8Array;
  readonly accuser: string;
}

/** Signed by the answerer; `siblings` lead from the accused leaf to the root, leaf level first. */
export function answer(
  deployment: Deployment,
  { key, id, accuser }: OpenAccusation,
  answerer: string,
  siblings: readonly Uint8Array[],
): ProgramInstruction {
  return programInstruction(deployment.programId, 'answer', {
    accounts: {
      answerer,
      config: deployment.config,
      agent: agentAddress(deployment, key),
      accusation: accusationAddress(deployment, key, id),
      accuser,
      treasury: deployment.treasury,
    },
    args: {},
    tail: Buffer.concat(siblings),
  });
}

/** Another leaf that the root holds at the accused index, with its siblings. */
export interface OtherLeaf {
  readonly leaf: Uint8Array;
  readonly siblings: readonly Uint8Array[];
}

/** Signed by nobody in particular. Without `other`: the time to answer is over, or the accusation is void. */
export function convict(
  deployment: Deployment,
  { key, id, accuser }: OpenAccusation,
  other?: OtherLeaf,
): ProgramInstruction {
  const accusation = accusationAddress(deployment, key, id);
  return programInstruction(deployment.programId, 'convict', {
    accounts: { accusation, accuser, ...slashing(deployment, key, accuser) },
    args: {},
    ...(other && { tail: Buffer.concat([other.leaf, ...other.siblings]) }),
  });
}

/** Signed by the caller, who gets the bounty. */
export function slashInactive(deployment: Deployment, key: string, caller: string): ProgramInstruction {
  const accounts = { caller, ...slashing(deployment, key, caller) };
  return programInstruction(deployment.programId, 'slashInactive', { accounts, args: {} });
}

function slashing(deployment: Deployment, key: string, beneficiary: string) {
  const agent = agentAddress(deployment, key);
  return {
    config: deployment.config,
    agent,
    vault: vaultAddress(deployment, agent),
    bounty: tokenAddress(deployment, beneficiary),
    treasuryAta: tokenAddress(deployment, deployment.treasury),
  };
}

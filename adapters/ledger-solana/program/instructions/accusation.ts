import bs58 from 'bs58';
import { concatBytes } from '../../../../core/platform/bytes.ts';
import { keccak256 } from '../../../../core/protocol/envelopes/keccak.ts';
import {
  accusationAddress,
  agentAddress,
  announcementAddress,
  type Deployment,
  tokenAddress,
  vaultAddress,
} from '../addresses.ts';
import { type ProgramInstruction, programInstruction } from '../instruction.ts';

const COMMITMENT = Uint8Array.of(2);

/** An accusation that an accuser announces; only a reader that knows all three fields can recognise it in the hash. */
export interface Announced {
  readonly key: string;
  /** Id of the header, 32 bytes. */
  readonly id: Uint8Array;
  readonly accuser: string;
}

/** The hash that an announcement shows. */
export function accusationCommitment(deployment: Deployment, { key, id, accuser }: Announced): Uint8Array {
  const agent = bs58.decode(agentAddress(deployment, key));
  return keccak256(concatBytes(COMMITMENT, bs58.decode(accuser), agent, id));
}

/** Signed by the accuser, who pays the rent until it accuses or retracts. */
export function announce(deployment: Deployment, announced: Announced): ProgramInstruction {
  const commitment = accusationCommitment(deployment, announced);
  const accounts = announcement(deployment, announced.accuser, commitment);
  return programInstruction(deployment.programId, 'announce', { accounts, args: { commitment } });
}

/** Signed by the accuser: takes back an announcement that no accusation followed. */
export function retract(deployment: Deployment, announced: Announced): ProgramInstruction {
  const commitment = accusationCommitment(deployment, announced);
  const accounts = announcement(deployment, announced.accuser, commitment);
  return programInstruction(deployment.programId, 'retract', { accounts, args: {} });
}

function announcement(deployment: Deployment, accuser: string, commitment: Uint8Array) {
  const { config } = deployment;
  return { accuser, config, announcement: announcementAddress(deployment, accuser, commitment) };
}

/**
 * Signed by the accuser. The instruction directly before it must be `ed25519Instruction` over `envelopeStatement` of
 * the header, signed by the agent's key. `id` is the id of that header, which the accuser has announced.
 */
export function accuse(deployment: Deployment, key: string, id: Uint8Array, accuser: string): ProgramInstruction {
  const accusation = accusationAddress(deployment, key, id);
  const commitment = accusationCommitment(deployment, { key, id, accuser });
  const announcement = announcementAddress(deployment, accuser, commitment);
  const accounts = { accuser, announcement, accusation, ...slashing(deployment, key, accuser) };
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

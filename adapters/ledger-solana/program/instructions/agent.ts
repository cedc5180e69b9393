import { agentAddress, type Deployment, tokenAddress, vaultAddress } from '../addresses.ts';
import { type ProgramInstruction, programInstruction } from '../instruction.ts';

/** Signed by key and payer (the key by default). */
export function openAgent(deployment: Deployment, key: string, agentId: string, payer = key): ProgramInstruction {
  const accounts = { key, payer, ...place(deployment, key) };
  return programInstruction(deployment.programId, 'openAgent', { accounts, args: { agentId } });
}

/** Signed by the key. */
export function setAgentId(deployment: Deployment, key: string, agentId: string): ProgramInstruction {
  const accounts = { key, ...place(deployment, key) };
  return programInstruction(deployment.programId, 'setAgentId', { accounts, args: { agentId } });
}

export interface LeasePayment {
  readonly payer: string;
  readonly epochs: number;
  /** Refused when it costs more, as when the agent was deactivated meanwhile. */
  readonly maxAmount: bigint;
  /** The payments that the account has counted; refused when it is another number. */
  readonly payments: number;
}

/** Signed by the payer. */
export function payLease(deployment: Deployment, key: string, payment: LeasePayment): ProgramInstruction {
  const { payer, ...args } = payment;
  const accounts = {
    payer,
    ...place(deployment, key),
    source: tokenAddress(deployment, payer),
    treasuryAta: tokenAddress(deployment, deployment.treasury),
  };
  return programInstruction(deployment.programId, 'payLease', { accounts, args });
}

export interface StakeDeposit {
  readonly stakeOwner: string;
  readonly amount: bigint;
  /** The first stake of an agent: the key signs too. */
  readonly first: boolean;
  /** The payments that the account has counted; refused when it is another number. */
  readonly payments: number;
}

/** Signed by the stake owner, and by the key when it is the first stake. */
export function addStake(deployment: Deployment, key: string, deposit: StakeDeposit): ProgramInstruction {
  const { stakeOwner, amount, first, payments } = deposit;
  const agent = agentAddress(deployment, key);
  return programInstruction(deployment.programId, 'addStake', {
    accounts: {
      stakeOwner,
      key,
      ...place(deployment, key),
      vault: vaultAddress(deployment, agent),
      source: tokenAddress(deployment, stakeOwner),
      mint: deployment.mint,
    },
    args: { amount, payments },
    alsoSign: first ? ['key'] : [],
  });
}

/** Signed by `authority`, the key or the stake owner. */
export function requestUnlock(deployment: Deployment, key: string, authority: string): ProgramInstruction {
  const accounts = { authority, ...place(deployment, key) };
  return programInstruction(deployment.programId, 'requestUnlock', { accounts, args: {} });
}

/** Signed by key and stake owner. */
export function resume(deployment: Deployment, key: string, stakeOwner: string): ProgramInstruction {
  const accounts = { key, stakeOwner, ...place(deployment, key) };
  return programInstruction(deployment.programId, 'resume', { accounts, args: {} });
}

/** Signed by the stake owner. */
export function withdraw(deployment: Deployment, key: string, stakeOwner: string): ProgramInstruction {
  const { config, agent } = place(deployment, key);
  const accounts = {
    stakeOwner,
    config,
    agent,
    vault: vaultAddress(deployment, agent),
    destination: tokenAddress(deployment, stakeOwner),
  };
  return programInstruction(deployment.programId, 'withdraw', { accounts, args: {} });
}

function place(deployment: Deployment, key: string) {
  return { config: deployment.config, agent: agentAddress(deployment, key) };
}

import {
  type Deployment,
  type EscrowName,
  escrowAddress,
  NO_ADDRESS,
  tokenAddress,
  vaultAddress,
} from '../addresses.ts';
import { type ProgramInstruction, programInstruction } from '../instruction.ts';

export interface EscrowTerms extends EscrowName {
  /** The key that may decide once it is contested. */
  readonly notary?: string;
  /** USDC minor units. */
  readonly amount: bigint;
  /** Minor units that the requester risks by a dispute; at most twice the amount. */
  readonly bond: bigint;
  /** Unix seconds. */
  readonly deadline: bigint;
  readonly reviewSecs: bigint;
  /** Id of the ACCEPT, 32 bytes. */
  readonly terms: Uint8Array;
  /** The lowest share that a dispute may offer the provider; 5000 is half. */
  readonly disputeBps: number;
}

/** Signed by the requester, who pays amount and bond from its associated token account (or `source`) and the rent. */
export function lockEscrow(deployment: Deployment, terms: EscrowTerms, source?: string): ProgramInstruction {
  const escrow = escrowAddress(deployment, terms);
  const { requester, notary = NO_ADDRESS, ...args } = terms;
  return programInstruction(deployment.programId, 'lockEscrow', {
    accounts: {
      requester,
      config: deployment.config,
      escrow,
      vault: vaultAddress(deployment, escrow),
      source: source ?? tokenAddress(deployment, requester),
      mint: deployment.mint,
    },
    args: { ...args, notary },
  });
}

/** Signed by the provider: the release goes to this token account instead. */
export function setPayee(deployment: Deployment, name: EscrowName, payee: string): ProgramInstruction {
  const accounts = { provider: name.provider, ...place(deployment, name), payee };
  return programInstruction(deployment.programId, 'setPayee', { accounts, args: {} });
}

/** Signed by the provider; `delivery` is the id of the DELIVER, 32 bytes. */
export function deliver(deployment: Deployment, name: EscrowName, delivery: Uint8Array): ProgramInstruction {
  const accounts = { provider: name.provider, ...place(deployment, name) };
  return programInstruction(deployment.programId, 'deliver', { accounts, args: { delivery } });
}

/** Signed by the requester, who offers the provider this share; while disputed, a higher one. */
export function dispute(deployment: Deployment, name: EscrowName, offerBps: number): ProgramInstruction {
  const accounts = { requester: name.requester, ...place(deployment, name) };
  return programInstruction(deployment.programId, 'dispute', { accounts, args: { offerBps } });
}

/** Signed by the provider, who refuses the offer where it is at most `maxBps`. */
export function contest(deployment: Deployment, name: EscrowName, maxBps: number): ProgramInstruction {
  const accounts = { provider: name.provider, ...place(deployment, name) };
  return programInstruction(deployment.programId, 'contest', { accounts, args: { maxBps } });
}

/** Signed by the notary. Sets what is due; `split` pays it. */
export function decide(
  deployment: Deployment,
  name: EscrowName,
  notary: string,
  forProvider: boolean,
): ProgramInstruction {
  const accounts = { notary, ...place(deployment, name) };
  return programInstruction(deployment.programId, 'decide', { accounts, args: { forProvider: forProvider ? 1 : 0 } });
}

/** Signed by the requester. `payee` is the one the escrow account records. */
export function approve(deployment: Deployment, name: EscrowName, payee?: string): ProgramInstruction {
  return programInstruction(deployment.programId, 'approve', { accounts: paying(deployment, name, payee), args: {} });
}

/** Signed by the provider. */
export function refund(deployment: Deployment, name: EscrowName): ProgramInstruction {
  const accounts = { provider: name.provider, ...closing(deployment, name) };
  return programInstruction(deployment.programId, 'refund', { accounts, args: {} });
}

/** Signed by nobody in particular. */
export function reclaim(deployment: Deployment, name: EscrowName): ProgramInstruction {
  return programInstruction(deployment.programId, 'reclaim', { accounts: closing(deployment, name), args: {} });
}

/** Signed by nobody in particular. */
export function claim(deployment: Deployment, name: EscrowName, payee?: string): ProgramInstruction {
  return programInstruction(deployment.programId, 'claim', { accounts: paying(deployment, name, payee), args: {} });
}

/** Signed by nobody in particular. */
export function split(deployment: Deployment, name: EscrowName, payee?: string): ProgramInstruction {
  const accounts = { ...paying(deployment, name, payee), mint: deployment.mint };
  return programInstruction(deployment.programId, 'split', { accounts, args: {} });
}

function place(deployment: Deployment, name: EscrowName) {
  return { config: deployment.config, escrow: escrowAddress(deployment, name) };
}

function closing(deployment: Deployment, name: EscrowName) {
  const { config, escrow } = place(deployment, name);
  const refundTo = tokenAddress(deployment, name.requester);
  return { config, escrow, vault: vaultAddress(deployment, escrow), refundTo, requester: name.requester };
}

function paying(deployment: Deployment, name: EscrowName, payee = tokenAddress(deployment, name.provider)) {
  return { ...closing(deployment, name), payee };
}

import { role } from './roles.ts';

/** Accounts that several instructions name alike. */
export const config = role('config', 'config account');
export const escrow = role('escrow', 'escrow account', 'w');
export const agent = role('agent', 'agent account', 'w');
export const announcement = role('announcement', 'announcement account', 'w');
export const accusation = role('accusation', 'accusation account', 'w');
export const escrowVault = role('vault', "the escrow's vault", 'w');
export const agentVault = role('vault', "the agent's stake vault", 'w');
export const payee = role('token', 'recorded payee', 'w');
export const refundTo = role('token', 'associated token account of the requester', 'w');
export const rentTo = role('wallet', 'the requester, who gets the rent', 'w');
export const treasuryAta = role('token', 'token account of the treasury', 'w');
export const mint = role('mint', 'the USDC mint');
export const tokenProgram = role('tokenProgram', 'SPL Token');
export const systemProgram = role('systemProgram', 'System program');
export const sysvar = role('instructionsSysvar', 'instructions sysvar');

/** The accounts of the call that carries the event. */
export const emitting = {
  eventAuthority: role('eventAuthority', 'what signs events'),
  program: role('program', 'this program'),
};

export const closing = { refundTo, requester: rentTo, tokenProgram, ...emitting };
export const paying = { config, escrow, vault: escrowVault, payee, ...closing };

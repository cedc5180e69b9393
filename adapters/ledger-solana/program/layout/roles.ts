/**
 * What the dispatcher checks of an account before the handler runs. Only `wallet` accounts may coincide with one
 * another; every other pair must differ.
 * - `config` `escrow` `agent` `accusation`: owned by the program, of that kind and size, of this config, at its PDA
 * - `newConfig` `fresh`: to be created; `vault` `token`: checked by the handler against what is recorded
 * - `tokenProgram` `systemProgram` `instructionsSysvar`: compared with their fixed addresses
 */
export type AccountKind =
  | 'wallet'
  | 'config'
  | 'escrow'
  | 'agent'
  | 'accusation'
  | 'newConfig'
  | 'fresh'
  | 'vault'
  | 'token'
  | 'mint'
  | 'tokenProgram'
  | 'systemProgram'
  | 'instructionsSysvar';

/** Accounts whose address never varies. */
export type FixedKind = 'tokenProgram' | 'systemProgram' | 'instructionsSysvar';

export interface AccountRole<K extends AccountKind = AccountKind> {
  readonly kind: K;
  readonly signer: boolean;
  readonly writable: boolean;
  readonly doc: string;
}

export function role<K extends AccountKind>(kind: K, doc: string, flags: '' | 'w' | 's' | 'sw' = ''): AccountRole<K> {
  return { kind, doc, signer: flags.includes('s'), writable: flags.includes('w') };
}

/**
 * The dispatcher's checks of an account, before the handler runs. Only `wallet` accounts may coincide with one another;
 * every other pair must differ.
 * - `config` `escrow` `agent` `announcement` `accusation`: owned by the program, of that kind and size, of this config, at its PDA
 * - `newConfig` `fresh`: to be created; `vault` `token`: checked by the handler against what is recorded
 * - `tokenProgram` `systemProgram` `instructionsSysvar`: compared with their fixed addresses
 * - `program` `eventAuthority`: the program itself, and the signer of its events, compared with the config
 */
export type AccountKind =
  | 'wallet'
  | 'config'
  | 'escrow'
  | 'agent'
  | 'announcement'
  | 'accusation'
  | 'newConfig'
  | 'fresh'
  | 'vault'
  | 'token'
  | 'mint'
  | 'tokenProgram'
  | 'systemProgram'
  | 'instructionsSysvar'
  | 'program'
  | 'eventAuthority';

/** Accounts that a caller need not name: they never vary within a deployment. */
export type FixedKind = 'tokenProgram' | 'systemProgram' | 'instructionsSysvar' | 'program' | 'eventAuthority';

export interface AccountRole<K extends AccountKind = AccountKind> {
  readonly kind: K;
  readonly signer: boolean;
  readonly writable: boolean;
  readonly doc: string;
}

export function role<K extends AccountKind>(kind: K, doc: string, flags: '' | 'w' | 's' | 'sw' = ''): AccountRole<K> {
  return { kind, doc, signer: flags.includes('s'), writable: flags.includes('w') };
}

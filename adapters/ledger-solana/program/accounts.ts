import { type LeaseStatus, leaseStatus as statusAt } from '../../../core/protocol/settlement/lease-status.ts';
import { ACCOUNTS, type AccountName, type AccountValues, AGENT_STATES, ESCROW_STATES } from './layout/accounts.ts';
import { decodeFields } from './layout/codec.ts';
import { sizeOf } from './layout/fields.ts';

/** An account as the ledger holds it. */
export interface RawAccount {
  readonly owner: string;
  readonly data: Uint8Array;
}

export const CONFIG_SIZE: number = sizeOf(ACCOUNTS.config.fields);

/** The values of an account of this kind; undefined when it belongs to another program or is of another kind. */
export function decodeAccount<N extends AccountName>(
  programId: string,
  name: N,
  account: RawAccount,
): AccountValues<N> | undefined {
  const { discriminator, fields } = ACCOUNTS[name];
  if (account.owner !== programId || account.data.length !== sizeOf(fields)) return undefined;
  if (Buffer.from(account.data.subarray(0, 8)).toString('latin1') !== discriminator) return undefined;
  return decodeFields(fields, account.data) as AccountValues<N>;
}

export type EscrowState = (typeof ESCROW_STATES)[number];
export type AgentState = (typeof AGENT_STATES)[number];

export function escrowState(escrow: AccountValues<'escrow'>): EscrowState {
  return ESCROW_STATES[escrow.state] ?? 'none';
}

export function agentState(agent: AccountValues<'agent'>): AgentState {
  return AGENT_STATES[agent.state] ?? 'none';
}

/** True while the agent must submit a batch of every epoch. */
export function hasDuties(agent: AccountValues<'agent'>): boolean {
  const state = agentState(agent);
  return state === 'active' || (state === 'leaving' && agent.last < agent.until);
}

/** A pure function of the account and the clock. */
export function leaseStatus(
  agent: AccountValues<'agent'>,
  config: AccountValues<'config'>,
  unixSeconds: bigint,
): LeaseStatus {
  const epoch = Number(unixSeconds / config.epochSecs);
  return statusAt({ paidThrough: Number(agent.paidThrough) }, { graceEpochs: Number(config.graceEpochs) }, epoch);
}

import type { SchemaTypes } from '../../../schemas/types.ts';
import type { EscrowName } from '../../ledger/settlement-steps.ts';
import { collection, log, type Ref } from '../../storage/declarations.ts';

export type StoredPosition = SchemaTypes['stored-ledger-position'];
export type StoredLedgerEvent = SchemaTypes['stored-ledger-event'];
export type StoredStake = SchemaTypes['stored-stake'];
export type StoredEscrow = SchemaTypes['stored-escrow'];
export type StoredFlow = SchemaTypes['stored-flow'];

/** How far the settlement program's history has been read; one document per config account. */
export const positions = collection<StoredPosition>('ledger-positions', { schema: 'stored-ledger-position' });

/** The program's events as they were finalised, found by conversation and by every agent they name. */
export const ledgerEvents = log<StoredLedgerEvent>('ledger-events', {
  schema: 'stored-ledger-event',
  postings: ({ facts }) => {
    const named = facts as Readonly<Record<string, unknown>>;
    const postings = POSTED.flatMap((field) => (typeof named[field] === 'string' ? [named[field]] : []));
    return postings as string[];
  },
});

const POSTED = ['conversation_id', 'key', 'requester', 'provider', 'notary', 'accuser', 'owner'] as const;

/** Stake, batches and lease by key. The account on the ledger is the truth; `stale` ones wait to be read. */
export const stakes = collection<StoredStake, 'stale'>('stakes', {
  schema: 'stored-stake',
  indexes: { stale: ({ stale }) => (stale ? [0] : undefined) },
});

/** Escrows by their parties and conversation; a later one of the same name takes the place of one that has ended. */
export const escrows = collection<StoredEscrow, 'conversation' | 'agent' | 'stale'>('escrows', {
  schema: 'stored-escrow',
  indexes: {
    conversation: ({ conversation_id, locked_at }) => [conversation_id, -locked_at],
    agent: ({ requester, provider, locked_at }) => [
      [requester, -locked_at],
      [provider, -locked_at],
    ],
    stale: ({ stale }) => (stale ? [0] : undefined),
  },
});

export function escrowRef({ requester, provider, conversation }: EscrowName): Ref<StoredEscrow> {
  return escrows.ref(`${conversation}/${requester}/${provider}`);
}

/** What escrow released between two agents; see core/reputation/flow.ts. */
export const flows = collection<StoredFlow>('flows', { schema: 'stored-flow' });

export function flowRef(one: string, other: string): Ref<StoredFlow> {
  return flows.ref(one < other ? `${one}/${other}` : `${other}/${one}`);
}

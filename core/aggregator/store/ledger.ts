import type { SchemaTypes } from '../../../schemas/types.ts';
import type { EscrowName } from '../../protocol/settlement/steps.ts';
import { appendLog, collection, type Ref } from '../../storage/declarations.ts';

export type StoredPosition = SchemaTypes['stored-ledger-position'];
export type StoredLedgerEvent = SchemaTypes['stored-ledger-event'];
export type StoredStake = SchemaTypes['stored-stake'];
export type StoredEscrow = SchemaTypes['stored-escrow'];

/** How far the settlement program's history has been read; one document per config account. */
export const positions = collection<StoredPosition>('ledger-positions', { schema: 'stored-ledger-position' });

/** The program's events as they were finalised, found by conversation, by every agent they name, and by transaction. */
export const ledgerEvents = appendLog<StoredLedgerEvent>('ledger-events', {
  schema: 'stored-ledger-event',
  postings: ({ facts, signature }) => {
    const named = facts as Readonly<Record<string, unknown>>;
    const postings = POSTED.flatMap((field) => (typeof named[field] === 'string' ? [named[field]] : []));
    return signature === null ? (postings as string[]) : [...(postings as string[]), signature];
  },
});

const POSTED = ['conversation_id', 'key', 'requester', 'provider', 'notary', 'accuser', 'owner'] as const;

/**
 * Stake, batches and lease by key. The account on the ledger is the truth. `stale` has first those that wait to be read,
 * then those that can change unseen, by when they were last read; `accused` those with open accusations.
 */
export const stakes = collection<StoredStake, 'stale' | 'accused'>('stakes', {
  schema: 'stored-stake',
  indexes: {
    accused: ({ open, key }) => (open > 0 ? [key] : undefined),
    stale: (stake) => (stake.stale ? [0] : isWatched(stake) ? [stake.read_at ?? 0] : undefined),
  },
});

/**
 * Escrows by their parties and conversation; a later one of the same name takes the place of one that has ended. `stale`
 * is as above, of those that have not ended; `held` has those that hold their amount, in an order that reading them leaves alone.
 */
export const escrows = collection<StoredEscrow, 'conversation' | 'agent' | 'held' | 'stale'>('escrows', {
  schema: 'stored-escrow',
  indexes: {
    conversation: ({ conversation_id, locked_at }) => [conversation_id, -locked_at],
    agent: ({ requester, provider, locked_at }) => [
      [requester, -locked_at],
      [provider, -locked_at],
    ],
    held: (escrow) => (isHeld(escrow) ? [escrow.locked_at] : undefined),
    stale: (escrow) => (escrow.stale ? [0] : isOpen(escrow) ? [escrow.read_at ?? 0] : undefined),
  },
});

export function escrowRef({ requester, provider, conversation }: EscrowName): Ref<StoredEscrow> {
  return escrows.ref(`${conversation}/${requester}/${provider}`);
}

/** Whether the account can still exist, or something is waiting in it. */
export function isOpen({ closed_at, state, waiting = '0' }: StoredEscrow): boolean {
  return (closed_at === null && state !== 'unknown') || waiting !== '0';
}

/** Whether its amount is in it and nothing has ended it. */
function isHeld({ closed_at, ending, state }: StoredEscrow): boolean {
  return closed_at === null && ending === undefined && state !== 'unknown';
}

/** The states of escrows that hold their amount, as totals tell them. */
export type HeldState = 'locked' | 'delivered' | 'disputed';

export function heldStateOf({ state }: StoredEscrow): HeldState {
  if (state === 'disputed' || state === 'contested') return 'disputed';
  return state === 'delivered' ? 'delivered' : 'locked';
}

/** The stake behind a key now, in digits of minor units; a leaving agent has nothing at stake. */
export function activeStake({ state, stake }: StoredStake): string {
  return state === 'active' ? stake : '0';
}

/** Whether it can be accused. */
function isWatched({ duties, open }: StoredStake): boolean {
  return duties || open > 0;
}

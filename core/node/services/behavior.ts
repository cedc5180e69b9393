import type { SettlementActions as SettlementActionsValue } from '../../ledger/settlement-actions.ts';
import { internalToken } from '../../platform/token.ts';
import type { LeafArchive } from '../../protocol/batches/leaf-archive.ts';
import type { BatchBook } from '../behavior/batch-book.ts';
import type { OwnAccount } from '../behavior/own-account.ts';
import type { DutyWarnings as DutyWarningsValue } from '../duty-warnings.ts';
import type { LeaseStandings } from '../stake/lease-standings.ts';
import type { PaymentCounter } from '../stake/payment-counter.ts';

/** The behavior batches of this node's key. */
export type Batches = BatchBook;
export const Batches = internalToken<Batches>('batches');

/** The aggregators as keepers of leaf lists and receipts. */
export type Archives = readonly LeafArchive[];
export const Archives = internalToken<Archives>('archives');

/** This node's steps on the ledger's settlement program; undefined where there is none. */
export const SettlementActions = internalToken<SettlementActionsValue | undefined>('settlement-actions');

/** The account of this node's key, read once for all duties; undefined where there is no settlement program. */
export const Own = internalToken<OwnAccount | undefined>('own-account');

/** Numbers the payments of this node's key; undefined where there is no settlement program. */
export const Counter = internalToken<PaymentCounter | undefined>('payment-counter');

/** The lease status of other agents. */
export type Leases = LeaseStandings;
export const Leases = internalToken<Leases>('leases');

/** Warnings about this agent's duties, for its operator. */
export type DutyWarnings = DutyWarningsValue;
export const DutyWarnings = internalToken<DutyWarnings>('duty-warnings');

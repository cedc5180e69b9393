/// <reference types="node" preserve="true" />
/**
 * The services a plugin is offered: interfaces and their tokens. A token has the name of its interface, so
 * `uses: { clock: Clock }` gives a `clock: Clock`.
 */
import type { Contracts as ContractsValue } from './contracts/contracts.ts';
import type { Clock as ClockValue, Random as RandomValue } from './platform/clock.ts';
import type { Metrics as MetricsValue } from './platform/metrics.ts';
import type { NodeState } from './platform/node-state.ts';
import { token } from './platform/token.ts';

export type { Count, Labels } from './platform/metrics.ts';
export type { NodeState } from './platform/node-state.ts';
export { AgentKeys, type KeyAnswer, type KeyUse } from './services/agent-keys.ts';
export { type Agent, type AgentPage, type AgentQuery, Agents } from './services/agents.ts';
export {
  type AggregatorAnswer,
  type AggregatorCall,
  AggregatorCalls,
  type AggregatorPost,
  type AggregatorRead,
} from './services/aggregator-calls.ts';
export { type BlobInfo, type BlobPage, Blobs } from './services/blobs.ts';
export { CardKeys } from './services/card-keys.ts';
export {
  type DealStep,
  Deals,
  type DealView,
  type EscrowOfDeals,
  type EscrowStep,
  type StepOptions,
} from './services/deals.ts';
export { type Carrier, Envelopes, type Left, type SlotAtHub, type StrandedLetter } from './services/envelopes.ts';
export {
  type EscrowAccount,
  EscrowAccounts,
  type EscrowEventPage,
  type EscrowName,
} from './services/escrow-accounts.ts';
export { Events, type NodeEvent, type NodeEventType } from './services/events.ts';
export { History, type MoneyEvent } from './services/history.ts';
export { Http, type HttpRequest, type HttpResponse } from './services/http.ts';
export { Inbox, type InboxMessage, type InboxPage, type InboxQuery } from './services/inbox.ts';
export { type Judge, type JudgedDeal, Judging, type VerdictWord } from './services/judging.ts';
export {
  type AccountQuery,
  type FoundAccount,
  type IncomingPage,
  type IncomingTransfer,
  LedgerAccounts,
  type LedgerHoldings,
  type LedgerLifetime,
  type PassedOver,
  type ProgramAccount,
  type Reading,
} from './services/ledger-accounts.ts';
export {
  type AgentSigner,
  type EnvelopeOptions,
  type LocalAgent,
  LocalAgents,
  type LocalDeals,
  type LocalInbox,
  type LocalWallet,
  type MoveNotice,
  type NamedSuccessor,
  type NewLocalAgent,
  type PendingSuccessor,
} from './services/local-agents.ts';
export {
  type MessageStatus,
  Messages,
  type Sayings,
  type SendOptions,
  type SentMessage,
} from './services/messages.ts';
export { OwnAsset } from './services/own-asset.ts';
export { Owner, type OwnTerms } from './services/owner.ts';
export { type OwnerLink, OwnerLinks, type OwnerTerms, type SignedOwnerTerms } from './services/owner-links.ts';
export { type Balances, type Payment, Payments, type Transfer } from './services/payments.ts';
export { type Peer, type PeerChange, type PeerPage, Peers } from './services/peers.ts';
export { Self } from './services/self.ts';
export { type CardCertificate, Signatures, type SignedEnvelope, type SignedHeartbeat } from './services/signatures.ts';
export {
  type RelayRequest,
  type TransactionEntry,
  type TransactionReport,
  type TransactionRequest,
  type TransactionState,
  Transactions,
  type TransactionTerms,
  type WalletAmounts,
} from './services/transactions.ts';
export type { QueueRef, Ref } from './storage/declarations.ts';
export type { Space } from './storage/space.ts';
export type { Tx } from './storage/transaction.ts';

export type Clock = ClockValue;
export const Clock = token<Clock>('clock');

export type Random = RandomValue;
export const Random = token<Random>('random');

export type Contracts = ContractsValue;
export const Contracts = token<Contracts>('contracts');

export type Metrics = MetricsValue;
export const Metrics = token<Metrics>('metrics');

/**
 * Where a plugin that can run the acceptance check of a deal says what it found, from its handler of DELIVER. A delivery
 * that does not fit is disputed by its requester's node, at the lowest offer that the terms allow.
 */
export interface DeliveryChecks {
  /** Rejects with `not_found` when the node has no such deal. */
  found(conversationId: string, deliveryId: string, fits: boolean): Promise<void>;
}
export const DeliveryChecks = token<DeliveryChecks>('delivery-checks');

/** Facts that a node tells about itself; core serves them at `/health`, `/ready`, `/metrics`, `/openapi.json`, `/asyncapi.json` and `/docs`. */
export interface Operations {
  /** From memory. */
  state(): NodeState;
  /** Has the services look at what they stand on, for less than a second in all; `state` tells what they found. */
  look(): Promise<void>;
  /** Prometheus text. */
  metrics(): Promise<{ contentType: string; text: string }>;
  /** The OpenAPI document of what this node serves. */
  apiDocument(): object;
  /** The AsyncAPI document of its WebSockets. */
  streamDocument(): object;
}
export const Operations = token<Operations>('operations');

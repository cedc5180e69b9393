import type { SchemaTypes } from '../../schemas/types.ts';
import { guardedToken } from '../platform/token.ts';
import type { Payloads } from '../protocol/envelopes/payloads/payloads.ts';
import type { EscrowName } from '../protocol/settlement/steps.ts';
import type { SentMessage } from './messages.ts';

/** A deal of two others, whose notary this agent is. */
export interface JudgedDeal extends EscrowName {
  /** The id of the ACCEPT, which the notary's messages name. */
  readonly accepted?: string;
}

/** A word on a delivery, as a VERDICT carries it. */
export type VerdictWord = Pick<Payloads['VERDICT'], 'outcome' | 'reason_hash'>;

/** Keeps the cases of this agent. Core asks it about conversations that are no deals of the agent; each answer has two seconds, a verdict 30. */
export interface Judge {
  /** The deal, when this agent is its notary: then it may rate both sides. */
  find(conversation: string): Promise<JudgedDeal | undefined>;
  /**
   * Gives the verdict that the agent asks for as a VERDICT to one party (`POST /envelopes/send`), and answers with that message. Undefined when this
   * agent is no notary of the conversation: then it is a message like others.
   */
  verdict(conversation: string, word: VerdictWord, party: string): Promise<SentMessage | undefined>;
}

/**
 * Speaks and decides as the notary of deals of others. A verdict moves no money: the requester's node follows it, and once the provider has
 * contested a dispute the notary decides on the ledger. Nodes only; needs the permission `deals:judge`.
 */
export interface Judging {
  /** Has core ask this judge. One is taken: `conflict` for another. The returned function ends it. */
  judgeBy(judge: Judge): () => void;
  /** The word that a request means, whatever names it uses; of its reasons the hash alone is sent. */
  word(request: Pick<SchemaTypes['verdict-request'], 'outcome' | 'reason' | 'reasoning'>): VerdictWord;
  /**
   * Signs and sends a VERDICT to one party. `operationId` makes a repeated call harmless for 24 hours, as that of `Messages`. A plugin that notes
   * what was sent takes part in the transaction: `sends: { VERDICT: true }`.
   */
  verdict(deal: JudgedDeal, word: VerdictWord, party: string, operationId?: string): Promise<SentMessage>;
  /**
   * Decides a contested escrow on the ledger: for the provider, or for the offer of the dispute. Resolves once it is confirmed; the same again gives
   * the same transaction. Rejects like a step of an escrow, with `ledger_program_missing` where there are none.
   */
  decide(deal: EscrowName, forProvider: boolean, signal: AbortSignal): Promise<{ readonly signature: string }>;
  /** Whether that decision was sent, and has landed or may yet land. */
  isDecided(deal: EscrowName, forProvider: boolean): Promise<boolean>;
  /** Tells the agent at `/ws/events` that a contested deal waits for its decision. */
  remind(conversation: string, reminder: 'decide_half' | 'decide_three_quarters'): void;
}
export const Judging = guardedToken<Judging>('judging', 'deals:judge');

import { guardedToken } from '../platform/token.ts';
import type { OwnerTerms } from './owner-links.ts';

/** Terms of this agent. */
export type OwnTerms = Omit<OwnerTerms, 'agentId'>;

/**
 * The owner of this agent: read from the ledger, and proposed to the node's aggregators. The agent's key signs `owner/1` and nothing else
 * here, and no link is written without the wallet. Nodes only; needs the permission `owner-links`.
 */
export interface Owner {
  /** By the ledger, finalised; undefined while there is none. Rejects with `ledger_program_missing` or `ledger_unavailable`. */
  link(): Promise<{ readonly owner: string; readonly claimedAt: number } | undefined>;
  /** Throws `invalid_request` at `/owner_wallet` for what can never own: no key, a key anybody can sign with, the agent itself. */
  checkWallet(owner: string): void;
  /** The text that the wallet signs, made here: no aggregator can put other words before it. */
  text(terms: OwnTerms): string;
  /** Terms of this wallet that an aggregator holds without the agent's signature, begun with a token of the agent. */
  begun(owner: string): Promise<OwnTerms | undefined>;
  /**
   * Signs the terms and hands them to every aggregator; gives the URLs where the wallet can claim. Rejects with `conflict` when one says that the
   * agent is owned, with `upstream_failed` when none took it.
   */
  propose(terms: OwnTerms): Promise<string[]>;
}
export const Owner = guardedToken<Owner>('owner', 'owner-links');

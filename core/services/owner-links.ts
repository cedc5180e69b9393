import type { SchemaTypes } from '../../schemas/types.ts';
import { guardedToken } from '../platform/token.ts';

/** The owner of an agent, by the ledger: one wallet, for ever. */
export interface OwnerLink {
  /** The wallet, base58. */
  readonly owner: string;
  /** Unix milliseconds. */
  readonly claimedAt: number;
  /** The transaction, where it is known. */
  readonly signature?: string;
}

/** The statement that an agent and a wallet sign about each other. */
export interface OwnerTerms {
  /** The agent's id, base58: the key that signs. */
  readonly agentId: string;
  /** The wallet, base58. */
  readonly owner: string;
  /** 8 bytes in hex. */
  readonly nonce: string;
  /** Unix seconds until when the link can be written. */
  readonly expires: number;
}

/** Signatures in base64. */
export interface SignedOwnerTerms extends OwnerTerms {
  readonly agentSignature: string;
  readonly ownerSignature: string;
}

/**
 * The owner links of the ledger, as an aggregator indexes them, and the writing of new ones, which its wallet pays for. Aggregators
 * only; needs the permission `owner-links`.
 */
export interface OwnerLinks {
  /** Rent of one link and the fees of its transaction, in lamports. */
  readonly lamports: number;
  /** The id in base58 of an agent named in a path, in hex or base58; throws `invalid_request`. */
  agentId(text: string): string;
  /** Throws `ledger_program_missing` or `ledger_unavailable` where no link can be written. */
  require(): void;
  /** Throws `invalid_request` at `/owner_wallet` for what can never own: no key, a key anybody can sign with, the agent itself. */
  checkWallet(owner: string, agentId: string): void;
  /** The text that the wallet signs, as UTF-8. */
  text(terms: OwnerTerms): string;
  /** Whether the agent signed these terms (owner/1). */
  isAgents(terms: OwnerTerms, signature: string): boolean;
  /** Whether the wallet signed the text of these terms. */
  isOwners(terms: OwnerTerms, signature: string): boolean;
  /** The link that counts for this agent: one that another key wrote in its name is none. */
  of(agentId: string): Promise<OwnerLink | undefined>;
  /** The agents of a wallet in the order of their ids, at most 200 at once. */
  ownedBy(
    wallet: string,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<SchemaTypes['owner-summaries']>;
  /** Whether the agent's rank is above 0, or it has a stake or paid a lease: keys made by the thousand have none of that. */
  hasStanding(agentId: string): Promise<boolean>;
  /**
   * Writes the link, once for the same terms however often it is called, and gives the transaction's signature. Rejects with
   * `insufficient_funds` while the wallet is empty.
   */
  write(signed: SignedOwnerTerms, signal: AbortSignal): Promise<string>;
  /** The link as finalised on the ledger now; undefined before. It is indexed with this call. */
  finalised(agentId: string, signature: string): Promise<OwnerLink | undefined>;
}
export const OwnerLinks = guardedToken<OwnerLinks>('owner-links', 'owner-links');

import type { PreparedTransaction, Signer, TransactionLifetime } from './ledger.ts';

/** A transaction that somebody else built, decoded; what an address lookup table names stands in it like any other account. */
export interface ForeignTransaction {
  readonly version: 'legacy' | 0;
  /** Pays the fee; its signature names the transaction. */
  readonly feePayer: string;
  readonly signers: readonly { readonly address: string; readonly signed: boolean }[];
  readonly instructions: readonly ForeignInstruction[];
  /** Every program that it could call: the executable accounts among all that it names. */
  readonly programs: readonly string[];
  /** The programs that own the accounts which it may change, and the accounts that are programs' data. */
  readonly owners: readonly string[];
}

export interface ForeignInstruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** The effect of a transaction on a wallet, by a rehearsal against the ledger's present state. */
export interface ForeignEffects {
  /** The ledger's word for why it would fail; nothing else is known then. */
  readonly error?: string;
  /** Change of the lamports in the wallet and in all its token accounts, fee included; negative when they leave. */
  readonly lamports: bigint;
  /** Change of each mint's tokens in all accounts of the wallet. Wrapped SOL is counted as lamports. */
  readonly tokens: ReadonlyMap<string, bigint>;
  /** Changes of rights, which no amount shows: a delegate, an owner, a close authority. Each is the end of "it …". */
  readonly faults: readonly string[];
}

/** The one payment that a sponsor pays the fee of. */
export interface SponsoredPaymentTerms {
  /** Pays the fee; its place among the signatures is empty yet. */
  readonly wallet: string;
  readonly payTo: string;
  /** Minor units of USDC. */
  readonly amount: bigint;
}

export interface SponsoredPayment {
  readonly payer: string;
  readonly amount: bigint;
  /** The most that the ledger takes for it, in lamports. */
  readonly fee: bigint;
  /** None where the client writes none, as those of version 1 do. */
  readonly memos: readonly string[];
  /** The bytes that are signed: they name the payment, whatever its signatures. */
  readonly message: Uint8Array;
}

/** Reads, rehearses and signs transactions that somebody else built. Who calls `sign` has checked the other two. */
export interface ForeignTransactions {
  /** Throws `invalid_request` for bytes that are no transaction of version legacy or 0, or whose tables do not exist. */
  read(bytes: Uint8Array): Promise<ForeignTransaction>;
  /**
   * Without the ledger: a transaction of version 0 of one TransferChecked of USDC, at most one compute limit and compute price, and
   * memos and assertions of the payer's wallet, signed by its payer alone. Throws `invalid_request` with the part of it that is something else.
   */
  sponsored(bytes: Uint8Array, terms: SponsoredPaymentTerms): SponsoredPayment;
  /** Throws `conflict` where other payments change the wallet's accounts all the time. */
  rehearse(bytes: Uint8Array, wallet: string): Promise<ForeignEffects>;
  /** The ledger's word for why it would fail; undefined when it would go well. Other payments of the same wallet do not matter. */
  failure(bytes: Uint8Array): Promise<string | undefined>;
  /** Fills the signer's slot and leaves the others as they are. */
  sign(bytes: Uint8Array, signer: Signer): Promise<Uint8Array>;
  /**
   * A wholly signed transaction, for recording and submitting. Throws `conflict` when its blockhash is not known any more. With the
   * lifetime that it was built with, the ledger is not asked; `invalid_request` when it has another blockhash.
   */
  prepared(bytes: Uint8Array, builtWith?: TransactionLifetime): Promise<PreparedTransaction>;
  /** For a transaction that is built here and signed elsewhere. */
  lifetime(): Promise<TransactionLifetime>;
}

/** The parties and conversation that name an escrow. */
export interface EscrowName {
  readonly requester: string;
  readonly provider: string;
  readonly conversation: string;
}

/** What can be asked of the settlement program; each is one transaction. Who must sign stands beside it. */
export type SettlementStep = EscrowStep | AgentStep | AccusationStep | OwnershipStep;

export type EscrowStep =
  /** Requester. */
  | ({
      readonly type: 'lock';
      readonly notary: string | null;
      readonly amount: bigint;
      /** Unix seconds. */
      readonly deadline: number;
      readonly reviewSecs: number;
      /** Id of the ACCEPT. */
      readonly terms: string;
      readonly disputeBps: number;
    } & EscrowName)
  /** Provider: the release goes to this token account instead. */
  | ({ readonly type: 'set_payee'; readonly payee: string } & EscrowName)
  /** Provider; `delivery` is the id of the DELIVER. */
  | ({ readonly type: 'deliver'; readonly delivery: string } & EscrowName)
  /** `approve` is the requester's or notary's, `refund` the provider's or notary's, `dispute` the requester's; the rest anyone's. */
  | ({ readonly type: 'approve' | 'refund' | 'dispute' | 'reclaim' | 'claim' | 'split' } & EscrowName);

export type AgentStep =
  /** Makes the account when missing, in the same transaction as any other agent step by the key. */
  | { readonly type: 'open_agent'; readonly key: string; readonly agentId: string }
  /** Anyone pays; refused when it would cost more than `maxAmount`. */
  | { readonly type: 'pay_lease'; readonly key: string; readonly epochs: number; readonly maxAmount: bigint }
  /** The stake owner, first signer; the key too when it is the first stake. */
  | { readonly type: 'add_stake'; readonly key: string; readonly stakeOwner: string; readonly amount: bigint }
  /** The key or the stake owner. */
  | { readonly type: 'request_unlock'; readonly key: string }
  /** The key and the stake owner. */
  | { readonly type: 'resume'; readonly key: string; readonly stakeOwner: string }
  /** The stake owner. */
  | { readonly type: 'withdraw'; readonly key: string; readonly stakeOwner: string }
  /** The key. `root` is 64 zeros when the count is 0. */
  | {
      readonly type: 'submit_batch';
      readonly key: string;
      readonly epoch: number;
      readonly count: number;
      readonly root: string;
    };

export type AccusationStep =
  /** The accuser, who is paid a bounty or loses part of a deposit. `header` (143 bytes) was signed by `key`. */
  | {
      readonly type: 'accuse';
      readonly key: string;
      readonly header: Uint8Array;
      readonly signature: Uint8Array;
    }
  /** Anyone. `siblings` lead from the leaf to the root, leaf level first; the accuser is the one of the account. */
  | {
      readonly type: 'answer';
      readonly key: string;
      readonly id: string;
      readonly accuser: string;
      readonly siblings: readonly Uint8Array[];
    }
  /** Anyone. With `other`, another leaf that the root holds at that index: at once. */
  | {
      readonly type: 'convict';
      readonly key: string;
      readonly id: string;
      readonly accuser: string;
      readonly other?: { readonly leaf: Uint8Array; readonly siblings: readonly Uint8Array[] };
    }
  /** Anyone, who gets the bounty. */
  | { readonly type: 'slash_inactive'; readonly key: string };

export type OwnershipStep =
  /** Anyone pays. Both signatures are over the same claim (core/identity/owner-claim.ts). */
  {
    readonly type: 'claim_owner';
    readonly key: string;
    readonly agentId: string;
    readonly owner: string;
    /** 8 bytes. */
    readonly nonce: Uint8Array;
    /** Unix seconds. */
    readonly expires: number;
    readonly ownerSignature: Uint8Array;
    readonly keySignature: Uint8Array;
  };

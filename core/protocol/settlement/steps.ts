/** The parties and conversation that name an escrow. */
export interface EscrowName {
  readonly requester: string;
  readonly provider: string;
  readonly conversation: string;
}

/** A step of the settlement program, sent as one transaction. Each type names the key that must sign. */
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
      /** Minor units that the requester adds, and loses where it disputes wrongly (docs/program.md). */
      readonly bond: bigint;
      /** The lowest share of the amount, in basis points, that a dispute may offer. */
      readonly disputeBps: number;
    } & EscrowName)
  /** Provider: the release goes to this token account instead; that of `wallet`, where one is named, is made when it is missing. */
  | ({ readonly type: 'set_payee'; readonly payee: string; readonly wallet?: string } & EscrowName)
  /** Provider; `delivery` is the id of the DELIVER. */
  | ({ readonly type: 'deliver'; readonly delivery: string } & EscrowName)
  /** Requester: offers the provider this share of the amount, in basis points. Again while disputed: only more. */
  | ({ readonly type: 'dispute'; readonly offerBps: number } & EscrowName)
  /** Provider: refuses the offer, where it is at most this. */
  | ({ readonly type: 'contest'; readonly maxBps: number } & EscrowName)
  /** Notary, of a contested escrow. It fixes the sums that are due; `split`, by anyone, pays them. */
  | ({ readonly type: 'decide'; readonly forProvider: boolean } & EscrowName)
  /** `approve` is the requester's, `refund` the provider's; the rest anyone's. */
  | ({ readonly type: 'approve' | 'refund' | 'reclaim' | 'claim' | 'split' } & EscrowName);

export type AgentStep =
  /** Makes the account when missing, in the same transaction as any other agent step by the key. */
  | { readonly type: 'open_agent'; readonly key: string; readonly agentId: string }
  /**
   * Anyone pays; refused when it would cost more than `maxAmount`, or when the account has counted another number of
   * payments than `payments`: so the same payment is taken once, however often it is sent.
   */
  | {
      readonly type: 'pay_lease';
      readonly key: string;
      readonly epochs: number;
      readonly maxAmount: bigint;
      readonly payments: number;
    }
  /**
   * The stake owner, first signer; the key too when it is the first stake. `payments` as for a lease. An owner who does not
   * hold the key depends on it: duties end by its batches, or by a slash for half of the stake (docs/program.md).
   */
  | {
      readonly type: 'add_stake';
      readonly key: string;
      readonly stakeOwner: string;
      readonly amount: bigint;
      readonly payments: number;
    }
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
  /**
   * The accuser, before it shows a header: commits to an accusation without showing the key or the header. Only an
   * accuser that announced early enough may accuse, so nobody earns by copying a proof.
   */
  | { readonly type: 'announce'; readonly key: string; readonly id: string }
  /** The accuser: takes back an announcement that no accusation followed, and its rent. */
  | { readonly type: 'retract'; readonly key: string; readonly id: string }
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
  /** Anyone pays. Both signatures are over the same claim (core/protocol/identity/owner-claim.ts). */
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

import type { Fields, Values } from './fields.ts';

/** Every number of the rules. Set once, when the config account is initialised; no instruction changes them. */
export const NUMBERS = {
  epochSecs: ['u64', 'length of an epoch in seconds'],
  challengeSecs: ['u64', 'how long after its submission a batch can be accused'],
  responseSecs: ['u64', 'how long an accusation can only be answered, in seconds'],
  responseSlots: ['u64', 'the same in slots; both must have passed'],
  announceSlots: ['u64', 'slots from an announcement to its accusation'],
  unlockSecs: ['u64', 'from request_unlock to withdraw'],
  submitGap: ['u64', 'largest step from one batch to the next, in epochs'],
  skipLimit: ['u64', 'skipped epochs allowed among the last 32'],
  inactiveEpochs: ['u64', 'epochs after the last batch from which an agent counts as inactive'],
  inactiveSlots: ['u64', 'slots since the last batch that must have passed as well'],
  minStake: ['u64', 'smallest total stake, in USDC minor units'],
  bountyCap: ['u64', 'largest bounty of one slash, in USDC minor units'],
  accuseDeposit: ['u64', 'deposit of an accuser, in lamports'],
  answerReward: ['u64', 'part of the deposit that goes to whoever answers, in lamports'],
  leasePrice: ['u64', 'lease of one epoch, in USDC minor units'],
  leaseMaxEpochs: ['u64', 'most epochs in one lease payment'],
  graceEpochs: ['u64', 'unpaid epochs before an agent is deactivated; arrears charged at reactivation'],
  leadSecs: ['u64', 'shortest time from lock to deadline'],
  horizonSecs: ['u64', 'longest time from lock to deadline'],
  reviewMinSecs: ['u64', 'shortest review window'],
  reviewMaxSecs: ['u64', 'longest review window'],
  disputeSecs: ['u64', 'how long a dispute can be contested, and a contest decided; then anyone may split'],
} as const satisfies Fields;

export type Numbers = Values<typeof NUMBERS>;

const HEAD = {
  discriminator: ['discriminator', 'what kind of account this is'],
  config: ['key', 'the config account it belongs to'],
} as const satisfies Fields;

export const BATCH_ENTRY = {
  epoch: ['u64', 'epoch of the batch'],
  submittedAt: ['u64', 'unix seconds of its submission; 0 marks an unused entry'],
  slot: ['u64', 'slot of its submission'],
  root: ['hash', 'merkle root'],
  count: ['u32', 'number of envelopes'],
  reserved: ['reserved4', ''],
} as const satisfies Fields;

export const RING_SIZE = 16;

/** Every account the program owns. The order of fields keeps integers aligned, so that C reads them directly. */
export const ACCOUNTS = {
  config: {
    discriminator: 'amconfg1',
    doc: 'The numbers and parties of one deployment. An ordinary account, signed for by its own key; immutable.',
    seeds: undefined,
    fields: {
      discriminator: ['discriminator', 'what kind of account this is'],
      network: ['hash', 'what signatures are bound to; computed by the program'],
      mint: ['key', 'the USDC mint'],
      treasury: ['key', 'wallet that receives deposits of answered accusations'],
      treasuryAta: ['key', 'its token account: leases and the rest of a slash'],
      eventAuthority: ['key', 'PDA of "event", config: what signs the events'],
      eventBump: ['u8', ''],
      reserved: ['reserved7', ''],
      ...NUMBERS,
    },
  },
  escrow: {
    discriminator: 'amescrw1',
    doc: 'One locked payment between a requester and a provider.',
    seeds: '"escrow", config, requester, provider, conversation',
    fields: {
      ...HEAD,
      requester: ['key', 'who locked'],
      provider: ['key', 'who delivers'],
      notary: ['key', 'who may decide a contested escrow; zero when there is none'],
      payee: ['key', 'token account that a release pays'],
      refundTo: ['key', 'associated token account of the requester'],
      conversation: ['bytes16', 'conversation id'],
      terms: ['hash', 'id of the ACCEPT'],
      delivery: ['hash', 'id of the DELIVER; zero before'],
      amount: ['u64', 'locked USDC'],
      bond: ['u64', 'locked besides: what the requester risks by a dispute'],
      deadline: ['u64', 'last second in which delivery counts'],
      reviewSecs: ['u64', 'review window after delivery'],
      lockedAt: ['u64', 'unix seconds'],
      deliveredAt: ['u64', 'unix seconds; 0 before'],
      disputedAt: ['u64', 'unix seconds of the dispute; once contested, of the contest; 0 before'],
      providerDue: ['u64', 'while splitting: what the payee has not received yet'],
      requesterDue: ['u64', 'while splitting: what the requester has not received yet'],
      disputeBps: ['u16', 'lowest share, in basis points, that a dispute may offer'],
      offerBps: ['u16', 'share that the dispute offers the provider; 0 before'],
      state: ['u8', '1 locked, 2 delivered, 3 disputed, 4 contested, 5 splitting'],
      bump: ['u8', ''],
      vaultBump: ['u8', ''],
      reserved: ['reserved1', ''],
    },
  },
  agent: {
    discriminator: 'amagent1',
    doc: 'Stake, batches and lease of one key. Never closed, so that arrears and verdicts cannot be shed.',
    seeds: '"agent", config, key',
    fields: {
      ...HEAD,
      key: ['key', 'signing key of the agent'],
      agentId: ['key', 'the agent id it claims; readers check it'],
      stakeOwner: ['key', 'the only one a withdrawal pays; zero without stake'],
      stake: ['u64', 'staked USDC'],
      start: ['u64', 'first epoch with duties'],
      last: ['u64', 'newest epoch that is settled by a batch or needed none'],
      lastAt: ['u64', 'unix seconds of the last batch, or of the start'],
      lastSlot: ['u64', 'slot of the last batch, or of the start'],
      settledEpoch: ['u64', 'batches up to this epoch can no longer be accused'],
      until: ['u64', 'while leaving: duties end with a batch of this epoch or later'],
      requestedAt: ['u64', 'unix seconds of request_unlock'],
      paidThrough: ['u64', 'last epoch the lease is paid for; 0 when never paid'],
      ring: [{ of: BATCH_ENTRY, count: RING_SIZE }, 'the batch of epoch E lies at E mod 16'],
      skipHistory: ['u32', 'one bit per epoch up to last, newest lowest; 1 = skipped'],
      open: ['u32', 'accusations that are neither answered nor decided'],
      state: ['u8', '0 none, 1 active, 2 leaving, 3 suspended'],
      bump: ['u8', ''],
      vaultBump: ['u8', ''],
      reserved: ['reserved1', ''],
      payments: ['u32', 'lease payments and stakes so far; the next one names this number'],
    },
  },
  announcement: {
    discriminator: 'amannou1',
    doc: 'An accuser will show a header; which one, and of whom, only the hash knows.',
    seeds: '"announce", config, accuser, commitment',
    fields: {
      ...HEAD,
      accuser: ['key', 'who announced and may accuse'],
      commitment: ['hash', 'keccak256 of 2 u8, accuser, agent account, header id'],
      slot: ['u64', 'slot of the announcement'],
      bump: ['u8', ''],
      reserved: ['reserved7', ''],
    },
  },
  accusation: {
    discriminator: 'amaccus1',
    doc: 'An accuser holds a signed header that the batch of its epoch should contain.',
    seeds: '"accuse", agent account, header id',
    fields: {
      ...HEAD,
      agent: ['key', 'the agent account'],
      accuser: ['key', 'who deposited and gets the bounty'],
      id: ['hash', 'id of the header: the expected leaf'],
      root: ['hash', 'root of the accused batch'],
      epoch: ['u64', 'epoch of the batch'],
      accusedAt: ['u64', 'unix seconds'],
      slot: ['u64', 'slot'],
      deposit: ['u64', 'lamports above rent'],
      index: ['u32', 'leaf index, seq - 1'],
      count: ['u32', 'number of leaves'],
      bump: ['u8', ''],
      reserved: ['reserved7', ''],
    },
  },
  ownerLink: {
    discriminator: 'amowner1',
    doc: 'Who owns the agent behind a key. Written once; no instruction changes or closes it.',
    seeds: '"owner", config, key',
    fields: {
      ...HEAD,
      key: ['key', 'signing key of the agent'],
      agentId: ['key', 'agent id that key and owner both signed'],
      owner: ['key', 'wallet of the owner'],
      claimedAt: ['u64', 'unix seconds'],
      bump: ['u8', ''],
      reserved: ['reserved7', ''],
    },
  },
} as const satisfies Record<string, AccountDeclaration>;

export interface AccountDeclaration {
  /** Eight ASCII characters at the start of the data. */
  readonly discriminator: string;
  readonly doc: string;
  readonly seeds: string | undefined;
  readonly fields: Fields;
}

export type AccountName = keyof typeof ACCOUNTS;
export type AccountValues<N extends AccountName> = Values<(typeof ACCOUNTS)[N]['fields']>;

export const ESCROW_STATES = ['none', 'locked', 'delivered', 'disputed', 'contested', 'splitting'] as const;
export const AGENT_STATES = ['none', 'active', 'leaving', 'suspended'] as const;

import type { Fields, Values } from './fields.ts';

const PARTIES = {
  requester: ['key', 'requester'],
  provider: ['key', 'provider'],
  conversation: ['bytes16', 'conversation id'],
  amount: ['u64', 'locked USDC'],
} as const satisfies Fields;

/** Begins every event of a payout. All of an escrow's payouts together are its amount and its bond. */
const PAYOUT = {
  ...PARTIES,
  toProvider: ['u64', 'paid to the payee now'],
  toRequester: ['u64', 'paid to the requester now'],
  burnt: ['u64', 'burnt now'],
  remaining: ['u64', 'still waiting for an account that can receive'],
} as const satisfies Fields;

/** First byte of the data of the program's call to itself that carries an event. No instruction has this code. */
export const EVENT_MARK = 255;

const KEY = { key: ['key', "the agent's key"] } as const satisfies Fields;

/**
 * Every event in the order of its code. On the ledger it is the data of a call of the program to itself: the mark u8,
 * code u8, config key, then the fields, packed.
 */
export const EVENTS = {
  configInitialized: { network: ['hash', 'network'], mint: ['key', 'mint'], treasury: ['key', 'treasury'] },
  escrowLocked: {
    ...PARTIES,
    notary: ['key', 'notary or zero'],
    terms: ['hash', 'id of the ACCEPT'],
    deadline: ['u64', 'unix seconds'],
    reviewSecs: ['u64', 'review window'],
    disputeBps: ['u16', 'lowest share that a dispute may offer'],
    bond: ['u64', 'locked besides'],
  },
  payeeChanged: { ...PARTIES, payee: ['key', 'new payee'] },
  escrowDelivered: { ...PARTIES, delivery: ['hash', 'id of the DELIVER'] },
  escrowApproved: { ...PAYOUT, payee: ['key', 'token account paid'] },
  escrowRefunded: { ...PAYOUT },
  escrowReclaimed: { ...PAYOUT },
  escrowDisputed: {
    ...PARTIES,
    delivery: ['hash', 'id of the disputed DELIVER'],
    offerBps: ['u16', 'share offered to the provider'],
  },
  escrowContested: { ...PARTIES, offerBps: ['u16', 'the offer that was refused'] },
  escrowDecided: { ...PAYOUT, forProvider: ['u8', '1 for the provider, 0 for the requester'] },
  escrowClaimed: { ...PAYOUT, payee: ['key', 'token account paid'] },
  escrowSplit: { ...PAYOUT, offerBps: ['u16', 'the offer of the dispute; 0 without one'] },
  agentOpened: { ...KEY, agentId: ['key', 'claimed agent id'] },
  agentIdChanged: { ...KEY, agentId: ['key', 'claimed agent id'] },
  leasePaid: {
    ...KEY,
    payer: ['key', 'who paid'],
    amount: ['u64', 'USDC paid'],
    paidThrough: ['u64', 'last paid epoch'],
  },
  stakeAdded: {
    ...KEY,
    stakeOwner: ['key', 'who staked'],
    amount: ['u64', 'added'],
    stake: ['u64', 'total'],
    start: ['u64', 'first epoch with duties'],
  },
  unlockRequested: { ...KEY, authority: ['key', 'who asked'], until: ['u64', 'epoch whose batch ends the duties'] },
  agentResumed: { ...KEY, stake: ['u64', 'total'], start: ['u64', 'first epoch with duties'] },
  stakeWithdrawn: { ...KEY, stakeOwner: ['key', 'who was paid'], amount: ['u64', 'recorded stake'] },
  batchSubmitted: { ...KEY, epoch: ['u64', 'epoch'], count: ['u32', 'envelopes'], root: ['hash', 'merkle root'] },
  agentAccused: {
    ...KEY,
    accuser: ['key', 'accuser'],
    id: ['hash', 'header id'],
    epoch: ['u64', 'epoch'],
    index: ['u32', 'leaf index'],
  },
  accusationAnswered: {
    ...KEY,
    accuser: ['key', 'accuser'],
    id: ['hash', 'header id'],
    answerer: ['key', 'who answered'],
  },
  accusationVoided: { ...KEY, accuser: ['key', 'accuser'], id: ['hash', 'header id'] },
  agentSlashed: {
    ...KEY,
    beneficiary: ['key', 'accuser or caller'],
    amount: ['u64', 'taken from the stake'],
    bounty: ['u64', 'paid to the beneficiary; the rest went to the treasury'],
    stake: ['u64', 'what is left'],
    epoch: ['u64', 'epoch of the batch; of an inactive agent, its last one'],
    reason: ['u8', '1 inactive, 2 number outside the batch, 3 unanswered, 4 another leaf'],
  },
  ownerClaimed: { ...KEY, agentId: ['key', 'agent id'], owner: ['key', 'owner wallet'] },
} as const satisfies Record<string, Fields>;

export type EventName = keyof typeof EVENTS;
export type EventValues<N extends EventName> = Values<(typeof EVENTS)[N]>;

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];
export const SLASH_REASONS = ['none', 'inactive', 'outside', 'unanswered', 'otherLeaf'] as const;

import { isZero, toHex } from '../../../core/platform/bytes.ts';
import type {
  AccusationAccount,
  AgentAccount,
  EscrowAccount,
  OwnerLink,
} from '../../../core/protocol/settlement/accounts.ts';
import {
  type AccountValues,
  agentState,
  type Deployment,
  escrowState,
  hasDuties,
  NO_ADDRESS,
  vaultAddress,
} from '../program/index.ts';

const HISTORY_BITS = 32;

/** The accounts of the program in the words of the port. */
export function escrowAccount(place: Deployment, address: string, values: AccountValues<'escrow'>): EscrowAccount {
  return {
    address,
    vault: vaultAddress(place, address),
    state: escrowState(values) as EscrowAccount['state'],
    requester: values.requester,
    provider: values.provider,
    conversation: toHex(values.conversation),
    notary: values.notary === NO_ADDRESS ? null : values.notary,
    payee: values.payee,
    terms: toHex(values.terms),
    delivery: isZero(values.delivery) ? null : toHex(values.delivery),
    amount: values.amount,
    deadline: Number(values.deadline),
    reviewSecs: Number(values.reviewSecs),
    lockedAt: Number(values.lockedAt),
    deliveredAt: momentOrNull(values.deliveredAt),
    disputedAt: momentOrNull(values.disputedAt),
    bond: values.bond,
    disputeBps: values.disputeBps,
    offerBps: values.offerBps,
  };
}

export function agentAccount(address: string, values: AccountValues<'agent'>): AgentAccount {
  return {
    address,
    key: values.key,
    agentId: values.agentId,
    state: agentState(values),
    stake: values.stake,
    stakeOwner: values.stakeOwner === NO_ADDRESS ? null : values.stakeOwner,
    start: Number(values.start),
    last: Number(values.last),
    lastAt: Number(values.lastAt),
    lastSlot: Number(values.lastSlot),
    duties: hasDuties(values),
    settledEpoch: Number(values.settledEpoch),
    until: Number(values.until),
    requestedAt: Number(values.requestedAt),
    open: values.open,
    skipped: skippedEpochs(values),
    batches: batchesOf(values),
    paidThrough: Number(values.paidThrough),
    payments: values.payments,
  };
}

export function accusationAccount(key: string, values: AccountValues<'accusation'>): AccusationAccount {
  return {
    key,
    accuser: values.accuser,
    id: toHex(values.id),
    root: toHex(values.root),
    epoch: Number(values.epoch),
    index: values.index,
    count: values.count,
    accusedAt: Number(values.accusedAt),
    slot: Number(values.slot),
  };
}

export function ownerLink(address: string, values: AccountValues<'ownerLink'>): OwnerLink {
  const { key, agentId, owner, claimedAt } = values;
  return { address, key, agentId, owner, claimedAt: Number(claimedAt) };
}

function momentOrNull(seconds: bigint): number | null {
  return seconds === 0n ? null : Number(seconds);
}

/** The lowest bit of the history is the epoch `last`. */
function skippedEpochs({ skipHistory, last }: AccountValues<'agent'>): number[] {
  const newest = Number(last);
  const epochs = Array.from({ length: HISTORY_BITS }, (_, back) => (skipHistory & (1 << back) ? newest - back : -1));
  return epochs.filter((epoch) => epoch >= 0).reverse();
}

function batchesOf({ ring }: AccountValues<'agent'>): AgentAccount['batches'] {
  return ring
    .filter(({ submittedAt }) => submittedAt !== 0n)
    .map(({ epoch, count, root, submittedAt, slot }) => ({
      epoch: Number(epoch),
      count,
      root: toHex(root),
      submittedAt: Number(submittedAt),
      slot: Number(slot),
    }))
    .sort((one, other) => one.epoch - other.epoch);
}

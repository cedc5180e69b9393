import {
  closing,
  config,
  emitting,
  escrow,
  escrowVault,
  mint,
  paying,
  systemProgram,
  tokenProgram,
} from './common-roles.ts';
import type { InstructionDeclaration } from './declaration.ts';
import { role } from './roles.ts';

/** The instructions of an escrow, from lock to split. */
export const ESCROW_INSTRUCTIONS = {
  lockEscrow: {
    doc: 'Creates escrow and vault and moves amount and bond into the vault.',
    accounts: {
      requester: role('wallet', 'who pays amount, bond and rent', 'sw'),
      config,
      escrow: role('fresh', 'escrow account', 'w'),
      vault: role('fresh', "the escrow's vault", 'w'),
      source: role('token', 'token account of the requester', 'w'),
      mint,
      tokenProgram,
      systemProgram,
      ...emitting,
    },
    args: {
      provider: ['key', 'who delivers'],
      notary: ['key', 'who may decide once contested; zero for none'],
      conversation: ['bytes16', 'conversation id'],
      terms: ['hash', 'id of the ACCEPT'],
      amount: ['u64', 'USDC minor units'],
      bond: ['u64', 'at most twice the amount'],
      deadline: ['u64', 'unix seconds'],
      reviewSecs: ['u64', 'review window'],
      disputeBps: ['u16', 'lowest share that a dispute may offer'],
    },
  },
  setPayee: {
    doc: 'The provider names another token account for the release.',
    accounts: {
      provider: role('wallet', 'provider', 's'),
      config,
      escrow,
      payee: role('token', 'new payee'),
      ...emitting,
    },
    args: {},
  },
  deliver: {
    doc: 'The provider records its DELIVER, until the deadline.',
    accounts: { provider: role('wallet', 'provider', 's'), config, escrow, ...emitting },
    args: { delivery: ['hash', 'id of the DELIVER'] },
  },
  approve: {
    doc: 'The requester releases the amount to the payee. Its bond comes back; of a contested escrow, only the offered share of it.',
    accounts: { ...paying, requester: role('wallet', 'requester', 'sw') },
    args: {},
  },
  refund: {
    doc: 'The provider gives amount and bond back to the requester.',
    accounts: { provider: role('wallet', 'provider', 's'), config, escrow, vault: escrowVault, ...closing },
    args: {},
  },
  reclaim: {
    doc: 'Anyone, after the deadline without delivery: amount and bond back to the requester.',
    accounts: { config, escrow, vault: escrowVault, ...closing },
    args: {},
  },
  dispute: {
    doc: 'The requester objects within the review window and offers the provider a share; while disputed, a higher one.',
    accounts: { requester: role('wallet', 'requester', 's'), config, escrow, ...emitting },
    args: { offerBps: ['u16', 'share offered, in basis points'] },
  },
  contest: {
    doc: 'The provider refuses the offer, within the dispute window.',
    accounts: { provider: role('wallet', 'provider', 's'), config, escrow, ...emitting },
    args: { maxBps: ['u16', 'the highest offer that is refused'] },
  },
  decide: {
    doc: 'The notary decides a contested escrow, within the dispute window. Split pays: so no account can stand in its way.',
    accounts: { notary: role('wallet', 'notary', 's'), config, escrow, ...emitting },
    args: { forProvider: ['u8', '1 for the provider, 0 for the requester'] },
  },
  claim: {
    doc: 'Anyone, after a review window without a dispute: the amount to the payee, the bond to the requester.',
    accounts: paying,
    args: {},
  },
  split: {
    doc: 'Anyone. An offer that was not contested in time stands; a contested one without a decision burns what it disputes. What was decided, or waits for an account that can receive, is paid.',
    accounts: { ...paying, mint: role('mint', 'the USDC mint', 'w') },
    args: {},
  },
} as const satisfies Record<string, InstructionDeclaration>;

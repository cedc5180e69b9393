import { NUMBERS } from './accounts.ts';
import {
  accusation,
  agent,
  agentVault,
  announcement,
  config,
  emitting,
  mint,
  systemProgram,
  sysvar,
  tokenProgram,
  treasuryAta,
} from './common-roles.ts';
import type { InstructionDeclaration } from './declaration.ts';
import { ESCROW_INSTRUCTIONS } from './escrow-instructions.ts';
import type { Values } from './fields.ts';
import { type AccountRole, type FixedKind, role } from './roles.ts';

/** Every instruction in the order of its code, which is the first byte of its data. */
export const INSTRUCTIONS = {
  initConfig: {
    doc: 'Sets the numbers of a deployment, once. The config account was created by the deployer, owned by the program.',
    accounts: {
      config: role('newConfig', 'config account', 'sw'),
      mint,
      treasuryAta: role('token', 'associated token account of the treasury'),
      eventAuthority: role('fresh', 'what signs events'),
      program: role('program', 'this program'),
    },
    args: {
      genesisHash: ['hash', 'genesis hash of the cluster'],
      networkId: ['text64', '`network.id`'],
      treasury: ['key', 'wallet of the treasury'],
      ...NUMBERS,
    },
  },
  ...ESCROW_INSTRUCTIONS,
  openAgent: {
    doc: 'Creates the agent account of a key.',
    accounts: {
      key: role('wallet', "the agent's key", 's'),
      payer: role('wallet', 'pays the rent', 'sw'),
      config,
      agent: role('fresh', 'agent account', 'w'),
      systemProgram,
      ...emitting,
    },
    args: { agentId: ['key', 'agent id it claims'] },
  },
  setAgentId: {
    doc: 'Changes the agent id the key claims.',
    accounts: { key: role('wallet', "the agent's key", 's'), config, agent, ...emitting },
    args: { agentId: ['key', 'agent id it claims'] },
  },
  payLease: {
    doc: 'Anyone pays the lease of an agent. Arrears first; a deactivated agent pays the grace epochs on top.',
    accounts: {
      payer: role('wallet', 'owner of the source', 's'),
      config,
      agent,
      source: role('token', 'token account of the payer', 'w'),
      treasuryAta,
      tokenProgram,
      ...emitting,
    },
    args: {
      epochs: ['u16', 'epochs to pay'],
      maxAmount: ['u64', 'refuse when it costs more'],
      payments: ['u32', 'payments that the account has counted'],
    },
  },
  addStake: {
    doc: 'Stakes, or adds to a stake. The first stake is signed by the key too and starts its duties.',
    accounts: {
      stakeOwner: role('wallet', 'who stakes and is paid back', 'sw'),
      key: role('wallet', "the agent's key; signs the first stake"),
      config,
      agent,
      vault: agentVault,
      source: role('token', 'token account of the stake owner', 'w'),
      mint,
      tokenProgram,
      systemProgram,
      ...emitting,
    },
    args: { amount: ['u64', 'USDC minor units'], payments: ['u32', 'payments that the account has counted'] },
  },
  requestUnlock: {
    doc: 'Starts leaving. Key or stake owner.',
    accounts: { authority: role('wallet', 'key or stake owner', 's'), config, agent, ...emitting },
    args: {},
  },
  resume: {
    doc: 'Active again, after leaving or a slash. Key and stake owner.',
    accounts: {
      key: role('wallet', "the agent's key", 's'),
      stakeOwner: role('wallet', 'stake owner', 's'),
      config,
      agent,
      ...emitting,
    },
    args: {},
  },
  withdraw: {
    doc: 'Pays the stake back to its owner and closes the vault.',
    accounts: {
      stakeOwner: role('wallet', 'stake owner', 'sw'),
      config,
      agent,
      vault: agentVault,
      destination: role('token', 'associated token account of the stake owner', 'w'),
      tokenProgram,
      ...emitting,
    },
    args: {},
  },
  submitBatch: {
    doc: 'Records the behavior batch of a past epoch.',
    accounts: { key: role('wallet', "the agent's key", 's'), config, agent, ...emitting },
    args: {
      epoch: ['u64', 'epoch of the batch'],
      count: ['u32', 'number of envelopes'],
      root: ['hash', 'merkle root'],
    },
  },
  announce: {
    doc: 'Says by a hash that this accuser will show a header; a copied proof comes too late for a bounty. No event.',
    accounts: {
      accuser: role('wallet', 'pays the rent', 'sw'),
      config,
      announcement: role('fresh', 'announcement account', 'w'),
      systemProgram,
    },
    args: { commitment: ['hash', 'keccak256 of 2 u8, accuser, agent account, header id'] },
  },
  retract: {
    doc: 'Closes an announcement that no accusation followed. No event.',
    accounts: { accuser: role('wallet', 'who announced; gets the rent', 'sw'), config, announcement },
    args: {},
  },
  accuse: {
    doc: 'Shows a signed header of a batched epoch, as announced. Convicts at once when its number is outside the batch.',
    accounts: {
      accuser: role('wallet', 'pays deposit and rent', 'sw'),
      config,
      agent,
      announcement,
      accusation: role('fresh', 'accusation account', 'w'),
      vault: agentVault,
      bounty: role('token', 'associated token account of the accuser', 'w'),
      treasuryAta,
      sysvar,
      tokenProgram,
      systemProgram,
      ...emitting,
    },
    args: {},
  },
  answer: {
    doc: 'Anyone shows the path from the accused header to the root. Void after a slash.',
    accounts: {
      answerer: role('wallet', 'gets the reward', 'sw'),
      config,
      agent,
      accusation,
      accuser: role('wallet', 'gets the rent', 'w'),
      treasury: role('wallet', 'gets the rest of the deposit', 'w'),
      ...emitting,
    },
    args: {},
    tail: 'd siblings of 32 bytes, leaf level first',
  },
  convict: {
    doc: 'Anyone decides an accusation that stayed unanswered, or shows another leaf at its index. Void after a slash.',
    accounts: {
      config,
      agent,
      accusation,
      accuser: role('wallet', 'gets deposit and rent', 'w'),
      vault: agentVault,
      bounty: role('token', 'associated token account of the accuser', 'w'),
      treasuryAta,
      tokenProgram,
      ...emitting,
    },
    args: {},
    tail: 'nothing, or another leaf and its d siblings',
  },
  slashInactive: {
    doc: 'Anyone slashes an agent that stopped submitting.',
    accounts: {
      caller: role('wallet', 'gets the bounty', 's'),
      config,
      agent,
      vault: agentVault,
      bounty: role('token', 'associated token account of the caller', 'w'),
      treasuryAta,
      tokenProgram,
      ...emitting,
    },
    args: {},
  },
  claimOwner: {
    doc: "Writes an owner link from the owner's signed text and the key's signed statement in the two instructions before.",
    accounts: {
      payer: role('wallet', 'pays the rent', 'sw'),
      config,
      ownerLink: role('fresh', 'owner link', 'w'),
      sysvar,
      systemProgram,
      ...emitting,
    },
    args: {},
  },
} as const satisfies Record<string, InstructionDeclaration>;

export type InstructionName = keyof typeof INSTRUCTIONS;
export type InstructionArgs<N extends InstructionName> = Values<(typeof INSTRUCTIONS)[N]['args']>;
type Roles<N extends InstructionName> = (typeof INSTRUCTIONS)[N]['accounts'];

/** The addresses a caller gives; programs and sysvars are known. */
export type InstructionAccounts<N extends InstructionName> = {
  readonly [K in keyof Roles<N> as Roles<N>[K] extends AccountRole<FixedKind> ? never : K]: string;
};

export const INSTRUCTION_NAMES = Object.keys(INSTRUCTIONS) as InstructionName[];

import assert from 'node:assert/strict';
import bs58 from 'bs58';
import {
  type AccountName,
  type AccountValues,
  agentAddress,
  CONFIG_SIZE,
  type Deployment,
  decodeAccount,
  type EscrowName,
  escrowAddress,
  initConfig,
  type Numbers,
  networkHash,
  type ProgramInstruction,
  readProgram,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  tokenAddress,
} from '../../../adapters/ledger-solana/program/index.ts';
import { makeWallet, type Outcome, Svm, type Wallet } from './svm.ts';

/** Epochs of 100 seconds and everything else to match; a slot is 10 seconds. */
export const SHORT_NUMBERS: Numbers = {
  epochSecs: 100n,
  challengeSecs: 500n,
  responseSecs: 300n,
  responseSlots: 30n,
  announceSlots: 2n,
  unlockSecs: 700n,
  submitGap: 3n,
  skipLimit: 2n,
  inactiveEpochs: 5n,
  inactiveSlots: 50n,
  minStake: 10_000_000n,
  bountyCap: 50_000_000n,
  accuseDeposit: 20_000_000n,
  answerReward: 1_000_000n,
  leasePrice: 1_000_000n,
  leaseMaxEpochs: 30n,
  graceEpochs: 3n,
  leadSecs: 60n,
  horizonSecs: 9_000n,
  reviewMinSecs: 100n,
  reviewMaxSecs: 2_000n,
  disputeSecs: 300n,
};

export const NETWORK_NAME = { genesisHash: Buffer.alloc(32, 9), networkId: 'test' };
const LAMPORTS = 10_000_000_000n;
const TOKENS = 1_000_000_000_000n;
/** More than is ever handed out, as tokens are written into accounts and not minted. */
const SUPPLY = 10n ** 18n;

/** One machine with the program, a mint, and one deployment; wallets come with SOL and USDC. */
export class World {
  readonly svm: Svm;
  deployment: Deployment;
  network: Buffer;
  readonly treasury: Wallet;
  readonly mint: Wallet;

  constructor(numbers: Numbers = SHORT_NUMBERS) {
    const program = makeWallet();
    this.mint = makeWallet();
    this.treasury = makeWallet();
    this.svm = new Svm(program.address, readProgram());
    this.makeMint(this.mint.address);
    this.deployment = this.deploy(numbers, this.mint.address);
    this.network = networkHash(this.deployment, NETWORK_NAME);
    this.fund(this.treasury);
  }

  /** Another deployment of the same program: own config, same mint unless told otherwise. */
  deploy(numbers: Numbers, mint = this.mint.address): Deployment {
    const payer = this.#rich(makeWallet());
    const config = makeWallet();
    const deployment: Deployment = {
      programId: this.svm.programId,
      config: config.address,
      mint,
      treasury: this.treasury.address,
    };
    this.giveTokens(this.treasury.address, 0n, deployment);
    const create = createAccount(payer, config, CONFIG_SIZE, this.svm.rent(CONFIG_SIZE), this.svm.programId);
    this.do([create, initConfig(deployment, NETWORK_NAME, numbers)], [payer, config]);
    return deployment;
  }

  /** Runs `make` as if that deployment were this world's own. */
  under<T>(deployment: Deployment, make: () => T): T {
    const mine = { deployment: this.deployment, network: this.network };
    Object.assign(this, { deployment, network: networkHash(deployment, NETWORK_NAME) });
    try {
      return make();
    } finally {
      Object.assign(this, mine);
    }
  }

  /** A wallet with SOL and a token account. */
  wallet(tokens = TOKENS): Wallet {
    return this.fund(makeWallet(), tokens);
  }

  fund(wallet: Wallet, tokens = TOKENS): Wallet {
    this.#rich(wallet);
    this.giveTokens(wallet.address, tokens);
    return wallet;
  }

  /** Sends and expects success. */
  do(instructions: readonly ProgramInstruction[], signers: readonly Wallet[]): Outcome {
    const outcome = this.svm.send(instructions, signers);
    assert.equal(outcome.error, undefined, outcome.logs.join('\n'));
    return outcome;
  }

  /** Sends and expects this error. */
  refuse(error: string, instructions: readonly ProgramInstruction[], signers: readonly Wallet[]): void {
    const outcome = this.svm.send(instructions, signers);
    assert.equal(outcome.error, error, outcome.logs.join('\n'));
  }

  tokens(wallet: string): bigint {
    return this.tokensAt(tokenAddress(this.deployment, wallet));
  }

  tokensAt(address: string): bigint {
    return this.svm.account(address)?.data.readBigUInt64LE(64) ?? 0n;
  }

  read<N extends AccountName>(kind: N, address: string): AccountValues<N> {
    const account = this.svm.account(address);
    assert.ok(account, `no account at ${address}`);
    const values = decodeAccount(this.svm.programId, kind, account);
    assert.ok(values, `not a ${kind} account`);
    return values;
  }

  escrow(name: EscrowName): AccountValues<'escrow'> {
    return this.read('escrow', escrowAddress(this.deployment, name));
  }

  agent(key: string): AccountValues<'agent'> {
    return this.read('agent', agentAddress(this.deployment, key));
  }

  epoch(): bigint {
    return this.svm.now() / this.read('config', this.deployment.config).epochSecs;
  }

  /** How much of the mint was burnt. */
  burnt(): bigint {
    return SUPPLY - this.svm.account(this.mint.address)!.data.readBigUInt64LE(36);
  }

  giveTokens(wallet: string, amount: bigint, deployment = this.deployment): string {
    const address = tokenAddress(deployment, wallet);
    this.setTokenAccount(address, { owner: wallet, amount, mint: deployment.mint });
    return address;
  }

  setTokenAccount(address: string, token: TokenAccount): void {
    this.svm.setAccount(address, TOKEN_PROGRAM, tokenData({ mint: this.mint.address, ...token }));
  }

  makeMint(address: string): void {
    const data = Buffer.alloc(82);
    data.writeBigUInt64LE(SUPPLY, 36);
    data[44] = 6;
    data[45] = 1;
    this.svm.setAccount(address, TOKEN_PROGRAM, data);
  }

  #rich(wallet: Wallet): Wallet {
    this.svm.setAccount(wallet.address, SYSTEM_PROGRAM, new Uint8Array(), LAMPORTS);
    return wallet;
  }
}

export interface TokenAccount {
  readonly owner: string;
  readonly amount: bigint;
  readonly mint?: string;
  /** 1 initialised (default), 2 frozen. */
  readonly state?: number;
  readonly delegate?: string;
  readonly closeAuthority?: string;
}

function tokenData(token: TokenAccount & { readonly mint: string }): Buffer {
  const data = Buffer.alloc(165);
  data.set(bs58.decode(token.mint), 0);
  data.set(bs58.decode(token.owner), 32);
  data.writeBigUInt64LE(token.amount, 64);
  data[108] = token.state ?? 1;
  if (token.delegate) {
    data.writeUInt32LE(1, 72);
    data.set(bs58.decode(token.delegate), 76);
    data.writeBigUInt64LE(token.amount, 121);
  }
  if (token.closeAuthority) {
    data.writeUInt32LE(1, 129);
    data.set(bs58.decode(token.closeAuthority), 133);
  }
  return data;
}

export function createAccount(
  payer: Wallet,
  account: Wallet,
  size: number,
  lamports: bigint,
  owner: string,
): ProgramInstruction {
  const data = Buffer.alloc(52);
  data.writeBigUInt64LE(lamports, 4);
  data.writeBigUInt64LE(BigInt(size), 12);
  data.set(bs58.decode(owner), 20);
  const keys = [payer, account].map(({ address }) => ({ address, signer: true, writable: true }));
  return { programId: SYSTEM_PROGRAM, keys, data };
}

export function sendLamports(from: Wallet, to: string, lamports: bigint): ProgramInstruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(lamports, 4);
  const keys = [
    { address: from.address, signer: true, writable: true },
    { address: to, signer: false, writable: true },
  ];
  return { programId: SYSTEM_PROGRAM, keys, data };
}

export function sendTokens(from: Wallet, source: string, to: string, amount: bigint): ProgramInstruction {
  const data = Buffer.alloc(9, 3);
  data.writeBigUInt64LE(amount, 1);
  const keys = [
    { address: source, signer: false, writable: true },
    { address: to, signer: false, writable: true },
    { address: from.address, signer: true, writable: false },
  ];
  return { programId: TOKEN_PROGRAM, keys, data };
}

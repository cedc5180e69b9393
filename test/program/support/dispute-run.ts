import * as program from '../../../adapters/ledger-solana/program/index.ts';
import { type CaseStepName, DEADLINE, DISPUTE_SECS, type DisputeCase, REVIEW, type Who } from './dispute-cases.ts';
import { EscrowModel, type ModelEscrow } from './escrow-model.ts';
import { Purse } from './purse.ts';
import type { Wallet } from './svm.ts';
import { SHORT_NUMBERS, type World } from './world.ts';

export const DISPUTE_NUMBERS: program.Numbers = {
  ...SHORT_NUMBERS,
  leadSecs: 1n,
  reviewMaxSecs: BigInt(REVIEW),
  disputeSecs: BigInt(DISPUTE_SECS),
};

export type Terms = Pick<DisputeCase, 'amount' | 'bond' | 'floor' | 'notary'>;
type Balances = [requester: bigint, provider: bigint, burnt: bigint];

let deals = 0;

/** One escrow on the machine and in the model at once, with the balances that both say. */
export class DisputeRun {
  readonly #world: World;
  readonly #wallets: Record<Who, Wallet>;
  readonly #terms: program.EscrowTerms;
  readonly #model: EscrowModel;
  readonly #purse = new Purse();
  readonly #start: bigint;
  readonly #burnt: bigint;
  #escrow: ModelEscrow | undefined;

  constructor(world: World, { amount, bond, floor = 0, notary = false }: Terms) {
    this.#world = world;
    const [requester, provider, judge] = [world.wallet(amount + bond), world.wallet(0n), world.wallet(0n)];
    this.#wallets = { R: requester, P: provider, N: judge, A: world.wallet(0n) };
    this.#purse.move(requester.address, amount + bond);
    this.#model = new EscrowModel(DISPUTE_NUMBERS, this.#purse);
    this.#start = world.svm.now();
    this.#burnt = world.burnt();
    const conversation = Buffer.alloc(16);
    conversation.writeUInt32LE(++deals);
    this.#terms = {
      ...{ requester: requester.address, provider: provider.address, conversation },
      ...(notary && { notary: judge.address }),
      ...{ amount, bond, disputeBps: floor, terms: Buffer.alloc(32, 1) },
      ...{ deadline: this.#start + BigInt(DEADLINE), reviewSecs: BigInt(REVIEW) },
    };
  }

  /** The error of the machine; throws when the model says otherwise. */
  lock(): string | undefined {
    const { requester, provider, notary, amount, bond, deadline, reviewSecs, disputeBps } = this.#terms;
    const input = { requester, provider, notary, conversation: 0, amount, bond, deadline, reviewSecs, disputeBps };
    const allowed = this.#model.lock(input, this.#start);
    this.#escrow = [...this.#model.escrows.values()][0];
    return this.#send([program.lockEscrow(this.#world.deployment, this.#terms)], 'R', allowed);
  }

  /** `at` counts from the lock, and never back. */
  step(who: Who, name: CaseStepName, at: number, arg = 0): string | undefined {
    const { svm } = this.#world;
    svm.pass(this.#start + BigInt(at) - svm.now(), 1n);
    const [instruction, allowed] = this.#attempt(who, name, arg);
    return this.#send([this.#as(who, name, instruction)], who, this.#escrow !== undefined && allowed(this.#escrow));
  }

  /** Closes an empty account, freezes another; or opens it again. */
  account(of: 'R' | 'P', usable: boolean): void {
    const { svm, deployment } = this.#world;
    const { address } = this.#wallets[of];
    const [account, amount] = [program.tokenAddress(deployment, address), this.#world.tokens(address)];
    this.#purse.freeze(address, !usable);
    if (amount === 0n && !usable) svm.setAccount(account, program.SYSTEM_PROGRAM, new Uint8Array(), 0n);
    else this.#world.setTokenAccount(account, { owner: address, amount, state: usable ? 1 : 2 });
  }

  get state(): ModelEscrow['state'] | 'ended' {
    const open = this.#escrow && this.#model.escrows.size > 0;
    return open ? this.#escrow!.state : 'ended';
  }

  get usable(): { R: boolean; P: boolean } {
    const { R, P } = this.#wallets;
    return { R: this.#purse.receives(R.address), P: this.#purse.receives(P.address) };
  }

  /** What both gained since before the lock, and what burnt. */
  balances(): Balances {
    const { R, P } = this.#wallets;
    const { amount, bond } = this.#terms;
    const start = amount + bond;
    return [this.#world.tokens(R.address) - start, this.#world.tokens(P.address), this.#world.burnt() - this.#burnt];
  }

  modelBalances(): Balances {
    const { R, P } = this.#wallets;
    const { amount, bond } = this.#terms;
    return [this.#purse.of(R.address) - amount - bond, this.#purse.of(P.address), this.#model.burnt];
  }

  /** What the vault still holds. */
  held(): bigint {
    const { deployment } = this.#world;
    return this.#world.tokensAt(program.vaultAddress(deployment, program.escrowAddress(deployment, this.#terms)));
  }

  #attempt(who: Who, name: CaseStepName, arg: number): [program.ProgramInstruction, (escrow: ModelEscrow) => boolean] {
    const { deployment, svm } = this.#world;
    const [model, terms, now] = [this.#model, this.#terms, svm.now()];
    const by = this.#wallets[who].address;
    switch (name) {
      case 'deliver':
        return [program.deliver(deployment, terms, Buffer.alloc(32, 2)), (escrow) => model.deliver(escrow, by, now)];
      case 'approve':
        return [program.approve(deployment, terms), (escrow) => model.approve(escrow, by)];
      case 'refund':
        return [program.refund(deployment, terms), (escrow) => model.refund(escrow, by)];
      case 'reclaim':
        return [program.reclaim(deployment, terms), (escrow) => model.reclaim(escrow, now)];
      case 'claim':
        return [program.claim(deployment, terms), (escrow) => model.claim(escrow, now)];
      case 'dispute':
        return [program.dispute(deployment, terms, arg), (escrow) => model.dispute(escrow, by, arg, now)];
      case 'contest':
        return [program.contest(deployment, terms, arg), (escrow) => model.contest(escrow, by, arg, now)];
      case 'decide':
        return [program.decide(deployment, terms, by, arg === 1), (escrow) => model.decide(escrow, by, arg === 1, now)];
      case 'split':
        return [program.split(deployment, terms), (escrow) => model.split(escrow, now)];
    }
  }

  /** The instruction signed by that wallet, whoever should sign it. */
  #as(who: Who, name: CaseStepName, instruction: program.ProgramInstruction): program.ProgramInstruction {
    if (['reclaim', 'claim', 'split'].includes(name)) return instruction;
    const { address } = this.#wallets[who];
    return { ...instruction, keys: instruction.keys.map((key) => (key.signer ? { ...key, address } : key)) };
  }

  #send(instructions: readonly program.ProgramInstruction[], who: Who, allowed: boolean): string | undefined {
    const signs = instructions.some(({ keys }) => keys.some(({ signer }) => signer));
    const signers = signs && who !== 'A' ? [this.#wallets.A, this.#wallets[who]] : [this.#wallets.A];
    const { error } = this.#world.svm.send(instructions, signers);
    if ((error === undefined) !== allowed)
      throw new Error(`${error ?? 'done'}, the model ${allowed ? 'allows' : 'refuses'} it`);
    return error;
  }
}

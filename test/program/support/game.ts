import { type ProgramInstruction, tokenAddress } from '../../../adapters/ledger-solana/program/index.ts';
import { AgentModel } from './agent-model.ts';
import { EscrowModel, heldIn } from './escrow-model.ts';
import { Purse } from './purse.ts';
import type { Chance } from './random.ts';
import type { Wallet } from './svm.ts';
import { SHORT_NUMBERS, sendLamports, type World } from './world.ts';

const TOKENS = 3_000_000_000n;

/** One attempt: what is sent, who signs besides the payer, and what the model says; `allowed` also applies it. */
export interface Attempt {
  readonly what: string;
  readonly send: readonly ProgramInstruction[];
  readonly signers: readonly Wallet[];
  readonly allowed: () => boolean;
}

/** A world with a few actors who play every role, and the models of what may happen in it. */
export class Game {
  readonly world: World;
  readonly chance: Chance;
  readonly payer: Wallet;
  readonly actors: readonly Wallet[];
  readonly purse = new Purse();
  readonly escrows: EscrowModel;
  readonly agents: AgentModel;

  constructor(world: World, chance: Chance) {
    this.world = world;
    this.chance = chance;
    this.payer = world.wallet(0n);
    this.actors = Array.from({ length: 5 }, () => world.wallet(TOKENS));
    for (const actor of this.actors) this.purse.move(actor.address, TOKENS);
    this.purse.move(world.treasury.address, world.tokens(world.treasury.address));
    this.escrows = new EscrowModel(SHORT_NUMBERS, this.purse);
    this.agents = new AgentModel(SHORT_NUMBERS, this.purse, world.treasury.address);
  }

  actor(address: string): Wallet | undefined {
    return this.actors.find((wallet) => wallet.address === address);
  }

  moment(): { now: bigint; slot: bigint } {
    return { now: this.world.svm.now(), slot: this.world.svm.slot() };
  }

  /** Everything that wallets, escrows and agents hold, and what was burnt, according to the models. */
  supply(): bigint {
    let sum = this.escrows.burnt;
    for (const [, amount] of this.purse.entries()) sum += amount;
    for (const escrow of this.escrows.escrows.values()) sum += heldIn(escrow);
    for (const agent of this.agents.agents.values()) sum += agent.stake + agent.dust;
    return sum;
  }
}

/** The issuer freezes the account of an actor, or thaws it, more often the latter. */
export function freezeAttempt({ world, chance, actors, purse, payer }: Game): Attempt {
  const { address } = chance.pick(actors);
  const frozen = chance.happens(0.35);
  const nothing = sendLamports(payer, payer.address, 0n);
  const allowed = () => {
    const account = { owner: address, amount: purse.of(address), state: frozen ? 2 : 1 };
    world.setTokenAccount(tokenAddress(world.deployment, address), account);
    purse.freeze(address, frozen);
    return true;
  };
  return { what: 'freeze', send: [nothing], signers: [], allowed };
}

/** The instruction with `wallet` in the place of its first account. */
export function by(wallet: Wallet, instruction: ProgramInstruction): ProgramInstruction {
  const keys = instruction.keys.map((key, i) => (i === 0 ? { ...key, address: wallet.address } : key));
  return { ...instruction, keys };
}

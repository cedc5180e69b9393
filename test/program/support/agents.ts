import {
  accusationCommitment,
  accuse,
  addStake,
  announce,
  announcementAddress,
  openAgent,
  type ProgramInstruction,
  submitBatch,
} from '../../../adapters/ledger-solana/program/index.ts';
import { batchOf, headerProof, idOf, type Tree } from './envelopes.ts';
import type { Wallet } from './svm.ts';
import type { World } from './world.ts';

export const STAKE = 100_000_000n;

export interface StakedAgent {
  readonly key: Wallet;
  readonly owner: Wallet;
}

export interface Accused extends StakedAgent {
  readonly epoch: bigint;
  readonly tree: Tree;
  readonly header: Buffer;
  readonly id: Buffer;
  readonly accuser: Wallet;
}

/** An agent whose stake another wallet owns. */
export function stakedAgent(world: World, amount = STAKE): StakedAgent {
  const [key, owner] = [world.wallet(), world.wallet()];
  const open = openAgent(world.deployment, key.address, key.address);
  const stake = addStake(world.deployment, key.address, {
    ...{ stakeOwner: owner.address, amount },
    first: true,
    payments: 0,
  });
  world.do([open, stake], [key, owner]);
  return { key, owner };
}

/** Lets epochs pass, each with a batch of `count` envelopes, as an honest agent does. */
export function live(world: World, { key }: StakedAgent, epochs: number, count = 0): void {
  for (let i = 0; i < epochs; i++) {
    world.svm.pass(100n);
    const epoch = world.epoch() - 1n;
    if (world.agent(key.address).last >= epoch) continue;
    const { tree } = batchOf(key.address, epoch, count);
    world.do([submitBatch(world.deployment, key.address, { epoch, ...rootOf(tree) })], [key]);
  }
}

/** An agent with a batch of five envelopes, the one of `seq` accused. */
export function accusedAgent(world: World, seq = 3): Accused {
  const agent = stakedAgent(world);
  const accuser = world.wallet();
  live(world, agent, 1);
  world.svm.pass(100n);
  const epoch = world.epoch() - 1n;
  const { headers, tree } = batchOf(agent.key.address, epoch, 5);
  world.do([submitBatch(world.deployment, agent.key.address, { epoch, ...rootOf(tree) })], [agent.key]);
  const header = headers[seq - 1]!;
  world.do(accusation(world, agent.key, header, accuser), [accuser]);
  return { ...agent, epoch, tree, header, id: idOf(header), accuser };
}

/**
 * Proof and accusation, as they must stand in one transaction. Announces it first, and lets the slots pass, unless that
 * was done.
 */
export function accusation(world: World, key: Wallet, header: Buffer, accuser: Wallet): ProgramInstruction[] {
  const { deployment, network } = world;
  announced(world, key, header, accuser);
  return [headerProof(network, header, key), accuse(deployment, key.address, idOf(header), accuser.address)];
}

/** Announces an accusation, and lets the slots pass; does nothing where that was done. */
export function announced(world: World, key: Wallet, header: Buffer, accuser: Wallet): string {
  const { deployment, svm } = world;
  const one = { key: key.address, id: idOf(header), accuser: accuser.address };
  const address = announcementAddress(deployment, accuser.address, accusationCommitment(deployment, one));
  if (svm.account(address)?.owner === svm.programId) return address;
  world.do([announce(deployment, one)], [accuser]);
  svm.pass(0n, 2n);
  return address;
}

export function rootOf(tree: Tree): { count: number; root: Buffer } {
  return { count: tree.count, root: tree.root };
}

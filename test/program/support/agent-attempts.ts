import * as program from '../../../adapters/ledger-solana/program/index.ts';
import type { ModelAgent } from './agent-model.ts';
import { accusation, rootOf } from './agents.ts';
import { batchOf, header, idOf } from './envelopes.ts';
import type { Attempt, Game } from './game.ts';
import type { Wallet } from './svm.ts';

const STEPS = ['accuse', 'lease', 'stake', 'unlock', 'resume', 'withdraw', 'slash'] as const;
type Step = (typeof STEPS)[number];

/** What the accused headers were, by their id in hex. */
export type Shown = Map<
  string,
  { readonly key: Wallet; readonly epoch: bigint; readonly seq: number; readonly variant: number }
>;

/** Any step of an agent: opening when there is none, batches more often than the rest. */
export function agentAttempt(game: Game, shown: Shown, key: Wallet): Attempt {
  const { world, chance, agents } = game;
  const agent = agents.agents.get(key.address);
  if (!agent) {
    const send = [program.openAgent(world.deployment, key.address, key.address)];
    return { what: 'open', send, signers: [key], allowed: () => agents.open(key.address) };
  }
  if (chance.happens(0.4)) return submitAttempt(game, agent, key);
  const step = chance.pick(STEPS);
  const actor = chance.pick(game.actors);
  if (step === 'accuse') return accuseAttempt(game, shown, agent, key, actor);
  const owner = game.actor(agent.owner);
  return attemptOf(game, agent, key, step, owner && chance.happens(0.8) ? owner : actor);
}

function attemptOf(game: Game, agent: ModelAgent, key: Wallet, step: Exclude<Step, 'accuse'>, actor: Wallet): Attempt {
  const { world, chance, agents } = game;
  const { deployment } = world;
  const [who, at] = [actor.address, game.moment()];
  switch (step) {
    case 'lease': {
      const epochs = chance.below(4);
      const payments = countOf(game, agent);
      const payment = { payer: who, epochs, maxAmount: 10n ** 12n, payments };
      const send = [program.payLease(deployment, agent.key, payment)];
      return { what: step, send, signers: [actor], allowed: () => agents.payLease(agent, who, epochs, payments, at) };
    }
    case 'stake': {
      const [amount, first] = [BigInt(chance.below(40_000_000)), agent.state === 'none'];
      const payments = countOf(game, agent);
      const send = [program.addStake(deployment, agent.key, { stakeOwner: who, amount, first, payments })];
      const signers = first ? [actor, key] : [actor];
      return { what: step, send, signers, allowed: () => agents.addStake(agent, who, amount, payments, at) };
    }
    case 'unlock': {
      const asking = chance.happens(0.5) ? key : actor;
      const send = [program.requestUnlock(deployment, agent.key, asking.address)];
      return { what: step, send, signers: [asking], allowed: () => agents.requestUnlock(agent, asking.address, at) };
    }
    case 'resume': {
      const send = [program.resume(deployment, agent.key, who)];
      return { what: step, send, signers: [key, actor], allowed: () => agents.resume(agent, who, at) };
    }
    case 'withdraw': {
      const send = [program.withdraw(deployment, agent.key, who)];
      return { what: step, send, signers: [actor], allowed: () => agents.withdraw(agent, who, at) };
    }
    case 'slash': {
      const send = [program.slashInactive(deployment, agent.key, who)];
      return { what: step, send, signers: [actor], allowed: () => agents.slashInactive(agent, who, at) };
    }
  }
}

/** The count of the account, or, as in a payment that is sent again, the one before. */
function countOf({ chance }: Game, { payments }: ModelAgent): number {
  return chance.happens(0.2) ? Math.max(0, payments - 1) : payments;
}

function submitAttempt(game: Game, agent: ModelAgent, key: Wallet): Attempt {
  const { world, chance, agents } = game;
  const epoch = agent.last + 1n + BigInt(chance.happens(0.9) ? 0 : chance.below(5) - 1);
  const count = chance.below(4);
  const { tree } = batchOf(agent.key, epoch, count);
  const send = [program.submitBatch(world.deployment, agent.key, { epoch, ...rootOf(tree) })];
  const at = game.moment();
  return { what: 'submit', send, signers: [key], allowed: () => agents.submit(agent, epoch, count, at) };
}

/** Shows a header of a recent epoch: of the batch, beyond it, or another one with a number of the batch. */
function accuseAttempt(game: Game, shown: Shown, agent: ModelAgent, key: Wallet, accuser: Wallet): Attempt {
  const { world, chance, agents } = game;
  const back = BigInt(chance.below(3));
  const epoch = agent.last > back ? agent.last - back : 0n;
  const [seq, variant] = [1 + chance.below(chance.happens(0.2) ? 5 : 2), chance.below(2)];
  const bytes = header({ sender: agent.key, epoch, seq, variant });
  const id = idOf(bytes).toString('hex');
  shown.set(id, { key, epoch, seq, variant });
  const send = accusation(world, key, bytes, accuser);
  const at = game.moment();
  const allowed = () => agents.accuse(agent, accuser.address, id, epoch, seq, at);
  return { what: 'accuse', send, signers: [accuser], allowed };
}

/** Answers an open accusation, rightly or with a bad path, or asks for a conviction. */
export function trialAttempt(game: Game, shown: Shown, id: string): Attempt {
  const { world, chance, agents, payer } = game;
  const { key, epoch, seq, variant } = shown.get(id)!;
  const { agent, accuser } = agents.accusations.get(id)!;
  const one = { key: key.address, id: Buffer.from(id, 'hex'), accuser };
  const at = game.moment();
  if (chance.happens(0.4)) {
    const send = [program.convict(world.deployment, one)];
    return { what: 'convict', send, signers: [], allowed: () => agents.convict(id, at) };
  }
  const batch = agent.ring.get(epoch % 16n)!;
  const path = batchOf(key.address, epoch, batch.epoch === epoch ? batch.count : 1).tree.siblings(seq - 1);
  const siblings = path.slice(chance.happens(0.1) ? 1 : 0);
  const leads = variant === 0 && siblings.length === path.length;
  const send = [program.answer(world.deployment, one, payer.address, siblings)];
  return { what: 'answer', send, signers: [payer], allowed: () => agents.answer(id, leads) };
}

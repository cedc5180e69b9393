import assert from 'node:assert/strict';
import {
  agentAddress,
  agentState,
  escrowAddress,
  escrowState,
  vaultAddress,
} from '../../adapters/ledger-solana/program/index.ts';
import { agentAttempt, type Shown, trialAttempt } from './support/agent-attempts.ts';
import { escrowAttempt, lockAttempt, termsOf } from './support/escrow-attempts.ts';
import { heldIn } from './support/escrow-model.ts';
import { type Attempt, freezeAttempt, Game } from './support/game.ts';
import { Chance, seedOf } from './support/random.ts';
import { World } from './support/world.ts';

const STEPS = Number(process.env['STEPS'] ?? 2_500);
const KINDS = [
  'lock',
  'deliver',
  'dispute',
  'contest',
  'decide',
  'freeze',
  'approve',
  'refund',
  'reclaim',
  'claim',
  'split',
  'setPayee',
  'dust',
].concat(['open', 'submit', 'accuse', 'lease', 'stake', 'unlock', 'resume', 'withdraw', 'slash', 'answer', 'convict']);

describe('random sequences of instructions by random actors', () => {
  const seed = seedOf(1);
  const game = new Game(new World(), new Chance(seed));
  const { world, chance, escrows, agents, purse } = game;
  const { svm, deployment } = world;
  const shown: Shown = new Map();

  function attempt(): Attempt {
    const open = [...escrows.escrows.values()];
    if (chance.happens(0.02)) return freezeAttempt(game);
    const trials = [...agents.accusations.keys()];
    if (trials.length > 0 && chance.happens(0.15)) return trialAttempt(game, shown, chance.pick(trials));
    if (chance.happens(0.5)) return agentAttempt(game, shown, chance.pick(game.actors.slice(0, 3)));
    if (open.length > 0 && chance.happens(0.75)) return escrowAttempt(game, chance.pick(open));
    return lockAttempt(game);
  }

  function checkVault(parent: string, held: bigint): void {
    assert.equal(world.tokensAt(vaultAddress(deployment, parent)), held);
  }

  function checkAccounts(): void {
    for (const escrow of escrows.escrows.values()) {
      const terms = termsOf(escrow);
      const account = world.escrow(terms);
      assert.deepEqual(
        [escrowState(account), account.offerBps, account.providerDue, account.requesterDue],
        [escrow.state, escrow.offerBps, escrow.providerDue, escrow.requesterDue],
      );
      checkVault(escrowAddress(deployment, terms), heldIn(escrow));
    }
    for (const agent of agents.agents.values()) {
      const account = world.agent(agent.key);
      const { stake, last, open, paidThrough, settledEpoch, payments } = account;
      assert.deepEqual(
        [agentState(account), stake, last, open, paidThrough, settledEpoch, payments],
        [agent.state, agent.stake, agent.last, agent.open, agent.paidThrough, agent.settled, agent.payments],
      );
      checkVault(agentAddress(deployment, agent.key), agent.stake + agent.dust);
    }
  }

  it(`are judged as the rules say, and no token is made, lost or misplaced (${STEPS} steps, seed ${seed})`, function () {
    this.timeout(600_000);
    const total = game.supply();
    const seen = new Map<string, number>();
    for (let step = 0; step < STEPS; step++) {
      if (chance.happens(0.3)) svm.pass(BigInt(chance.below(80)), BigInt(chance.below(9)));
      const { what, send, signers, allowed } = attempt();
      const outcome = svm.send(send, [game.payer, ...signers]);
      const expected = allowed();
      const said = `step ${step} ${what}: ${outcome.error ?? 'done'}, the model ${expected ? 'allows' : 'refuses'} it`;
      assert.equal(outcome.error === undefined, expected, said);
      if (expected) seen.set(what, (seen.get(what) ?? 0) + 1);
      for (const [wallet, tokens] of purse.entries()) assert.equal(world.tokens(wallet), tokens, said);
      if (step % 20 === 0) checkAccounts();
      assert.equal(game.supply(), total, said);
      assert.equal(world.burnt(), escrows.burnt, said);
    }
    checkAccounts();
    if (process.env['VERBOSE']) process.stdout.write(`      ${JSON.stringify(Object.fromEntries(seen))}\n`);
    const never = KINDS.filter((kind) => !seen.has(kind));
    if (STEPS >= 2_500) assert.deepEqual(never, [], 'steps that never succeeded: the run shows nothing about them');
  });
});

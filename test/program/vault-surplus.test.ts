import assert from 'node:assert/strict';
import {
  agentAddress,
  approve,
  claim,
  contest,
  deliver,
  dispute,
  type EscrowTerms,
  escrowAddress,
  lockEscrow,
  refund,
  requestUnlock,
  split,
  tokenAddress,
  vaultAddress,
  withdraw,
} from '../../adapters/ledger-solana/program/index.ts';
import { live, STAKE, stakedAgent } from './support/agents.ts';
import { sendTokens, World } from './support/world.ts';

const AMOUNT = 9_000_000n;
const BOND = 4_500_000n;
const ID = Buffer.alloc(32, 5);

describe('tokens sent to a vault', () => {
  const world = new World();
  const { svm, deployment } = world;
  const [requester, provider, attacker] = [world.wallet(), world.wallet(), world.wallet()];
  let deals = 0;

  function deal(): EscrowTerms {
    const conversation = Buffer.alloc(16);
    conversation.writeUInt32LE(++deals);
    const parties = { requester: requester.address, provider: provider.address };
    const times = { deadline: svm.now() + 1000n, reviewSecs: 200n };
    return { ...parties, conversation, amount: AMOUNT, bond: BOND, ...times, terms: ID, disputeBps: 5000 };
  }

  function delivered(): EscrowTerms {
    const terms = deal();
    world.do([lockEscrow(deployment, terms), deliver(deployment, terms, ID)], [requester, provider]);
    return terms;
  }

  function vaultOf(terms: EscrowTerms): string {
    return vaultAddress(deployment, escrowAddress(deployment, terms));
  }

  it('do not stop a settlement and go to the requester', () => {
    const settle = [
      (terms: EscrowTerms) => world.do([approve(deployment, terms)], [requester]),
      (terms: EscrowTerms) => world.do([refund(deployment, terms)], [provider]),
      (terms: EscrowTerms) => {
        svm.pass(201n);
        world.do([claim(deployment, terms)], [attacker]);
      },
    ];
    for (const step of settle) {
      const terms = delivered();
      world.do([sendTokens(attacker, tokenAddress(deployment, attacker.address), vaultOf(terms), 7n)], [attacker]);
      const [mine, theirs] = [world.tokens(requester.address), world.tokens(provider.address)];
      step(terms);
      const gained = world.tokens(requester.address) - mine + world.tokens(provider.address) - theirs;
      assert.equal(gained, AMOUNT + BOND + 7n);
      assert.equal(svm.account(vaultOf(terms)), undefined);
    }
  });

  it('do not stop a claim when the requester’s account cannot receive them, nor cost it its bond', () => {
    const terms = delivered();
    world.do([sendTokens(attacker, tokenAddress(deployment, attacker.address), vaultOf(terms), 7n)], [attacker]);
    svm.pass(201n);
    const account = tokenAddress(deployment, requester.address);
    const saved = world.tokens(requester.address);
    world.setTokenAccount(account, { owner: requester.address, amount: saved, state: 2 });
    const before = world.tokens(provider.address);
    world.do([claim(deployment, terms)], [attacker]);
    assert.equal(world.tokens(provider.address) - before, AMOUNT);
    world.refuse('notReceivable', [split(deployment, terms)], [attacker]);
    world.setTokenAccount(account, { owner: requester.address, amount: saved });
    world.do([split(deployment, terms)], [attacker]);
    assert.equal(world.tokens(requester.address) - saved, BOND + 7n);
  });

  it('go to the payee where the requester is owed nothing and cannot receive', () => {
    const terms = { ...deal(), bond: 0n };
    world.do([lockEscrow(deployment, terms), deliver(deployment, terms, ID)], [requester, provider]);
    world.do([sendTokens(attacker, tokenAddress(deployment, attacker.address), vaultOf(terms), 7n)], [attacker]);
    svm.pass(201n);
    const account = tokenAddress(deployment, requester.address);
    const saved = world.tokens(requester.address);
    world.setTokenAccount(account, { owner: requester.address, amount: saved, state: 2 });
    const before = world.tokens(provider.address);
    world.do([claim(deployment, terms)], [attacker]);
    assert.equal(world.tokens(provider.address) - before, AMOUNT + 7n);
    world.setTokenAccount(account, { owner: requester.address, amount: saved });
  });

  it('wait when all was burnt and neither account can receive them', () => {
    const terms = { ...deal(), bond: 0n, disputeBps: 0 };
    world.do([lockEscrow(deployment, terms), deliver(deployment, terms, ID)], [requester, provider]);
    world.do([sendTokens(attacker, tokenAddress(deployment, attacker.address), vaultOf(terms), 7n)], [attacker]);
    world.do([dispute(deployment, terms, 0), contest(deployment, terms, 0)], [requester, provider]);
    const held = [requester, provider].map(({ address }) => ({ owner: address, amount: world.tokens(address) }));
    for (const one of held) world.setTokenAccount(tokenAddress(deployment, one.owner), { ...one, state: 2 });
    const burnt = world.burnt();
    world.do([split(deployment, terms)], [attacker]);
    assert.equal(world.burnt() - burnt, AMOUNT);
    world.refuse('notReceivable', [split(deployment, terms)], [attacker]);
    for (const one of held) world.setTokenAccount(tokenAddress(deployment, one.owner), one);
    world.do([split(deployment, terms)], [attacker]);
    assert.equal(world.tokens(requester.address) - held[0]!.amount, 7n);
    assert.equal(world.burnt() - burnt, AMOUNT);
    assert.equal(svm.account(vaultOf(terms)), undefined);
  });

  it('go to the stake owner on withdrawal and do not stop it', () => {
    const agent = stakedAgent(world);
    const vault = vaultAddress(deployment, agentAddress(deployment, agent.key.address));
    world.do([sendTokens(attacker, tokenAddress(deployment, attacker.address), vault, 3n)], [attacker]);
    world.do([requestUnlock(deployment, agent.key.address, agent.key.address)], [agent.key]);
    live(world, agent, 1);
    svm.pass(700n);
    const before = world.tokens(agent.owner.address);
    world.do([withdraw(deployment, agent.key.address, agent.owner.address)], [agent.owner]);
    assert.equal(world.tokens(agent.owner.address) - before, STAKE + 3n);
  });
});

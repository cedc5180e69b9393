import assert from 'node:assert/strict';
import {
  approve,
  contest,
  decide,
  deliver,
  dispute,
  type EscrowTerms,
  escrowState,
  lockEscrow,
  type ProgramEvent,
  refund,
  setPayee,
  split,
  tokenAddress,
} from '../../adapters/ledger-solana/program/index.ts';
import { AMOUNT, BOND, dealsOf, ID } from './support/deals.ts';
import { World } from './support/world.ts';

describe('the end of an escrow', () => {
  const world = new World();
  const { deployment } = world;
  const { requester, provider, notary, stranger, deal, delivered, contested } = dealsOf(world);

  it('is decided without touching a token account, so that a changed payee cannot hold it up', () => {
    const terms = contested();
    const other = world.wallet(0n);
    world.do([setPayee(deployment, terms, tokenAddress(deployment, other.address))], [provider]);
    const { events } = world.do([decide(deployment, terms, notary.address, false)], [notary]);
    assert.equal(escrowState(world.escrow(terms)), 'splitting');
    assert.deepEqual(payouts(events), { toProvider: 0n, toRequester: 0n, burnt: 0n, remaining: AMOUNT + BOND });
    world.refuse('wrongState', [approve(deployment, terms)], [requester]);
    world.refuse('wrongState', [refund(deployment, terms)], [provider]);
    world.refuse('wrongState', [dispute(deployment, terms, 9_000)], [requester]);
    world.refuse('wrongState', [decide(deployment, terms, notary.address, true)], [notary]);
    const share = (AMOUNT * 6_000n) / 10_000n;
    const before = world.tokens(requester.address);
    world.do([split(deployment, terms, tokenAddress(deployment, other.address))], [stranger]);
    assert.equal(world.tokens(other.address), share);
    assert.equal(world.tokens(requester.address) - before, AMOUNT - share + BOND);
  });

  it('tells what each end paid', () => {
    const one = delivered();
    const approved = world.do([approve(deployment, one)], [requester]).events;
    assert.deepEqual(payouts(approved), { toProvider: AMOUNT, toRequester: BOND, burnt: 0n, remaining: 0n });
    const { notary: _, ...alone } = deal();
    world.do([lockEscrow(deployment, alone), deliver(deployment, alone, ID)], [requester, provider]);
    const { events } = world.do(
      [dispute(deployment, alone, 6_000), contest(deployment, alone, 6_000), split(deployment, alone)],
      [requester, provider],
    );
    const names = events.map(({ name }) => name);
    assert.deepEqual(names, ['escrowDisputed', 'escrowContested', 'escrowSplit']);
    const [share, kept] = [15_000_000n, 7_500_000n];
    const burnt = AMOUNT + BOND - share - kept;
    assert.deepEqual(payouts(events), { toProvider: share, toRequester: kept, burnt, remaining: 0n });
    assert.ok(events.every(({ values }) => !('offerBps' in values) || values.offerBps === 6_000));
  });

  it('ends by any number of the greatest amounts without an overflow', () => {
    const rich = world.wallet(2n ** 64n - 1n);
    const terms = (change: Partial<EscrowTerms>) => deal({ requester: rich.address, ...change });
    world.refuse('overflow', [lockEscrow(deployment, terms({ amount: 2n ** 63n, bond: 2n ** 63n }))], [rich]);
    world.refuse('overflow', [lockEscrow(deployment, terms({ amount: 2n ** 64n - 1n, bond: 1n }))], [rich]);
    world.refuse('invalidTerms', [lockEscrow(deployment, terms({ amount: 1n, bond: 2n ** 64n - 1n }))], [rich]);
    const [amount, bond] = [2n ** 63n - 1n, 2n ** 63n];
    for (const offer of [0, 1, 9_999, 10_000]) {
      const large = terms({ amount, bond });
      world.do([lockEscrow(deployment, large), deliver(deployment, large, ID)], [rich, provider]);
      world.do([dispute(deployment, large, offer), contest(deployment, large, 10_000)], [rich, provider]);
      world.do([decide(deployment, large, notary.address, true), split(deployment, large)], [notary]);
      const kept = (bond * BigInt(offer)) / 10_000n;
      assert.equal(world.tokens(rich.address), kept);
      world.giveTokens(rich.address, 2n ** 64n - 1n);
      world.giveTokens(provider.address, 0n);
    }
  });
});

/** What the last of these events says about money. */
function payouts(events: readonly ProgramEvent[]) {
  const values = events.at(-1)?.values;
  assert.ok(values && 'remaining' in values);
  const { toProvider, toRequester, burnt, remaining } = values;
  return { toProvider, toRequester, burnt, remaining };
}

import assert from 'node:assert/strict';
import {
  approve,
  claim,
  contest,
  decide,
  deliver,
  dispute,
  type EscrowTerms,
  escrowAddress,
  lockEscrow,
  type ProgramInstruction,
  reclaim,
  refund,
  setPayee,
  split,
  tokenAddress,
  vaultAddress,
} from '../../adapters/ledger-solana/program/index.ts';
import { AMOUNT, BOND, dealsOf, ID } from './support/deals.ts';
import type { Wallet } from './support/svm.ts';
import { World } from './support/world.ts';

describe('escrow', () => {
  const world = new World();
  const { svm, deployment } = world;
  const { requester, provider, notary, stranger, deal, locked, delivered, disputed, contested } = dealsOf(world);

  /** Runs `settle` and checks what requester and provider gained, and that nothing is left behind. */
  function settles(terms: EscrowTerms, settle: () => void, gains: { requester: bigint; provider: bigint }): void {
    const before = [world.tokens(requester.address), world.tokens(provider.address)] as const;
    settle();
    assert.equal(world.tokens(requester.address) - before[0], gains.requester, 'requester');
    assert.equal(world.tokens(provider.address) - before[1], gains.provider, 'provider');
    const address = escrowAddress(deployment, terms);
    assert.equal(svm.account(address), undefined);
    assert.equal(svm.account(vaultAddress(deployment, address)), undefined);
  }

  const toProvider = { requester: BOND, provider: AMOUNT };
  const toRequester = { requester: AMOUNT + BOND, provider: 0n };

  it('records what was agreed and holds amount and bond in its vault', () => {
    const terms = deal();
    const before = world.tokens(requester.address);
    const { events } = world.do([lockEscrow(deployment, terms)], [requester]);
    const escrow = world.escrow(terms);
    assert.equal(before - world.tokens(requester.address), AMOUNT + BOND);
    assert.equal(world.tokensAt(vaultAddress(deployment, escrowAddress(deployment, terms))), AMOUNT + BOND);
    assert.deepEqual(
      {
        requester: escrow.requester,
        provider: escrow.provider,
        notary: escrow.notary,
        amount: escrow.amount,
        bond: escrow.bond,
        deadline: escrow.deadline,
        reviewSecs: escrow.reviewSecs,
        disputeBps: escrow.disputeBps,
        conversation: Buffer.from(escrow.conversation),
        terms: Buffer.from(escrow.terms),
      },
      terms,
    );
    assert.equal(escrow.payee, tokenAddress(deployment, provider.address));
    assert.equal(escrow.lockedAt, svm.now());
    assert.equal(events[0]?.name, 'escrowLocked');
    assert.equal(events[0]?.config, deployment.config);
  });

  it('gives all rent back to the requester', () => {
    const before = svm.lamports(requester.address);
    const terms = locked();
    world.do([approve(deployment, terms)], [requester]);
    assert.equal(before - svm.lamports(requester.address), 10_000n);
  });

  it('can be locked again under the same name once it was settled', () => {
    const terms = locked();
    world.do([refund(deployment, terms)], [provider]);
    world.do([lockEscrow(deployment, terms)], [requester]);
    assert.equal(world.escrow(terms).deliveredAt, 0n);
  });

  it('is approved by the requester while locked, delivered or disputed', () => {
    for (const state of [locked, delivered, disputed]) {
      const terms = state();
      settles(terms, () => world.do([approve(deployment, terms)], [requester]), toProvider);
    }
  });

  it('is refunded by the provider in every state', () => {
    for (const state of [locked, delivered, disputed, contested]) {
      const terms = state();
      settles(terms, () => world.do([refund(deployment, terms)], [provider]), toRequester);
    }
  });

  it('is ended by nobody else, and by no notary before a contest', () => {
    const terms = delivered();
    const [early, late] = [disputed(), contested()];
    for (const wallet of [stranger, provider, notary])
      world.refuse('wrongAuthority', [signedBy(wallet, approve(deployment, terms))], [wallet]);
    for (const wallet of [stranger, requester, notary])
      world.refuse('wrongAuthority', [signedBy(wallet, refund(deployment, terms))], [wallet]);
    for (const wallet of [stranger, provider, notary])
      world.refuse('wrongAuthority', [signedBy(wallet, dispute(deployment, terms, 0))], [wallet]);
    for (const wallet of [stranger, requester, notary])
      world.refuse('wrongAuthority', [signedBy(wallet, contest(deployment, early, 9_999))], [wallet]);
    for (const wallet of [stranger, requester, provider])
      world.refuse('wrongAuthority', [decide(deployment, late, wallet.address, true)], [wallet]);
    for (const state of [locked(), terms, early])
      world.refuse('wrongState', [decide(deployment, state, notary.address, true)], [notary]);
    world.refuse('wrongAuthority', [signedBy(stranger, deliver(deployment, locked(), ID))], [stranger]);
    const payee = tokenAddress(deployment, stranger.address);
    world.refuse('wrongAuthority', [signedBy(stranger, setPayee(deployment, terms, payee))], [stranger]);
  });

  it('is decided by nobody when no notary was named', () => {
    const { notary: _, ...alone } = deal();
    world.do([lockEscrow(deployment, alone), deliver(deployment, alone, ID)], [requester, provider]);
    const offer = [dispute(deployment, alone, 0), contest(deployment, alone, 0)];
    world.do(offer, [requester, provider]);
    world.refuse('wrongAuthority', [decide(deployment, alone, notary.address, true)], [notary]);
  });

  it('counts a delivery up to the last second of the deadline, and is reclaimed after it', () => {
    const [late, onTime] = [locked(), locked()];
    svm.pass(1000n);
    world.do([deliver(deployment, onTime, ID)], [provider]);
    world.refuse('tooEarly', [reclaim(deployment, late)], [stranger]);
    svm.pass(1n);
    world.refuse('tooLate', [deliver(deployment, late, ID)], [provider]);
    world.refuse('wrongState', [reclaim(deployment, onTime)], [stranger]);
    settles(late, () => world.do([reclaim(deployment, late)], [stranger]), toRequester);
  });

  it('is disputed up to the last second of the review, and claimed after it', () => {
    const [late, onTime] = [delivered(), delivered()];
    svm.pass(200n);
    world.refuse('tooEarly', [claim(deployment, late)], [stranger]);
    world.do([dispute(deployment, onTime, 0)], [requester]);
    svm.pass(1n);
    world.refuse('tooLate', [dispute(deployment, late, 0)], [requester]);
    world.refuse('wrongState', [claim(deployment, onTime)], [stranger]);
    settles(late, () => world.do([claim(deployment, late)], [stranger]), toProvider);
  });

  it('is split as offered when a dispute stayed open, rounding down for the provider', () => {
    const cases = [
      [5_000, 12_500_000n],
      [3_333, 8_332_500n],
      [0, 0n],
      [10_000, AMOUNT],
    ] as const;
    const deals = cases.map(([offer]) => {
      const terms = delivered();
      world.do([dispute(deployment, terms, offer)], [requester]);
      return terms;
    });
    svm.pass(299n);
    world.refuse('tooEarly', [split(deployment, deals[0]!)], [stranger]);
    svm.pass(1n);
    cases.forEach(([, share], i) => {
      const gains = { provider: share, requester: AMOUNT - share + BOND };
      settles(deals[i]!, () => world.do([split(deployment, deals[i]!)], [stranger]), gains);
    });
  });

  it('takes each step only in its state', () => {
    const [a, b, c, d] = [locked(), delivered(), disputed(), contested()];
    for (const terms of [a, d]) world.refuse('wrongState', [dispute(deployment, terms, 9_000)], [requester]);
    for (const terms of [a, b, d]) world.refuse('wrongState', [contest(deployment, terms, 9_999)], [provider]);
    for (const terms of [a, c, d]) world.refuse('wrongState', [claim(deployment, terms)], [stranger]);
    for (const terms of [a, b]) world.refuse('wrongState', [split(deployment, terms)], [stranger]);
    for (const terms of [b, c, d]) world.refuse('wrongState', [deliver(deployment, terms, ID)], [provider]);
    for (const terms of [b, c, d]) world.refuse('wrongState', [reclaim(deployment, terms)], [stranger]);
  });

  it('refuses terms outside the rules', () => {
    const now = svm.now();
    const cases: [string, Partial<EscrowTerms>][] = [
      ['invalidTerms', { provider: requester.address }],
      ['invalidTerms', { notary: requester.address }],
      ['invalidTerms', { notary: provider.address }],
      ['invalidTerms', { deadline: now + 59n }],
      ['invalidTerms', { deadline: now + 9_001n }],
      ['invalidTerms', { reviewSecs: 99n }],
      ['invalidTerms', { reviewSecs: 2_001n }],
      ['invalidTerms', { disputeBps: 10_001 }],
      ['invalidTerms', { deadline: 2n ** 64n - 1n }],
      ['invalidTerms', { reviewSecs: 2n ** 64n - 1n }],
      ['invalidTerms', { bond: 2n * AMOUNT + 1n }],
      ['invalidTerms', { amount: 1n, bond: 3n }],
      ['invalidAmount', { amount: 0n, bond: 0n }],
      ['custom 1', { amount: 10n ** 15n }],
    ];
    for (const [error, change] of cases) world.refuse(error, [lockEscrow(deployment, deal(change))], [requester]);
    for (const change of [
      { deadline: now + 60n },
      { deadline: now + 9_000n },
      { reviewSecs: 100n },
      { reviewSecs: 2_000n },
      { bond: 2n * AMOUNT },
      { bond: 0n },
      { disputeBps: 10_000 },
    ])
      locked(change);
  });

  it('is locked once', () => {
    const terms = locked();
    world.refuse('alreadyExists', [lockEscrow(deployment, terms)], [requester]);
  });

  it('pays another account when the provider says so, and only where money can arrive', () => {
    const terms = delivered();
    const other = world.wallet(0n);
    const payee = tokenAddress(deployment, other.address);
    world.do([setPayee(deployment, terms, payee)], [provider]);
    world.refuse('wrongAddress', [approve(deployment, terms)], [requester]);
    world.do([approve(deployment, terms, payee)], [requester]);
    assert.equal(world.tokensAt(payee), AMOUNT);

    const next = locked();
    const vault = vaultAddress(deployment, escrowAddress(deployment, next));
    const frozen = world.wallet();
    world.setTokenAccount(tokenAddress(deployment, frozen.address), { owner: frozen.address, amount: 0n, state: 2 });
    world.refuse('duplicateAccount', [setPayee(deployment, next, vault)], [provider]);
    world.refuse(
      'duplicateAccount',
      [setPayee(deployment, next, tokenAddress(deployment, requester.address))],
      [provider],
    );
    world.refuse('notReceivable', [setPayee(deployment, next, stranger.address)], [provider]);
    world.refuse('notReceivable', [setPayee(deployment, next, tokenAddress(deployment, frozen.address))], [provider]);
  });
});

/** The instruction with another wallet in the place of its signer. */
function signedBy({ address }: Wallet, instruction: ProgramInstruction): ProgramInstruction {
  const keys = instruction.keys.map((key) => (key.signer ? { ...key, address } : key));
  return { ...instruction, keys };
}

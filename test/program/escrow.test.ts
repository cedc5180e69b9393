import assert from 'node:assert/strict';
import {
  approve,
  claim,
  deliver,
  dispute,
  type EscrowTerms,
  escrowAddress,
  lockEscrow,
  reclaim,
  refund,
  setPayee,
  split,
  tokenAddress,
  vaultAddress,
} from '../../adapters/ledger-solana/program/index.ts';
import type { Wallet } from './support/svm.ts';
import { World } from './support/world.ts';

const AMOUNT = 25_000_001n;
const ID = Buffer.alloc(32, 5);

describe('escrow', () => {
  const world = new World();
  const { svm, deployment } = world;
  const [requester, provider, notary, stranger] = [world.wallet(), world.wallet(), world.wallet(), world.wallet()];
  let deals = 0;

  function deal(change: Partial<EscrowTerms> = {}): EscrowTerms {
    const conversation = Buffer.alloc(16);
    conversation.writeUInt32LE(++deals);
    const parties = { requester: requester.address, provider: provider.address, notary: notary.address };
    const times = { deadline: svm.now() + 1000n, reviewSecs: 200n };
    return { ...parties, conversation, amount: AMOUNT, ...times, terms: ID, disputeBps: 5000, ...change };
  }

  function locked(change: Partial<EscrowTerms> = {}): EscrowTerms {
    const terms = deal(change);
    world.do([lockEscrow(deployment, terms)], [requester]);
    return terms;
  }

  function delivered(change: Partial<EscrowTerms> = {}): EscrowTerms {
    const terms = locked(change);
    world.do([deliver(deployment, terms, ID)], [provider]);
    return terms;
  }

  function disputed(change: Partial<EscrowTerms> = {}): EscrowTerms {
    const terms = delivered(change);
    world.do([dispute(deployment, terms)], [requester]);
    return terms;
  }

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

  const toProvider = { requester: 0n, provider: AMOUNT };
  const toRequester = { requester: AMOUNT, provider: 0n };

  it('records what was agreed and holds the amount in its vault', () => {
    const terms = deal();
    const before = world.tokens(requester.address);
    const { events } = world.do([lockEscrow(deployment, terms)], [requester]);
    const escrow = world.escrow(terms);
    assert.equal(before - world.tokens(requester.address), AMOUNT);
    assert.equal(world.tokensAt(vaultAddress(deployment, escrowAddress(deployment, terms))), AMOUNT);
    assert.deepEqual(
      {
        requester: escrow.requester,
        provider: escrow.provider,
        notary: escrow.notary,
        amount: escrow.amount,
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
    world.do([approve(deployment, terms, requester.address)], [requester]);
    assert.equal(before - svm.lamports(requester.address), 10_000n);
  });

  it('can be locked again under the same name once it was settled', () => {
    const terms = locked();
    world.do([refund(deployment, terms, provider.address)], [provider]);
    world.do([lockEscrow(deployment, terms)], [requester]);
    assert.equal(world.escrow(terms).deliveredAt, 0n);
  });

  it('is approved by the requester while locked, delivered or disputed', () => {
    for (const state of [locked, delivered, disputed]) {
      const terms = state();
      settles(terms, () => world.do([approve(deployment, terms, requester.address)], [requester]), toProvider);
    }
  });

  it('is approved or refunded by the notary once delivered, not before', () => {
    const early = locked();
    world.refuse('wrongState', [approve(deployment, early, notary.address)], [notary]);
    world.refuse('wrongState', [refund(deployment, early, notary.address)], [notary]);
    for (const state of [delivered, disputed]) {
      const one = state();
      settles(one, () => world.do([approve(deployment, one, notary.address)], [notary]), toProvider);
      const two = state();
      settles(two, () => world.do([refund(deployment, two, notary.address)], [notary]), toRequester);
    }
  });

  it('is refunded by the provider in every state', () => {
    for (const state of [locked, delivered, disputed]) {
      const terms = state();
      settles(terms, () => world.do([refund(deployment, terms, provider.address)], [provider]), toRequester);
    }
  });

  it('is decided by nobody else', () => {
    const terms = delivered();
    world.refuse('wrongAuthority', [approve(deployment, terms, stranger.address)], [stranger]);
    world.refuse('wrongAuthority', [approve(deployment, terms, provider.address)], [provider]);
    world.refuse('wrongAuthority', [refund(deployment, terms, stranger.address)], [stranger]);
    world.refuse('wrongAuthority', [refund(deployment, terms, requester.address)], [requester]);
    world.refuse('wrongAuthority', [dispute(deployment, { ...terms })].map(as(stranger)), [stranger]);
    world.refuse('wrongAuthority', [deliver(deployment, locked(), ID)].map(as(stranger)), [stranger]);
    world.refuse(
      'wrongAuthority',
      [setPayee(deployment, terms, tokenAddress(deployment, stranger.address))].map(as(stranger)),
      [stranger],
    );
  });

  it('has no notary when none was named', () => {
    const terms = deal();
    const { notary: _, ...alone } = terms;
    world.do([lockEscrow(deployment, alone), deliver(deployment, terms, ID)], [requester, provider]);
    world.refuse('wrongAuthority', [approve(deployment, terms, notary.address)], [notary]);
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
    world.do([dispute(deployment, onTime)], [requester]);
    svm.pass(1n);
    world.refuse('tooLate', [dispute(deployment, late)], [requester]);
    world.refuse('wrongState', [claim(deployment, onTime)], [stranger]);
    settles(late, () => world.do([claim(deployment, late)], [stranger]), toProvider);
  });

  it('is split as agreed when a dispute stayed open, rounding down for the provider', () => {
    const cases = [
      [5000, 12_500_000n],
      [3333, 8_332_500n],
      [0, 0n],
      [10_000, AMOUNT],
    ] as const;
    const deals = cases.map(([disputeBps]) => disputed({ disputeBps }));
    svm.pass(299n);
    world.refuse('tooEarly', [split(deployment, deals[0]!)], [stranger]);
    svm.pass(1n);
    cases.forEach(([, share], i) => {
      const gains = { provider: share, requester: AMOUNT - share };
      settles(deals[i]!, () => world.do([split(deployment, deals[i]!)], [stranger]), gains);
    });
  });

  it('takes each step only in its state', () => {
    const [a, b, c] = [locked(), delivered(), disputed()];
    world.refuse('wrongState', [dispute(deployment, a)], [requester]);
    world.refuse('wrongState', [claim(deployment, a)], [stranger]);
    world.refuse('wrongState', [split(deployment, a)], [stranger]);
    world.refuse('wrongState', [deliver(deployment, b, ID)], [provider]);
    world.refuse('wrongState', [split(deployment, b)], [stranger]);
    world.refuse('wrongState', [dispute(deployment, c)], [requester]);
    world.refuse('wrongState', [deliver(deployment, c, ID)], [provider]);
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
      ['invalidAmount', { amount: 0n }],
      ['custom 1', { amount: 10n ** 15n }],
    ];
    for (const [error, change] of cases) world.refuse(error, [lockEscrow(deployment, deal(change))], [requester]);
    for (const change of [
      { deadline: now + 60n },
      { deadline: now + 9_000n },
      { reviewSecs: 100n },
      { reviewSecs: 2_000n },
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
    world.refuse('wrongAddress', [approve(deployment, terms, requester.address)], [requester]);
    world.do([approve(deployment, terms, requester.address, payee)], [requester]);
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

/** The instruction with its first signer replaced. */
function as(wallet: Wallet) {
  return <T extends { keys: readonly { address: string; signer: boolean; writable: boolean }[] }>(
    instruction: T,
  ): T => ({
    ...instruction,
    keys: instruction.keys.map((key, i) => (i === 0 ? { ...key, address: wallet.address } : key)),
  });
}

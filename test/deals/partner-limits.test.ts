import assert from 'node:assert/strict';
import type { Deal, Escrow } from '../../core/protocol/deals/deal.ts';
import {
  limitOf,
  NOBODY,
  type PartnerRecord,
  partnerProblem,
  withDealOf,
} from '../../core/protocol/deals/partner-limits.ts';

const LIMITS = { start: 5_000_000n, most: 100_000_000n, minBondBps: 5_000n, maxDisputes: 2, maxDisputedPercent: 30 };
const record = (more: Partial<PartnerRecord>): PartnerRecord => ({ ...NOBODY, ...more });
const offer = (amount: number, more: object = {}) => ({
  ...{ amount: `${amount}000000`, bond: `${amount * 500_000}`, notary: null, escrow: true },
  ...more,
});

function escrow(more: Partial<Escrow>): Deal {
  const none = { delivered_at: 1, disputed_at: null, contested_at: null, outcome: null };
  const paid = { to_provider: '0', to_requester: '0', burnt: '0', remaining: '0' };
  return { offers: [{ amount: '10', bond: '5' }], escrow: { ...none, ...paid, ...more } } as unknown as Deal;
}

describe('what a provider lets a requester cost it', () => {
  it('doubles with every two settled deals, up to what the owner says', () => {
    const limits = [0, 1, 2, 3, 4, 8, 10, 1_000].map((settled) => Number(limitOf(record({ settled }), LIMITS)) / 1e6);
    assert.deepEqual(limits, [5, 5, 10, 10, 20, 80, 100, 100]);
  });

  it('halves with what was lost or conceded', () => {
    assert.equal(limitOf(record({ settled: 10, lost: 2 }), LIMITS), 5_000_000n);
    assert.equal(limitOf(record({ settled: 4, conceded: 1 }), LIMITS), 5_000_000n);
    assert.equal(limitOf(record({ lost: 1 }), LIMITS), 625_000n);
    assert.equal(limitOf(record({ lost: 1_000 }), LIMITS), 0n);
  });

  it('is counted from its own deals', () => {
    const deals = [
      escrow({ outcome: 'released' }),
      escrow({ outcome: 'claimed' }),
      escrow({ delivered_at: null, outcome: 'reclaimed' }),
      escrow({ disputed_at: 1, outcome: 'refunded' }),
      escrow({ disputed_at: 1, outcome: 'split' }),
      escrow({ disputed_at: 1, contested_at: 2, outcome: 'split' }),
      escrow({ disputed_at: 1, contested_at: 2, outcome: 'decided', to_provider: '15', to_requester: '0' }),
      escrow({ disputed_at: 1, contested_at: 2, outcome: 'decided', to_provider: '0', to_requester: '15' }),
      escrow({ disputed_at: 1 }),
    ];
    assert.deepEqual(deals.reduce(withDealOf, NOBODY), {
      settled: 3,
      lost: 2,
      conceded: 2,
      disputed: 6,
      delivered: 8,
    });
  });

  it('knows for whom a notary decided, whatever was offered and whatever waits', () => {
    const decided = (offer_bps: number, to_provider: string, to_requester: string) =>
      withDealOf(
        NOBODY,
        escrow({ disputed_at: 1, contested_at: 2, outcome: 'decided', offer_bps, to_provider, to_requester }),
      );
    const [won, lost] = [
      { settled: 1, lost: 0 },
      { settled: 0, lost: 1 },
    ];
    const cases = [
      [decided(8_000, '8', '7'), lost],
      [decided(8_000, '11', '4'), won],
      [decided(8_000, '11', '0'), won],
      [decided(8_000, '0', '7'), lost],
      [decided(8_000, '0', '0'), { settled: 0, lost: 0 }],
    ] as const;
    for (const [{ settled, lost }, counted] of cases) assert.deepEqual({ settled, lost }, counted);
  });

  it('counts what was contested and then given back as conceded', () => {
    const { lost, conceded } = withDealOf(NOBODY, escrow({ disputed_at: 1, contested_at: 2, outcome: 'refunded' }));
    assert.deepEqual([lost, conceded], [0, 1]);
  });

  it('refuses with the limit and the way to raise it', () => {
    assert.equal(partnerProblem(offer(5), NOBODY, LIMITS), undefined);
    assert.match(partnerProblem(offer(6), NOBODY, LIMITS)!, /may be worth 5 USDC.*core\.deals\.partnerStart.*not 6/);
    assert.equal(partnerProblem(offer(6), record({ settled: 2 }), LIMITS), undefined);
    assert.equal(partnerProblem(offer(6, { escrow: false }), NOBODY, LIMITS), undefined);
  });

  it('wants a bond of half the amount or a notary from whom it does not know', () => {
    assert.match(partnerProblem(offer(5, { bond: '2499999' }), NOBODY, LIMITS)!, /bond of at least 2\.5 USDC/);
    assert.equal(partnerProblem(offer(5, { bond: '0', notary: 'nora' }), NOBODY, LIMITS), undefined);
    assert.equal(partnerProblem(offer(5, { bond: '0' }), record({ settled: 1 }), LIMITS), undefined);
  });

  it('refuses whoever disputes often and a large part of its deals', () => {
    const often = (disputed: number, delivered: number) => record({ settled: 20, disputed, delivered });
    assert.match(partnerProblem(offer(1), often(3, 9), LIMITS)!, /disputed 3 of 9/);
    assert.equal(partnerProblem(offer(1), often(3, 10), LIMITS), undefined);
    assert.equal(partnerProblem(offer(1), often(2, 2), LIMITS), undefined);
  });
});

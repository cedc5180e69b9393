import assert from 'node:assert/strict';
import { HeldEscrows } from '../../core/aggregator/network/held-escrows.ts';
import { Rest } from '../../core/aggregator/rest.ts';
import { type Domain, openDomain } from './support/domain.ts';

describe('the rest of a job of an aggregator', () => {
  it('is so many times as long as the run', () => {
    const rest = new Rest(10);
    assert.ok(rest.isOver(0));
    rest.begin(1_000, 1_300);
    assert.deepEqual([rest.until, rest.isOver(4_299), rest.isOver(4_300)], [4_300, false, true]);
  });

  it('ends though the clock was set during the run or after it', () => {
    const rest = new Rest(10);
    rest.begin(0, 3_600_000);
    assert.equal(rest.until, 4_200_000, 'nobody ran for an hour');
    rest.begin(3_600_000, 3_600_500);
    assert.ok(rest.isOver(500), 'the clock went back by an hour');
    rest.begin(5_000, 1_000);
    assert.equal(rest.until, 1_000);
  });
});

describe('the count of escrows that hold money', () => {
  let domain: Domain;
  before(async () => {
    domain = await openDomain();
  });
  after(() => domain.store.close());

  it('goes on when the clock was days ahead and is right again', async () => {
    const held = new HeldEscrows(domain.space);
    let at = Date.UTC(2026, 0, 3);
    const now = () => at++;
    await held.count(now, new AbortController().signal);
    at = Date.UTC(2026, 0, 1);
    await held.count(now, new AbortController().signal);
    assert.equal(held.view()!.as_of.slice(0, 10), '2026-01-01');
  });
});

import assert from 'node:assert/strict';
import { CallBudget } from '../../core/node/requests/call-budget.ts';
import { systemClock } from '../../core/platform/system-clock.ts';

describe('budget of calls that answer others', () => {
  const clock = { ...systemClock, now: () => 1_000 };
  const owner = { kind: 'api', id: 'operator' };

  function calls(budget: CallBudget, ip: string): number {
    for (let count = 0; count < 1_000; count += 1) {
      try {
        budget.take({ ip, principal: owner });
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'rate_limited');
        return count;
      }
    }
    return Number.POSITIVE_INFINITY;
  }

  it('is 600 calls a minute', () => {
    assert.equal(calls(new CallBudget(clock), '192.0.2.7'), 600);
  });

  it('counts nothing from an address that api.unlimited names, by its network where it is of IPv6', () => {
    const budget = new CallBudget(clock, ['192.0.2.7', '2001:db8::1']);
    assert.equal(calls(budget, '192.0.2.7'), Number.POSITIVE_INFINITY);
    assert.equal(calls(budget, '2001:db8::2'), Number.POSITIVE_INFINITY);
    assert.equal(calls(budget, '192.0.2.8'), 600);
  });
});

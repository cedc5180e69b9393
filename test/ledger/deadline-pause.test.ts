import assert from 'node:assert/strict';
import { deadlinePause } from '../../core/platform/deadline-pause.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the pause before a retry', () => {
  it('is never longer than a tenth of what is left, nor shorter than a second', () => {
    const cases: [wanted: number, left: number | undefined, pause: number][] = [
      [4_000, HOUR, 4_000],
      [HOUR, HOUR, 6 * MINUTE],
      [HOUR, 10 * MINUTE, MINUTE],
      [HOUR, 10_000, 1_000],
      [HOUR, 1, 1_000],
      [500, 1, 500],
      [HOUR, 0, HOUR],
      [HOUR, -1, HOUR],
      [HOUR, undefined, HOUR],
    ];
    for (const [wanted, left, pause] of cases) {
      const now = 1_800_000_000_000;
      assert.equal(deadlinePause(wanted, now, left === undefined ? undefined : now + left), pause, `${wanted} ${left}`);
    }
  });

  it('an outage of eighteen minutes leaves most of a review of one hour, however the pauses grew', () => {
    const deadline = HOUR;
    const outageEnds = 18 * MINUTE;
    let now = 0;
    for (let wanted = 4_000; now < outageEnds; wanted = Math.min(wanted * 2, HOUR))
      now += deadlinePause(wanted, now, deadline);
    assert.ok(now < outageEnds + (deadline - outageEnds) / 5, `${now / MINUTE} minutes`);
  });
});

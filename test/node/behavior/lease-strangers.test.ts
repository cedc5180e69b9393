import assert from 'node:assert/strict';
import type { Settlement } from '../../../core/ledger/settlement.ts';
import { LeaseStandings } from '../../../core/node/stake/lease-standings.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { VirtualClock } from '../../mesh/virtual-clock.ts';

describe('leases of strangers', () => {
  let asked = 0;
  let silent = false;
  const warnings: string[] = [];
  const clock = new VirtualClock();
  const settlement = {
    numbers: { epochSecs: 86_400 },
    agents: async (keys: readonly string[]) => {
      asked += 1;
      if (silent) throw new Error('silent');
      return { slot: 1, value: keys.map(() => ({ paidThrough: 1_000_000 })) };
    },
  } as unknown as Settlement;
  const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) };

  it('are asked for at a bounded rate, and those who are known all the same', async () => {
    const standings = new LeaseStandings({ settlement, clock, log });
    assert.equal(await standings.of('member'), 'active');
    for (let index = 0; index < 1_000; index++) await standings.of(`stranger ${index}`);
    assert.equal(asked, 200);
    assert.equal(await standings.of('stranger 999'), 'none');
    await clock.advance(60_000);
    for (let index = 1_000; index < 2_000; index++) await standings.of(`stranger ${index}`);
    assert.equal(await standings.of('member'), 'active');
    assert.equal(asked, 401);
  });

  it('fill no log while the ledger is silent', async () => {
    const standings = new LeaseStandings({ settlement, clock, log });
    silent = true;
    for (let index = 0; index < 50; index++) await standings.of(`other ${index % 2}`);
    silent = false;
    await standings.of('one');
    silent = true;
    for (let index = 0; index < 50; index++) await standings.of(index % 2 ? 'one' : 'two');
    assert.equal(warnings.length, 2);
  });
});

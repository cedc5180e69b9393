import assert from 'node:assert/strict';
import { parseAgentId } from '../../../core/identity/ids.ts';
import { silentLog } from '../../../core/log.ts';
import { leaseGate } from '../../../core/node/stake/lease-gate.ts';
import { LeaseStandings } from '../../../core/node/stake/lease-standings.ts';
import { type SettlementBench, settlementBench } from '../../ledger/settlement-bench.ts';
import { ShiftedClock } from '../../support/shifted-clock.ts';
import { SHORT_EPOCHS } from './support.ts';

describe('the lease gate', function () {
  this.timeout(90_000);
  let bench: SettlementBench;
  before(async () => {
    bench = await settlementBench(SHORT_EPOCHS);
  });
  after(() => bench.close());

  it('lets in whose lease is paid or in grace, and nobody else', async () => {
    const { settlement, net } = bench;
    const clock = new ShiftedClock();
    const gate = leaseGate(new LeaseStandings({ settlement, clock, log: silentLog }));
    const [member, stranger] = [await bench.wallet(), await bench.wallet()];
    const ask = (address: string) => gate(parseAgentId(address)!);
    await bench.take({ type: 'pay_lease', key: member.address, epochs: 1, maxAmount: 1_000_000n, payments: 0 }, member);
    assert.deepEqual([await ask(member.address), await ask(stranger.address)], ['accepted', 'restricted']);
    const pass = (epochs: number) => {
      clock.shift(epochs * 100_000);
      net.warp({ seconds: epochs * 100, slots: 1, blocks: 1 });
    };
    pass(3);
    assert.equal(await ask(member.address), 'accepted');
    pass(1);
    assert.equal(await ask(member.address), 'restricted');
  });

  it('keeps to the last answer while the ledger is silent', async () => {
    const member = await bench.wallet();
    await bench.take({ type: 'pay_lease', key: member.address, epochs: 9, maxAmount: 9_000_000n, payments: 0 }, member);
    let silent = false;
    const { settlement } = bench;
    const agents = (keys: readonly string[]) =>
      silent ? Promise.reject(new Error('silent')) : settlement.agents(keys);
    const clock = new ShiftedClock();
    clock.shift((await settlement.time()).unixSeconds * 1_000 - clock.now());
    const standings = new LeaseStandings({ settlement: { ...settlement, agents }, clock, log: silentLog });
    assert.equal(await standings.of(member.address), 'active');
    silent = true;
    clock.shift(200_000);
    assert.equal(await standings.of(member.address), 'active');
    assert.equal(await standings.of((await bench.wallet()).address), 'none');
  });
});

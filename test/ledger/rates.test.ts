import assert from 'node:assert/strict';
import { JsonRpc } from '../../adapters/ledger-solana/json-rpc.ts';
import { Rent } from '../../adapters/ledger-solana/rent.ts';
import { SlotWatch } from '../../adapters/ledger-solana/slot-watch.ts';
import { silentLog } from '../../core/platform/log.ts';
import { eventually } from '../support/eventually.ts';
import { RpcStandIn } from '../support/rpc-stand-in.ts';
import { ShiftedClock } from '../support/shifted-clock.ts';

/** Time stands still but for what a test says. */
class StoodClock extends ShiftedClock {
  #now = 1_700_000_000_000;
  readonly #runs = new Set<() => void>();

  override now(): number {
    return this.#now;
  }

  override shift(ms: number): void {
    this.#now += ms;
  }

  override every(_ms: number, run: () => void): () => void {
    this.#runs.add(run);
    return () => this.#runs.delete(run);
  }

  /** What is repeated runs once. */
  tick(): void {
    for (const run of this.#runs) run();
  }
}

describe('what a cluster changes over time', () => {
  let node: RpcStandIn;
  let rpc: JsonRpc;
  let clock: StoodClock;
  before(async () => {
    node = await RpcStandIn.start();
  });
  beforeEach(() => {
    clock = new StoodClock();
    rpc = new JsonRpc(node.url, clock);
  });
  after(() => node.stop());

  it('is its rent, which is asked for and kept for minutes', async () => {
    let perByte = 6_960;
    node.answers = { getMinimumBalanceForRentExemption: ([bytes]: any) => (bytes + 128) * perByte };
    const rent = new Rent(rpc, clock);
    assert.deepEqual([await rent.of(165), await rent.of(0)], [2_039_280n, 890_880n]);
    perByte = 5_080;
    clock.shift(9 * 60_000);
    assert.equal(await rent.of(165), 2_039_280n);
    clock.shift(2 * 60_000);
    assert.equal(await rent.of(165), 1_488_440n);
    for (const broken of [null, '2039280', -1, 1.5, {}]) {
      node.answers = { getMinimumBalanceForRentExemption: () => broken };
      await assert.rejects(rent.of(82), { code: 'ledger_unavailable' });
    }
  });

  async function watching(slots: () => unknown): Promise<{ watch: SlotWatch; poll(ms: number): Promise<void> }> {
    let polls = 0;
    node.answers = {
      getSlot: () => {
        polls += 1;
        return slots();
      },
    };
    const watch = new SlotWatch(rpc, clock, silentLog);
    const answered = async (count: number) => {
      await eventually(() => polls >= count);
      // The answer is taken in the turns after it was given.
      await new Promise((later) => setTimeout(later, 20));
    };
    await answered(1);
    return {
      watch,
      async poll(ms) {
        clock.shift(ms);
        const before = polls;
        clock.tick();
        await answered(before + 1);
      },
    };
  }

  it('is the length of its slots, which is measured', async () => {
    for (const slotMs of [400, 350, 200]) {
      const begin = clock.now();
      const { watch, poll } = await watching(() => 1_000 + Math.floor((clock.now() - begin) / slotMs));
      assert.equal(watch.slot(), 1_000);
      clock.shift(1_000);
      assert.equal(watch.slot(), 1_000, 'nothing is known of the rate yet');
      for (let polls = 0; polls < 4; polls++) await poll(4_000);
      const polled = watch.slot();
      clock.shift(3_500);
      const expected = polled + 3_500 / slotMs;
      assert.ok(Math.abs(watch.slot() - expected) <= 1, `${watch.slot()} in place of ${expected} at ${slotMs} ms`);
      clock.shift(3_600_000);
      assert.ok(watch.slot() <= polled + 30_000 / slotMs + 1, 'it runs away without answers');
      watch.close();
    }
  });

  it('is its slot, which one broken answer does not move', async () => {
    let slot: unknown = 1_000;
    const { watch, poll } = await watching(() => slot);
    for (const broken of [9e15, '2000', null, -5, 1.5, { slot: 7 }, 3]) {
      slot = broken;
      await poll(5_000);
      assert.equal(watch.slot(), 1_000, JSON.stringify(broken));
      slot = 1_000;
      await poll(5_000);
    }
    // A node that insists: it was started anew from an older state, or time was skipped.
    slot = 50_000;
    await poll(5_000);
    await poll(5_000);
    assert.equal(watch.slot(), 50_000);
    watch.close();
  });
});

import assert from 'node:assert/strict';
import { queue } from '../storage/declarations.ts';
import { SHARP_IDS } from './storage-adapter.ts';
import { bench, type CreateStorage, type Runner } from './storage-contract.ts';
import { anything, spaceOn } from './storage-store.ts';

const pending = queue<number>('pending', { schema: anything, cap: 100, overflow: 'drop-oldest', ttl: 10_000 });
const strict = queue<number>('strict', { schema: anything, cap: 3, overflow: 'reject', ttl: 10_000 });

export function queueContract(create: CreateStorage, runner: Runner): void {
  const { describe, it } = runner;
  describe('queues (C7)', () => {
    const at = bench(create, runner);
    const mine = pending.ref('me');

    async function pushed(...items: number[]) {
      const space = spaceOn(at);
      await space.tx([mine], (tx) => items.map((item) => tx.push(mine, item)));
      return space;
    }

    it('gives items back first in, first out, and drops the oldest above its cap', async () => {
      const space = await pushed(...Array.from({ length: 130 }, (_, i) => i));
      assert.equal(await space.depth(mine), 100);
      assert.deepEqual(await space.drain(mine, 3), [30, 31, 32]);
      await pushed(130);
      assert.deepEqual(await space.drain(mine), [...Array.from({ length: 98 }, (_, i) => i + 33)]);
      assert.deepEqual([await space.drain(mine), await space.depth(mine)], [[], 0]);
    });

    it('rejects above its cap, until something is taken out or expires', async () => {
      const space = spaceOn(at);
      const push = async (item: number) => (await space.tx([], (tx) => tx.push(strict.ref('q'), item))).value;
      const filled = [];
      for (const item of [1, 2, 3, 4]) {
        filled.push(await push(item));
        at.now += 1_000;
      }
      assert.deepEqual(filled, [true, true, true, false]);
      at.now += 7_000;
      assert.deepEqual([await push(5), await push(6), await push(7)], [true, true, false]);
      assert.deepEqual(await space.drain(strict.ref('q')), [3, 5, 6]);
    });

    it('forgets what waited too long', async () => {
      const space = await pushed(1, 2);
      at.now += 9_999;
      await pushed(3);
      at.now += 1;
      assert.deepEqual(await space.drain(mine), [3]);
    });

    it('two drainers and many writers lose, repeat and reorder nothing', async () => {
      const spaces = [spaceOn(at), spaceOn(at)];
      const taken: number[] = [];
      let sent = 0;
      async function write() {
        for (let i = 0; i < 20; i++) await spaces[i % 2]!.tx([mine], (tx) => tx.push(mine, i)).then(() => sent++);
      }
      async function drain(space = spaces[0]!) {
        for (let i = 0; i < 40; i++) taken.push(...(await space.drain(mine)));
      }
      await Promise.all([write(), write(), write(), write(), drain(), drain(spaces[1])]);
      taken.push(...(await spaces[0]!.drain(mine)));
      assert.equal(sent, 80);
      assert.deepEqual(
        taken.toSorted((a, b) => a - b),
        Array.from({ length: 80 }, (_, i) => i >> 2),
      );
    });

    it('a reservation hides nothing for ever: unacknowledged items come again, later ones behind them', async () => {
      const space = await pushed(1, 2);
      const first = await space.reserve(mine, 1_000);
      assert.deepEqual(first.items, [1, 2]);
      await pushed(3);
      assert.deepEqual((await space.reserve(mine, 1_000)).items, []);
      at.now += 1_000;
      const second = await space.reserve(mine, 1_000, 2);
      assert.deepEqual(second.items, [1, 2]);
      assert.equal(await space.ack(mine, first.token), false);
      assert.equal(await space.ack(mine, second.token), true);
      assert.equal(await space.ack(mine, second.token), false);
      assert.deepEqual((await space.reserve(mine, 1_000)).items, [3]);
    });

    it('a late acknowledgement still counts, and one for drained or dropped items takes nothing else', async () => {
      const space = await pushed(1);
      const late = await space.reserve(mine, 1_000);
      at.now += 2_000;
      await pushed(2);
      assert.equal(await space.ack(mine, late.token), true);
      const drained = await space.reserve(mine, 1_000);
      assert.deepEqual(await space.drain(mine), [2]);
      await pushed(3);
      assert.equal(await space.ack(mine, drained.token), false);
      const dropped = await space.reserve(mine, 1_000);
      await pushed(...Array.from({ length: 100 }, (_, i) => i));
      assert.equal(await space.ack(mine, dropped.token), false);
      assert.equal(await space.depth(mine), 100);
    });

    it('keeps queues of sharp keys apart and leaves nothing of an empty one', async () => {
      const space = spaceOn(at);
      for (const [i, id] of SHARP_IDS.entries()) await space.tx([], (tx) => tx.push(pending.ref(id), i));
      for (const [i, id] of SHARP_IDS.entries()) assert.deepEqual(await space.drain(pending.ref(id)), [i]);
      assert.equal(await at.adapter.count('core:pending#queue'), 0);
      assert.equal(await at.adapter.count('core:pending#items'), 0);
    });

    it('pushes with the transaction or not at all', async () => {
      const space = spaceOn(at);
      await assert.rejects(
        space.tx([mine], (tx) => {
          tx.push(mine, 1);
          throw new Error('no');
        }),
      );
      assert.deepEqual(await space.drain(mine), []);
      const both = await space.tx([], (tx) => [tx.push(mine, 1), tx.push(mine, 2), tx.drain(mine), tx.push(mine, 3)]);
      assert.deepEqual(both.value, [true, true, [1, 2], true]);
      assert.deepEqual(await space.drain(mine), [3]);
    });
  });
}

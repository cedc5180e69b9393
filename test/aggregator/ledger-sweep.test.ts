import assert from 'node:assert/strict';
import bs58 from 'bs58';
import { unread } from '../../core/aggregator/ledger/effects/stake.ts';
import { START } from '../../core/aggregator/ledger/indexer.ts';
import { sweepAfterGap } from '../../core/aggregator/ledger/sweep.ts';
import { positions, stakes } from '../../core/aggregator/store/ledger.ts';
import { openTestStore } from '../support/space.ts';

const CONFIG = 'config';
/** More than two pages of the sweep. */
const AGENTS = 450;

describe('the sweep after a gap in the history of the ledger', () => {
  it('marks every stake, page by page, and comes to its end', async () => {
    const space = (await openTestStore()).space('aggregator');
    const keys = Array.from({ length: AGENTS }, (_, index) =>
      bs58.encode(
        Buffer.alloc(32, 7)
          .fill(index, 30)
          .fill(index >> 8, 29, 30),
      ),
    );
    for (const key of keys) await space.tx([], (tx) => tx.put(stakes.ref(key), { ...unread(key), stale: false }));
    await space.tx([], (tx) => tx.put(positions.ref(CONFIG), { ...START, sweep: '' }));
    const patience = AbortSignal.timeout(20_000);
    await sweepAfterGap(space, CONFIG, patience);
    assert.equal((await space.get(positions.ref(CONFIG)))?.sweep, null, 'the sweep did not end');
    for (const key of [keys[0]!, keys[200]!, keys.at(-1)!])
      assert.equal((await space.get(stakes.ref(key)))?.stale, true, key);
  });
});

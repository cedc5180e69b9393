import assert from 'node:assert/strict';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { claimStore } from '../../core/messaging/own-store.ts';
import { nonces } from '../../core/messaging/records.ts';
import { systemClock, systemRandom } from '../../core/platform/system-clock.ts';
import { collection } from '../../core/storage/declarations.ts';
import type { Space } from '../../core/storage/space.ts';
import { openStore } from '../../core/storage/store.ts';

describe('whose store it is', () => {
  let space: Space;
  beforeEach(async () => {
    const adapter = memoryStorage({ clock: systemClock });
    const store = await openStore(adapter, { validate: () => [], clock: systemClock, random: systemRandom });
    space = store.space('node');
  });

  const refused = (holder: string) => (error: unknown) =>
    error instanceof Error && error.message.includes(`that of agent ${holder}`) && /of its own$/.test(error.message);

  it('is that of the first agent that starts on it, again and again', async () => {
    const results = await Promise.allSettled([claimStore(space, 'ann'), claimStore(space, 'bob')]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    await claimStore(space, 'ann');
    await assert.rejects(claimStore(space, 'bob'), refused('ann'));
  });

  it('is told by what was signed where nobody has said it', async () => {
    await space.put(nonces.ref('ann'), {} as never);
    await assert.rejects(claimStore(space, 'bob'), refused('ann'));
    await claimStore(space, 'ann');
    await assert.rejects(claimStore(space, 'bob'), refused('ann'));
  });

  it('is refused when deals are under way of before their messages showed who pays, and is taken when none is', async () => {
    await space.put(nonces.ref('ann'), {} as never);
    const underWay = (deals: string | undefined) => async () => deals;
    const expected =
      /under way whose messages do not show who pays.*: abc \(accepted\)\. Nothing was changed\. Finish them/;
    await assert.rejects(claimStore(space, 'ann', underWay('abc (accepted)')), expected);
    await claimStore(space, 'ann', underWay(undefined));
    await claimStore(space, 'ann', underWay('abc (accepted)'));
    await assert.rejects(claimStore(space, 'bob', underWay('abc (accepted)')), refused('ann'));
  });

  it('is refused, and left as it is, when a newer release has written it', async () => {
    const keeper = collection<{ readonly agent: string; readonly format: number }>('keeper', { schema: () => [] });
    const written = { agent: 'ann', format: 3 };
    await space.put(keeper.ref('agent'), written);
    await assert.rejects(
      claimStore(space, 'ann'),
      /format 3, and this release reads formats up to 2: start the release/,
    );
    assert.deepEqual(await space.get(keeper.ref('agent')), written);
  });
});

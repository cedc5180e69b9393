import assert from 'node:assert/strict';
import { PeerDirectory } from '../../core/node/services/peers.ts';
import { toBase64 } from '../../core/platform/bytes.ts';
import { formatAgentId } from '../../core/protocol/identity/ids.ts';
import { VirtualClock } from '../mesh/virtual-clock.ts';
import { nodeSpace } from '../support/space.ts';

const HOUR = 3_600_000;
const keys = Array.from({ length: 20 }, (_, index) => new Uint8Array(32).fill(index + 1));

describe('the address book', () => {
  async function bench() {
    const clock = new VirtualClock();
    const space = await nodeSpace(clock);
    const directory = new PeerDirectory(space, clock);
    let hour = 0;
    return {
      space,
      directory,
      /** Everybody announces itself, an hour after the last time. */
      async round(name = 'same') {
        await clock.advance(HOUR);
        hour += 1;
        for (const key of keys) {
          const receiptOf = () => toBase64(Uint8Array.of(hour, key[0]!));
          await directory.heard(formatAgentId(key), Math.floor(clock.now() / 1_000), { name, hubs: [] }, receiptOf);
        }
      },
      /** What a later process finds. */
      read: () => new PeerDirectory(space, clock),
    };
  }

  it('writes what is new at once, and what is not after six hours, everybody together', async () => {
    const { space, directory, round, read } = await bench();
    const [first, last] = [formatAgentId(keys[0]!), formatAgentId(keys.at(-1)!)];
    await round();
    const written = (await read().get(last))!;
    for (let more = 0; more < 6; more++) await round();
    assert.equal((await read().get(last))!.seen_at, written.seen_at);
    assert.equal((await directory.get(last))!.seen_at, written.seen_at + 6 * HOUR);
    const before = space.changes!;
    await round();
    assert.equal(space.changes! - before, 2, 'one commit');
    assert.equal((await read().get(first))!.seen_at, written.seen_at + 7 * HOUR);
    assert.equal((await read().get(last))!.seen_at, written.seen_at + 6 * HOUR);
    assert.deepEqual(await read().receiptOf(keys[0]!), Uint8Array.of(8, 1));
    await round('another');
    assert.equal((await read().get(last))!.name, 'another');
  });

  it('lists the most recently heard first, as they were heard', async () => {
    const { directory, round } = await bench();
    for (let hour = 0; hour < 3; hour++) await round();
    const recent = await directory.recent(5);
    assert.equal(recent.length, 5);
    assert.equal(new Set(recent.map(({ peer }) => peer.seen_at)).size, 1);
  });

  it('lists further than one page of the store', async () => {
    const { directory } = await bench();
    const many = Array.from({ length: 2_001 }, (_, index) => {
      const key = new Uint8Array(32).fill(7);
      new DataView(key.buffer).setUint32(0, index);
      return formatAgentId(key);
    });
    for (const key of many) await directory.heard(key, 1, { name: '', hubs: [] }, () => undefined);
    const recent = await directory.recent(12_000);
    assert.deepEqual(new Set(recent.map(({ key }) => key)), new Set(many));
    assert.equal(recent.length, many.length);
  });
});

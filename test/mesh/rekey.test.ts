import assert from 'node:assert/strict';
import { ProcessKey } from '../../core/mesh/session/certificate.ts';
import { SecureChannel } from '../../core/mesh/session/channel.ts';
import type { RekeyLimits } from '../../core/mesh/session/rekey-schedule.ts';
import type { Link } from '../../core/mesh/transport.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryNetwork } from '../support/memory-mesh/memory-network.ts';
import { TestMesh } from './mesh-fixture.ts';
import { RawPeer } from './raw-peer.ts';
import { testIdentity } from './test-identity.ts';
import { VirtualClock } from './virtual-clock.ts';

/** The length of a record without plaintext: a length and a tag. */
const EMPTY_RECORD = 18;
const NEVER: RekeyLimits = { rekeyMessages: 1e9, rekeyMs: 1e12 };

interface End {
  channel: SecureChannel;
  heard: string[];
  reason: string | undefined;
}

/** Two channels; `pass` sees each message of the dialler and says whether it arrives. */
async function pair(limits: [RekeyLimits, RekeyLimits], pass: (message: Uint8Array) => boolean = () => true) {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  const incoming = new Promise<Link>((resolve) => network.transport('b').accept(resolve));
  const dialling = network.transport('a').dial('memory:b', new AbortController().signal);
  await clock.advance(1);
  const links = [await dialling, await incoming];
  const send = links[0]!.send.bind(links[0]);
  links[0]!.send = (message) => void (pass(message) && send(message));
  const ends = links.map((link, index): End => {
    const end = { heard: [], reason: undefined } as unknown as End;
    const options = {
      processKey: new ProcessKey(testIdentity(index + 1), clock, systemRandom),
      prologue: Buffer.from('network'),
      clock,
      random: systemRandom,
      limits: limits[index]!,
    };
    end.channel = new SecureChannel(link, options, {
      secured() {},
      message: (plaintext) => void end.heard.push(Buffer.from(plaintext).toString()),
      drain() {},
      closed: (reason) => {
        end.reason = reason;
      },
    });
    return end;
  });
  await clock.advance(10);
  const say = async (from: End, text: string) => {
    from.channel.send(Buffer.from(text));
    await clock.advance(2);
  };
  return { clock, say, alice: ends[0]!, bob: ends[1]! };
}

describe('the key of a channel', () => {
  it('changes after so many messages, in each direction by the limits of its sender', async () => {
    let changes = 0;
    const { say, alice, bob } = await pair([{ ...NEVER, rekeyMessages: 3 }, NEVER], (message) => {
      if (message.length === EMPTY_RECORD) changes += 1;
      return true;
    });
    for (let index = 0; index < 10; index++) {
      await say(alice, `a${index}`);
      await say(bob, `b${index}`);
    }
    const texts = (name: string) => Array.from({ length: 10 }, (_, index) => `${name}${index}`);
    assert.deepEqual(
      bob.heard.filter((text) => text !== ''),
      texts('a'),
    );
    assert.deepEqual(alice.heard, texts('b'));
    assert.equal(changes, 3);
  });

  it('changes after a time, at the next message', async () => {
    const { clock, say, alice, bob } = await pair([{ ...NEVER, rekeyMs: 60_000 }, NEVER]);
    await say(alice, 'one');
    await clock.advance(59_000);
    await say(alice, 'two');
    await clock.advance(180_000);
    await say(alice, 'three');
    await say(alice, 'four');
    assert.deepEqual(bob.heard, ['one', 'two', '', 'three', 'four']);
  });

  it('cannot be held back by whoever carries the messages', async () => {
    const { say, alice, bob } = await pair(
      [{ ...NEVER, rekeyMessages: 2 }, NEVER],
      ({ length }) => length !== EMPTY_RECORD,
    );
    for (const text of ['one', 'two', 'three']) await say(alice, text);
    assert.deepEqual(bob.heard, ['one', 'two']);
    assert.equal(bob.reason, 'record refused');
  });

  it('may not be changed all the time', async () => {
    const world = new TestMesh();
    const node = await world.node({ seed: 100 });
    const peer = await RawPeer.connect(node.url);
    try {
      await peer.open();
      for (let index = 0; index < 300; index++) peer.changeKey();
      await peer.closed();
      assert.equal(peer.reason, 'too many keys');
      await eventually(() => node.mesh.stats().faults.flood === 1);
    } finally {
      await peer.close();
      await world.close();
    }
  });
});

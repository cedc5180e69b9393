import assert from 'node:assert/strict';
import { codecOf } from '../../core/protocol/envelopes/payloads/codecs.ts';
import { identityOf, MessagesBench } from './support.ts';

describe('a message for a key that was replaced', () => {
  it('goes to the successor, unless it belongs to a deal with the old key', async () => {
    const alice = await MessagesBench.start();
    try {
      const [old, next] = [identityOf('old'), identityOf('next')];
      const dealt = new Uint8Array(16).fill(9);
      alice.heirOf = async () => next.key;
      alice.hasDeal = async (conversation) => Buffer.from(conversation).equals(dealt);
      const body = codecOf('MESSAGE', 2).encode({ text: 'hello' }, old.key);
      const say = (conversationId: Uint8Array) =>
        alice.messages.send({ msgType: 'MESSAGE', recipient: old.key, conversationId, body });
      const recipientOf = (place: number) => Buffer.from(alice.bytes[place]!).indexOf(Buffer.from(next.key)) >= 0;
      await say(new Uint8Array(16).fill(8));
      await say(dealt);
      assert.deepEqual([recipientOf(0), recipientOf(1)], [true, false]);
    } finally {
      alice.messages.close();
    }
  });
});

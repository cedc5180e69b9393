import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Letters, OPAQUE } from '../../bench/wire/letters.ts';

describe('the envelopes of the bench wire', () => {
  const from = new Letters(1);
  const to = new Letters(2);

  it('are taken by the peer they are to, and by no other', async () => {
    const bytes = from.write(to.identity.key);
    assert.equal(await to.judge(bytes), true);
    assert.equal(await from.judge(bytes), false);
  });

  it('are as long as the opaque bytes they are compared with, which no peer takes for an envelope', async () => {
    assert.equal(from.write(to.identity.key).length, OPAQUE.length);
    assert.equal(await to.judge(OPAQUE), false);
  });
});

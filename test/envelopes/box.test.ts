import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import nacl from 'tweetnacl';
import { sodium } from '../../core/platform/sodium.ts';
import { type Box, boxes } from '../../core/protocol/envelopes/box.ts';
import { SMALL_ORDER } from '../support/small-order.ts';

const bytesOf = (name: string, length: number) =>
  createHash('shake256', { outputLength: length }).update(name).digest();

function rules(name: string, box: Box) {
  describe(`a box made by ${name}`, () => {
    const [secret, nonce] = [bytesOf('secret', 32), bytesOf('nonce', 24)];

    it('is opened by the other key alone, and not when a byte has changed', () => {
      const theirs = bytesOf('their secret', 32);
      const closed = box.close(Buffer.from('hello'), nonce, box.publicKeyOf(theirs), secret)!;
      const key = box.publicKeyOf(secret);
      assert.deepEqual(Buffer.from(box.open(closed, nonce, key, theirs)!), Buffer.from('hello'));
      assert.equal(box.open(closed, nonce, key, bytesOf('another', 32)), undefined);
      closed[closed.length - 1]! ^= 1;
      assert.equal(box.open(closed, nonce, key, theirs), undefined);
    });

    it('is locked by no key that leaves nothing secret, nor opened under one', () => {
      for (const key of SMALL_ORDER) {
        assert.equal(box.close(Buffer.from('hello'), nonce, key, secret), undefined, key.toString('hex'));
        const forged = nacl.box(Buffer.from('hello'), nonce, key, bytesOf('a stranger', 32));
        assert.ok(nacl.box.open(forged, nonce, key, secret), 'anybody could have made it');
        assert.equal(box.open(forged, nonce, key, secret), undefined, key.toString('hex'));
      }
    });
  });
}

describe('boxes', () => {
  rules('tweetnacl', boxes.portable);
  if (boxes.libsodium) rules('libsodium', boxes.libsodium);

  it('come from libsodium wherever it loads', () => {
    assert.equal(boxes.libsodium !== undefined, sodium !== undefined);
  });

  it('are the same by both implementations', function () {
    const { portable, libsodium } = boxes;
    if (!libsodium) return this.skip();
    for (let n = 0; n < 60; n++) {
      const [mine, theirs, nonce] = [bytesOf(`mine ${n}`, 32), bytesOf(`theirs ${n}`, 32), bytesOf(`nonce ${n}`, 24)];
      const plain = bytesOf(`plain ${n}`, n * 7);
      const key = portable.publicKeyOf(theirs);
      assert.deepEqual(libsodium.publicKeyOf(theirs), key);
      const closed = portable.close(plain, nonce, key, mine)!;
      assert.deepEqual(libsodium.close(plain, nonce, key, mine), closed);
      const from = portable.publicKeyOf(mine);
      assert.deepEqual(libsodium.open(closed, nonce, from, theirs), portable.open(closed, nonce, from, theirs));
    }
  });
});

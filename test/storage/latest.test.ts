import assert from 'node:assert/strict';
import { bytesOfText, Latest } from '../../adapters/storage-lowdb/latest.ts';
import { HotDocuments } from '../../adapters/storage-lowdb/layers/hot-documents.ts';

describe('the values used last', () => {
  it('hold no more bytes than they may, and those not used for longest go', () => {
    const latest = new Latest<number, string>(30, ({ length }) => length);
    for (let n = 0; n < 3; n += 1) latest.keep(n, `${n}`.repeat(10));
    assert.equal(latest.bytes, 30);
    assert.equal(latest.get(0), '0000000000');
    latest.keep(3, '3333333333');
    assert.equal(latest.bytes, 30);
    assert.equal(latest.get(1), undefined);
    assert.equal(latest.get(0), '0000000000');
    latest.keep(4, 'x'.repeat(31));
    assert.equal(latest.bytes, 0, 'one that is larger than all may be is not kept');
  });

  it('forget those of a file, and have room for others then', () => {
    const latest = new Latest<number, string>(30, ({ length }) => length);
    for (let n = 0; n < 3; n += 1) latest.keep(n, 'x'.repeat(10));
    latest.drop((n) => n > 0);
    assert.equal(latest.bytes, 10);
    assert.equal(latest.get(2), undefined);
    latest.keep(2, 'y'.repeat(20));
    assert.equal(latest.get(0), 'xxxxxxxxxx');
    assert.equal(latest.get(2), 'y'.repeat(20));
  });

  it('count a text by what it may have at most', () => {
    assert.ok(bytesOfText('€'.repeat(50)) >= 100);
  });
});

describe('documents that were found in files', () => {
  const documentOf = (length: number) => ({
    ...{ version: 1, expires: Number.POSITIVE_INFINITY, entries: [['by', 'key']] as const, value: 'x'.repeat(length) },
  });

  it('are forgotten by their bytes, not by their number, and are kept without entries', () => {
    const hot = new HotDocuments();
    for (let n = 0; n < 4_000; n += 1) hot.keep('flows', `${n}`, documentOf(700));
    assert.deepEqual(hot.get('flows', '0'), { version: 1, expires: Number.POSITIVE_INFINITY, value: 'x'.repeat(700) });
    for (let n = 0; n < 1_000; n += 1) hot.keep('large', `${n}`, documentOf(16_000));
    assert.equal(hot.get('flows', '1'), undefined);
    assert.equal(hot.get('large', '0'), undefined);
    assert.ok(hot.get('large', '999'));
    hot.keep('large', 'too large', documentOf(40_000));
    assert.equal(hot.get('large', 'too large'), undefined);
  });

  it('are not known any more when the files are others', () => {
    const hot = new HotDocuments();
    hot.keep('flows', 'a', documentOf(10));
    hot.clear();
    assert.equal(hot.get('flows', 'a'), undefined);
  });
});

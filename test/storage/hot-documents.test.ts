import assert from 'node:assert/strict';
import type { Document } from '../../adapters/storage-lowdb/layers/document.ts';
import { HotDocuments } from '../../adapters/storage-lowdb/layers/hot-documents.ts';

const document = (version: number, value = '{}'): Document => ({ version, value, entries: [], expires: 5 });

describe('documents as they were last found in files', () => {
  it('tell those that are there from those that are not, and from those that nobody has looked for', () => {
    const hot = new HotDocuments();
    hot.keep('d', 'one', document(1));
    hot.keep('d', 'none', undefined);
    assert.deepEqual(hot.get('d', 'one'), document(1));
    assert.equal(hot.get('d', 'none'), null);
    assert.equal(hot.get('d', 'other'), undefined);
    assert.equal(hot.get('e', 'one'), undefined);
    hot.clear();
    assert.equal(hot.get('d', 'one'), undefined);
  });

  it('are few and small: a large one is not kept, and those that are not asked for are forgotten', () => {
    const hot = new HotDocuments();
    hot.keep('d', 'large', document(1, 'x'.repeat(5_000)));
    assert.equal(hot.get('d', 'large'), undefined);
    hot.keep('d', 'asked', document(1));
    for (let n = 0; n < 20_000; n++) {
      hot.keep('d', `n${n}`, n % 2 === 0 ? document(n) : undefined);
      assert.ok(hot.get('d', 'asked'));
    }
    const kept = Array.from({ length: 20_000 }, (_, n) => hot.get('d', `n${n}`)).filter((found) => found !== undefined);
    assert.ok(kept.length > 500 && kept.length < 8_192, String(kept.length));
  });
});

import assert from 'node:assert/strict';
import type { Document } from '../../adapters/storage-lowdb/layers/document.ts';
import { DocumentRoom } from '../../adapters/storage-lowdb/layers/document-room.ts';

function documentOf(version: number, value: string, entries: Document['entries'] = []): Document {
  return { version, value, entries, expires: version % 2 === 0 ? Number.POSITIVE_INFINITY : 1_000 + version };
}

function contentOf({ version, value, entries, expires }: Document): Document {
  return { version, value, entries: entries.map(([index, key]) => [index, key]), expires };
}

describe('the room of documents that the newest layer holds', () => {
  it('gives each back as it was, over many chunks, and no later one changes an earlier one', () => {
    const room = new DocumentRoom();
    const all = Array.from({ length: 3_000 }, (_, n) =>
      documentOf(n, JSON.stringify({ n, text: 'ä€😀 x'.repeat(n % 60) }), n % 3 === 0 ? [['by', `n${n} €`]] : []),
    );
    const kept = all.map((document) => room.keep(document));
    for (const [place, document] of all.entries()) assert.deepEqual(contentOf(kept[place]!), document);
  });

  it('gives memory of its own to a large one, and takes one that it has kept', () => {
    const room = new DocumentRoom();
    const small = room.keep(documentOf(1, '"before"'));
    const large = documentOf(2, JSON.stringify('€'.repeat(300_000)), [['by', 'large']]);
    const kept = room.keep(large);
    const behind = room.keep(documentOf(3, '"behind"'));
    assert.deepEqual(contentOf(kept), large);
    assert.deepEqual(contentOf(room.keep(kept)), large);
    assert.deepEqual([small.value, behind.value], ['"before"', '"behind"']);
  });
});

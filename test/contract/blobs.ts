import assert from 'node:assert/strict';
import { keccak256 } from '../../core/protocol/envelopes/keccak.ts';
import { StorageError, type StorageFault } from '../../core/storage/adapter.ts';
import { type Blobs, isCid } from '../../core/storage/blobs.ts';
import type { Runner } from '../../core/testing/storage-contract.ts';

/** An empty blob store under test, already open. */
export interface BlobsUnderTest {
  readonly blobs: Blobs;
  /** Changes the bytes of a blob behind the store's back, as a failing medium would. */
  damage(cid: string, edit: (bytes: Buffer) => Buffer): Promise<void>;
  /** Names of everything stored: blobs under their cids, whatever else there is under any other name. */
  list(): Promise<string[]>;
  /** Opens the store again from what it left behind; absent when it leaves nothing. */
  reopen?(): Promise<Blobs>;
  /** Removes everything. */
  destroy(): Promise<void>;
}

export const MEBIBYTE = 1024 * 1024;

/** Bytes that differ everywhere. */
export function filling(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0, x = seed; i < length; i++) {
    x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
    bytes[i] = x >>> 16;
  }
  return bytes;
}

export async function* parts(bytes: Uint8Array, size = 16_384): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export function hasFault(fault: StorageFault): (error: unknown) => boolean {
  return (error) => error instanceof StorageError && error.fault === fault;
}

export function cidOf(bytes: Uint8Array): string {
  return Buffer.from(keccak256(bytes)).toString('hex');
}

/** What a reader has at the end, or when the content failed. */
export async function readUp(content: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; error?: unknown }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of content) chunks.push(chunk);
  } catch (error) {
    return { bytes: Buffer.concat(chunks), error };
  }
  return { bytes: Buffer.concat(chunks) };
}

/**
 * What every blob store has to pass.
 *
 *     blobsContract('my blobs', async () => ({ blobs, damage, list, destroy }), { describe, it, beforeEach, afterEach });
 */
export function blobsContract(name: string, setup: () => Promise<BlobsUnderTest>, runner: Runner): void {
  const { describe, it, beforeEach, afterEach } = runner;
  describe(`blobs contract: ${name}`, () => {
    let at: BlobsUnderTest;
    beforeEach(async () => {
      at = await setup();
    });
    afterEach(() => at.destroy());

    const put = (bytes: Uint8Array, size?: number) => at.blobs.put(parts(bytes, size), 10 * MEBIBYTE);
    const read = async (cid: string) => readUp((await at.blobs.get(cid))!.content);

    it('names a blob by the keccak-256 of its bytes', async () => {
      for (const [text, cid] of [
        ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
        ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
      ] as const) {
        assert.deepEqual(await put(Buffer.from(text)), { cid, size: text.length });
        assert.equal((await read(cid)).bytes.toString(), text);
      }
    });

    it('gives back every length, however it came in', async () => {
      for (const length of [1, 4_095, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, MEBIBYTE + 7]) {
        const bytes = filling(length, length);
        for (const size of [length, 1 + (length >> 3), 65_536]) {
          assert.deepEqual(await put(bytes, size), { cid: cidOf(bytes), size: length }, `${length} by ${size}`);
        }
        const got = await at.blobs.get(cidOf(bytes));
        assert.equal(got?.size, length);
        assert.deepEqual(await readUp(got!.content), { bytes });
      }
    });

    it('takes 10 MiB exactly and refuses one byte more', async () => {
      const bytes = filling(10 * MEBIBYTE + 1);
      await assert.rejects(put(bytes), hasFault('too_large'));
      assert.deepEqual(await at.list(), []);
      const { cid, size } = await put(bytes.subarray(0, -1));
      assert.equal(size, 10 * MEBIBYTE);
      assert.ok((await read(cid)).bytes.equals(bytes.subarray(0, -1)));
    });

    it('stops reading as soon as there is too much, and ends the source', async () => {
      let given = 0;
      let ended = false;
      async function* endless() {
        try {
          for (;;) {
            given += 1_000;
            yield filling(1_000);
          }
        } finally {
          ended = true;
        }
      }
      await assert.rejects(at.blobs.put(endless(), 100_000), hasFault('too_large'));
      assert.equal(given, 101_000);
      assert.ok(ended);
      assert.deepEqual(await at.list(), []);
    });

    it('keeps nothing of an upload that breaks off, and passes its error on', async () => {
      const broken = new Error('the line went dead');
      for (const length of [0, 1, 70_000, 3 * MEBIBYTE]) {
        async function* breaking() {
          yield* parts(filling(length));
          throw broken;
        }
        await assert.rejects(at.blobs.put(breaking(), 10 * MEBIBYTE), (error) => error === broken);
        assert.deepEqual(await at.list(), [], `${length}`);
      }
    });

    it('makes one blob of the same content put 16 times at once', async () => {
      const bytes = filling(300_000);
      const stats = await Promise.all(Array.from({ length: 16 }, (_, i) => put(bytes, 10_000 + i)));
      for (const stat of stats) assert.deepEqual(stat, { cid: cidOf(bytes), size: 300_000 });
      assert.deepEqual(await at.list(), [cidOf(bytes)]);
      assert.ok((await read(cidOf(bytes))).bytes.equals(bytes));
    });

    it('keeps uploads apart that come in at the same time', async () => {
      const all = Array.from({ length: 12 }, (_, i) => filling(100_000 + i, i + 1));
      const stats = await Promise.all(all.map((bytes) => put(bytes, 7_001)));
      for (const [i, { cid }] of stats.entries()) assert.ok((await read(cid)).bytes.equals(all[i]!), `${i}`);
    });

    it('is not held up by an upload that stands still', async () => {
      let release = () => {};
      async function* slow() {
        yield filling(10);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      const slowly = at.blobs.put(slow(), 100);
      const { cid } = await put(filling(50_000, 2));
      assert.equal((await read(cid)).bytes.length, 50_000);
      release();
      assert.equal((await slowly).size, 10);
    });

    it('never passes damaged bytes off as the blob, and is mended by putting it again', async () => {
      const flipAt = (place: number) => (bytes: Buffer) => {
        const copy = Buffer.from(bytes);
        copy[place < 0 ? bytes.length + place : place]! ^= 4;
        return copy;
      };
      const edits = {
        'first byte': flipAt(0),
        'last byte': flipAt(-1),
        'one byte less': (bytes: Buffer) => bytes.subarray(0, -1),
        'one byte more': (bytes: Buffer) => Buffer.concat([bytes, Buffer.from([0])]),
        nothing: () => Buffer.alloc(0),
        other: (bytes: Buffer) => filling(bytes.length, 99),
      };
      for (const length of [1, 65_536, 600_000]) {
        const bytes = filling(length);
        const { cid } = await put(bytes);
        for (const [what, edit] of Object.entries(edits)) {
          await at.damage(cid, edit);
          const got = (await at.blobs.get(cid))!;
          const { bytes: seen, error } = await readUp(got.content);
          assert.ok(hasFault('corrupt')(error), `${length}, ${what}: ${error}`);
          assert.ok(seen.length < Math.max(1, got.size), `${length}, ${what}: gave ${seen.length} of ${got.size}`);
          await put(bytes);
          assert.ok((await read(cid)).bytes.equals(bytes), `${length}, ${what}`);
        }
      }
    });

    it('knows nothing of what was never put, whatever its name', async () => {
      const { cid } = await put(Buffer.from('here'));
      const strange = ['', '.', '..', '../..', '/etc/passwd', `${cid}/..`, `../${cid}`, `${cid}\n`, `${cid}\0`, '*'];
      const near = [cid.toUpperCase(), `0x${cid}`, cid.slice(1), `${cid}0`, cid.replace(/^./, 'g'), cidOf(filling(3))];
      for (const name of [...strange, ...near]) {
        assert.equal(await at.blobs.stat(name), undefined, name);
        assert.equal(await at.blobs.get(name), undefined, name);
        assert.equal(await at.blobs.delete(name), false, name);
      }
      assert.deepEqual(await at.list(), [cid]);
      assert.ok(isCid(cid) && !isCid(cid.toUpperCase()));
    });

    it('tells the size without reading, and forgets what is deleted', async () => {
      const { cid } = await put(filling(1_234));
      const { cid: other } = await put(filling(1_234, 7));
      assert.deepEqual(await at.blobs.stat(cid), { cid, size: 1_234 });
      assert.equal(await at.blobs.delete(cid), true);
      assert.equal(await at.blobs.delete(cid), false);
      assert.equal(await at.blobs.stat(cid), undefined);
      assert.equal(await at.blobs.get(cid), undefined);
      assert.deepEqual(await at.list(), [other]);
      await put(filling(1_234));
      assert.equal((await read(cid)).bytes.length, 1_234);
    });

    it('lets go of a reader that stops half way', async () => {
      const { cid } = await put(filling(2 * MEBIBYTE));
      for await (const chunk of (await at.blobs.get(cid))!.content) {
        assert.ok(chunk.length > 0 && chunk.length < MEBIBYTE);
        break;
      }
      await at.blobs.get(cid);
      assert.equal(await at.blobs.delete(cid), true);
      assert.deepEqual(await at.list(), []);
    });

    it('tells a reader who begins after the blob was deleted', async () => {
      const { cid } = await put(filling(10));
      const got = (await at.blobs.get(cid))!;
      await at.blobs.delete(cid);
      const { bytes, error } = await readUp(got.content);
      assert.ok(error instanceof StorageError);
      assert.equal(bytes.length, 0);
    });

    it('finds everything again after it is opened again', async () => {
      if (!at.reopen) return;
      const { cid } = await put(filling(70_000));
      const blobs = await at.reopen();
      assert.deepEqual(await blobs.stat(cid), { cid, size: 70_000 });
      assert.ok((await readUp((await blobs.get(cid))!.content)).bytes.equals(filling(70_000)));
    });
  });
}

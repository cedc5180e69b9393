import assert from 'node:assert/strict';
import { encode as cborgEncode } from 'cborg';
import { toHex } from '../../core/platform/bytes.ts';
import { CborReader } from '../../core/protocol/envelopes/cbor-reader.ts';
import { CborWriter } from '../../core/protocol/envelopes/cbor-writer.ts';

const bytesOf = (hex: string) => Buffer.from(hex, 'hex');

describe('CBOR items', () => {
  it('are written as a general library writes them, whatever the capacity', () => {
    const long = 'ü'.repeat(200);
    const writer = new CborWriter(1);
    writer.array(9);
    writer.int(-1);
    writer.int(-256);
    writer.int(100);
    writer.bigUint(2n ** 63n - 1n);
    writer.bigUint(5n);
    writer.boolean(true);
    writer.optional(undefined, () => assert.fail());
    writer.optional(long, (text) => writer.text(text));
    writer.bytes(new Uint8Array(70_000));
    const expected = cborgEncode([-1, -256, 100, 2n ** 63n - 1n, 5, true, null, long, new Uint8Array(70_000)]);
    assert.equal(toHex(writer.finish()), toHex(expected));
  });

  it('read what was written', () => {
    const reader = new CborReader(cborgEncode([[-100, 2n ** 63n - 1n], null, 'text', false]));
    reader.array(4, 'all');
    assert.equal(reader.arrayUpTo(2, 'inner'), 2);
    assert.equal(reader.int(100, 'int'), -100);
    assert.equal(reader.bigUint(2n ** 63n - 1n, 'big'), 2n ** 63n - 1n);
    assert.equal(
      reader.optional(() => reader.uint(1, 'none')),
      undefined,
    );
    assert.equal(
      reader.optional(() => reader.text(4, 'text')),
      'text',
    );
    assert.equal(reader.boolean('flag'), false);
    assert.equal(reader.end(), undefined);
  });

  const refusals: Record<string, [string, (reader: CborReader) => unknown, RegExp]> = {
    'a number above its limit': ['1864', (reader) => reader.uint(99, 'n'), /n is above 99/],
    'a negative number below its limit': ['3864', (reader) => reader.int(100, 'n'), /above 99/],
    'a negative number in a longer form': ['3805', (reader) => reader.int(100, 'n'), /shortest form/],
    'an amount above its limit': ['1b8000000000000000', (reader) => reader.bigUint(2n ** 63n - 1n, 'n'), /above/],
    'an amount in a longer form': ['1b0000000000000001', (reader) => reader.bigUint(5n, 'n'), /shortest form/],
    'a text that is no UTF-8': ['61ff', (reader) => reader.text(9, 't'), /not UTF-8/],
    'a text with a surrogate': ['63eda080', (reader) => reader.text(9, 't'), /not UTF-8/],
    'a text longer than its limit': ['63616263', (reader) => reader.text(2, 't'), /above 2/],
    'a text longer than the input': ['63', (reader) => reader.text(9, 't'), /is cut/],
    'bytes of a length beyond memory': ['5bffffffffffffffff', (reader) => reader.bytesUpTo(9, 'b'), /above 9/],
    'bytes of 2^32 and the wanted length': ['5b0000000100000002', (reader) => reader.bytes(2, 'b'), /not 2 bytes/],
    'too many items': ['9b00000001 00000000'.replace(' ', ''), (reader) => reader.arrayUpTo(3, 'a'), /above 3/],
    'undefined for a flag': ['f7', (reader) => reader.boolean('f'), /not true or false/],
    'a flag in a longer form': ['f815', (reader) => reader.boolean('f'), /not true or false/],
    'half a head': ['1901', (reader) => reader.uint(9, 'n'), /is cut/],
  };
  for (const [name, [hex, read, problem]] of Object.entries(refusals)) {
    it(`refuse ${name}`, () => {
      const reader = new CborReader(bytesOf(hex));
      read(reader);
      assert.match(reader.end() ?? '', problem);
    });
  }

  it('yield nothing after the first problem, which stays', () => {
    const reader = new CborReader(bytesOf('00010243ffffff'));
    assert.equal(reader.text(9, 'first'), '');
    assert.equal(reader.uint(9, 'second'), 0);
    assert.equal(reader.bytesUpTo(9, 'third').length, 0);
    assert.equal(reader.bytes(1, 'third').length, 0);
    assert.equal(reader.bigUint(9n, 'fourth'), 0n);
    assert.equal(reader.arrayUpTo(9, 'fifth'), 0);
    assert.equal(reader.boolean('sixth'), false);
    reader.refuse('later');
    assert.equal(reader.end(), 'first has another type');
  });
});

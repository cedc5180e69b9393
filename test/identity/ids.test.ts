import assert from 'node:assert/strict';
import { BoundedMap } from '../../core/platform/bounded-map.ts';
import { fromBase64, fromHex, toBase64, toHex } from '../../core/platform/bytes.ts';
import {
  formatAgentId,
  normaliseAgentId,
  parseAgentId,
  parseConversationId,
} from '../../core/protocol/identity/ids.ts';

const HEX = '03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8';
const BASE58 = 'FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF';

describe('agent ids', () => {
  it('are read in base58 and in hex of either case, and written in base58', () => {
    for (const text of [BASE58, HEX, HEX.toUpperCase()]) {
      assert.equal(toHex(parseAgentId(text)!), HEX);
      assert.equal(normaliseAgentId(text), BASE58);
    }
    assert.equal(formatAgentId(parseAgentId(HEX)!), BASE58);
    assert.equal(formatAgentId(new Uint8Array(32)), '1'.repeat(32));
  });

  const refused: Record<string, string> = {
    nothing: '',
    'a hex digit too few': HEX.slice(1),
    'something that is no hex digit': `${HEX.slice(1)}g`,
    'a character outside base58': `${BASE58.slice(1)}0`,
    'base58 of 31 bytes': '1'.repeat(31),
    'base58 of 33 bytes': '1'.repeat(33),
    'base58 of a number beyond 2^256': 'z'.repeat(44),
    'a space in front': ` ${BASE58}`,
    'a newline behind': `${BASE58}\n`,
    'a long text': '1'.repeat(100_000),
  };
  for (const [name, text] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      assert.equal(parseAgentId(text), undefined);
      assert.equal(normaliseAgentId(text), undefined);
    });
  }

  it('of a wrong length are not written', () => {
    assert.throws(() => formatAgentId(new Uint8Array(31)), RangeError);
  });

  it('are not shared with the cache that formats them', () => {
    const id = parseAgentId(BASE58)!;
    assert.equal(formatAgentId(id), BASE58);
    id[0] = 0xff;
    assert.notEqual(formatAgentId(id), BASE58);
    assert.equal(formatAgentId(parseAgentId(HEX)!), BASE58);
  });
});

describe('conversation ids', () => {
  it('are hex digits of either case, of one length', () => {
    assert.equal(toHex(parseConversationId('000102030405060708090A0B0C0D0E0F')!), '000102030405060708090a0b0c0d0e0f');
    assert.equal(parseConversationId('00'), undefined);
  });
});

describe('texts of bytes', () => {
  it('hex is exact', () => {
    assert.equal(fromHex('0g', 1), undefined);
    assert.equal(fromHex('000', 1), undefined);
    assert.deepEqual(fromHex('fF00', 2), new Uint8Array([255, 0]));
  });

  it('base64 has one spelling', () => {
    assert.deepEqual(fromBase64('AP8='), new Uint8Array([0, 255]));
    assert.equal(toBase64(new Uint8Array([0, 255])), 'AP8=');
    for (const text of ['AP8', 'AP9=', 'A P8', 'AP8=\n', 'AP_=', '====', 'A'])
      assert.equal(fromBase64(text), undefined);
    assert.deepEqual(fromBase64(''), new Uint8Array(0));
  });
});

describe('a bounded map', () => {
  it('forgets what was used least recently', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    assert.equal(map.get('a'), 1);
    map.set('c', 3);
    assert.equal(map.get('b'), undefined);
    assert.equal(map.get('a'), 1);
    assert.equal(map.get('c'), 3);
    assert.equal(map.size, 2);
  });

  it('keeps one value per key', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('a', 2);
    assert.equal(map.size, 1);
    assert.equal(map.get('a'), 2);
    assert.equal(map.delete('a'), true);
    assert.equal(map.get('a'), undefined);
  });

  it('must have room for one', () => {
    assert.throws(() => new BoundedMap(0), RangeError);
  });
});

import assert from 'node:assert/strict';
import { decode as cborgDecode } from 'cborg';
import { decodeEnvelope, encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { isSpoken, MESSAGE_TYPES } from '../../core/protocol/envelopes/message-types.ts';
import { codecOf } from '../../core/protocol/envelopes/payloads/codecs.ts';
import { decodeReceipt } from '../../core/protocol/envelopes/receipt.ts';
import { formatAgentId, parseAgentId } from '../../core/protocol/identity/ids.ts';
import { verify } from '../../core/protocol/identity/verify.ts';
import { encodeReceipt, receiptOf } from '../support/receipt.ts';
import { samplePayloads } from '../vectors/samples.ts';
import { alice, broadcastOf, envelopeOf, publicNetwork } from './fixtures.ts';

const VERSIONS = [1, 2] as const;

/** Mulberry32: the same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Bytes changed, cut out, put in or repeated at one to four places. */
function mutated(bytes: Uint8Array, next: (below: number) => number): Uint8Array {
  let result = Buffer.from(bytes);
  for (let round = next(4); round >= 0; round -= 1) {
    const at = next(result.length + 1);
    const piece = Buffer.from(Array.from({ length: 1 + next(9) }, () => next(256)));
    const kind = next(4);
    if (kind === 0 && at < result.length) result[at] = next(256);
    else if (kind === 1) result = Buffer.concat([result.subarray(0, at), result.subarray(at + 1 + next(8))]);
    else if (kind === 2) result = Buffer.concat([result.subarray(0, at), piece, result.subarray(at)]);
    else result = Buffer.concat([result.subarray(0, at), result.subarray(next(at + 1))]);
  }
  return result;
}

function noise(next: (below: number) => number): Uint8Array {
  return Uint8Array.from({ length: next(300) }, () => next(256));
}

describe('random and damaged bytes', () => {
  it('never make the envelope decoder throw, and what it accepts has no other encoding', () => {
    const next = numbers(1);
    const good = [envelopeOf(), broadcastOf(), envelopeOf({}, publicNetwork)].map(encodeEnvelope);
    let accepted = 0;
    for (let round = 0; round < 6000; round += 1) {
      const bytes = round % 10 === 0 ? noise(next) : mutated(good[round % good.length]!, next);
      const result = decodeEnvelope(bytes);
      if (!result.ok) continue;
      accepted += 1;
      assert.deepEqual(encodeEnvelope(result.value), new Uint8Array(bytes));
      assert.equal((cborgDecode(bytes) as unknown[]).length, 12);
    }
    assert.ok(accepted > 100, 'some damage hits only contents');
  });

  it('never make the receipt decoder throw', () => {
    const next = numbers(2);
    const good = encodeReceipt(receiptOf(envelopeOf()));
    let accepted = 0;
    for (let round = 0; round < 3000; round += 1) {
      const bytes = round % 10 === 0 ? noise(next) : mutated(good, next);
      const result = decodeReceipt(bytes);
      if (!result.ok) continue;
      accepted += 1;
      assert.deepEqual(encodeReceipt(result.value), new Uint8Array(bytes));
    }
    assert.ok(accepted > 50);
  });

  for (const { name } of MESSAGE_TYPES) {
    it(`never make the decoder of ${name} throw, and what it accepts can be sent again`, () => {
      const next = numbers(name.length);
      let accepted = 0;
      for (const version of VERSIONS.filter((each) => isSpoken(name, each))) {
        const codec = codecOf(name, version);
        const good = samplePayloads(version)
          .filter(({ msgType }) => msgType === name)
          .map(({ value }) => codec.encode(value as never, alice.key));
        for (let round = 0; round < 400; round += 1) {
          const bytes = round % 10 === 0 ? noise(next) : mutated(good[round % good.length]!, next);
          const result = codec.decode(bytes, alice.key);
          if (!result.ok) continue;
          accepted += 1;
          const again = codec.decode(codec.encode(result.value as never, alice.key), alice.key);
          assert.deepEqual(again, result);
        }
      }
      assert.ok(accepted > 0);
    });
  }

  it('nested as deep as an envelope allows are refused in no time', () => {
    for (const opening of ['[', '{"a":']) {
      const body = Buffer.from(opening.repeat(65_000 / opening.length));
      for (const { name } of MESSAGE_TYPES)
        for (const version of VERSIONS) codecOf(name, version).decode(body, alice.key);
    }
    assert.equal(decodeEnvelope(new Uint8Array(65_536).fill(0x81)).ok, false);
    assert.equal(decodeEnvelope(new Uint8Array(65_536).fill(0x9f)).ok, false);
  });

  it('never make the verifier or the id parser throw', () => {
    const next = numbers(3);
    for (let round = 0; round < 2000; round += 1) {
      assert.equal(verify(noise(next), noise(next), noise(next)), false);
      const id = Uint8Array.from({ length: 32 }, () => next(256));
      assert.equal(verify(id, Buffer.concat([id, id]), id), false);
      assert.deepEqual(parseAgentId(formatAgentId(id)), id);
      parseAgentId(Buffer.from(noise(next)).toString('latin1'));
    }
  });
});

import assert from 'node:assert/strict';
import { encode as cborgEncode } from 'cborg';
import { fromBase64, fromHex } from '../../core/platform/bytes.ts';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import type { Envelope } from '../../core/protocol/envelopes/envelope.ts';
import { envelopeJson, formatMicros, receiptJson } from '../../core/protocol/envelopes/json.ts';
import { receiptOf } from '../../core/protocol/envelopes/receipt.ts';
import { NO_AGENT, parseAgentId } from '../../core/protocol/identity/ids.ts';
import { bob, broadcastOf, envelopeOf, NOW, publicNetwork } from './fixtures.ts';
import { schemaExamples, schemaProblems } from './schemas.ts';

/** The envelope back from its JSON, by the words of the schema alone. */
function rebuilt(json: ReturnType<typeof envelopeJson>): Envelope {
  const whole = Date.parse(json.timestamp.slice(0, 23) + 'Z');
  return {
    version: json.version,
    msgType: json.msg_type,
    sealed: json.sealed,
    sender: parseAgentId(json.sender)!,
    recipient: json.recipient === null ? NO_AGENT : parseAgentId(json.recipient)!,
    timestamp: whole * 1000 + Number(json.timestamp.slice(23, 26)),
    blockRef: json.block_ref,
    nonce: json.nonce,
    conversationId: fromHex(json.conversation_id, 16)!,
    payloadHash: fromHex(json.payload_hash, 32)!,
    payloadLength: json.payload_len,
    payload: Buffer.concat([publicBytes(json), Buffer.from(json.salt ?? '', 'hex'), fromBase64(json.payload_b64)!]),
    signature: fromBase64(json.signature_b64)!,
  };
}

function publicBytes(json: ReturnType<typeof envelopeJson>): Uint8Array {
  if (!json.public) return new Uint8Array(0);
  const { payer, answers } = json.public;
  return cborgEncode([parseAgentId(payer)!, answers === null ? null : fromHex(answers, 32)!]);
}

const envelopes: Record<string, Envelope> = {
  'a private envelope': envelopeOf({ timestamp: NOW + 123_456 }),
  'a sealed envelope': envelopeOf({ sealed: true, body: new Uint8Array(90) }),
  'an answer': envelopeOf({ msgType: 'DELIVER' }),
  'public feedback': broadcastOf({ msgType: 'FEEDBACK', publicPart: { payer: bob.key, answers: bob.key } }),
  'a broadcast': broadcastOf({ timestamp: NOW + 7 }),
  'a version 1 envelope': envelopeOf({}, publicNetwork),
};

describe('the JSON of', () => {
  for (const [name, envelope] of Object.entries(envelopes)) {
    it(`${name} fits its schema and loses nothing`, () => {
      const json = JSON.parse(JSON.stringify(envelopeJson(envelope)));
      assert.equal(schemaProblems('envelope-json', json), '');
      assert.deepEqual(encodeEnvelope(rebuilt(json)), encodeEnvelope(envelope));
    });
  }

  it('a receipt fits its schema and is that of its envelope', () => {
    const envelope = envelopeOf();
    const { private_hash, ...json } = receiptJson(receiptOf(envelope));
    assert.equal(schemaProblems('receipt-json', { ...json, private_hash }), '');
    assert.equal(private_hash?.length, 64);
    const { salt, payload_b64, ...header } = envelopeJson(envelope);
    assert.deepEqual(json, header);
    assert.ok(salt && payload_b64);
  });

  it('a broadcast has no recipient', () => {
    assert.equal(envelopeJson(broadcastOf()).recipient, null);
  });

  it('a time has six decimals', () => {
    assert.equal(formatMicros(1_750_000_000_000_000), '2025-06-15T15:06:40.000000Z');
    assert.equal(formatMicros(1_750_000_000_123_456), '2025-06-15T15:06:40.123456Z');
    assert.equal(formatMicros(1), '1970-01-01T00:00:00.000001Z');
  });

  it('the documentation fits its schema', () => {
    for (const name of ['envelope-json', 'message-type', 'time-micros', 'ack-reason']) {
      for (const example of schemaExamples(name)) assert.equal(schemaProblems(name, example), '', name);
    }
  });
});

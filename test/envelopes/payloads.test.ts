import assert from 'node:assert/strict';
import { toHex } from '../../core/platform/bytes.ts';
import { isSpoken, MESSAGE_TYPES, type MessageName } from '../../core/protocol/envelopes/message-types.ts';
import { payloadJson } from '../../core/protocol/envelopes/payloads/codec.ts';
import { codecOf, decodePayload } from '../../core/protocol/envelopes/payloads/codecs.ts';
import { parseAgentId } from '../../core/protocol/identity/ids.ts';
import type { EnvelopeVersion } from '../../core/protocol/identity/network.ts';
import { samplePayloads } from '../vectors/samples.ts';
import { alice, broadcastOf, envelopeOf, publicNetwork } from './fixtures.ts';
import { schemaExamples, schemaProblems } from './schemas.ts';

const AGENT = '3JF3sEqM796hk5WFqA6EtmEwJQ9quALszsfJyvXNQKy3';
const CONVERSATION = '000102030405060708090a0b0c0d0e0f';
const HASH = 'ab'.repeat(32);
const key = alice.key;

const schemaOf = (name: MessageName) => `${name.toLowerCase().replaceAll('_', '-')}-payload`;
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const offer = (value: unknown, amount = '00'.repeat(16)) => Buffer.concat([Buffer.from(amount, 'hex'), json(value)]);

function read(name: MessageName, body: Uint8Array, version: EnvelopeVersion = 2): unknown {
  const result = codecOf(name, version).decode(body, key);
  assert.ok(result.ok, result.ok ? '' : result.reason);
  return result.value;
}

function reasonFor(name: MessageName, body: Uint8Array, version: EnvelopeVersion = 2): string {
  const result = codecOf(name, version).decode(body, key);
  assert.equal(result.ok, false);
  return result.ok ? '' : result.reason;
}

describe('payloads', () => {
  for (const version of [1, 2] as const) {
    it(`of version ${version} come back as they went, and fit their schemas`, () => {
      const seen = new Set<string>();
      for (const { msgType, value } of samplePayloads(version)) {
        const codec = codecOf(msgType, version);
        const body = codec.encode(value as never, key);
        assert.deepEqual(read(msgType, body, version), value, msgType);
        assert.equal(schemaProblems(schemaOf(msgType), payloadJson(value)), '', msgType);
        assert.deepEqual(codec.parse(JSON.parse(JSON.stringify(payloadJson(value)))), { ok: true, value });
        seen.add(msgType);
      }
      assert.equal(seen.size, MESSAGE_TYPES.filter(({ name }) => isSpoken(name, version)).length);
    });
  }

  it('of the documentation are values that can be sent', () => {
    for (const { name } of MESSAGE_TYPES) {
      const examples = schemaExamples(schemaOf(name));
      assert.ok(examples.length > 0, name);
      for (const example of examples) {
        assert.equal(schemaProblems(schemaOf(name), example), '');
        const parsed = codecOf(name, 2).parse(example);
        assert.ok(parsed.ok, `${name}: ${parsed.ok ? '' : parsed.reason}`);
        assert.deepEqual(read(name, codecOf(name, 2).encode(parsed.value as never, key)), parsed.value);
      }
    }
  });

  it('have one spelling for ids, hashes and times', () => {
    const hex = toHex(parseAgentId(AGENT)!).toUpperCase();
    const value = read(
      'PROPOSE',
      offer({ message: '', notary: hex, expires_at: '2026-01-01T12:00:00Z', payment_tx: null }),
    );
    assert.deepEqual(value, {
      amount_usdc_micro: 0n,
      message: '',
      expires_at: '2026-01-01T12:00:00.000Z',
      notary: AGENT,
    });
    assert.deepEqual(read('VERDICT', json({ outcome: 'reject', reason_hash: HASH.toUpperCase() })), {
      outcome: 'reject',
      reason_hash: HASH,
    });
  });

  it('leave out members nobody knows, prototypes included', () => {
    const body = Buffer.from('{"query":"x","more":1,"__proto__":{"query":"y"},"constructor":2}');
    assert.deepEqual(read('DISCOVER', body), { query: 'x' });
    assert.match(reasonFor('DISCOVER', Buffer.from('{"__proto__":{"query":"y"}}')), /query is missing/);
  });

  it('carry amounts without loss, in JSON as digits above 2^53', () => {
    const largest = 2n ** 63n - 1n;
    const codec = codecOf('PROPOSE', 2);
    const body = codec.encode({ amount_usdc_micro: largest, message: '', payment_usd_micro: largest }, key);
    assert.deepEqual(read('PROPOSE', body), { amount_usdc_micro: largest, message: '', payment_usd_micro: largest });
    assert.equal(payloadJson({ a_micro: largest })['a_micro'], '9223372036854775807');
    assert.equal(payloadJson({ a_micro: 2n ** 53n - 1n })['a_micro'], 2 ** 53 - 1);
  });
});

describe('version 1 payloads', () => {
  it('know offers that are plain text', () => {
    const body = Buffer.from('build me a boat');
    assert.deepEqual(read('PROPOSE', body, 1), { amount_usdc_micro: 0n, message: 'build me a boat' });
    assert.deepEqual(read('ACCEPT', body, 1), { amount_usdc_micro: 0n, message: 'build me a boat' });
    assert.match(reasonFor('PROPOSE', Buffer.from([0xff]), 1), /not UTF-8/);
  });

  it('know beacons that name their sender twice, and believe no others', () => {
    const other = parseAgentId(AGENT)!;
    const name = Buffer.from('tränslator');
    assert.deepEqual(read('BEACON', Buffer.concat([key, key, name]), 1), { name: 'trnslator', hubs: [] });
    assert.deepEqual(read('BEACON', Buffer.concat([key, key, Buffer.alloc(80, 0x61)]), 1), {
      name: 'a'.repeat(64),
      hubs: [],
    });
    for (const body of [Buffer.concat([key, other, name]), Buffer.concat([other, key, name]), key, Buffer.alloc(0)]) {
      assert.match(reasonFor('BEACON', body, 1), /another agent than the sender/);
    }
  });

  it('know verdicts of a byte and two parties, and of JSON', () => {
    const parties = Buffer.concat([key, parseAgentId(AGENT)!]);
    assert.deepEqual(read('VERDICT', Buffer.concat([Buffer.from([1]), parties]), 1), {
      outcome: 'reject',
      requester: alice.address,
      provider: AGENT,
    });
    assert.deepEqual(read('VERDICT', json({ outcome: 'approve', reasoning: 'fine' }), 1), { outcome: 'approve' });
    for (const body of [Buffer.concat([Buffer.from([2]), parties]), Buffer.from([0]), json({ outcome: 2 })]) {
      reasonFor('VERDICT', body, 1);
    }
  });

  it('know disputes that are plain text', () => {
    assert.deepEqual(read('DISPUTE', Buffer.from('late'), 1), { reason: 'late' });
  });
});

describe('advertisements', () => {
  it('are read as the public network reads them: too much is cut, a token that is none is left out', () => {
    const body = json({ capabilities: Array(40).fill('x'), downpayment_bps: 9000, token_address: 'none' });
    assert.deepEqual(read('ADVERTISE', body), { capabilities: Array(32).fill('x'), downpayment_bps: 5000 });
  });
});

describe('the payload of an envelope', () => {
  const conversationId = Buffer.from(CONVERSATION, 'hex');
  const body = codecOf('DELIVER', 2).encode({ conversation_id: CONVERSATION, inline_b64: 'b2s=' }, key);

  it('is read without its salt, with its type', () => {
    assert.deepEqual(decodePayload(envelopeOf({ msgType: 'DELIVER', conversationId, body })), {
      ok: true,
      value: { msgType: 'DELIVER', value: { conversation_id: CONVERSATION, inline_b64: 'b2s=' } },
    });
    assert.deepEqual(decodePayload(broadcastOf({ body: Buffer.concat([key, key]) }, publicNetwork)), {
      ok: true,
      value: { msgType: 'BEACON', value: { name: '', hubs: [] } },
    });
  });

  it('is not read while it is sealed', () => {
    const sealed = envelopeOf({ sealed: true, body: Buffer.alloc(90) });
    assert.deepEqual(decodePayload(sealed), { ok: false, reason: 'sealed' });
  });

  it('may not name another conversation than its envelope, in version 2', () => {
    const envelope = envelopeOf({ msgType: 'DELIVER', conversationId: Buffer.alloc(16, 1), body });
    assert.deepEqual(decodePayload(envelope), { ok: false, reason: 'names another conversation' });
    const old = envelopeOf({ msgType: 'DELIVER', conversationId: Buffer.alloc(16, 1), body }, publicNetwork);
    assert.equal(decodePayload(old).ok, true);
  });

  it('that makes no sense has a reason', () => {
    assert.deepEqual(decodePayload(broadcastOf()), { ok: false, reason: 'not JSON' });
  });
});

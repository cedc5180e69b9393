import assert from 'node:assert/strict';
import { encode as cborgEncode } from 'cborg';
import { isMeshError } from '../../core/contracts/errors.ts';
import type { MessageName } from '../../core/protocol/envelopes/message-types.ts';
import { codecOf } from '../../core/protocol/envelopes/payloads/codecs.ts';
import { alice } from './fixtures.ts';

const AGENT = '3JF3sEqM796hk5WFqA6EtmEwJQ9quALszsfJyvXNQKy3';
const CONVERSATION = '000102030405060708090a0b0c0d0e0f';
const HASH = 'ab'.repeat(32);
const key = alice.key;

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const offer = (value: unknown, amount = '00'.repeat(16)) => Buffer.concat([Buffer.from(amount, 'hex'), json(value)]);

function reasonFor(name: MessageName, body: Uint8Array): string {
  const result = codecOf(name, 2).decode(body, key);
  assert.equal(result.ok, false);
  return result.ok ? '' : result.reason;
}

describe('reading a payload refuses', () => {
  const feedback = [Buffer.alloc(16), Buffer.alloc(32, 1), 0, 1, false, 0];
  const deliver = [Buffer.alloc(16), null, Buffer.from('x'), null, null];
  const broadcast = ['topic', 'title', [], 'text', null, null, null, null, null, null, null];
  const bounty = {
    required_capability: 'x',
    max_budget_usd: 12.5,
    deadline_secs: 3600,
    task_summary: '',
    conversation_id: CONVERSATION,
  };
  const cbor = (items: unknown[], index: number, value: unknown) => cborgEncode(items.with(index, value));
  const refusals: [string, MessageName, Uint8Array, RegExp][] = [
    ['an offer without an amount', 'PROPOSE', json({ message: '' }), /not an amount and JSON/],
    ['an offer without terms', 'PROPOSE', Buffer.alloc(16), /not an amount and JSON/],
    ['a negative amount', 'PROPOSE', offer({ message: '' }, 'ff'.repeat(16)), /amount_usdc_micro must be/],
    [
      'an amount of 2^63',
      'PROPOSE',
      offer({ message: '' }, `${'00'.repeat(7)}80${'00'.repeat(8)}`),
      /amount_usdc_micro/,
    ],
    [
      'an amount of 2^64',
      'PROPOSE',
      offer({ message: '' }, `${'00'.repeat(8)}01${'00'.repeat(7)}`),
      /amount_usdc_micro/,
    ],
    ['half of a JSON text', 'PROPOSE', offer({ message: '' }).subarray(0, -1), /not JSON/],
    ['bytes that are not UTF-8', 'DISCOVER', Buffer.from([0x22, 0xff, 0x22]), /not UTF-8/],
    ['a byte order mark', 'DISCOVER', Buffer.from('\ufeff{"query":"x"}'), /not JSON/],
    ['an array for an object', 'DISCOVER', json([]), /must be an object/],
    ['null for an object', 'DISCOVER', json(null), /must be an object/],
    ['an offer without a message', 'PROPOSE', offer({ max_rounds: 2 }), /message is missing/],
    ['a message above 4096 bytes', 'PROPOSE', offer({ message: 'é'.repeat(2049) }), /message must be a text/],
    ['half of a surrogate pair', 'PROPOSE', offer({ message: '\ud83d' }), /message must be a text/],
    ['no rounds at all', 'PROPOSE', offer({ message: '', max_rounds: 0 }), /max_rounds/],
    ['a fraction of a round', 'COUNTER', offer({ round: 1.5 }), /round/],
    ['a counter without a round', 'COUNTER', offer({}), /round is missing/],
    ['a day that does not exist', 'PROPOSE', offer({ message: '', expires_at: '2026-02-31T00:00:00Z' }), /expires_at/],
    [
      'a time in another zone',
      'PROPOSE',
      offer({ message: '', expires_at: '2026-02-01T00:00:00+01:00' }),
      /expires_at/,
    ],
    ['a deadline beyond 90 days', 'PROPOSE', offer({ message: '', deadline_secs: 7_776_001 }), /deadline_secs/],
    ['a review beyond 14 days', 'PROPOSE', offer({ message: '', review_secs: 1_209_601 }), /review_secs/],
    ['more than all to the provider', 'PROPOSE', offer({ message: '', dispute_bps: 10_001 }), /dispute_bps/],
    ['a notary that is no agent', 'PROPOSE', offer({ message: '', notary: 'me' }), /notary/],
    ['an ACCEPT of nothing', 'ACCEPT', offer({ message: 'deal' }), /offer_id is missing/],
    ['an ACCEPT of no envelope', 'ACCEPT', offer({ offer_id: 'ab' }), /offer_id/],
    ['an amount as a fraction', 'ACCEPT', offer({ offer_id: HASH, remaining_usd_micro: 0.5 }), /remaining_usd_micro/],
    [
      'an amount as signed digits',
      'ACCEPT',
      offer({ offer_id: HASH, remaining_usd_micro: '-1' }),
      /remaining_usd_micro/,
    ],
    ['a reason above 4096 bytes', 'REJECT', Buffer.alloc(4097, 0x61), /reason/],
    ['a reason that is no UTF-8', 'REJECT', Buffer.from([0xff]), /not UTF-8/],
    ['a dispute without a reason', 'DISPUTE', json({}), /reason is missing/],
    ['a dispute as plain text in version 2', 'DISPUTE', Buffer.from('late'), /not JSON/],
    ['a delivery of nothing', 'DELIVER', cbor(deliver, 2, null), /inline_b64 or payload_uri/],
    ['a delivery above 48 KiB inline', 'DELIVER', cbor(deliver, 2, Buffer.alloc(49_153)), /inline is above/],
    ['an empty address', 'DELIVER', cbor(deliver, 3, ''), /payload_uri/],
    ['an address above 2048 bytes', 'DELIVER', cbor(deliver, 3, 'x'.repeat(2049)), /payload_uri is above/],
    ['a delivery with a sixth item', 'DELIVER', cborgEncode([...deliver, null]), /array of 5/],
    ['a short conversation', 'DELIVER', cbor(deliver, 0, Buffer.alloc(15)), /conversation_id is not 16 bytes/],
    ['a rating of nobody', 'FEEDBACK', cbor(feedback, 1, Buffer.alloc(32)), /target_agent must be an agent/],
    ['a score above 100', 'FEEDBACK', cbor(feedback, 2, 101), /score is above/],
    ['a score below -100', 'FEEDBACK', cbor(feedback, 2, -101), /score is above/],
    ['a score as a float', 'FEEDBACK', cbor(feedback, 2, 0.5), /score has another type/],
    ['an outcome of 3', 'FEEDBACK', cbor(feedback, 3, 3), /outcome is above/],
    ['a number for a flag', 'FEEDBACK', cbor(feedback, 4, 1), /is_dispute/],
    ['a role of 2', 'FEEDBACK', cbor(feedback, 5, 2), /role is above/],
    ['JSON for a rating', 'FEEDBACK', json({ score: 1 }), /another type/],
    ['a bid of type 2', 'NOTARIZE_BID', Buffer.alloc(17, 2), /bid_type/],
    ['a bid cut short', 'NOTARIZE_BID', Buffer.alloc(16), /cut/],
    ['JSON for an assignment', 'NOTARIZE_ASSIGN', json({ verifier: AGENT, opaque_b64: '' }), /JSON where the id/],
    ['an assignment cut short', 'NOTARIZE_ASSIGN', Buffer.alloc(31), /cut/],
    ['a verdict of another word', 'VERDICT', json({ outcome: 'maybe' }), /outcome must be one of/],
    ['a binary verdict in version 2', 'VERDICT', Buffer.alloc(65), /not JSON/],
    ['a name that does not print', 'BEACON', json({ name: 'a\nb', hubs: [] }), /name must be/],
    ['a name above 64', 'BEACON', json({ name: 'x'.repeat(65), hubs: [] }), /name must be/],
    ['a URL of another scheme', 'BEACON', json({ name: '', hubs: [], url: 'http://x/mesh' }), /url must be/],
    ['a URL with a password', 'BEACON', json({ name: '', hubs: [], url: 'ws://a:b@x/mesh' }), /url must be/],
    ['a URL with a query', 'BEACON', json({ name: '', hubs: [], url: 'ws://x/mesh?token=1' }), /url must be/],
    ['a URL that is none', 'BEACON', json({ name: '', hubs: [], url: 'ws://[' }), /url must be/],
    ['nine hubs', 'BEACON', json({ name: '', hubs: Array(9).fill(AGENT) }), /at most 8/],
    ['a hub that is no agent', 'BEACON', json({ name: '', hubs: [AGENT, 'x'] }), /\/hubs\/1 must be/],
    ['129 hosted agents', 'BEACON', json({ name: '', hubs: [], hosted: Array(129).fill({}) }), /at most 128/],
    [
      'a hosted agent without proof',
      'BEACON',
      json({ name: '', hubs: [], hosted: [{ agent_id: AGENT }] }),
      /recovery_key/,
    ],
    ['a binary beacon in version 2', 'BEACON', Buffer.concat([key, key]), /not/],
    ['an empty capability', 'ADVERTISE', json({ capabilities: [''] }), /capabilities\/0/],
    ['a range of one price', 'ADVERTISE', json({ price_range_usd: [1] }), /price_range_usd/],
    ['a price below zero', 'ADVERTISE', json({ price_range_usd: [-1, 1] }), /price_range_usd\/0/],
    [
      'a proof of another kind',
      'ADVERTISE',
      json({ capability_proofs: [{ capability: 'x', proof_type: 'y' }] }),
      /proof_type/,
    ],
    ['an empty question', 'DISCOVER', json({ query: '' }), /query/],
    [
      'a bounty for nothing',
      'BOUNTY',
      json({ ...bounty, required_capability: null }),
      /required_capability is missing/,
    ],
    ['a budget of nothing', 'BOUNTY', json({ ...bounty, max_budget_usd: 0 }), /max_budget_usd must be more/],
    [
      'an infinite budget',
      'BOUNTY',
      Buffer.from(JSON.stringify(bounty).replace('12.5', '1e999')),
      /max_budget_usd must be a/,
    ],
    ['a topic without a name', 'BROADCAST', cbor(broadcast, 0, ''), /topic/],
    ['a topic above 128 bytes', 'BROADCAST', cbor(broadcast, 0, 'x'.repeat(129)), /topic is above/],
    [
      'a topic above 64 bytes',
      'BROADCAST',
      cbor(broadcast, 0, 'x'.repeat(65)),
      /topic must be a text of 1 to 64 bytes/,
    ],
    ['a topic with a line break', 'BROADCAST', cbor(broadcast, 0, 'a\nb'), /topic must have no control characters/],
    ['a thirty-third tag', 'BROADCAST', cbor(broadcast, 2, Array(33).fill('x')), /tags is above/],
    ['a number for a tag', 'BROADCAST', cbor(broadcast, 2, [1]), /a tag has another type/],
    ['another format', 'BROADCAST', cbor(broadcast, 3, 'video'), /format must be/],
    ['a chunk beyond 32 bits', 'BROADCAST', cbor(broadcast, 6, 2 ** 32), /chunk_index is above/],
    ['a price beyond all money', 'BROADCAST', cbor(broadcast, 9, 2n ** 63n), /price_per_epoch_micro is above/],
  ];
  for (const [name, type, body, reason] of refusals) {
    it(`${name} (${type})`, () => assert.match(reasonFor(type, body), reason));
  }
});

describe('writing a payload', () => {
  it('refuses what no reader would accept, and says which field', () => {
    const cases: [MessageName, object, string][] = [
      ['PROPOSE', { amount_usdc_micro: -1n, message: '' }, '/amount_usdc_micro'],
      ['PROPOSE', { amount_usdc_micro: 1n, message: 'x'.repeat(4097) }, '/message'],
      ['ACCEPT', { amount_usdc_micro: 1n }, '/offer_id'],
      ['FEEDBACK', { conversation_id: CONVERSATION, target_agent: AGENT, score: 101 }, '/score'],
      ['DELIVER', { conversation_id: CONVERSATION }, ''],
      ['DELIVER', { conversation_id: CONVERSATION, inline_b64: 'not base64' }, '/inline_b64'],
    ];
    for (const [name, value, pointer] of cases) {
      assert.throws(
        () => codecOf(name, 2).encode(value as never, key),
        (error) =>
          isMeshError(error) &&
          error.code === 'invalid_request' &&
          error.details.fields!.some((field) => field.pointer === pointer),
      );
    }
  });
});

import assert from 'node:assert/strict';
import { checkHeader, type HeaderCheckContext } from '../../core/protocol/envelopes/check.ts';
import type { Envelope } from '../../core/protocol/envelopes/envelope.ts';
import { epochOf, nonceOf } from '../../core/protocol/envelopes/epochs.ts';
import { NO_AGENT } from '../../core/protocol/identity/ids.ts';
import { alice, bob, broadcastOf, envelopeOf, NOW, network, publicNetwork } from './fixtures.ts';

const SECOND = 1_000_000;
const EPOCH_MICROS = network.epochSecs * SECOND;

const bobs: HeaderCheckContext = {
  network,
  now: NOW / 1000,
  isRecipient: (key) => Buffer.compare(key, bob.key) === 0,
  forwarded: false,
};
const forwarded = { ...bobs, forwarded: true };

/** Sent `age` microseconds before now, with a nonce of that time. */
const aged = (age: number, make: typeof envelopeOf = envelopeOf) =>
  make({ timestamp: NOW - age, nonce: nonceOf(epochOf(NOW - age, network.epochSecs), 5) });

describe('checking a header', () => {
  const table: [string, Envelope, HeaderCheckContext, string][] = [
    ['what is for us and of now', envelopeOf(), bobs, 'accepted'],
    ['a broadcast of now', broadcastOf(), bobs, 'accepted'],
    ['another version', envelopeOf({}, publicNetwork), bobs, 'invalid'],
    [
      'version 1 where it is spoken',
      envelopeOf({ nonce: 1 }, publicNetwork),
      { ...bobs, network: publicNetwork },
      'accepted',
    ],
    ['a sender anybody can sign for', { ...envelopeOf(), sender: NO_AGENT }, bobs, 'invalid'],
    ['somebody else as recipient', envelopeOf({ recipient: alice.key }), bobs, 'invalid'],
    ['nobody as recipient', { ...envelopeOf(), recipient: NO_AGENT }, { ...bobs, isRecipient: () => true }, 'invalid'],
    ['a broadcast to us', { ...broadcastOf(), recipient: bob.key }, bobs, 'invalid'],
    ['a bilateral envelope 30 s ahead', aged(-30 * SECOND), bobs, 'accepted'],
    ['a bilateral envelope more than 30 s ahead', aged(-30 * SECOND - 1), bobs, 'invalid'],
    ['a broadcast 30 s ahead', aged(-30 * SECOND, broadcastOf), forwarded, 'accepted'],
    ['a broadcast more than 30 s ahead', aged(-30 * SECOND - 1, broadcastOf), forwarded, 'invalid'],
    ['a broadcast 30 s old', aged(30 * SECOND, broadcastOf), bobs, 'accepted'],
    ['a broadcast more than 30 s old', aged(30 * SECOND + 1, broadcastOf), bobs, 'expired'],
    ['a forwarded broadcast 120 s old', aged(120 * SECOND, broadcastOf), forwarded, 'accepted'],
    ['a forwarded broadcast more than 120 s old', aged(120 * SECOND + 1, broadcastOf), forwarded, 'expired'],
    ['a bilateral envelope 4 epochs old', aged(4 * EPOCH_MICROS), bobs, 'accepted'],
    ['a bilateral envelope 4 epochs old, forwarded', aged(4 * EPOCH_MICROS), forwarded, 'accepted'],
    ['a bilateral envelope more than 4 epochs old', aged(4 * EPOCH_MICROS + 1), bobs, 'expired'],
    ['a nonce of the epoch before', envelopeOf({ nonce: nonceOf(20_253, 1) }), bobs, 'invalid'],
    ['a nonce of the epoch after', envelopeOf({ nonce: nonceOf(20_255, 1) }), bobs, 'invalid'],
    ['sequence number 0', envelopeOf({ nonce: nonceOf(20_254, 1) - 1 }), bobs, 'invalid'],
    ['a nonce that is no epoch', broadcastOf({ nonce: 1 }), bobs, 'invalid'],
  ];
  for (const [name, envelope, context, reason] of table) {
    it(`${reason}: ${name}`, () => {
      const check = checkHeader(envelope, context);
      assert.equal(check.reason, reason, 'detail' in check ? check.detail : '');
    });
  }

  it('asks in the order of the protocol', () => {
    const wrong = { ...envelopeOf({ recipient: alice.key, nonce: 1, timestamp: 0 }, publicNetwork) };
    const details: string[] = [];
    const repairs: Partial<Envelope>[] = [{}, { version: 2 }, { recipient: bob.key }, { timestamp: NOW }];
    let current: Envelope = wrong;
    for (const repair of repairs) {
      current = { ...current, ...repair };
      const check = checkHeader(current, bobs);
      details.push('detail' in check ? check.detail : '');
    }
    assert.deepEqual(details, [
      'version 1 on a network of 2',
      'addressed to somebody else',
      'too old',
      'the nonce is of another epoch than the timestamp',
    ]);
  });
});

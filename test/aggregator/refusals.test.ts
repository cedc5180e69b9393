import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { fromBase64, toBase64 } from '../../core/platform/bytes.ts';
import { encodeEnvelope } from '../../core/protocol/envelopes/codec.ts';
import { encodeHeader as headerBytes } from '../../core/protocol/envelopes/header.ts';
import { defineNetwork } from '../../core/protocol/identity/network.ts';
import { happens } from '../support/happens.ts';
import { encodeReceipt } from '../support/receipt.ts';
import { network, signDeal, TestAgent, type Wire } from './support/agent.ts';
import { bootAggregator, type Item, type Result, statuses, type TestAggregator } from './support/aggregator.ts';

const DAY = 86_400_000;
/** One moment for what has to agree on its epoch. */
const MOMENT = Date.now();
const alice = new TestAgent('alice');
const bob = new TestAgent('bob');

/** Everything a client can see, to compare before and after. */
async function visible(aggregator: TestAggregator): Promise<unknown> {
  const paths = ['/agents', '/activity', '/registry?all=true', '/leaderboard', '/stats/network', '/interactions'];
  return Promise.all(paths.map((path) => aggregator.read(path)));
}

function changed(wire: Wire, change: (bytes: Uint8Array) => void): Item {
  const bytes = fromBase64(wire.whole.envelope_b64)!;
  change(bytes);
  return { envelope_b64: toBase64(bytes) };
}

describe('what an aggregator refuses', () => {
  let aggregator: TestAggregator;
  before(async () => {
    aggregator = await bootAggregator();
    await aggregator.ingest(alice.beacon('alice').whole, bob.beacon('bob').whole);
    await happens('the first totals stand', async () => (await aggregator.read('/stats/network')).organic ?? undefined);
  });
  after(() => aggregator.stop());

  const foreign = new TestAgent('alice', Date.now, defineNetwork({ name: 'another-network' }));
  const first = new TestAgent('alice', Date.now, defineNetwork({ name: 'aggregator-tests', version: 1 }));
  const items: [string, () => Item, Result['status'], RegExp][] = [
    ['text that is not base64', () => ({ envelope_b64: '!!!!' }), 'invalid', /./],
    ['base64 without padding', () => ({ envelope_b64: 'AAAAA' }), 'invalid', /./],
    ['random bytes', () => ({ envelope_b64: toBase64(randomBytes(300)) }), 'invalid', /./],
    ['an empty CBOR array', () => ({ envelope_b64: toBase64(Uint8Array.of(0x80, 0, 0)) }), 'invalid', /./],
    [
      'a receipt given as an envelope',
      () => ({ envelope_b64: alice.beacon('x').receipt.receipt_b64 }),
      'invalid',
      /array/,
    ],
    ['an envelope given as a receipt', () => ({ receipt_b64: bob.beacon('x').whole.envelope_b64 }), 'invalid', /array/],
    [
      'a truncated envelope',
      () => ({ envelope_b64: toBase64(encodeEnvelope(alice.beacon('x').envelope).subarray(0, 150)) }),
      'invalid',
      /./,
    ],
    [
      'an envelope with a byte behind it',
      () => ({ envelope_b64: toBase64(Buffer.concat([encodeEnvelope(alice.beacon('x').envelope), Uint8Array.of(0)])) }),
      'invalid',
      /./,
    ],
    [
      'a changed payload',
      () =>
        changed(alice.beacon('alice'), (bytes) => {
          bytes[bytes.length - 80]! ^= 1;
        }),
      'invalid',
      /payload/,
    ],
    [
      'a changed signature',
      () =>
        changed(alice.beacon('alice'), (bytes) => {
          bytes[bytes.length - 1]! ^= 1;
        }),
      'invalid',
      /signature/,
    ],
    [
      'a changed slot',
      () => ({ envelope_b64: toBase64(encodeEnvelope({ ...alice.beacon('x').envelope, blockRef: 7 })) }),
      'invalid',
      /signature/,
    ],
    [
      'a receipt with a changed slot',
      () => ({ receipt_b64: toBase64(encodeReceipt({ ...alice.beacon('x').envelope, version: 2, blockRef: 7 })) }),
      'invalid',
      /signature/,
    ],
    [
      'a sender anybody can sign for',
      () => ({ envelope_b64: toBase64(encodeEnvelope({ ...alice.beacon('x').envelope, sender: new Uint8Array(32) })) }),
      'invalid',
      /anybody/,
    ],
    ['an envelope of another network', () => foreign.beacon('alice').whole, 'invalid', /signature/],
    ['an envelope of version 1', () => first.beacon('alice').whole, 'invalid', /version 1/],
    ['an envelope from the future', () => alice.beacon('alice', {}, Date.now() + 60_000).whole, 'invalid', /future/],
    ['an envelope of five epochs ago', () => alice.beacon('alice', {}, Date.now() - 5 * DAY).whole, 'expired', /old/],
    [
      'a nonce of another epoch',
      () => alice.sign('BEACON', { payload: { name: 'x', hubs: [] }, nonce: 12 }).whole,
      'invalid',
      /epoch/,
    ],
    [
      'sequence number 0',
      () =>
        alice.sign('BEACON', {
          payload: { name: 'x', hubs: [] },
          at: MOMENT,
          nonce: Math.floor(MOMENT / DAY) * 2 ** 22,
        }).whole,
      'invalid',
      /sequence/,
    ],
    ['a payload that is not of its type', () => mistyped(), 'invalid', /./],
  ];

  function mistyped(): Item {
    const stranger = new TestAgent('alice');
    const { envelope } = stranger.sign('DISCOVER', {
      payload: { query: 'x' } as never,
      nonce: Math.floor(MOMENT / DAY) * 2 ** 22 + 900_000,
    });
    const signed = stranger.identity.signEnvelope(network, headerAs(envelope, 0x0d), envelope.payload);
    return { envelope_b64: toBase64(encodeEnvelope({ ...envelope, msgType: 'BEACON', signature: signed })) };
  }

  for (const [what, make, status, detail] of items) {
    it(`${what}: ${status}, and nothing changes`, async () => {
      const before = await visible(aggregator);
      const [result] = await aggregator.ingest(make());
      assert.equal(result!.status, status, JSON.stringify(result));
      assert.match(result!.detail ?? '', detail);
      assert.deepEqual(await visible(aggregator), before);
    });
  }

  it('judges each item by itself', async () => {
    const good = alice.beacon('alice');
    const results = await aggregator.ingest({ envelope_b64: 'AAAA' }, good.whole, good.whole, good.receipt);
    assert.deepEqual(statuses(results), ['invalid', 'accepted', 'duplicate', 'duplicate']);
    assert.deepEqual(
      results.map(({ envelope_id }) => envelope_id),
      [null, good.id, good.id, good.id],
    );
  });

  it('takes a broadcast that is days old, and does not let it undo a newer one', async () => {
    const old = bob.beacon('bob of old', {}, Date.now() - 3 * DAY);
    assert.deepEqual(statuses(await aggregator.ingest(old.whole)), ['accepted']);
    const profile = await aggregator.read(`/agents/${bob.id}/profile`);
    assert.equal(profile.name, 'bob');
    assert.ok(Date.parse(profile.first_seen) < Date.now() - 2 * DAY);
    assert.ok(Date.parse(profile.last_seen) > Date.now() - DAY);
  });

  it('keeps both of two envelopes under one nonce, answers conflict with the first, and counts the first only', async () => {
    const at = Date.now();
    const nonce = Math.floor(at / DAY) * 2 ** 22 + 800_000;
    const one = alice.sign('BEACON', { payload: { name: 'one', hubs: [] }, at, nonce });
    const other = alice.sign('BEACON', { payload: { name: 'other', hubs: [] }, at, nonce });
    const third = alice.sign('BEACON', { payload: { name: 'third', hubs: [] }, at, nonce });
    assert.deepEqual(statuses(await aggregator.ingest(one.whole)), ['accepted']);
    for (const late of [other, third, other]) {
      const [result] = await aggregator.ingest(late.whole);
      assert.deepEqual([result!.status, result!.held_b64], ['conflict', one.receipt.receipt_b64]);
    }
    assert.deepEqual(statuses(await aggregator.ingest(one.whole)), ['duplicate']);
    assert.equal((await aggregator.read(`/agents/${alice.id}/profile`)).name, 'one');
  });

  it('learns nothing by the receipt of a BEACON, and takes the BEACON after it', async () => {
    const carol = new TestAgent('carol of receipts');
    const [first, second] = [carol.beacon('carol'), carol.beacon('carol again')];
    const { receipt, whole } = second;
    assert.deepEqual(statuses(await aggregator.ingest(first.whole)), ['accepted']);
    assert.deepEqual(statuses(await aggregator.ingest(receipt)), ['duplicate']);
    assert.equal((await aggregator.read(`/agents/${carol.id}/profile`)).name, 'carol');
    assert.deepEqual(statuses(await aggregator.ingest(whole)), ['accepted']);
    assert.equal((await aggregator.read(`/agents/${carol.id}/profile`)).name, 'carol again');
    assert.deepEqual(statuses(await aggregator.ingest(receipt, whole)), ['duplicate', 'duplicate']);
  });

  const bodies: [string, string, number, RegExp][] = [
    ['malformed JSON', '{"items": [', 400, /JSON/],
    ['no items', '{}', 400, /items/],
    ['an empty list', '{"items":[]}', 400, /\/items/],
    ['items of a wrong type', '{"items":"x"}', 400, /\/items/],
    ['an item of a wrong type', '{"items":[7]}', 400, /\/items\/0/],
    ['an item that is both', '{"items":[{"envelope_b64":"AAAA","receipt_b64":"AAAA"}]}', 200, /"invalid"/],
    ['an item that is neither', '{"items":[{}]}', 200, /"invalid"/],
    ['an unknown member', '{"items":[{"envelope":"AAAA"}]}', 200, /"ignored":\["items\/0\/envelope"\].*"invalid"/],
    [
      'an oversize item',
      JSON.stringify({ items: [{ envelope_b64: 'A'.repeat(100_000) }] }),
      400,
      /\/items\/0\/envelope_b64/,
    ],
    ['too many items', JSON.stringify({ items: Array(257).fill({ envelope_b64: 'AAAA' }) }), 400, /\/items/],
    ['an oversize body', JSON.stringify({ items: [{ envelope_b64: 'A'.repeat(5_000_000) }] }), 413, /./],
  ];
  for (const [what, body, status, detail] of bodies) {
    it(`answers ${what} with ${status}`, async () => {
      const headers = { 'content-type': 'application/json' };
      const answer = await aggregator.fetch('/ingest/envelopes', { method: 'POST', headers, body });
      assert.equal(answer.status, status);
      assert.match(JSON.stringify(answer.body), detail);
    });
  }

  it('answers another content type with 415', async () => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await aggregator.fetch('/ingest/envelopes', { method: 'POST', headers, body: '{"items":[]}' });
    assert.equal(answer.status, 415);
  });

  it('logged no error over all this', () => {
    assert.deepEqual(aggregator.errors, []);
  });
});

describe('limits of ingest', () => {
  it('takes so many new keys from one address, and goes on with those it knows', async () => {
    const aggregator = await bootAggregator({ core: { ingest: { newKeysPerHour: 3 } } });
    try {
      const crowd = Array.from({ length: 5 }, (_, index) => new TestAgent(`crowd ${index}`));
      const results = await aggregator.ingest(...crowd.map((agent) => agent.beacon('one of many').whole));
      assert.deepEqual(statuses(results), ['accepted', 'accepted', 'accepted', 'rate-limited', 'rate-limited']);
      assert.equal((await aggregator.read('/stats/network')).agent_count, 3);
      assert.deepEqual(statuses(await aggregator.ingest(crowd[0]!.beacon('known').whole)), ['accepted']);
      assert.deepEqual(statuses(await aggregator.ingest(crowd[4]!.beacon('new').whole)), ['rate-limited']);
    } finally {
      await aggregator.stop();
    }
  });

  it('takes so many items of one key, and the rest later', async () => {
    const aggregator = await bootAggregator({ core: { ingest: { itemsPerKeyPerMinute: 4 } } });
    try {
      const agent = new TestAgent('talker');
      const beacons = Array.from({ length: 6 }, () => agent.beacon('talker').whole);
      const results = statuses(await aggregator.ingest(...beacons));
      assert.deepEqual(results, [...Array(4).fill('accepted'), 'rate-limited', 'rate-limited']);
      assert.deepEqual(statuses(await aggregator.ingest(beacons[0]!)), ['duplicate']);
    } finally {
      await aggregator.stop();
    }
  });

  it('does not let garbage use up what an address may bring', async () => {
    const aggregator = await bootAggregator({ core: { ingest: { newKeysPerHour: 1 } } });
    try {
      const agent = new TestAgent('honest');
      const forged = Array.from({ length: 5 }, (_, index) =>
        changed(new TestAgent(`forged ${index}`).beacon('x'), (bytes) => {
          bytes[bytes.length - 1]! ^= 1;
        }),
      );
      await aggregator.ingest(...forged);
      assert.deepEqual(statuses(await aggregator.ingest(agent.beacon('honest').whole)), ['accepted']);
    } finally {
      await aggregator.stop();
    }
  });

  it('answers a full batch of garbage within the limits of the body', async () => {
    const aggregator = await bootAggregator();
    try {
      const { propose } = signDeal(alice, bob);
      const results = await aggregator.ingest(...Array(256).fill(propose.receipt));
      assert.equal(results.filter(({ status }) => status === 'accepted').length, 1);
      assert.equal(results.filter(({ status }) => status === 'duplicate').length, 255);
    } finally {
      await aggregator.stop();
    }
  });
});

function headerAs(envelope: Wire['envelope'], code: number): Uint8Array {
  const bytes = headerBytes({ ...envelope });
  bytes[1] = code >>> 8;
  bytes[2] = code;
  return bytes;
}

import assert from 'node:assert/strict';
import { fromBase64 } from '../../core/platform/bytes.ts';
import { CborWriter } from '../../core/protocol/envelopes/cbor-writer.ts';
import { newConversation, TestAgent } from './support/agent.ts';
import { bootAggregator, statuses, type TestAggregator } from './support/aggregator.ts';

describe('reports in CBOR', () => {
  let aggregator: TestAggregator;
  const ada = new TestAgent('ada of cbor');
  const bob = new TestAgent('bob of cbor');

  before(async () => {
    aggregator = await bootAggregator();
  });
  after(() => aggregator.stop());

  function post(body: Uint8Array, type = 'application/cbor') {
    return aggregator.fetch('/ingest/envelopes', { method: 'POST', headers: { 'content-type': type }, body });
  }

  it('takes envelopes and receipts side by side, and judges each by itself', async () => {
    const beacon = ada.beacon('Ada');
    const payload = { amount_usdc_micro: 1n, message: 'hello', max_rounds: 1 };
    const offer = ada.sign('PROPOSE', { to: bob, conversation: newConversation(), payload });
    const items = [fromBase64(beacon.whole.envelope_b64)!, fromBase64(offer.receipt.receipt_b64)!, new Uint8Array(3)];
    const { status, body } = await post(arrayOf(items));
    assert.equal(status, 200);
    assert.deepEqual(statuses(body.results), ['accepted', 'accepted', 'invalid']);
    assert.deepEqual(
      body.results.map((result: any) => result.envelope_id),
      [beacon.id, offer.id, null],
    );
  });

  it('knows what came as JSON before', async () => {
    const beacon = bob.beacon('Bob');
    assert.deepEqual(statuses(await aggregator.ingest(beacon.whole)), ['accepted']);
    const { body } = await post(arrayOf([fromBase64(beacon.whole.envelope_b64)!]), 'Application/CBOR; x=y');
    assert.deepEqual(statuses(body.results), ['duplicate']);
  });

  const bad: Record<string, Uint8Array> = {
    'no array': Uint8Array.of(0x41, 0),
    'an empty array': arrayOf([]),
    'too many items': arrayOf(Array.from({ length: 257 }, () => new Uint8Array(1))),
    'an item that is no byte string': Uint8Array.of(0x81, 0x61, 0x61),
    'an item that is cut': Uint8Array.of(0x81, 0x42, 0),
    'an item that is too large': arrayOf([new Uint8Array(65_537)]),
    'bytes behind the array': Uint8Array.of(0x81, 0x40, 0),
    'no body': new Uint8Array(0),
  };
  for (const [name, bytes] of Object.entries(bad)) {
    it(`answers ${name} with 400`, async () => {
      const { status, body } = await post(bytes);
      assert.equal(status, 400);
      assert.equal(body.code, 'invalid_request');
    });
  }

  it('names what it takes to whoever sends something else', async () => {
    const { status, body } = await post(arrayOf([]), 'text/plain');
    assert.equal(status, 415);
    assert.deepEqual(body.accepted, ['application/json', 'application/cbor']);
  });
});

function arrayOf(items: readonly Uint8Array[]): Uint8Array {
  const writer = new CborWriter();
  writer.array(items.length);
  for (const item of items) writer.bytes(item);
  return writer.finish();
}

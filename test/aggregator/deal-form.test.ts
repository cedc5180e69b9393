import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { dealForm } from '../../core/aggregator/store/deal-form.ts';
import { type DealRow, deals, type StoredDeal } from '../../core/aggregator/store/deals.ts';
import { newRecord, observe, type RecordFact } from '../../core/protocol/deals/record.ts';
import { collection } from '../../core/storage/declarations.ts';

const CONVERSATION = '00112233445566778899aabbccddeeff';
const [A, B, C] = [
  '4G2CpEc22ijfeJayNLu4KBv6gbJZSN7akFPpUj2HtJ1L',
  'Hsd5hYAWTDKWUT5ZqKYRQ5Bsy5xVHx2B628o8jnJTwpr',
  'Third',
];
const ID = `${CONVERSATION}/${A}/${B}`;
const NAMES = ['0a', '0b', '0c', '0d'].map((byte) => byte.repeat(32));

const key = fc.constantFrom(A, B, C);
const envelope = fc.constantFrom(...NAMES);
const stamp = { id: envelope, by: key, at: fc.integer({ min: 0, max: 2 ** 45 }) };
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const told = { ...stamp, payer: maybe(fc.constantFrom(A, B)), answers: maybe(envelope) };
const terms = fc.constant({ amount: 5n, notary: C, deadline: 7 } as never);
const agreed = fc.record({ offer: envelope, amount: fc.constant('5') });
const lock = fc.constant({ requester: A, provider: B, notary: C, deadline: 1, at: 3 } as never);
const mark = { terms: envelope, locked_at: fc.constant(9), amount: fc.constant('1000') };
const fact = fc.oneof(
  fc.record({ type: fc.constantFrom('propose', 'counter'), ...told, terms: maybe(terms) }),
  fc.record({ type: fc.constantFrom('deliver', 'dispute', 'verdict'), ...told }),
  fc.record({ type: fc.constant('accept'), ...told, agreed: maybe(agreed) }),
  fc.record({ type: fc.constant('assign'), ...stamp, notary: key }),
  fc.record({ type: fc.constant('locked'), ...mark, lock }),
) as fc.Arbitrary<RecordFact>;
const row: fc.Arbitrary<DealRow> = fc.record({
  event_type: fc.constantFrom('ACCEPT', 'REJECT', 'DELIVER', 'DISPUTE', 'VERDICT'),
  envelope_id: envelope,
  by: key,
  to: key,
  slot: fc.nat(),
  shown: fc.boolean(),
});
const marks = { due: maybe(fc.nat()), counted: maybe(fc.boolean()), judged: maybe(fc.boolean()) };

/** As it comes back from a store that keeps values as they are. */
const asJson = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}` : one)));

function dealOf(facts: readonly RecordFact[], rated: readonly string[], rows: readonly DealRow[]): StoredDeal {
  const seen = facts.reduce(observe, newRecord(CONVERSATION, A, B));
  return { record: { ...seen, rated }, rows };
}

describe('the form in which an aggregator stores a deal', () => {
  it('gives back every deal as it was, whatever was signed and locked', () => {
    const ratings = fc.subarray([`${A}>${B}`, `${B}>${A}`, `${C}>${A}`]);
    const some = fc.tuple(
      fc.array(fact, { maxLength: 30 }),
      ratings,
      fc.array(row, { maxLength: 8 }),
      fc.record(marks),
    );
    fc.assert(
      fc.property(some, ([facts, rated, rows, marked]) => {
        const deal = asJson({ ...dealOf(facts, rated, rows), ...marked }) as StoredDeal;
        assert.deepEqual(dealForm.unpack(asJson(dealForm.pack(deal, ID)), ID), deal);
      }),
      { numRuns: 500, seed: 7 },
    );
  });

  it('gives back ids that are no 32 bytes in hex, and an empty list of an optional member', () => {
    const deal = dealOf([{ type: 'propose', id: 'AB', by: A, at: 1 }], [], []);
    const odd = { ...deal, record: { ...deal.record, heard: [], ratings: [] } };
    assert.deepEqual(dealForm.unpack(asJson(dealForm.pack(odd, ID)), ID), odd);
  });

  it('takes a third of the room of a deal that both sides have rated, and names each key and id once', () => {
    const [offer, accept, delivery] = NAMES as [string, string, string];
    const facts: RecordFact[] = [
      { type: 'propose', id: offer, by: A, at: 1, payer: A },
      { type: 'accept', id: accept, by: B, at: 2, payer: A, answers: offer },
      { type: 'deliver', id: delivery, by: B, at: 3, payer: A, answers: accept },
    ];
    const shown = (event_type: 'ACCEPT' | 'DELIVER', envelope_id: string) => ({
      ...{ event_type, envelope_id, by: B, to: A, slot: 250_000_000, shown: true },
    });
    const deal = dealOf(facts, [`${A}>${B}`, `${B}>${A}`], [shown('ACCEPT', accept), shown('DELIVER', delivery)]);
    const packed = JSON.stringify(dealForm.pack(deal, ID));
    assert.ok(packed.length < JSON.stringify(deal).length / 3, packed);
    for (const text of [A, B, CONVERSATION]) assert.ok(!packed.includes(text), packed);
  });

  it('reads what earlier releases stored, which was the deal as it is', () => {
    const deal = dealOf([{ type: 'propose', id: NAMES[0]!, by: A, at: 1, payer: A }], [`${A}>${B}`], []);
    assert.deepEqual(dealForm.unpack(asJson(deal), ID), deal);
  });

  it('leaves a deal as it is whose document has another name', () => {
    const deal = dealOf([{ type: 'propose', id: NAMES[0]!, by: A, at: 1 }], [], []);
    assert.equal(dealForm.pack(deal, 'elsewhere'), deal);
  });

  it('is used by the store, and is for shared values alone', () => {
    assert.equal(deals.form, dealForm);
    assert.throws(() => collection('odd', { schema: () => [], form: dealForm }), /odd: only shared values have a form/);
  });
});

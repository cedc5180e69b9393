import assert from 'node:assert/strict';
import fc from 'fast-check';
import { acceptanceOf, newRecord, notariesOf, observe, type RecordFact } from '../../core/deals/record.ts';
import { defaultOf, endOf } from '../../core/deals/record-end.ts';
import { ALICE, BOB, HOUR, NOTARY, T0 } from './builders.ts';

const signer = fc.constantFrom(ALICE, BOB, NOTARY, 'mallory');
const at = fc.integer({ min: T0, max: T0 + 50 }).map((time) => time);
const id = fc.integer({ min: 0, max: 40 }).map(String);
const agreed = { escrow: true, requester: ALICE };
const lock = { requester: ALICE, provider: BOB, notary: NOTARY, at: T0, deadline: T0 + HOUR };

const fact: fc.Arbitrary<RecordFact> = fc.oneof(
  fc.record({ type: fc.constantFrom('propose', 'counter', 'deliver', 'dispute', 'verdict'), id, by: signer, at }),
  fc.record({ type: fc.constant('accept'), id, by: signer, at }),
  fc.record({ type: fc.constant('assign'), id, by: signer, at, notary: fc.constantFrom(NOTARY, 'mallory') }),
  fc.record({ type: fc.constant('locked'), terms: id, lock: fc.constant(lock) }),
  fc.record({ type: fc.constant('closed'), terms: id, outcome: fc.constant('released'), at: fc.constant(T0 + 99) }),
) as fc.Arbitrary<RecordFact>;

/** Envelope ids name their contents: the same id is always the same fact. */
function distinct(facts: readonly RecordFact[]): RecordFact[] {
  return [...new Map(facts.map((one) => ['id' in one ? one.id : `${one.type} ${one.terms}`, one])).values()];
}

describe("an aggregator's record of a deal", () => {
  it('is the same in whatever order and however often the receipts come', () => {
    const shuffledTwice = fc
      .array(fact, { maxLength: 25 })
      .map(distinct)
      .chain((facts) =>
        fc.tuple(fc.constant(facts), fc.shuffledSubarray([...facts, ...facts], { minLength: facts.length * 2 })),
      );
    fc.assert(
      fc.property(shuffledTwice, ([facts, shuffled]) => {
        const ordered = facts.reduce(observe, newRecord('c', ALICE, BOB));
        assert.deepEqual(shuffled.reduce(observe, newRecord('c', BOB, ALICE)), ordered);
      }),
      { numRuns: 500, seed: 2026 },
    );
  });

  it('takes the contents of an ACCEPT before or after its receipt', () => {
    const receipt: RecordFact = { type: 'accept', id: 'a', by: BOB, at: T0 };
    const whole: RecordFact = { ...receipt, agreed };
    for (const order of [
      [receipt, whole],
      [whole, receipt],
    ])
      assert.deepEqual(order.reduce(observe, newRecord('c', ALICE, BOB)).accepts, [
        null,
        { id: 'a', by: BOB, at: T0, agreed },
      ]);
  });

  it('ignores strangers and needs both sides for a notary', () => {
    let record = newRecord('c', ALICE, BOB);
    record = observe(record, { type: 'accept', id: '1', by: 'mallory', at: T0 });
    record = observe(record, { type: 'assign', id: '2', by: ALICE, at: T0, notary: NOTARY });
    assert.equal(acceptanceOf(record), undefined);
    assert.deepEqual(notariesOf(record), []);
    record = observe(record, { type: 'assign', id: '3', by: BOB, at: T0, notary: NOTARY });
    assert.deepEqual(notariesOf(record), [NOTARY]);
  });

  it('is not filled up by verdicts of strangers', () => {
    let record = newRecord('c', ALICE, BOB);
    for (const by of [ALICE, BOB]) record = observe(record, { type: 'assign', id: by, by, at: T0, notary: NOTARY });
    for (let i = 0; i < 100; i += 1)
      record = observe(record, { type: 'verdict', id: `s${i}`, by: `stranger-${i}`, at: T0 });
    record = observe(record, { type: 'verdict', id: 'v', by: NOTARY, at: T0 + 5 });
    assert.equal(record.verdicts.length, 16);
    assert.ok(record.verdicts.some((verdict) => verdict.by === NOTARY));
  });

  const made: RecordFact[] = [
    { type: 'propose', id: 'p', by: ALICE, at: T0 },
    { type: 'accept', id: 'a', by: BOB, at: T0 + 1_000 },
  ];
  const locked: RecordFact = { type: 'locked', terms: 'a', lock };
  const reclaimed: RecordFact = { type: 'closed', terms: 'a', outcome: 'reclaimed', at: T0 + 2 * HOUR };
  const hasty: RecordFact = { ...locked, lock: { ...lock, at: T0 + 60_000 } };
  const other: RecordFact = { ...locked, terms: 'something else' };
  const otherReclaimed: RecordFact = { ...reclaimed, terms: 'something else' };
  const wholeAccept: RecordFact = { type: 'accept', id: 'a', by: BOB, at: T0 + 1_000, agreed };
  const deliver = (by: string, time: number): RecordFact => ({ type: 'deliver', id: `d-${by}`, by, at: T0 + time });

  const ends: [string, RecordFact[], string | undefined, string | undefined][] = [
    ['an offer alone', [made[0]!], undefined, undefined],
    ['an ACCEPT alone', [made[1]!], undefined, undefined],
    ['a running deal', made, undefined, undefined],
    ['a delivery', [...made, deliver(BOB, 5_000)], 'delivered', undefined],
    ['a delivery without a deal', [deliver(BOB, 5_000)], undefined, undefined],
    ['a delivery by the payer of a locked deal', [...made, locked, deliver(ALICE, 5_000)], undefined, undefined],
    [
      'a delivery by the payer of a known agreement',
      [made[0]!, wholeAccept, deliver(ALICE, 5_000)],
      undefined,
      'unpaid',
    ],
    ['a lock that was agreed and never came', [made[0]!, wholeAccept], undefined, 'unpaid'],
    ['a lock that was agreed and came', [made[0]!, wholeAccept, locked], undefined, undefined],
    ['a reclaimed lock', [...made, locked, reclaimed], 'abandoned', 'abandoned'],
    [
      'a reclaimed lock with a DELIVER in time',
      [...made, locked, reclaimed, deliver(BOB, 5_000)],
      'abandoned',
      undefined,
    ],
    [
      'a reclaimed lock with a late DELIVER',
      [...made, locked, reclaimed, deliver(BOB, HOUR)],
      'abandoned',
      'abandoned',
    ],
    ['a reclaimed lock without a deal', [locked, reclaimed], undefined, undefined],
    ['a reclaimed lock for another ACCEPT', [...made, other, otherReclaimed], undefined, undefined],
    ['locks for the deal and for another ACCEPT', [...made, other, locked, otherReclaimed], undefined, undefined],
    ['a reclaimed lock that left less than an hour', [...made, hasty, reclaimed], 'abandoned', undefined],
  ];
  for (const [name, facts, end, fault] of ends)
    it(`ends ${end ?? 'not at all'} after ${name}${fault ? `, counted as ${fault}` : ''}`, () => {
      const record = facts.reduce(observe, newRecord('c', ALICE, BOB));
      assert.equal(endOf(record)?.kind, end);
      assert.equal(defaultOf(record, T0 + 26 * HOUR + 1_000)?.kind, fault);
      assert.equal(
        defaultOf(record, T0 + 25 * HOUR),
        undefined,
        'nothing is concluded while receipts may be on their way',
      );
    });

  it('names who failed', () => {
    const abandoned = [...made, locked, reclaimed].reduce(observe, newRecord('c', ALICE, BOB));
    const unpaid = [made[0]!, wholeAccept].reduce(observe, newRecord('c', ALICE, BOB));
    assert.deepEqual(defaultOf(abandoned, T0 + 99 * HOUR), { kind: 'abandoned', by: BOB, at: T0 + HOUR });
    assert.deepEqual(defaultOf(unpaid, T0 + 99 * HOUR), { kind: 'unpaid', by: ALICE, at: T0 + 1_000 + HOUR });
  });
});

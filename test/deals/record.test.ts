import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  acceptanceOf,
  agreedEscrowOf,
  newRecord,
  notariesOf,
  observe,
  type RecordFact,
} from '../../core/protocol/deals/record.ts';
import { agreementOf } from '../../core/protocol/deals/record-agreement.ts';
import { defaultOf, endOf } from '../../core/protocol/deals/record-end.ts';
import type { Lock } from '../../core/protocol/deals/record-escrows.ts';
import { ALICE, BOB, HOUR, NOTARY, T0 } from './builders.ts';

const signer = fc.constantFrom(ALICE, BOB, NOTARY, 'mallory');
const at = fc.integer({ min: T0, max: T0 + 50 }).map((time) => time);
const id = fc.integer({ min: 0, max: 40 }).map(String);
const TERMS = { amount: '5000000', deadline_secs: 7_200, review_secs: 86_400, escrow: true, notary: NOTARY };
const agreed = { offer: 'p', amount: TERMS.amount };
const mark = { terms: 'a', locked_at: T0 + 2_000, amount: TERMS.amount };
const lock: Lock = {
  ...{ requester: ALICE, provider: BOB, notary: NOTARY, at: mark.locked_at, deadline: T0 + 1_000 + 2 * HOUR },
  ...{ amount: TERMS.amount, bond: '2500000', review_secs: 86_400, dispute_bps: 0 },
};

const fact: fc.Arbitrary<RecordFact> = fc.oneof(
  fc.record({ type: fc.constantFrom('deliver', 'dispute', 'verdict'), id, by: signer, at }),
  fc.record({ type: fc.constantFrom('propose', 'counter'), id, by: signer, at }),
  fc.record({ type: fc.constantFrom('propose', 'counter'), id, by: signer, at, terms: fc.constant(TERMS) }),
  fc.record({ type: fc.constant('accept'), id, by: signer, at }),
  fc.record({
    type: fc.constantFrom('propose', 'accept', 'deliver', 'dispute', 'verdict'),
    ...{ id, by: signer, at, payer: fc.constantFrom(ALICE, BOB, 'mallory'), answers: id },
  }),
  fc.record({ type: fc.constant('assign'), id, by: signer, at, notary: fc.constantFrom(NOTARY, 'mallory') }),
  fc.record({ type: fc.constant('locked'), terms: id, locked_at: at, amount: id, lock: fc.constant(lock) }),
  fc.record({ type: fc.constant('escrow_delivered'), terms: id, locked_at: at, amount: id }),
  fc.record({
    type: fc.constant('closed'),
    terms: id,
    locked_at: at,
    amount: id,
    outcome: fc.constant('released'),
    at,
  }),
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

  const offer: RecordFact = { type: 'propose', id: 'p', by: ALICE, at: T0, terms: TERMS };
  const accept: RecordFact = { type: 'accept', id: 'a', by: BOB, at: T0 + 1_000, agreed };
  const made: RecordFact[] = [offer, accept];
  const unread: RecordFact[] = [
    { type: 'propose', id: 'p', by: ALICE, at: T0 },
    { type: 'accept', id: 'a', by: BOB, at: T0 + 1_000 },
  ];
  const locked: RecordFact = { type: 'locked', ...mark, lock };
  const reclaimed: RecordFact = { type: 'closed', ...mark, outcome: 'reclaimed', at: T0 + 3 * HOUR };
  const named: RecordFact = { type: 'escrow_delivered', ...mark };
  const released: RecordFact = { type: 'closed', ...mark, outcome: 'released', at: T0 + 3 * HOUR };
  const as = (change: Partial<Lock>, { at = mark.locked_at, ...rest } = change): RecordFact[] => [
    { ...locked, locked_at: at, amount: rest.amount ?? mark.amount, lock: { ...lock, ...change } },
    { ...reclaimed, locked_at: at, amount: rest.amount ?? mark.amount },
  ];
  const openTerms = { ...TERMS, escrow: false, deadline_secs: 7_200 };
  const unlocked: RecordFact[] = [{ ...offer, terms: openTerms }, accept];
  const quick = { ...TERMS, deadline_secs: 3_000 };
  const hasty: RecordFact[] = [
    { ...offer, terms: quick },
    accept,
    { ...locked, lock: { ...lock, deadline: T0 + 3_001_000 } },
    reclaimed,
  ];
  const deliver = (by: string, time: number): RecordFact => ({ type: 'deliver', id: `d-${by}`, by, at: T0 + time });
  const other = { terms: 'something else' };

  const ends: [string, RecordFact[], string | undefined, string | undefined][] = [
    ['an offer alone', [made[0]!], undefined, undefined],
    ['an ACCEPT alone', [made[1]!], undefined, undefined],
    ['a running deal', unread, undefined, undefined],
    ['a delivery', [...unread, deliver(BOB, 5_000)], 'delivered', undefined],
    ['a delivery without a deal', [deliver(BOB, 5_000)], undefined, undefined],
    ['a delivery by whoever locked', [...unread, locked, deliver(ALICE, 5_000)], undefined, undefined],
    ['a delivery by the payer of a known agreement', [...made, deliver(ALICE, 5_000)], undefined, 'unpaid'],
    ['a lock that was agreed and never came', made, undefined, 'unpaid'],
    ['nothing where no lock was agreed', unlocked, undefined, 'abandoned'],
    ['a delivery in time where no lock was agreed', [...unlocked, deliver(BOB, 5_000)], 'delivered', undefined],
    ['a late delivery where no lock was agreed', [...unlocked, deliver(BOB, 3 * HOUR)], 'delivered', 'abandoned'],
    ['a delivery by the payer where no lock was agreed', [...unlocked, deliver(ALICE, 5_000)], undefined, 'abandoned'],
    [
      'nothing where no lock was agreed, nor time to work',
      [{ ...offer, terms: { ...quick, escrow: false } }, accept],
      undefined,
      undefined,
    ],
    ['a lock that was agreed and came', [...made, locked], undefined, undefined],
    ['a reclaimed lock', [...made, locked, reclaimed], 'abandoned', 'abandoned'],
    ['a reclaimed lock of a deal whose terms are private', [...unread, locked, reclaimed], undefined, undefined],
    ['a release of a deal whose terms are private', [...unread, locked, released], undefined, undefined],
    [
      'a release of a private deal for which its provider named a delivery',
      [...unread, locked, named, released],
      'settled',
      undefined,
    ],
    [
      'a reclaimed lock with a DELIVER in time',
      [...made, locked, reclaimed, deliver(BOB, 5_000)],
      'abandoned',
      undefined,
    ],
    [
      'a reclaimed lock with a late DELIVER',
      [...made, locked, reclaimed, deliver(BOB, 3 * HOUR)],
      'abandoned',
      'abandoned',
    ],
    ['a reclaimed lock without a deal', [locked, reclaimed], undefined, undefined],
    [
      'a reclaimed lock for another ACCEPT',
      [...unread, { ...locked, ...other }, { ...reclaimed, ...other }],
      undefined,
      undefined,
    ],
    [
      'locks for the deal and for another ACCEPT',
      [...made, locked, { ...locked, ...other }, { ...reclaimed, ...other }],
      undefined,
      undefined,
    ],
    ['a reclaimed lock that left less than an hour', hasty, 'abandoned', undefined],
    ['a reclaimed lock of a millionth', [...made, ...as({ amount: '1' })], undefined, 'unpaid'],
    ['a reclaimed lock without the bond', [...made, ...as({ bond: '0' })], undefined, 'unpaid'],
    ['a reclaimed lock with another floor', [...made, ...as({ dispute_bps: 5_000 })], undefined, 'unpaid'],
    ['a reclaimed lock with another notary', [...made, ...as({ notary: 'mallory' })], undefined, 'unpaid'],
    ['a reclaimed lock with another review', [...made, ...as({ review_secs: 3_600 })], undefined, 'unpaid'],
    ['a reclaimed lock with another deadline', [...made, ...as({ deadline: T0 + 5_000_000 })], undefined, 'unpaid'],
    ['a reclaimed lock that came too late', [...made, ...as({ at: T0 + HOUR + 5_000 })], undefined, 'unpaid'],
    [
      'a reclaimed lock as records of before have it',
      [...made, { ...locked, lock: { requester: ALICE, provider: BOB, notary: NOTARY, at: T0, deadline: T0 + HOUR } }],
      undefined,
      'unpaid',
    ],
    ['a dust lock beside the agreed one', [...made, ...as({ amount: '1' }), locked], undefined, undefined],
  ];
  for (const [name, facts, end, fault] of ends)
    it(`ends ${end ?? 'not at all'} after ${name}${fault ? `, counted as ${fault}` : ''}`, () => {
      const record = facts.reduce(observe, newRecord('c', ALICE, BOB));
      assert.equal(endOf(record)?.kind, end);
      assert.equal(defaultOf(record, T0 + 27 * HOUR + 1_000)?.kind, fault);
      assert.equal(
        defaultOf(record, T0 + 25 * HOUR),
        undefined,
        'nothing is concluded while receipts may be on their way',
      );
    });

  it('names who failed', () => {
    const abandoned = [...made, locked, reclaimed].reduce(observe, newRecord('c', ALICE, BOB));
    const unpaid = made.reduce(observe, newRecord('c', ALICE, BOB));
    assert.deepEqual(defaultOf(abandoned, T0 + 99 * HOUR), {
      kind: 'abandoned',
      by: BOB,
      at: lock.deadline,
      locked: true,
    });
    assert.deepEqual(defaultOf(unpaid, T0 + 99 * HOUR), {
      kind: 'unpaid',
      by: ALICE,
      at: T0 + 1_000 + HOUR,
      locked: false,
    });
    const left = [{ ...offer, terms: openTerms }, accept].reduce(observe, newRecord('c', ALICE, BOB));
    const at = T0 + 1_000 + 2 * HOUR;
    assert.deepEqual(defaultOf(left, T0 + 99 * HOUR), { kind: 'abandoned', by: BOB, at, locked: false });
  });

  const counter = (id: string, by: string, time: number, terms?: object): RecordFact =>
    ({
      type: 'counter',
      id,
      by,
      at: T0 + time,
      ...(terms && { terms: { amount: '6000000', ...terms } }),
    }) as RecordFact;
  const chain = [offer, counter('q', BOB, 100, { deadline_secs: 9_000 }), counter('r', ALICE, 200, {})];
  const acceptOf = (name: string, by = BOB, amount = '6000000'): RecordFact => ({
    ...{ type: 'accept', id: 'a', by, at: T0 + 1_000 },
    agreed: { offer: name, amount },
  });
  const agreements: [string, RecordFact[], number | undefined][] = [
    ['the proposal', made, 7_200],
    ['a counter that leaves out what the offer before says', [...chain, acceptOf('r')], 9_000],
    ['the first counter', [...chain.slice(0, 2), acceptOf('q', ALICE)], 9_000],
    ['an offer of which only the receipt is known', [unread[0]!, accept], undefined],
    ['an ACCEPT of which only the receipt is known', [offer, unread[1]!], undefined],
    ['a counter behind one that is not known', [offer, counter('q', BOB, 100), chain[2]!, acceptOf('r')], undefined],
    ['a counter behind a missing one', [offer, chain[2]!, acceptOf('r')], undefined],
    ['two offers of one side in a turn', [...chain, counter('s', ALICE, 150, {}), acceptOf('r')], undefined],
    ['an offer whose rival is a receipt', [...chain, counter('s', ALICE, 150), acceptOf('r')], undefined],
    ['an offer whose rival is an earlier receipt', [...chain, counter('s', ALICE, -50), acceptOf('r')], undefined],
    ["an amount that is not the offer's", [offer, acceptOf('p', BOB, '1')], undefined],
    ["one's own offer", [...chain, acceptOf('q')], undefined],
    ['the proposal with the lower id, where both made one', [offer, { ...offer, id: 'o', by: BOB }, accept], 7_200],
  ];
  for (const [name, facts, deadline] of agreements)
    it(`${deadline ? 'knows' : 'does not know'} what was agreed by accepting ${name}`, () => {
      for (const order of [facts, [...facts].reverse()])
        assert.equal(agreementOf(order.reduce(observe, newRecord('c', ALICE, BOB)))?.terms.deadline_secs, deadline);
    });

  it('keeps the largest of many locks, so that dust pushes out nothing', () => {
    const dust = Array.from({ length: 50 }, (_, n) => as({ amount: '1', at: T0 + n })).flat();
    const record = [...made, ...dust, locked, ...dust].reduce(observe, newRecord('c', ALICE, BOB));
    assert.equal(record.escrows.length, 8);
    assert.equal(agreedEscrowOf(record)?.locked_at, mark.locked_at);
  });
});

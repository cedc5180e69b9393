import assert from 'node:assert/strict';
import { advance } from '../../core/protocol/deals/advance.ts';
import type { DealEvent } from '../../core/protocol/deals/events.ts';
import { openDeal } from '../../core/protocol/deals/open.ts';
import { ALICE, accept, applied, BOB, event, opened, proposal } from './builders.ts';

/** What a message of version 2 shows. */
const told = (answers: string, payer = ALICE) => ({ payer, answers });
const made = () => applied(opened(), { ...accept(), ...told('p1'), id: 'a1' } as DealEvent);
const countered = () =>
  applied(opened(), event('counter', BOB, 1, { id: 'c1', terms: { amount: '6000000' }, ...told('p1') }));

describe('what a message answers', () => {
  const refused: [string, () => { deal: ReturnType<typeof opened>; event: DealEvent }, RegExp, boolean][] = [
    [
      'an ACCEPT that names another payer',
      () => ({ deal: opened(), event: { ...accept(), ...told('p1', BOB) } as DealEvent }),
      /another payer/,
      false,
    ],
    [
      'a COUNTER to an offer that has not arrived',
      () => ({ deal: opened(), event: event('counter', BOB, 1, { terms: { amount: '1' }, ...told('p9') }) }),
      /not known here/,
      true,
    ],
    [
      'a COUNTER to an older offer',
      () => ({ deal: countered(), event: event('counter', ALICE, 2, { terms: { amount: '1' }, ...told('p1') }) }),
      /newer offer/,
      false,
    ],
    [
      'a DELIVER for another ACCEPT',
      () => ({ deal: made(), event: event('deliver', BOB, 2, told('a2')) }),
      /another ACCEPT/,
      false,
    ],
    [
      'a DELIVER with another payer',
      () => ({ deal: made(), event: event('deliver', BOB, 2, told('a1', BOB)) }),
      /another payer/,
      false,
    ],
  ];
  for (const [name, make, why, premature] of refused)
    it(`refuses ${name}`, () => {
      const { deal, event: happened } = make();
      const step = advance(deal, happened);
      assert.ok(!step.ok);
      assert.match(step.detail, why);
      assert.equal(step.premature, premature);
    });

  it('takes what names the right one', () => {
    const deal = applied(made(), event('deliver', BOB, 2, told('a1')));
    assert.equal(deal.state, 'delivered');
  });

  it('refuses a proposal in which somebody else pays', () => {
    const step = openDeal(proposal({}, { payer: BOB }));
    assert.ok(!step.ok && /whoever proposes pays/.test(step.detail));
    assert.ok(openDeal(proposal({}, { payer: ALICE })).ok);
  });
});

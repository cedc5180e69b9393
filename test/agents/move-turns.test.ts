import assert from 'node:assert/strict';
import { MoveTurns } from '../../core/node/agents/move-turns.ts';
import { BriskClock } from '../support/brisk-clock.ts';

const PERIOD = 300_000;

describe('the agents that moved, in BEACONs', () => {
  const named = (name: string) => ({ name });
  function turnsOf(count: number) {
    const clock = new BriskClock();
    const turns = new MoveTurns<{ name: string }>({ clock, places: 8, period: PERIOD });
    const all = Array.from({ length: count }, (_, place) => named(`old ${place}`));
    for (const one of all) turns.add(one);
    return { clock, turns, all };
  }

  it('show one that says something new first, however often others ask to be shown', () => {
    const { clock, turns, all } = turnsOf(40);
    const honest = named('honest');
    turns.changed(honest);
    for (const one of all) turns.again(one);
    assert.equal(turns.hasFresh, true);
    assert.equal(turns.next()[0], honest);
    assert.equal(turns.hasFresh, false);
    // Half of the places go to those who ask, so all have their turn within ten BEACONs.
    const seen = new Set<object>();
    for (let beacon = 0; beacon < 10; beacon += 1) {
      clock.shift(PERIOD);
      for (const one of all.slice(0, 20)) turns.again(one);
      for (const one of turns.next()) seen.add(one);
    }
    assert.ok(all.slice(20).every((one) => seen.has(one)));
    assert.ok(seen.has(honest));
  });

  it('show one again at once that asks for it, once in a period', () => {
    const { clock, turns, all } = turnsOf(40);
    const [last, other] = [all.at(-1)!, all.at(-2)!];
    assert.equal(turns.again(last), true);
    assert.equal(turns.again(last), false, 'the same one');
    assert.equal(turns.again(other), false, 'a BEACON at once for another one');
    const shown = turns.next();
    assert.ok(shown.includes(last) && shown.includes(other));
    turns.again(last);
    assert.ok(!turns.next().includes(last));
    clock.shift(PERIOD);
    assert.equal(turns.again(last), true);
    assert.ok(turns.next().includes(last));
  });

  it('never show one that was removed', () => {
    const { turns, all } = turnsOf(3);
    turns.changed(all[0]!);
    turns.again(all[1]!);
    turns.remove(all[0]!);
    turns.remove(all[1]!);
    assert.deepEqual(turns.next(), [all[2]]);
  });
});

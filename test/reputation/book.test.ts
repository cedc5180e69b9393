import assert from 'node:assert/strict';
import { ScoreBook } from '../../core/protocol/reputation/book.ts';
import type { Bond } from '../../core/protocol/reputation/clusters.ts';
import {
  type AgentSums,
  DONE_NOTHING,
  newPair,
  type PairSums,
  withPayment,
  withSaying,
} from '../../core/protocol/reputation/sums.ts';
import { Chance } from '../program/support/random.ts';
import { Standings } from './reference/standings.ts';

const EPOCH = 20_000;
const KINDS = ['paid', 'returned', 'word', 'free'] as const;

/** An economy of a seed, with everything in it that a score knows. */
function economyOf(chance: Chance) {
  const count = 2 + chance.below(40);
  const names = Array.from({ length: count }, (_, index) => `${chance.below(1_000_000)}-${index}`);
  const agents = names.map((id): AgentSums & { belongs: string[] } => ({
    id,
    epoch: EPOCH - chance.below(50),
    burnt: chance.below(4) === 0 ? chance.below(90) / 7 : 0,
    staked: String(chance.below(3) === 0 ? chance.below(900_000_000) : 0),
    abandoned: chance.below(5) === 0 ? chance.below(30) / 11 : 0,
    disputes: chance.below(5) === 0 ? { mass: 0.7, sum: -33 } : { mass: 0, sum: 0 },
    active: EPOCH - chance.below(12),
    key_changes: chance.below(6) === 0 ? 2 : 0,
    belongs: chance.below(5) === 0 ? [`wallet ${chance.below(4)}`] : [],
  }));
  const pairs = new Map<string, PairSums>();
  for (let deal = chance.below(6 * count); deal > 0; deal -= 1) {
    const [from, to] = [names[chance.below(count)]!, names[chance.below(count)]!];
    if (from === to) continue;
    const known = pairs.get(`${from}>${to}`) ?? newPair(from, to, EPOCH - 50, 0);
    const paid = withPayment(known, BigInt(chance.below(9_000_000)));
    const [kind, mass] = [KINDS[chance.below(4)]!, 1 + chance.below(700) / 13];
    const value = kind === 'returned' ? -chance.below(101) : chance.below(201) - 100;
    const epoch = EPOCH - chance.below(200);
    pairs.set(
      `${from}>${to}`,
      withSaying(paid, { kind, mass, value, epoch }, EPOCH - chance.below(40), chance.below(2)),
    );
  }
  const anchors = names.filter(() => chance.below(5) === 0);
  return { agents, pairs: [...pairs.values()], anchors };
}

type Economy = ReturnType<typeof economyOf>;

function referenceOf({ agents, pairs, anchors }: Economy) {
  const bonds = agents.flatMap(({ id, belongs }) => belongs.map((to): Bond => [id, to]));
  return new Standings({ epoch: EPOCH, agents, pairs, bonds, anchors });
}

function sameBits(book: ScoreBook, economy: Economy, seed: number): void {
  const yardstick = book.run(EPOCH, economy.anchors);
  const reference = referenceOf(economy);
  assert.equal(yardstick, reference.yardstick, `seed ${seed}`);
  assert.deepEqual(
    book.names.map((id, index) => ({ id, ...book.standingAt(index) })),
    reference.agents,
    `seed ${seed}`,
  );
  for (const id of book.names) assert.deepEqual(book.ratersOf(id), reference.ratersOf(id), `seed ${seed}, ${id}`);
}

function shuffled<T>(all: readonly T[], chance: Chance): T[] {
  return all
    .map((one) => ({ one, lot: chance.below(1_000_000) }))
    .sort((one, other) => one.lot - other.lot)
    .map(({ one }) => one);
}

describe('the book of scores', () => {
  describe('where an anchor has a host,', () => {
    /** What is grounded of each payment `from>to usdc`, when these are at one host, which may be an agent itself. */
    function grounded(payments: string, guests: readonly string[], host: string, owned: readonly string[] = []) {
      const book = new ScoreBook();
      const deals = payments
        .split(', ')
        .map((text) => /^(\w)>(\w) (\d+)$/.exec(text)!.slice(1) as [string, string, string]);
      const names = new Set([...deals.flat(), ...guests]);
      for (const id of names) {
        const belongs = owned.includes(id) ? ['a wallet'] : [];
        const known = { ...DONE_NOTHING, id, staked: '0', active: EPOCH, key_changes: 0, belongs };
        book.setAgent({ ...known, ...(guests.includes(id) && { host }) });
      }
      for (const [from, to, usdc] of deals) {
        const paid = withPayment(newPair(from, to, EPOCH, 0), BigInt(usdc) * 1_000_000n);
        book.setPair(withSaying(paid, { kind: 'paid', mass: Number(usdc), value: 100, epoch: EPOCH }, EPOCH, 0));
      }
      book.run(EPOCH, ['a']);
      return (of: string) => Math.round(book.standingAt(book.names.indexOf(of)).evidence.mass * 100) / 100;
    }

    it('who takes a place beside it grounds nothing with that', () => {
      for (const host of ['the host', 'a']) {
        const of = grounded('a>s 100, g>b 200', ['a', 'g'], host);
        assert.deepEqual([of('s'), of('b')], [50, 0], host);
      }
    });

    it('nor who takes one beside another key of its owner', () => {
      const of = grounded('a>s 100, k>s 1, g>b 200', ['k', 'g'], 'the host', ['a', 'k']);
      assert.equal(of('b'), 0);
    });

    it('what others earn there takes nothing from what it spends', () => {
      const alone = grounded('a>s 100, c>g 300', [], 'the host')('s');
      assert.ok(alone > 0);
      assert.equal(grounded('a>s 100, c>g 300', ['a', 'g'], 'the host')('s'), alone);
    });

    it('the others are one cluster all the same', () => {
      const of = grounded('a>p 100, p>b 100', ['a', 'p', 'b'], 'the host');
      assert.equal(of('b'), 0);
    });
  });

  it('comes to the same bits as the formula written down, in whatever order it is told', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const chance = new Chance(seed);
      const economy = economyOf(chance);
      const book = new ScoreBook();
      // Runs in between, and things told twice, change nothing.
      for (const agent of shuffled(economy.agents, chance)) book.setAgent({ ...agent, burnt: 3, belongs: [] });
      for (const pair of shuffled(economy.pairs, chance)) {
        if (chance.below(20) === 0) book.run(EPOCH - 1, economy.anchors);
        book.setPair(chance.below(2) === 0 ? pair : { ...pair, paid: '77' });
      }
      for (const agent of shuffled(economy.agents, chance)) book.setAgent(agent);
      for (const pair of shuffled(economy.pairs, chance)) book.setPair(pair);
      sameBits(book, economy, seed);
    }
  });

  it('hears the 256 raters with the most grounded money, and of equal ones those that come first', () => {
    const names = Array.from({ length: 600 }, (_, index) => `rater ${index}`);
    const agents = [...names, 'worker'].map((id) => ({
      ...{ id, epoch: EPOCH, burnt: 0, staked: '0', abandoned: 0, disputes: { mass: 0, sum: 0 } },
      ...{ active: EPOCH, key_changes: 0, belongs: [] },
    }));
    const pairs = names.map((from, index) => {
      const usdc = 1 + (index % 7);
      const paid = withPayment(newPair(from, 'worker', EPOCH, 0), BigInt(usdc) * 1_000_000n);
      return withSaying(paid, { kind: 'paid', mass: usdc, value: 100 - index / 10, epoch: EPOCH }, EPOCH, 0);
    });
    const economy = { agents, pairs, anchors: names };
    const book = new ScoreBook();
    for (const agent of agents) book.setAgent(agent);
    for (const pair of pairs) book.setPair(pair);
    sameBits(book, economy, 0);
    assert.equal(book.ratersOf('worker').length, 256);
  });

  it('knows nobody before it is told of anybody', () => {
    const book = new ScoreBook();
    assert.equal(book.run(EPOCH, ['somebody']), 10);
    assert.deepEqual([book.names, book.ratersOf('somebody')], [[], []]);
  });
});

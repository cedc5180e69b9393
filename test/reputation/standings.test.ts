import assert from 'node:assert/strict';
import type { Bond } from '../../core/protocol/reputation/clusters.ts';
import { clustersOf } from '../../core/protocol/reputation/clusters.ts';
import { decay } from '../../core/protocol/reputation/decay.ts';
import {
  type AgentSums,
  newPair,
  type PairSums,
  withPayment,
  withSaying,
} from '../../core/protocol/reputation/sums.ts';
import { type Facts, Standings } from './reference/standings.ts';

const EPOCH = 20_000;
const USDC = 1_000_000n;

/** Deals that ended well or badly, and what they are worth. */
class Economy {
  readonly #pairs = new Map<string, PairSums>();
  readonly #agents = new Map<string, AgentSums>();
  readonly bonds: Bond[] = [];
  anchors: string[] = [];

  /** A deal of so many USDC that was settled, and what the payer said of it; a deal without money when it is 0. */
  deal(from: string, to: string, usdc: number, value: number, epoch = EPOCH): void {
    const kind = usdc === 0 ? 'free' : 'paid';
    const paid = withPayment(this.#pair(from, to), BigInt(usdc) * USDC);
    this.#keep(withSaying(paid, { kind, mass: usdc || 1, value, epoch }, EPOCH, 0));
  }

  /** A deal whose money came back to the payer, who spoke ill of it. */
  returned(from: string, to: string, usdc: number, value: number): void {
    this.#keep(withSaying(this.#pair(from, to), { kind: 'returned', mass: usdc, value, epoch: EPOCH }, EPOCH, 0));
  }

  change(id: string, changes: Partial<AgentSums>): void {
    this.#agents.set(id, { ...this.#agent(id), ...changes });
  }

  facts(epoch = EPOCH): Facts {
    const { bonds, anchors } = this;
    return { epoch, agents: [...this.#agents.values()], pairs: [...this.#pairs.values()], bonds, anchors };
  }

  /** The standing of one agent. */
  of(id: string, epoch = EPOCH) {
    const standings = new Standings(this.facts(epoch));
    return { ...standings.agents.find((agent) => agent.id === id)!, raters: standings.ratersOf(id) };
  }

  #pair(from: string, to: string): PairSums {
    this.#agent(from);
    this.#agent(to);
    return this.#pairs.get(`${from}>${to}`) ?? newPair(from, to, EPOCH, 0);
  }

  #keep(pair: PairSums): void {
    this.#pairs.set(`${pair.from}>${pair.to}`, pair);
  }

  #agent(id: string): AgentSums {
    const known = this.#agents.get(id);
    const made = {
      id,
      epoch: EPOCH,
      burnt: 0,
      staked: '0',
      abandoned: 0,
      disputes: { mass: 0, sum: 0 },
      active: EPOCH,
      key_changes: 0,
    };
    if (!known) this.#agents.set(id, made);
    return known ?? made;
  }
}

describe('score 2 of an economy', () => {
  it('ranks twenty keys that praise each other for nothing below one honest deal', () => {
    const economy = new Economy();
    economy.anchors = ['buyer'];
    const ring = Array.from({ length: 20 }, (_, index) => `ring-${index}`);
    for (const from of ring) for (const to of ring) if (from !== to) economy.deal(from, to, 0, 100);
    economy.deal('buyer', 'worker', 2, 100);
    const { agents } = new Standings(economy.facts());
    const worker = agents.find(({ id }) => id === 'worker')!;
    for (const id of ring) {
      const member = agents.find((agent) => agent.id === id)!;
      assert.ok(member.scored.score <= 5, `${id} has ${member.scored.score}`);
      assert.ok(member.scored.rank < worker.scored.rank);
    }
    assert.ok(worker.scored.score > 30, `the worker has ${worker.scored.score}`);
  });

  it('lets twenty keys take three points at most for nothing', () => {
    const economy = new Economy();
    economy.anchors = ['buyer'];
    economy.deal('buyer', 'worker', 10, 100);
    const before = economy.of('worker').scored.score;
    for (let key = 0; key < 20; key++) economy.deal(`smear-${key}`, 'worker', 0, -100);
    const after = economy.of('worker').scored.score;
    assert.ok(before - after <= 3 && after < before, `from ${before} to ${after}`);
  });

  it('gives money that goes round in a circle no weight', () => {
    const economy = new Economy();
    economy.anchors = ['buyer'];
    economy.deal('buyer', 'worker', 10, 100);
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ] as const)
      economy.deal(from, to, 1_000, 100);
    assert.deepEqual(economy.of('b').scored.score, 0);
    assert.equal(economy.of('b').evidence.rawUp.usdc, 0);
  });

  it('counts no deal between agents of one owner', () => {
    const economy = new Economy();
    economy.anchors = ['a'];
    economy.deal('a', 'b', 100, 100);
    assert.ok(economy.of('b').scored.score > 50);
    economy.bonds.push(['a', 'wallet'], ['b', 'wallet']);
    assert.equal(economy.of('b').scored.score, 0);
  });

  it('takes two keys of one owner for one rater', () => {
    const economy = new Economy();
    economy.anchors = ['one', 'two', 'three'];
    for (const from of ['one', 'two', 'three']) economy.deal(from, 'worker', 20, 100);
    const apart = economy.of('worker');
    economy.bonds.push(['one', 'wallet'], ['two', 'wallet'], ['three', 'wallet']);
    const together = economy.of('worker');
    assert.equal(apart.raters.length, 3);
    assert.equal(together.raters.length, 1);
    assert.ok(together.evidence.mass < apart.evidence.mass);
  });

  it('lets opinions fade to a half in ninety epochs, and idleness cost 5 % an epoch after the sixth', () => {
    const economy = new Economy();
    economy.anchors = ['buyer'];
    economy.deal('buyer', 'worker', 4, 100);
    const fresh = economy.of('worker');
    const later = economy.of('worker', EPOCH + 90);
    assert.ok(Math.abs(later.evidence.mass - fresh.evidence.mass / 2) < 1e-9);
    assert.equal(economy.of('worker', EPOCH + 6).idleFactor, 1);
    assert.ok(Math.abs(economy.of('worker', EPOCH + 8).idleFactor - 0.95 ** 2) < 1e-12);
  });

  it('halves what spoke for a key that was replaced, and keeps what spoke against it', () => {
    const economy = new Economy();
    economy.anchors = ['buyer', 'other'];
    economy.deal('buyer', 'worker', 4, 100);
    economy.deal('other', 'worker', 4, -100);
    const before = economy.of('worker').raters.map(({ opinions }) => opinions[0]!.usdc);
    economy.change('worker', { key_changes: 1 });
    const after = economy.of('worker').raters;
    assert.deepEqual(before, [4, 4]);
    assert.deepEqual(Object.fromEntries(after.map((rater) => [rater.cluster, rater.opinions[0]!.usdc])), {
      buyer: 2,
      other: 4,
    });
  });

  it('hears a payer whose money came back as loudly as its other business is worth', () => {
    const economy = new Economy();
    economy.anchors = ['buyer'];
    economy.deal('buyer', 'worker', 10, 100);
    economy.returned('buyer', 'garbage', 10, -100);
    economy.returned('nobody', 'victim', 1_000, -100);
    assert.ok(economy.of('garbage').scored.score < -30);
    assert.equal(economy.of('victim').scored.score, 0);
  });

  it('comes to the same bits in whatever order the facts are given', () => {
    const economy = new Economy();
    economy.anchors = ['k1', 'k5'];
    for (let index = 0; index < 200; index++)
      economy.deal(`k${index % 17}`, `k${(index * 7 + 3) % 23}`, 1 + (index % 5), (index * 13) % 101);
    const facts = economy.facts();
    const one = new Standings(facts).agents.map(({ id, scored }) => [id, scored.exact, scored.rank] as const);
    const turned = { ...facts, agents: [...facts.agents].reverse(), pairs: [...facts.pairs].reverse() };
    const other = new Standings(turned).agents.map(({ id, scored }) => [id, scored.exact, scored.rank] as const);
    assert.deepEqual(
      new Map(other.map(([id, ...rest]) => [id, rest])),
      new Map(one.map(([id, ...rest]) => [id, rest])),
    );
  });
});

describe('clusters', () => {
  it('joins whoever shares a wallet or a host, over any number of steps', () => {
    const clusters = clustersOf(
      ['a', 'b', 'c', 'd', 'e'],
      [
        ['a', 'wallet'],
        ['b', 'wallet'],
        ['b', 'host'],
        ['e', 'host'],
      ],
    );
    assert.equal(clusters.count, 3);
    assert.deepEqual([...clusters.of], [0, 0, 1, 2, 0]);
    assert.deepEqual([...clusters.first], [0, 2, 3]);
  });
});

describe('decay', () => {
  it('halves in ninety epochs, by the same multiplications everywhere', () => {
    for (const epochs of [0, 1, 45, 89, 90, 91, 900])
      assert.ok(Math.abs(decay(epochs) - 2 ** (-epochs / 90)) < 1e-12, `${epochs}`);
    assert.equal(decay(90), 0.5);
  });
});

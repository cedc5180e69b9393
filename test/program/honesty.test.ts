import assert from 'node:assert/strict';
import { Chance, seedOf } from './support/random.ts';
import { Life, type Strategy } from './support/strategies.ts';
import { World } from './support/world.ts';

const RUNS = Number(process.env['RUNS'] ?? 2);

describe('a whole life between stake and withdrawal', () => {
  const seed = seedOf(1);
  const world = new World();
  const stranger = world.wallet();

  function fates(strategy: Strategy) {
    return Array.from({ length: RUNS }, (_, run) => {
      world.fund(stranger);
      return new Life(world, new Chance(seed * 1000 + run), strategy, stranger).run();
    });
  }

  it('of an honest agent, with outages and declared restores, ends with its whole stake', function () {
    this.timeout(600_000);
    const lives = fates('honest');
    for (const life of lives) assert.deepEqual([life.slashed, life.withdrawn], [false, true], JSON.stringify(life));
    assert.ok(RUNS < 3 || lives.some((life) => life.restores > 0));
  });

  it('of an honest agent that leaves and resumes again and again ends with its whole stake', function () {
    this.timeout(600_000);
    for (const life of fates('restless')) {
      assert.deepEqual([life.slashed, life.withdrawn], [false, true], JSON.stringify(life));
      assert.ok(life.returns > 0, 'it never resumed: the run shows nothing');
    }
  });

  for (const strategy of ['omit', 'equivocate', 'late', 'randomRoot', 'silent'] as const) {
    it(`of a dishonest agent (${strategy}) ends with a slash`, function () {
      this.timeout(600_000);
      for (const life of fates(strategy)) {
        assert.ok(life.crimes > 0, 'no crime was committed: the run shows nothing');
        assert.ok(life.slashed, JSON.stringify(life));
      }
    });
  }
});

import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { type FarHub, farHubs } from './far-hubs.ts';
import { pause, TestMesh, type TestNode } from './mesh-fixture.ts';

/** Milliseconds that each hub is away, one way. */
const FAR = [60, 0, 90, 15, 30];

describe('the hubs that a node keeps', function () {
  this.timeout(120_000);
  let world: TestMesh;
  let hubs: FarHub[];
  let leaf: TestNode;

  beforeEach(async () => {
    world = new TestMesh();
    hubs = [];
    hubs = await farHubs(world, FAR);
    const urls = hubs.map(({ url }) => ({ url }));
    leaf = await world.node({ seed: 1, hubs: urls, limits: { pingMs: 400, surveyMs: 600_000 } });
  });

  afterEach(async () => {
    await world.close();
    for (const { proxy } of hubs) await proxy.close();
  });

  const kept = () =>
    leaf.mesh
      .peers()
      .filter(({ state }) => state === 'open')
      .map(({ name }) => Number(name.slice(-1)))
      .sort();

  const keeps = async (expected: number[]) => {
    await eventually(() => String(kept()) === String(expected));
    await pause(1_500);
    assert.deepEqual(kept(), expected, 'and it stays so');
  };

  it('are the three nearest of many, by measured round trip', async () => {
    await keeps([1, 3, 4]);
  });

  it('change when one goes, and when it comes back', async () => {
    await keeps([1, 3, 4]);
    const { target } = hubs[1]!.proxy;
    hubs[1]!.proxy.target = 1;
    hubs[1]!.proxy.cut();
    await keeps([0, 3, 4]);
    hubs[1]!.proxy.target = target;
    await keeps([1, 3, 4]);
  });

  it('are all of them when there are three', async () => {
    const urls = hubs.slice(0, 3).map(({ hub: { url } }) => ({ url }));
    const other = await world.node({ seed: 2, hubs: urls, limits: { pingMs: 100 } });
    await eventually(() => other.mesh.peers().length === 3);
    await pause(500);
    assert.equal(other.mesh.peers().length, 3);
  });
});

import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { pause, TestMesh, type TestNode } from './mesh-fixture.ts';

/** Milliseconds that each hub is away, one way. */
const FAR = [60, 0, 90, 15, 30];

describe('the hubs that a node keeps', function () {
  this.timeout(120_000);
  let world: TestMesh;
  let proxies: TcpProxy[];
  let hubs: TestNode[];
  let leaf: TestNode;

  beforeEach(async () => {
    world = new TestMesh();
    proxies = [];
    hubs = [];
    for (const [index, latency] of FAR.entries()) {
      const hub = await world.node({ seed: 100 + index, hub: true });
      const proxy = await TcpProxy.to(Number(new URL(hub.url).port));
      proxy.latency = latency;
      hubs.push(hub);
      proxies.push(proxy);
    }
    const urls = hubs.map(({ url }, index) => {
      const through = new URL(url);
      through.port = new URL(proxies[index]!.url.replace('redis:', 'http:')).port;
      return { url: through.href };
    });
    leaf = await world.node({ seed: 1, hubs: urls, limits: { pingMs: 400, surveyMs: 600_000 } });
  });

  afterEach(async () => {
    await world.close();
    for (const proxy of proxies) await proxy.close();
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
    const { target } = proxies[1]!;
    proxies[1]!.target = 1;
    proxies[1]!.cut();
    await keeps([0, 3, 4]);
    proxies[1]!.target = target;
    await keeps([1, 3, 4]);
  });

  it('are all of them when there are three', async () => {
    const urls = hubs.slice(0, 3).map(({ url }) => ({ url }));
    const other = await world.node({ seed: 2, hubs: urls, limits: { pingMs: 100 } });
    await eventually(() => other.mesh.peers().length === 3);
    await pause(500);
    assert.equal(other.mesh.peers().length, 3);
  });
});

import assert from 'node:assert/strict';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { readConfiguration } from '../../core/host/config/configuration.ts';
import { isPrivateMesh } from '../../core/host/wiring/mesh-provider.ts';
import { Resolver } from '../../core/internal-services.ts';
import { value } from '../../core/provider.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';

describe('a mesh is private', () => {
  const contracts = loadContracts();
  const cases: [string, object, boolean][] = [
    ['when nothing is configured and it listens on loopback', {}, true],
    ['when its aggregator is on this machine', { mesh: { aggregators: ['http://127.0.0.1:9080'] } }, true],
    ['when its hubs are in the office', { mesh: { hubs: ['http://10.0.0.1:9090', 'http://hub.local'] } }, true],
    ['not when its aggregator is public', { mesh: { aggregators: ['https://mesh.example.org'] } }, false],
    ['not when one of its hubs is public', { mesh: { hubs: ['http://127.0.0.1:1', 'https://8.8.8.8'] } }, false],
    ['not when its own URL is public', { api: { publicUrl: 'https://node.example.org' } }, false],
    ['not when it listens everywhere', { listen: '0.0.0.0:9090', api: { secret: 'x'.repeat(16) } }, false],
  ];
  for (const [when, given, expected] of cases) {
    it(when, () => {
      const { settings, problems } = readConfiguration(
        { value: { dataDir: './data', plugins: {}, ...given } },
        contracts,
      );
      assert.deepEqual(problems, []);
      assert.equal(isPrivateMesh(settings), expected);
    });
  }
});

describe('a node of a public mesh', function () {
  this.timeout(60_000);
  let mesh: Mesh<'alice' | 'bob'> | undefined;
  afterEach(() => mesh?.stop());

  async function metric(url: string, name: string): Promise<number> {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  }

  it('is told by its hub whether it is reached, and announces only an address where it is', async () => {
    mesh = await startMesh({ nodes: ['alice', 'bob'] });
    const { alice } = mesh.nodes;
    await happens('alice is reached', async () => (await metric(alice.url, 'mesh_reachable')) === 1 || undefined);
    assert.ok((await metric(mesh.aggregatorNode.url, 'mesh_connect_tests')) > 0);
  });

  it('dials nobody on this machine, announces no address there, and still gets its messages through', async () => {
    const asked: string[] = [];
    const resolver = {
      async addresses(host: string) {
        asked.push(host);
        return [host];
      },
    };
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      settings: { mesh: { allowPrivatePeers: false } },
      providers: [value(Resolver, resolver)],
      isolated: true,
    });
    const { alice, bob } = mesh.nodes;
    for (const member of [alice, bob]) {
      await happens(
        `${member.name} is told`,
        async () => (await metric(member.url, 'mesh_reachable')) === -1 || undefined,
      );
    }
    const { status } = await happens('bob has a slot', async () => {
      const sent = await alice.client.propose({ recipient: bob.id, amount_usdc: '1', message: 'over the hub' });
      return sent.status === 'delivered' ? sent : undefined;
    });
    assert.equal(status, 'delivered');
    assert.ok(asked.length > 0);
    const profile = await happens('bob announced no address', async () => {
      const found = await mesh!.aggregator.profile(bob.id);
      return found.url ? undefined : found;
    });
    assert.equal(profile.agent_id, bob.id);
    assert.equal(await metric(alice.url, 'mesh_upgrades'), 0);
  });
});

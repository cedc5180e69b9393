import assert from 'node:assert/strict';
import { fakeOwner, fakeOwnerLinks, fakeSignature, testAgent, testNode, value } from '../../adapters/testing.ts';
import { BootError } from '../../core/host/boot/boot-node.ts';
import { definePlugin, type Plugin } from '../../core/plugin.ts';
import { Owner, OwnerLinks } from '../../core/services.ts';
import { ownership } from '../../plugins/ownership/index.ts';

describe('the owners of agents, with fakes of the services', () => {
  it('are proposed by a node once it is asked, and read from the ledger', async () => {
    const owner = fakeOwner();
    const node = await testNode(ownership, { services: [value(Owner, owner)], profile: 'node' });
    const wallet = testAgent().id;
    const { status, body } = await node.call('POST /owner/propose', { body: { owner_wallet: wallet } });
    assert.deepEqual([status, body.status, body.proposed_owner], [200, 'pending', wallet], JSON.stringify(body));
    assert.deepEqual([owner.proposed.length, body.text], [1, owner.text(owner.proposed[0]!)]);
    owner.claim(wallet, Date.now());
    assert.equal((await node.call('GET /owner')).body.status, 'claimed');
    assert.equal((await node.call('POST /owner/propose', { body: { owner_wallet: wallet } })).status, 409);
    assert.deepEqual(await node.stop(), []);
  });

  it('are written by an aggregator when both have signed, once', async () => {
    const links = fakeOwnerLinks();
    const services = [value(OwnerLinks, links)];
    const node = await testNode(ownership, { services, profile: 'aggregator', config: { dailyLamports: 2_000_000 } });
    const [one, two, wallet] = [testAgent(), testAgent(), testAgent().id];
    const signed = async (agent: typeof one) => {
      const path = `/agents/${agent.id}/propose-owner`;
      const terms = { owner: wallet, nonce: '0011223344556677', expires: Math.floor(Date.now() / 1_000) + 3_600 };
      const { nonce, expires } = terms;
      const proposal = { owner_wallet: wallet, nonce, expires, signature: fakeSignature(agent.id, terms) };
      const proposed = await node.call(`POST ${path}`, { body: proposal, auth: agent.sign });
      assert.equal(proposed.status, 200, JSON.stringify(proposed.body));
      return { signature: fakeSignature(wallet, terms) };
    };
    const claim = async (agent: typeof one, body: object) =>
      node.call(`POST /agents/${agent.id}/claim-owner`, { body });
    const good = await signed(one);
    assert.equal((await claim(one, { signature: `${'A'.repeat(86)}==` })).status, 400);
    for (let turn = 0; turn < 2; turn++) assert.equal((await claim(one, good)).body.status, 'claimed');
    assert.equal(links.written.length, 1);
    const spent = await claim(two, await signed(two));
    assert.deepEqual([spent.status, spent.body.code], [429, 'rate_limited']);
    assert.deepEqual(
      (await node.call(`GET /agents/by-owner/${wallet}`)).body.map(({ agent_id }: any) => agent_id),
      [one.id],
    );
    assert.deepEqual(await node.stop(), []);
  });

  it('have no further claim once the ledger told of a link', async () => {
    const links = fakeOwnerLinks();
    const node = await testNode(ownership, { services: [value(OwnerLinks, links)], profile: 'aggregator' });
    const agent = testAgent();
    await node.ledgerEvent('owner_claimed', { key: agent.id, agentId: agent.id, owner: testAgent().id });
    const { status, body } = await node.call(`POST /agents/${agent.id}/claim-owner`, {
      body: { signature: `${'A'.repeat(86)}==` },
    });
    assert.deepEqual([status, body.code], [409, 'conflict']);
    assert.deepEqual(await node.stop(), []);
  });

  for (const [profile, service] of [
    ['node', Owner],
    ['aggregator', OwnerLinks],
  ] as const)
    it(`need owner-links on a${profile === 'node' ? ' node' : 'n aggregator'}`, async () => {
      const plugin = definePlugin({
        ...{ name: 'greedy', api: '2.1' },
        [profile]: { uses: { service }, setup: () => ({}) },
      } as Plugin);
      const error = await testNode(plugin, { profile }).then(
        () => assert.fail('it booted'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof BootError && /owner-links/.test(error.message), String(error));
    });
});

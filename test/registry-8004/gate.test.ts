import assert from 'node:assert/strict';
import bs58 from 'bs58';
import { type TestAgent, testAgent } from '../../adapters/testing.ts';
import { Network } from '../../core/internal-services.ts';
import { definePlugin, type MessageName, type Payloads } from '../../core/plugin.ts';
import { type DeliverOptions, deliver } from '../../core/testing/deliver.ts';
import { registry8004Plugin } from '../../plugins/registry8004/index.ts';
import { happens } from '../support/happens.ts';
import { type Member, type Mesh, startMesh } from '../support/mesh.ts';
import { RpcProxy } from '../support/rpc-proxy.ts';
import { derive, RegistryStandIn } from '../upstreams/registry-8004/stand-in.ts';

const READS = ['getProgramAccounts', 'getMultipleAccounts'];
const MINUTE = 60;
const HOUR = 60 * MINUTE;

describe('the gate of registered agents', function () {
  this.timeout(180_000);
  let mesh: Mesh<'alice' | 'bob'>;
  let alice: Member;
  let bob: Member;
  let registry: RegistryStandIn;
  /** The second of alice's two RPCs. */
  let second: RpcProxy;
  /** The only one of bob. */
  let only: RpcProxy;
  const claim: { id?: string } = {};
  const heard: { sender: string; asset: string | undefined }[] = [];
  const ear = definePlugin({
    name: 'ear',
    api: '2.1',
    aggregator: {
      envelopes: { BEACON: true },
      setup: () => ({
        envelopes: { BEACON: ({ sender, payload }) => void heard.push({ sender, asset: payload.asset }) },
      }),
    },
  });
  before(async () => {
    second = await RpcProxy.start();
    only = await RpcProxy.start();
    mesh = await startMesh({
      nodes: ['alice', 'bob'],
      storage: 'lowdb',
      isolated: true,
      usdc: { alice: '1', bob: '1' },
      programs: RegistryStandIn.programs(),
      plugins: { alice: [registry8004Plugin], bob: [registry8004Plugin], aggregator: [ear] },
      own: {
        bob: {
          get agent() {
            return { name: 'bob', ...claim };
          },
          plugins: { registry8004: { gate: false } },
        },
      },
      rpcUrl(url, name) {
        for (const proxy of [second, only]) proxy.target = url;
        if (name === 'bob') return only.url;
        return name === 'alice' ? [url, second.url] : url;
      },
    });
    ({ alice, bob } = mesh.nodes);
    registry = await RegistryStandIn.on(mesh.localnet);
  });
  afterEach(() => {
    second.heal();
    only.heal();
  });
  after(async () => {
    await mesh?.stop();
    await second?.stop();
    await only?.stop();
  });

  const hand = <N extends MessageName>(from: TestAgent, type: N, payload: Payloads[N], options: DeliverOptions = {}) =>
    deliver((token) => alice.node.get(token), 'node', from, type, payload, options);
  const say = async <N extends MessageName>(from: TestAgent, type: N, payload: Payloads[N]) =>
    (await hand(from, type, payload)).status;
  const message = (from: TestAgent) => say(from, 'MESSAGE', { text: 'hello' });
  const beacon = (from: TestAgent) => say(from, 'BEACON', { name: 'ann', hubs: [] });
  /** A deal that the agent may say something in. */
  const offer = async (from: TestAgent) => {
    const offered = await hand(from, 'PROPOSE', { amount_usdc_micro: 1n, message: 'Count.' });
    assert.equal(offered.status, 'accepted');
    return offered.conversationId;
  };
  /** The deal does not allow it, so an open gate leads to another refusal. */
  const verdict = async (from: TestAgent, conversationId: string) => {
    const { status } = await hand(from, 'VERDICT', { outcome: 'approve' }, { conversationId });
    return status === 'restricted' ? 'put off' : 'let in';
  };
  /** Questions of the test before, which nobody answered, may still be open; an agent that cannot be asked about is put off. */
  const letIn = (agent: TestAgent) =>
    happens('it is let in', async () => ((await message(agent)) === 'accepted' ? true : undefined));
  const state = async () => (await alice.get('/health')).body.plugins.registry8004;
  async function registered(): Promise<{ agent: TestAgent; asset: string }> {
    const agent = testAgent();
    return { agent, asset: await registry.add(agent.id) };
  }

  it('lets in the key of a registered asset, and puts off any other, BEACONs too', async () => {
    const { agent } = await registered();
    const stranger = testAgent();
    assert.deepEqual([await beacon(agent), await message(agent)], ['accepted', 'accepted']);
    assert.deepEqual([await beacon(stranger), await message(stranger)], ['restricted', 'restricted']);
    assert.equal(
      (await alice.get('/peers')).body.some((peer: any) => peer.agent_id === stranger.id),
      false,
    );
  });

  it('lets in one that registers a minute later', async () => {
    const agent = testAgent();
    assert.equal(await message(agent), 'restricted');
    await registry.add(agent.id);
    assert.equal(await message(agent), 'restricted', 'an answer is believed for a minute');
    mesh.advance(MINUTE + 1);
    assert.equal(await message(agent), 'accepted');
  });

  it('lets in agents that are exempt, without a question', async () => {
    const agent = testAgent();
    assert.equal(await message(agent), 'restricted');
    assert.equal((await alice.post('/admin/exempt', { agent_id: agent.id })).status, 200);
    second.lost.add(READS[0]!).add(READS[1]!);
    assert.equal(await message(agent), 'accepted');
    assert.equal((await alice.call('DELETE', `/admin/exempt/${agent.id}`)).status, 200);
    second.heal();
    mesh.advance(2 * MINUTE);
    assert.equal(await message(agent), 'restricted');
  });

  it("goes by the asset's owner of now, and by a wallet only while the registry knows that owner", async () => {
    const { agent: seller, asset } = await registered();
    const buyer = testAgent();
    const deal = await offer(seller);
    await registry.sell(asset, buyer.id);
    assert.equal(await verdict(seller, deal), 'let in', 'a minute is the most that a sale takes to be seen');
    mesh.advance(MINUTE + 1);
    assert.equal(await verdict(seller, deal), 'put off');
    assert.equal(await message(seller), 'restricted');
    await registry.sell(asset, buyer.id, true);
    assert.equal(await message(buyer), 'accepted');
    const wallet = testAgent();
    await registry.setWallet(asset, wallet.id);
    mesh.advance(10 * MINUTE + 1);
    assert.deepEqual([await message(wallet), await message(buyer)], ['accepted', 'restricted']);
    // Sold again, and the registry was not told: the old wallet is nobody's any more.
    await registry.sell(asset, testAgent().id);
    mesh.advance(10 * MINUTE + 1);
    assert.equal(await message(wallet), 'restricted');
  });

  it('knows no burned asset, none of another collection, and none of another program', async () => {
    const [burned, foreign, made] = await Promise.all([registered(), registered(), registered()]);
    await registry.burn(burned.asset);
    await registry.change(foreign.asset, (data) => data.fill(9, 34, 66));
    const item = (await registry.read(made.asset))!;
    await registry.put(made.asset, { ...item, owner: '11111111111111111111111111111111' });
    for (const { agent } of [burned, foreign, made]) assert.equal(await message(agent), 'restricted');
  });

  it('takes no answer for none: who was known stays known for a day, and who was not is put off', async () => {
    const { agent } = await registered();
    const other = await registered();
    const deal = await offer(agent);
    for (const method of READS) second.lost.add(method);
    mesh.advance(11 * MINUTE);
    assert.equal(await message(agent), 'accepted');
    assert.equal(await verdict(agent, deal), 'put off', 'what binds a deal asks for an answer of the last minute');
    assert.equal(await message(other.agent), 'restricted');
    assert.equal((await state()).state, 'degraded');
    mesh.advance(20 * HOUR);
    assert.equal(await message(agent), 'accepted');
    mesh.advance(4 * HOUR);
    assert.equal(await message(agent), 'restricted', 'a day is over');
    second.heal();
    await happens('both are let in', async () =>
      (await message(agent)) === 'accepted' && (await message(other.agent)) === 'accepted' ? true : undefined,
    );
    assert.equal((await state()).state, 'ok');
  });

  it('knows them over a restart too', async () => {
    const { agent } = await registered();
    assert.equal(await message(agent), 'accepted');
    await alice.restart();
    second.lost.add('getProgramAccounts');
    mesh.advance(11 * MINUTE);
    assert.equal(await message(agent), 'accepted');
  });

  it('forgets whom the registry forgets, over a restart too', async () => {
    const { agent, asset } = await registered();
    assert.equal(await message(agent), 'accepted');
    await registry.burn(asset);
    mesh.advance(11 * MINUTE);
    assert.equal(await message(agent), 'restricted');
    await alice.restart();
    second.lost.add('getProgramAccounts');
    assert.equal(await message(agent), 'restricted');
  });

  it('believes no registry that lags, hangs or lies', async () => {
    const { agent, asset } = await registered();
    assert.equal(await message(agent), 'accepted');
    const known = async (why: string) => {
      mesh.advance(11 * MINUTE);
      assert.equal(await message(agent), 'accepted', why);
      const fresh = (await registered()).agent;
      assert.equal(await message(fresh), 'restricted', why);
      second.heal();
      mesh.advance(MINUTE);
    };
    second.answer('getProgramAccounts', async (call) => {
      const { result } = await call.pass();
      return { ...result, value: [] };
    });
    await known('one of two says that there is nobody');
    second.changed.set('getProgramAccounts', () => new Promise(() => {}));
    await known('one of two never answers');
    second.answer('getProgramAccounts', () => ({ context: { slot: 1 }, value: [] }));
    await known('one of two tells of long ago');
    second.answer('getProgramAccounts', () => ({ context: { slot: 'soon' }, value: 7 }));
    await known('one of two answers nonsense');
    const stranger = testAgent();
    second.answer('getProgramAccounts', async (call) => {
      const { result } = await call.pass();
      const account = { data: [Buffer.from(asset).toString('base64').slice(0, 44), 'base64'], owner: asset };
      return { ...result, value: [{ pubkey: derive('agent', asset), account }] };
    });
    assert.equal(await message(stranger), 'restricted', 'one of two makes an agent up');
  });

  it('asks about those whom it knew while strangers have it ask about keys of their own', async () => {
    const { agent } = await registered();
    await letIn(agent);
    const conversation = await offer(agent);
    mesh.advance(2 * MINUTE);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // A question is two reads: of the keys that own an asset, and of the keys that sign for one.
    const key = bs58.decode(agent.id);
    const own = [agent.id, bs58.encode(Uint8Array.of(1, ...key))];
    let waiting = 0;
    second.answer('getProgramAccounts', async (call) => {
      const filters = JSON.stringify(call.params);
      if (!own.some((bytes) => filters.includes(bytes))) {
        waiting += 1;
        await held;
      }
      return (await call.pass()).result;
    });
    const strangers = Array.from({ length: 96 }, () => message(testAgent()));
    await happens('as many questions about them as may be are open', async () => waiting >= 32 || undefined);
    assert.equal(await verdict(agent, conversation), 'let in');
    release();
    assert.deepEqual(new Set(await Promise.all(strangers)), new Set(['restricted']));
  });

  it('lets a hosted agent in by the standing of its host', async () => {
    const { agent: host } = await registered();
    await letIn(host);
    const [guest, stray] = [testAgent(), testAgent()];
    const not_after = Math.floor(Date.now() / 1_000) + 90 * 24 * HOUR;
    const claimOf = ({ identity, id }: TestAgent, of: TestAgent) => {
      const fields = { host_key: of.identity.key, recovery_key: identity.key, not_after };
      const signature = identity.signDomain('host/1', alice.node.get(Network), fields);
      return { agent_id: id, recovery_key: id, not_after, signature_b64: Buffer.from(signature).toString('base64') };
    };
    const other = testAgent();
    assert.equal(await say(host, 'BEACON', { name: 'inn', hubs: [], hosted: [claimOf(guest, host)] }), 'accepted');
    assert.equal(await say(other, 'BEACON', { name: 'inn', hubs: [], hosted: [claimOf(stray, other)] }), 'restricted');
    await happens('the guest is let in', async () => ((await message(guest)) === 'accepted' ? true : undefined));
    assert.equal(await message(stray), 'restricted');
  });

  it('does not start without a ledger that it could ask', async () => {
    const { testNode } = await import('../../adapters/testing.ts');
    await assert.rejects(testNode(registry8004Plugin), /needs a ledger with the registry.*--registry-8004-disabled/s);
    const open = await testNode(registry8004Plugin, { config: { gate: false } });
    assert.equal((await open.deliver(testAgent(), 'MESSAGE', { text: 'hello' })).status, 'accepted');
    await open.stop();
  });

  describe('and --agent-id', () => {
    afterEach(async () => {
      only.heal();
      delete claim.id;
      await bob.restart();
    });
    const start = async (id: string) => {
      claim.id = id;
      await bob.stop();
      await bob.start();
    };

    it('may be the asset of the key, which the BEACON says', async () => {
      const asset = await registry.add(bob.id);
      await start(asset);
      assert.equal(bob.id, (await bob.get('/identity')).body.agent_id);
      await happens('the BEACON says the asset', async () =>
        heard.some((one) => one.sender === bob.id && one.asset === asset) ? true : undefined,
      );
      // Known before, it starts while the registry cannot be asked, and says so.
      await bob.stop();
      only.answer('getProgramAccounts', () => 7);
      only.changed.set('getMultipleAccounts', async (call) => {
        const answer = await call.pass();
        return call.params[0].includes(asset) ? { ...answer, result: 7 } : answer;
      });
      await bob.start();
      assert.equal((await bob.get('/health')).body.plugins.registry8004.state, 'degraded');
    });

    it('is refused when it is the asset of another key, or of none', async () => {
      const { agent, asset } = await registered();
      await assert.rejects(start(asset), new RegExp(`--agent-id ${asset} is not this agent: its key is ${agent.id}`));
      const nobody = testAgent().id;
      await assert.rejects(start(nobody), /it is not registered/);
    });

    it('is refused when the registry cannot be asked about an asset that was never confirmed', async () => {
      const { asset } = await registered();
      only.changed.set('getMultipleAccounts', async (call) => {
        const answer = await call.pass();
        return call.params[0].includes(asset) ? { ...answer, result: 7 } : answer;
      });
      await assert.rejects(start(asset), /the registry cannot be asked/);
    });
  });
});

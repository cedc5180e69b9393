import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Identity, Ledger, Network } from '../../core/internal-services.ts';
import { ledgerSigner } from '../../core/ledger/ledger.ts';
import { outcomeError } from '../../core/ledger/refusal.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import type { Network as NetworkValue } from '../../core/protocol/identity/network.ts';
import { ownerClaimText } from '../../core/protocol/identity/owner-claim.ts';
import type { SettlementStep } from '../../core/protocol/settlement/steps.ts';
import { tokenClaims } from '../../core/protocol/signer/agent-token.ts';
import { type Identity as IdentityValue, identityFromSeed } from '../../core/protocol/signer/identity.ts';
import { BriskClock } from '../support/brisk-clock.ts';
import { happens } from '../support/happens.ts';
import { type Mesh, startMesh } from '../support/mesh.ts';
import { newWallet, type Wallet } from '../support/wallet.ts';
import { TestAgent } from './support/agent.ts';

const SOL = 1_000_000_000n;
const USDC = 1_000_000n;

interface Reply {
  readonly status: number;
  readonly body: any;
}

describe('who owns an agent', function () {
  this.timeout(60_000);
  const clock = new BriskClock();
  let mesh: Mesh<never>;
  let network: NetworkValue;

  before(async () => {
    mesh = await startMesh({
      nodes: [],
      usdc: {},
      clock,
      settings: {
        plugins: { ownership: { dailyLamports: 6_000_000 } },
        core: { ingest: { newKeysPerHour: 1_000 } },
      },
    });
    network = mesh.aggregatorNode.get(Network);
    await mesh.localnet.faucet.sol(mesh.aggregatorNode.get(Identity).address, SOL);
  });
  after(() => mesh?.stop());

  async function newAgent(name: string, { staked = true } = {}): Promise<TestAgent> {
    const agent = new TestAgent(name, () => clock.now(), network);
    if (!staked) return agent;
    await mesh.localnet.faucet.sol(agent.id, SOL);
    await mesh.localnet.faucet.usdc(agent.id, 10n * USDC);
    const step: SettlementStep = { type: 'pay_lease', key: agent.id, epochs: 1, maxAmount: USDC, payments: 0 };
    const ledger = mesh.aggregatorNode.get(Ledger);
    const outcome = await ledger.submit(await ledger.settlement!.prepare(step, [ledgerSigner(agent.identity)]));
    if (outcome.status !== 'confirmed') throw outcomeError(outcome);
    await happens('the lease is indexed', async () => {
      const { body } = await call('GET', `/agents/${agent.id}/stake`);
      return body.lease_status === 'active' || undefined;
    });
    return agent;
  }

  async function call(method: string, path: string, body?: object, as?: IdentityValue): Promise<Reply> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (as) {
      const request = { audience: mesh.aggregatorNode.publicUrl, method, target: path, body: Buffer.from(text) };
      headers['authorization'] =
        `Bearer ${as.signAgentToken(tokenClaims(as.address, request, clock.now(), systemRandom))}`;
    }
    const init = { method, headers, ...(body !== undefined && { body: text }) };
    const response = await fetch(mesh.aggregatorNode.url + path, init);
    return { status: response.status, body: await response.json() };
  }

  function proposal(agent: TestAgent, wallet: Wallet, more: { expires?: number; on?: NetworkValue } = {}) {
    const { expires = Math.floor(clock.now() / 1000) + 3600, on = network } = more;
    const nonce = new Uint8Array(randomBytes(8));
    const fields = { agent_id: agent.identity.key, owner: wallet.key, nonce, expires };
    const signature = Buffer.from(agent.identity.signDomain('owner/1', on, fields)).toString('base64');
    return { owner_wallet: wallet.address, nonce: Buffer.from(nonce).toString('hex'), expires, signature };
  }

  const propose = (agent: TestAgent, body: object, as = agent) =>
    call('POST', `/agents/${agent.id}/propose-owner`, body, as.identity);
  const claim = (agent: TestAgent, signature: string) => call('POST', `/agents/${agent.id}/claim-owner`, { signature });
  const owner = async (agent: TestAgent) => (await call('GET', `/agents/${agent.id}/owner`)).body;
  const agentsOf = async (wallet: Wallet) => (await call('GET', `/agents/by-owner/${wallet.address}`)).body;

  it('is proposed by the agent, claimed by the wallet, and on the ledger for ever', async () => {
    const [agent, wallet, thief] = [await newAgent('owned'), newWallet(), newWallet()];
    assert.deepEqual(await owner(agent), { status: 'none', agent_id: agent.id });
    assert.deepEqual(await agentsOf(wallet), []);

    const { status, body } = await propose(agent, proposal(agent, wallet));
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.status, body.proposed_owner], ['pending', wallet.address]);
    for (const words of ['agent-mesh ownership claim', 'can never be changed', agent.id, wallet.address])
      assert.ok(body.text.includes(words), words);
    assert.deepEqual(await owner(agent), body);
    assert.deepEqual(await agentsOf(wallet), []);

    const stolen = await claim(agent, thief.sign(body.text));
    assert.deepEqual([stolen.status, stolen.body.code], [400, 'invalid_request']);

    const claimed = await claim(agent, wallet.sign(body.text));
    assert.equal(claimed.status, 200, JSON.stringify(claimed.body));
    assert.deepEqual([claimed.body.status, claimed.body.owner], ['claimed', wallet.address]);
    assert.deepEqual(await owner(agent), claimed.body);
    assert.deepEqual(
      (await agentsOf(wallet)).map(({ agent_id, score }: any) => [agent_id, score]),
      [[agent.id, 0]],
    );
    const link = await mesh.aggregatorNode.get(Ledger).settlement!.ownerLink(agent.id);
    assert.deepEqual([link?.owner, link?.agentId], [wallet.address, agent.id]);
    assert.deepEqual(await claim(agent, wallet.sign(body.text)), claimed, 'claiming again changes nothing');

    for (const wanted of [wallet, thief]) {
      const again = await propose(agent, proposal(agent, wanted));
      assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
    }
    assert.equal((await claim(agent, thief.sign(body.text))).status, 409);
    assert.deepEqual(await owner(agent), claimed.body);
  });

  it('cannot be proposed without the agent, for another one, or with words that were not signed', async () => {
    const [agent, other, wallet] = [
      new TestAgent('asks', () => clock.now(), network),
      new TestAgent('meddles'),
      newWallet(),
    ];
    const soon = Math.floor(clock.now() / 1000);
    const good = proposal(agent, wallet);
    const elsewhere: NetworkValue = { ...network, id: new Uint8Array(32) };
    const cases: [body: object, status: number, code: string, pointer?: string | undefined, as?: TestAgent][] = [
      [good, 403, 'forbidden', undefined, other],
      [{ ...good, owner_wallet: agent.id }, 400, 'invalid_request', '/owner_wallet'],
      [{ ...good, owner_wallet: newWallet().address }, 400, 'invalid_request', '/signature'],
      [{ ...good, nonce: '00'.repeat(8) }, 400, 'invalid_request', '/signature'],
      [{ ...good, nonce: 'zz' }, 400, 'invalid_request', '/nonce'],
      [proposal(agent, wallet, { on: elsewhere }), 400, 'invalid_request', '/signature'],
      [proposal(agent, wallet, { expires: soon + 60 }), 400, 'invalid_request', '/expires'],
      [proposal(agent, wallet, { expires: soon + 40 * 86_400 }), 400, 'invalid_request', '/expires'],
      [
        { owner_wallet: wallet.address, nonce: good.nonce, expires: good.expires },
        400,
        'invalid_request',
        '/signature',
      ],
      [{}, 400, 'invalid_request', '/owner_wallet'],
    ];
    for (const [body, status, code, pointer, as = agent] of cases) {
      const reply = await propose(agent, body, as);
      assert.deepEqual([reply.status, reply.body.code], [status, code], JSON.stringify(reply.body));
      if (pointer) assert.ok(JSON.stringify(reply.body).includes(`"${pointer}"`), JSON.stringify(reply.body));
    }
    assert.equal((await call('POST', `/agents/${agent.id}/propose-owner`, good)).status, 401);
    assert.equal((await owner(agent)).status, 'none');
    assert.equal((await claim(agent, wallet.sign('anything'))).status, 404);
  });

  it('is the newest proposal, while it lasts', async () => {
    const [agent, first, second] = [await newAgent('undecided'), newWallet(), newWallet()];
    const old = (await propose(agent, proposal(agent, first))).body.text;
    await propose(agent, proposal(agent, second));
    assert.equal((await owner(agent)).proposed_owner, second.address);
    assert.equal((await claim(agent, first.sign(old))).status, 400);
    clock.shift(2 * 3_600_000);
    mesh.localnet.warp({ seconds: 7_200 });
    assert.equal((await owner(agent)).status, 'none');
    const late = await claim(agent, second.sign('too late'));
    assert.deepEqual([late.status, late.body.code], [409, 'deadline_passed']);
  });

  it('is shown nowhere as a victim’s, whatever agent a stranger and its wallet name in their link', async () => {
    const [victim, mallory] = [await newAgent('victim'), await newAgent('names a victim')];
    const [owner_, wallet] = [newWallet(), newWallet()];
    await propose(victim, proposal(victim, owner_));
    const settlement = mesh.aggregatorNode.get(Ledger).settlement!;
    const nonce = new Uint8Array(randomBytes(8));
    const expires = Math.floor(clock.now() / 1000) + 3600;
    const fields = { agent_id: victim.identity.key, owner: wallet.key, nonce, expires };
    const link = { agentId: victim.identity.key, key: mallory.identity.key, owner: wallet.key, nonce, expires };
    const step: SettlementStep = {
      ...{ type: 'claim_owner', key: mallory.id, agentId: victim.id, owner: wallet.address, nonce, expires },
      ownerSignature: new Uint8Array(
        Buffer.from(wallet.sign(ownerClaimText(network, { purpose: 'link', ...link })), 'base64'),
      ),
      keySignature: mallory.identity.signDomain('owner/1', network, fields),
    };
    const ledger = mesh.aggregatorNode.get(Ledger);
    const outcome = await ledger.submit(await settlement.prepare(step, [ledgerSigner(mallory.identity)]));
    assert.equal(outcome.status, 'confirmed', JSON.stringify(outcome));
    const told = await happens('the link is indexed', async () => {
      const { body } = await call('GET', `/ledger/events?agent_id=${mallory.id}`);
      return body.find(({ event }: any) => event === 'owner_claimed');
    });
    assert.deepEqual([told.agent_id, told.claimed_agent_id], [undefined, victim.id]);
    assert.deepEqual(await agentsOf(wallet), []);
    assert.deepEqual(await owner(mallory), { status: 'none', agent_id: mallory.id });
    assert.deepEqual((await owner(victim)).proposed_owner, owner_.address);
  });

  it('is paid for by the aggregator within its budget, for agents with standing', async () => {
    const nobody = await newAgent('nobody', { staked: false });
    const wallet = newWallet();
    const unknown = (await propose(nobody, proposal(nobody, wallet))).body.text;
    const refused = await claim(nobody, wallet.sign(unknown));
    assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);

    // Three links a day; the first one was written on this day or, by the clock that was set forward, the day before.
    let written = 0;
    let last: Reply | undefined;
    for (const name of ['second', 'third', 'fourth', 'fifth']) {
      const agent = await newAgent(name);
      const { text } = (await propose(agent, proposal(agent, wallet))).body;
      last = await claim(agent, wallet.sign(text));
      if (last.status !== 200) break;
      written += 1;
    }
    assert.deepEqual([last?.status, last?.body.code], [429, 'rate_limited']);
    assert.ok(written === 2 || written === 3, `${written} were written`);
    assert.equal((await agentsOf(wallet)).length, written);
  });
});

describe('an aggregator without a settlement program', () => {
  it('says that links need one', async () => {
    const mesh = await startMesh({ nodes: [] });
    try {
      const agent = identityFromSeed(new Uint8Array(createHash('sha256').update('x').digest()));
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const url = `${mesh.aggregatorNode.url}/agents/${agent.address}/claim-owner`;
      const response = await fetch(url, { ...init, body: JSON.stringify({ signature: `${'A'.repeat(86)}==` }) });
      assert.deepEqual([response.status, ((await response.json()) as any).code], [503, 'ledger_unavailable']);
    } finally {
      await mesh.stop();
    }
  });
});

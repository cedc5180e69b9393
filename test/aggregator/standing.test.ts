import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { quotaOf } from '../../core/aggregator/blobs/holding.ts';
import { type StoredAgent, newAgent as storedAgent } from '../../core/aggregator/store/agents.ts';
import { Identity, Network } from '../../core/internal-services.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import type { Network as NetworkValue } from '../../core/protocol/identity/network.ts';
import { tokenClaims } from '../../core/protocol/signer/agent-token.ts';
import { newWallet } from '../support/wallet.ts';
import type { TestAgent } from './support/agent.ts';
import { LiveLedger } from './support/live-ledger.ts';

const MIB = 1_048_576;
const ANCHOR = 'an anchor';

describe('the standing of an agent', function () {
  this.timeout(120_000);
  let at: LiveLedger;
  let network: NetworkValue;

  before(async () => {
    at = await LiveLedger.open([ANCHOR]);
    network = at.mesh.aggregatorNode.get(Network);
    await at.fundKey(at.mesh.aggregatorNode.get(Identity).address);
  });
  after(() => at?.stop());

  /** The aggregator pays for the link of an agent that has standing. */
  async function claimed(agent: TestAgent): Promise<string> {
    const wallet = newWallet();
    const [nonce, expires] = [new Uint8Array(randomBytes(8)), Math.floor(at.clock.now() / 1_000) + 3_600];
    const fields = { agent_id: agent.identity.key, owner: wallet.key, nonce, expires };
    const signature = Buffer.from(agent.identity.signDomain('owner/1', network, fields)).toString('base64');
    const proposal = { owner_wallet: wallet.address, nonce: Buffer.from(nonce).toString('hex'), expires, signature };
    const proposed = await post(`/agents/${agent.id}/propose-owner`, proposal, agent);
    assert.equal(proposed.status, 200, JSON.stringify(proposed.body));
    const { status, body } = await post(`/agents/${agent.id}/claim-owner`, {
      signature: wallet.sign(proposed.body.text),
    });
    return status === 200 ? body.status : body.code;
  }

  async function post(path: string, value: object, as?: TestAgent): Promise<{ status: number; body: any }> {
    const body = JSON.stringify(value);
    const { url, publicUrl: audience } = at.mesh.aggregatorNode;
    const request = { audience, method: 'POST', target: path, body: Buffer.from(body) };
    const token = as?.identity.signAgentToken(tokenClaims(as.id, request, at.clock.now(), systemRandom));
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(url + path, { method: 'POST', headers, body });
    return { status: response.status, body: await response.json() };
  }

  const praise = (payer: TestAgent, worker: TestAgent, conversation: string) => [
    payer.feedback(worker, conversation, 100).whole,
    worker.feedback(payer, conversation, 100).whole,
  ];

  it('is not had by a deal about nothing between two keys of one person', async () => {
    const [payer, worker] = [at.agent('own key 1'), at.agent('own key 2')] as const;
    const { propose, accept, deliver, conversation } = at.unpaid(payer, worker);
    await at.report(propose.receipt, accept.receipt, deliver.receipt, ...praise(payer, worker, conversation));
    await at.reputation(worker, ({ feedback_count, score }) => feedback_count === 1 && score > 0);
    assert.deepEqual([await claimed(worker), await claimed(payer)], ['forbidden', 'forbidden']);
  });

  it('is not had by money that comes back where no ledger sees it', async () => {
    const [payer, worker] = [at.agent('own payer'), at.agent('own worker')] as const;
    await at.fund(payer, 100);
    const deal = at.agreed(payer, worker, 40);
    await at.lock(deal);
    await at.approve(deal);
    await at.report(deal.propose.whole, deal.accept.whole, deal.deliver.receipt);
    await at.report(...praise(payer, worker, deal.conversation));
    await at.reputation(worker, ({ score }) => score === 9);
    assert.equal(await claimed(worker), 'forbidden');
  });

  it('is had by money that an anchor paid and praised', async () => {
    const [payer, worker] = [at.agent(ANCHOR), at.agent('good worker')] as const;
    await at.fund(payer, 100);
    const deal = at.agreed(payer, worker, 20);
    await at.lock(deal);
    await at.approve(deal);
    await at.report(deal.propose.whole, deal.accept.whole, deal.deliver.receipt);
    await at.report(...praise(payer, worker, deal.conversation));
    await at.reputation(worker, ({ lower_bound }) => lower_bound > 0);
    assert.equal(await claimed(worker), 'claimed');
  });

  it('gives room for blobs, which praise and money of nobody do not', () => {
    const rated = (score: number, rank: number): StoredAgent => {
      const agent = storedAgent('a', 0, 0);
      const counts = { ...agent.standing.counts, positive: 3 };
      return { ...agent, standing: { ...agent.standing, counts, score, rank } };
    };
    // The last column of the table of docs/reputation.md, _From money to a score_: raw 1000000 and free 500 at 100.
    assert.equal(quotaOf(rated(13, -18.2)), 10 * MIB);
    assert.equal(quotaOf(rated(29, 4.38)), 64 * MIB);
    assert.equal(quotaOf(rated(74, 59.25)), 256 * MIB);
  });
});

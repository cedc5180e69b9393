import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Identity, Network } from '../../core/internal-services.ts';
import { toBase64 } from '../../core/platform/bytes.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import type { Network as NetworkValue } from '../../core/protocol/identity/network.ts';
import { tokenClaims } from '../../core/protocol/signer/agent-token.ts';
import { newWallet, type Wallet } from '../support/wallet.ts';
import type { TestAgent } from './support/agent.ts';
import { minorUnits } from './support/agreed-deals.ts';
import { LiveLedger } from './support/live-ledger.ts';

const HOUR = 3_600;
const DAY = 86_400;
const ANCHORS = ['owned', 'hosted', 'guested', 'alone', 'thief', 'locker', 'left'].map((name) => `payer ${name}`);

describe('who belongs together, and what is left undone', function () {
  this.timeout(120_000);
  let at: LiveLedger;
  let network: NetworkValue;

  before(async () => {
    at = await LiveLedger.open(ANCHORS);
    network = at.mesh.aggregatorNode.get(Network);
    await at.fundKey(at.mesh.aggregatorNode.get(Identity).address);
  });
  after(() => at?.stop());

  /** A deal of 40 USDC of an anchor, released and praised: above 60 points unless the two are one. */
  async function praised(name: string) {
    const [payer, worker] = [at.agent(`payer ${name}`), at.agent(`worker ${name}`)];
    await at.fund(worker, 0);
    await paid(payer, worker, 40);
    await at.reputation(worker, ({ score }) => score > 60);
    return { payer, worker };
  }

  async function paid(payer: TestAgent, worker: TestAgent, usdc: number): Promise<void> {
    await at.fund(payer, 2.5 * usdc);
    const deal = at.agreed(payer, worker, usdc);
    await at.lock(deal);
    await at.approve(deal);
    await at.report(deal.propose.whole, deal.accept.whole, deal.deliver.receipt);
    await at.report(payer.feedback(worker, deal.conversation, 100).whole);
    await at.seen(deal, 'released');
  }

  const now = () => Math.floor(at.clock.now() / 1_000);

  /** What an agent signs of who is its host. */
  function claim(agent: TestAgent, host: TestAgent, { not_after = now() + DAY, by = agent } = {}) {
    const recovery = at.agent(`recovery of ${agent.id}`);
    const fields = { host_key: host.identity.key, recovery_key: recovery.identity.key, not_after };
    const signature_b64 = toBase64(by.identity.signDomain('host/1', network, fields));
    return { agent_id: agent.id, recovery_key: recovery.id, not_after, signature_b64 };
  }

  it('two agents of one host are one cluster, as soon as host and agents have signed that', async () => {
    const { worker: payer } = await praised('hosted');
    const worker = at.agent('worker of a hosted one');
    await paid(payer, worker, 8);
    await at.reputation(worker, ({ score }) => score > 40);
    const host = at.agent('the host');
    await at.report(host.beacon('host', { hosted: [claim(payer, host)] }).whole);
    await at.reputation(worker, ({ score }) => score > 40);
    await at.report(host.beacon('host', { hosted: [claim(payer, host), claim(worker, host)] }).whole);
    const { score, lower_bound, raters } = await at.reputation(worker, (found) => found.score === 0);
    assert.deepEqual([score, lower_bound, raters], [0, -28.62, []]);
  });

  it('an anchor is in no cluster with guests of its host: who takes a place there is no anchor', async () => {
    const { payer: anchor, worker } = await praised('guested');
    const [guest, boss] = [at.agent('a guest'), at.agent('the boss of a guest')];
    const host = at.agent('the host of an anchor');
    await at.report(host.beacon('host', { hosted: [claim(anchor, host), claim(guest, host)] }).whole);
    await paid(guest, boss, 200);
    await at.scoredSince(at.clock.now());
    const { score, grounded_usdc } = await at.reputation(boss, ({ rater_count }) => rater_count === 1);
    assert.deepEqual([score, grounded_usdc], [9, 0]);
    assert.ok((await at.read(`/reputation/${worker.id}`)).score > 60);
  });

  it('nobody can put strangers into a cluster, nor one agent into a second one', async () => {
    const { payer, worker } = await praised('alone');
    const [host, other] = [at.agent('a host'), at.agent('another host')];
    // Its own agent, and the first host that was published.
    await at.report(other.beacon('other', { hosted: [claim(worker, other)] }).whole);
    const lies = [
      claim(payer, host, { by: host }),
      claim(payer, other),
      claim(payer, host, { not_after: now() - 1 }),
      claim(worker, host, { not_after: now() + 2 * DAY }),
    ];
    for (const lie of lies) await at.report(host.beacon('host', { hosted: [lie] }).whole);
    await at.report(host.beacon('host', { hosted: [claim(payer, host)] }).whole);
    await at.scoredSince(at.clock.now());
    const { score } = await at.reputation(worker, () => true);
    assert.ok(score > 60, `${score}`);
  });

  it('two agents of one wallet are one cluster, from when both links are on the ledger', async () => {
    const { payer, worker } = await praised('owned');
    const wallet = newWallet();
    for (const agent of [payer, worker]) await own(agent, wallet);
    const { lower_bound, raters } = await at.reputation(worker, ({ score }) => score === 0);
    assert.deepEqual([lower_bound, raters], [-28.62, []]);
  });

  /** An agent that stands has its owner put on the ledger by the aggregator. */
  async function own(agent: TestAgent, wallet: Wallet): Promise<void> {
    await at.take(
      { type: 'pay_lease', key: agent.id, epochs: 1, maxAmount: minorUnits(1), payments: 0 },
      await payerOf(agent),
    );
    await at.accountRead(agent, ({ lease_status }) => lease_status === 'active');
    const [nonce, expires] = [new Uint8Array(randomBytes(8)), now() + HOUR];
    const fields = { agent_id: agent.identity.key, owner: wallet.key, nonce, expires };
    const signature = toBase64(agent.identity.signDomain('owner/1', network, fields));
    const proposal = { owner_wallet: wallet.address, nonce: Buffer.from(nonce).toString('hex'), expires, signature };
    const { text } = await post(`/agents/${agent.id}/propose-owner`, proposal, agent);
    const { status } = await post(`/agents/${agent.id}/claim-owner`, { signature: wallet.sign(text) });
    assert.equal(status, 'claimed');
  }

  async function payerOf(agent: TestAgent): Promise<TestAgent> {
    await at.fund(agent, 1);
    return agent;
  }

  async function post(path: string, value: object, as?: TestAgent): Promise<any> {
    const body = JSON.stringify(value);
    const request = {
      audience: at.mesh.aggregatorNode.publicUrl,
      method: 'POST',
      target: path,
      body: Buffer.from(body),
    };
    const token = as?.identity.signAgentToken(tokenClaims(as.id, request, at.clock.now(), systemRandom));
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(at.mesh.aggregatorNode.url + path, { method: 'POST', headers, body });
    const answer = await response.json();
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer;
  }

  describe('a deal that both signed, when its time is over,', () => {
    /** Nothing was delivered; whoever asks after it a day later has the aggregator look at it again. */
    async function overdue(
      name: string,
      escrow: boolean,
      then: (deal: ReturnType<LiveLedger['agreed']>) => Promise<void>,
    ) {
      const [payer, worker] = [at.agent(`payer ${name}`), at.agent(`worker ${name}`)];
      await at.fund(payer, 100);
      const deal = at.agreed(payer, worker, 40, { escrow });
      await at.report(deal.propose.whole, deal.accept.whole);
      await then(deal);
      at.mesh.advance(DAY + 4 * HOUR);
      const reminder = payer.sign('DISPUTE', {
        to: worker,
        conversation: deal.conversation,
        payload: { reason: 'nothing came' },
      });
      await at.report(reminder.receipt);
      return { payer, worker };
    }

    it('counts against a provider that was locked money for and did not deliver', async () => {
      const { payer, worker } = await overdue('locker', true, async (deal) => {
        await at.lock(deal);
        at.mesh.advance(3 * HOUR);
        await at.take({ type: 'reclaim', ...deal.name }, deal.payer);
        await at.seen(deal, 'reclaimed');
      });
      const { points, counts } = await at.reputation(worker, ({ score }) => score === -8);
      assert.deepEqual([counts.abandoned, points.abandoned < -8], [1, true]);
      assert.equal((await at.read(`/reputation/${payer.id}`)).counts.unpaid, 0);
    });

    it('is shown of a payer that agreed to lock and did not, and moves no score', async () => {
      const { payer, worker } = await overdue('left', true, async () => {});
      const { score, counts } = await at.reputation(payer, (found) => found.counts.unpaid === 1);
      assert.deepEqual([score, counts.abandoned], [0, 0]);
      assert.equal((await at.read(`/reputation/${worker.id}`)).counts.abandoned, 0);
    });

    it('counts against a provider as free blame does where no lock was agreed', async () => {
      const { worker } = await overdue('thief', false, async () => {});
      const { points, counts, lower_bound } = await at.reputation(worker, (found) => found.points.blame < 0);
      assert.deepEqual([counts.abandoned, points.abandoned], [1, 0]);
      // It fades by the epoch, and a day and four hours hold one or two beginnings of epochs.
      assert.ok(points.blame < -0.485 && points.blame > -0.5, `${points.blame}`);
      assert.ok(lower_bound < -28.62 && lower_bound > -31, `${lower_bound}`);
    });

    it('asks for more stake from the second deal on', async () => {
      const worker = at.agent('repeats');
      const required = async () => (await at.read(`/stake/required/${worker.id}`)).required_stake_usdc;
      for (const [count, expected] of [
        [1, 10],
        [2, 20],
        [3, 30],
      ] as const) {
        const payer = at.agent(`payer repeats ${count}`);
        const { propose, accept, conversation } = at.agreed(payer, worker, 40, { escrow: false });
        await at.report(propose.whole, accept.whole);
        at.mesh.advance(DAY + 4 * HOUR);
        const payload = { reason: 'nothing came' };
        await at.report(payer.sign('DISPUTE', { to: worker, conversation, payload }).receipt);
        await at.reputation(worker, (found) => found.counts.abandoned === count);
        assert.equal(await required(), expected);
      }
    });
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { memoryStorage } from '../../adapters/storage-memory/index.ts';
import { verifyEvidence } from '../../core/aggregator/evidence/verify.ts';
import { SPACE } from '../../core/aggregator/providers.ts';
import { loadContracts } from '../../core/contracts/contracts.ts';
import { Network } from '../../core/internal-services.ts';
import type { Succession } from '../../core/messaging/successions.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import type { Network as NetworkValue } from '../../core/protocol/identity/network.ts';
import { openStore } from '../../core/storage/store.ts';
import { watch } from '../support/sockets.ts';
import type { TestAgent } from './support/agent.ts';
import { LiveLedger } from './support/live-ledger.ts';
import { hostClaim, succession } from './support/succession.ts';

const DAY = 86_400;
const contracts = loadContracts();

describe('an agent that goes on under another key', function () {
  this.timeout(120_000);
  let at: LiveLedger;
  let network: NetworkValue;
  let count = 0;
  before(async () => {
    at = await LiveLedger.open(['anchor', 'anchor of the inn'], { evidence: { keep: true } });
    network = at.mesh.aggregatorNode.get(Network);
  });
  after(() => at?.stop());

  const now = () => Math.floor(at.clock.now() / 1_000);
  const url = () => at.mesh.aggregatorNode.url;

  /** A hosted agent that is known here, its host, its recovery key, and a fresh key at another host. */
  async function cast(name: string) {
    count += 1;
    const part = (what: string) => at.agent(`${what} of ${name} ${count}`);
    const [old, next, recovery, inn, far] = [part('old'), part('next'), part('recovery'), part('inn'), part('far')];
    await at.report(old.beacon(name).whole);
    await shows(inn, [], [hostClaim(network, { agent: old, host: inn, recovery, not_after: now() + DAY })]);
    await shows(far, [], [hostClaim(network, { agent: next, host: far, recovery: next, not_after: now() + DAY })]);
    const signed = (more: Partial<Parameters<typeof succession>[1]> = {}) =>
      succession(network, { old, next, recovery, time: now(), ...more });
    return { old, next, recovery, inn, far, signed };
  }

  async function shows(host: TestAgent, successions: Succession[], hosted: object[] = []): Promise<void> {
    await at.report(host.beacon('host', { hosted: hosted as never, successions }).whole);
  }

  async function praised(payer: TestAgent, worker: TestAgent, usdc: number, value: number): Promise<void> {
    await at.fund(payer, 2 * usdc);
    await at.fund(worker, 0);
    const deal = at.agreed(payer, worker, usdc);
    await at.lock(deal);
    await at.approve(deal);
    await at.report(deal.propose.whole, deal.accept.whole, deal.deliver.receipt);
    await at.report(payer.feedback(worker, deal.conversation, value).whole);
    await at.reputation(worker, ({ counts }) => counts.positive + counts.negative > 0);
  }

  const profile = (agent: TestAgent) => at.find(`/agents/${agent.id}`);
  async function refusals(): Promise<Record<string, number>> {
    const text = await (await fetch(`${url()}/metrics`)).text();
    const found = text.matchAll(/^mesh_successions_refused_total\{.*reason="([a-z]+)".*\} (\d+)/gm);
    return Object.fromEntries([...found].map(([, reason, times]) => [reason, Number(times)]));
  }
  /** Shows a succession that must be refused, once, for that reason. */
  async function isRefused(host: TestAgent, one: Succession, reason: string): Promise<void> {
    const before = (await refusals())[reason] ?? 0;
    await shows(host, [one]);
    assert.equal((await refusals())[reason], before + 1, reason);
  }

  it('takes its name, history and score along: praise halves, blame stays, and the old key is nothing any more', async () => {
    const { old, next, far, signed } = await cast('worker');
    await praised(at.agent('anchor'), old, 4, 100);
    const stranger = at.agent(`stranger ${count}`);
    const free = at.unpaid(stranger, old);
    await at.report(free.propose.receipt, free.accept.receipt, free.deliver.receipt);
    await at.report(stranger.feedback(old, free.conversation, -100).whole);
    const before = await at.reputation(old, ({ counts, score }) => counts.negative === 1 && score > 30);
    const events = watch(`${url()}/ws/activity?event_type=KEY_CHANGE`);
    await once(events.socket, 'open');
    await shows(far, [signed()]);
    const after = await at.reputation(next, ({ score }) => score > 0);
    assert.deepEqual(
      [after.name, after.counts.positive, after.counts.negative, after.key_changes, after.predecessor],
      ['worker', 1, 1, 1, old.id],
    );
    assert.equal(after.grounded_usdc, before.grounded_usdc / 2, 'praise halves');
    assert.ok(Math.abs(after.points.blame - before.points.blame) < 0.2 && after.points.blame < 0, 'blame stays');
    assert.ok(after.score < before.score);
    const gone = await at.reputation(old, ({ score }) => score === 0);
    assert.deepEqual([gone.successor, gone.counts.positive, gone.rater_count], [next.id, 0, 0]);
    assert.equal((await profile(old)).successor, next.id);
    assert.equal((await profile(next)).predecessor, old.id);
    const named = await at.read('/agents/search/name?q=worker');
    assert.deepEqual(
      named.map((one: any) => one.agent_id),
      [next.id],
    );
    await events.until(1);
    const { event_type, agent_id, target_agent_id, name } = events.frames[0];
    assert.deepEqual([event_type, agent_id, target_agent_id, name], ['KEY_CHANGE', old.id, next.id, 'worker']);
    assert.equal((await at.read(`/activity?agent_id=${next.id}&event_type=KEY_CHANGE`)).length, 1);
    events.socket.terminate();

    // Shown again, it changes nothing.
    const marked = await refusals();
    await shows(far, [signed()]);
    assert.deepEqual([await refusals(), (await profile(next)).feedback_count], [marked, 2]);
    // A rating that was still on its way counts for the successor.
    const last = at.unpaid(at.agent(`late ${count}`), old);
    const { results } = await reported(last.propose.receipt);
    assert.equal(results[0].status, 'accepted');
    const refused = await reported(old.beacon('thief', {}, at.clock.now() + 2_000).whole, last.accept.receipt);
    assert.match(refused.results[0].detail, /its key was replaced by/);
  });

  async function reported(...items: object[]): Promise<any> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url()}/ingest/envelopes`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ items }),
    });
    return response.json();
  }

  it('is one cluster with its old key, and what its former host’s agents said of it never counts', async () => {
    const { old, next, inn, far, recovery, signed } = await cast('guest');
    // Lives on the old host, too. It is no anchor, which would be of no host.
    const host = at.agent('neighbour at the inn');
    const guests = [old, host].map((agent) =>
      hostClaim(network, { agent, host: inn, recovery, not_after: now() + 2 * DAY }),
    );
    await shows(inn, [], guests);
    await praised(host, old, 4, 100);
    await shows(far, [signed()]);
    await at.scoredSince(at.clock.now());
    const moved = await at.reputation(next, ({ key_changes }) => key_changes === 1);
    assert.deepEqual([moved.score, moved.grounded_usdc, moved.rater_count], [0, 0, 0]);
    // Work for its own old key is work for itself.
    const own = at.unpaid(next, old);
    assert.equal((await reported(own.propose.receipt)).results[0].status, 'accepted');
  });

  it('refuses forged, repeated, circular and late ones, and successors with a history, each for its reason', async () => {
    const { old, next, recovery, inn, far, signed } = await cast('careful');
    const thief = at.agent(`thief ${count}`);
    await isRefused(far, signed({ recovery: thief }), 'forged');
    await isRefused(far, signed({ recovery: old }), 'forged');
    await isRefused(far, signed({ accepts: recovery }), 'forged');
    await isRefused(far, { ...signed(), time: now() - 1 }, 'forged');
    await isRefused(far, signed({ time: now() + 300 }), 'time');
    await isRefused(far, signed({ time: now() - 31 * DAY }), 'time');
    await isRefused(far, signed({ old: at.agent('nobody') }), 'unknown');
    await isRefused(far, signed({ next: old }), 'circular');
    // A client of a host can make up as many keys as it likes: they take nothing of what its host may show in an hour.
    const before = (await refusals())['unknown'] ?? 0;
    for (let beacon = 0; beacon < 10; beacon += 1) {
      const invented = Array.from({ length: 16 }, (_, place) =>
        signed({ old: at.agent(`invented ${beacon} ${place}`) }),
      );
      await shows(far, invented);
    }
    assert.equal((await refusals())['unknown'], before + 160);
    const busy = at.agent(`busy ${count}`);
    const deal = at.unpaid(at.agent(`customer ${count}`), busy);
    await at.report(deal.propose.receipt, deal.accept.receipt);
    await isRefused(far, signed({ next: busy }), 'history');
    assert.equal((await profile(old)).successor, undefined);

    await shows(far, [signed()]);
    assert.equal((await profile(old)).successor, next.id);
    await isRefused(far, signed({ next: at.agent(`another ${count}`) }), 'twice');
    // The way back, and another agent's history for the same key.
    const back = hostClaim(network, { agent: next, host: far, recovery: next, not_after: now() + DAY });
    await shows(far, [], [back]);
    await isRefused(far, signed({ old: next, next: old, recovery: next }), 'circular');
    const second = await cast('second');
    await isRefused(inn, second.signed({ next }), 'history');
    assert.equal((await profile(next)).predecessor, old.id);

    // A host goes on to show what was refused for good: that takes nothing from those that its other agents show.
    const third = await cast('third');
    const [stale, taken] = [second.signed({ next }), signed({ next: at.agent(`another ${count}`) })];
    for (let beacon = 0; beacon < 70; beacon += 1) await shows(third.far, [stale, taken]);
    await shows(third.far, [third.signed()]);
    assert.equal((await profile(third.old)).successor, third.next.id);
  });

  it('keeps the recovery key of the first claim, also when that has ended', async () => {
    const { old, next, far, inn, signed } = await cast('lost');
    at.mesh.advance(2 * DAY);
    const own = hostClaim(network, { agent: old, host: inn, recovery: inn, not_after: now() + 90 * DAY });
    await shows(inn, [], [own]);
    await isRefused(inn, signed({ recovery: inn, next: at.agent(`of the inn ${count}`) }), 'forged');
    await shows(far, [signed()]);
    assert.equal((await profile(old)).successor, next.id);
  });

  it('halves again with every further key, and a stranger counts the same from the evidence', async () => {
    const { old, next, far, signed } = await cast('nomad');
    await praised(at.agent('anchor'), old, 4, 100);
    await shows(far, [signed()]);
    const third = at.agent(`third of nomad ${count}`);
    const on = succession(network, { old: next, next: third, recovery: next, time: now() });
    await shows(far, [on]);
    const moved = await at.reputation(third, ({ grounded_usdc }) => grounded_usdc > 0);
    assert.deepEqual([moved.key_changes, moved.grounded_usdc], [2, 1]);
    await at.scoredSince(at.clock.now());
    for (const { id } of [third, next, old]) {
      const response = await fetch(`${url()}/reputation/${id}/evidence?limit=5000`);
      const found = await verifyEvidence(await response.text(), async (clock) => {
        const validate = (schema: string, value: unknown) => contracts.problems(schema as never, value);
        return (await openStore(memoryStorage({ clock }), { clock, random: systemRandom, validate })).space(SPACE);
      });
      assert.deepEqual([found.faults, found.counted], [[], found.claimed], id);
    }
  });
});

import assert from 'node:assert/strict';
import { addPayment } from '../../core/aggregator/ingest/score-facts.ts';
import { upgradeScores } from '../../core/aggregator/reputation/upgrade.ts';
import { agents } from '../../core/aggregator/store/agents.ts';
import { escrows, ledgerEvents, type StoredEscrow } from '../../core/aggregator/store/ledger.ts';
import { interactions } from '../../core/aggregator/store/logs.ts';
import { deeds, pairRef } from '../../core/aggregator/store/scores.ts';
import { collection } from '../../core/storage/declarations.ts';
import { newConversation, TestAgent } from './support/agent.ts';
import { type Domain, NOON, openDomain } from './support/domain.ts';

/** The collection as it was: rows of version 1 fit no schema of today. */
const former = { ...collection<object>('agents', { schema: () => [] }) };

describe('a store that version 1 of the score has written', () => {
  let domain: Domain;
  const [payer, worker] = [new TestAgent('payer', () => NOON), new TestAgent('worker', () => NOON)];
  const conversation = newConversation();

  beforeEach(async () => {
    domain = await openDomain();
    const { space, epochs } = domain;
    const epoch = epochs.at(NOON);
    const rating = { outcome: 'positive', conversation_id: conversation, slot: 1, at: NOON } as const;
    const escrow: StoredEscrow = {
      ...{ requester: payer.id, provider: worker.id, conversation_id: conversation, notary: null },
      ...{ terms: 'ab'.repeat(32), amount: '40000000', deadline: 1, review_secs: 1, dispute_bps: 0, state: 'claimed' },
      ...{ locked_at: 1, delivered_at: 2, delivery: null, disputed_at: null, closed_at: NOON, released: '40000000' },
      ...{ signature: '1'.repeat(64), stale: false },
    };
    await domain.take(payer.beacon('payer'), worker.beacon('worker'));
    const place = { signature: '1'.repeat(64), ordinal: 0, slot: 7, at: NOON };
    await space.tx([agents.ref(worker.id), agents.ref(payer.id)], (tx) => {
      tx.put(escrows.ref(`${conversation}/${payer.id}/${worker.id}`), escrow);
      tx.append(interactions, { sender: payer.id, target_agent: worker.id, role: 'participant', score: 90, ...rating });
      tx.append(interactions, { sender: worker.id, target_agent: payer.id, role: 'participant', score: 70, ...rating });
      const paid = { key: payer.id, payer: payer.id, amount: '2000000', paid_through: 9 };
      tx.append(ledgerEvents, { name: 'lease_paid', ...place, facts: paid });
      const slashed = { key: worker.id, amount: '9000000', bounty: '4000000' };
      tx.append(ledgerEvents, { name: 'agent_slashed', ...place, facts: slashed });
      for (const { id } of [payer, worker]) {
        const { standing: _, ...row } = tx.get(agents.ref(id))!;
        const sums = { positive: { sum: 9, weight: 1 }, negative: { sum: 0, weight: 0 } };
        const faults = { abandoned: { sum: -50, weight: 1 }, disputes: { sum: -10, weight: 0.4 } };
        const counts = { positive: 1, neutral: 0, negative: 0, abandoned: 1, unpaid: 0, burnt: 1 };
        const times = { epoch, active: epoch, worn: 0, key_changes: 0 };
        const standing = { version: 1, ...times, ...sums, ...faults, counts, scores: [90] };
        tx.put(former.ref(id), { ...row, standing, ranked: { rank: 3, fades_at: null } });
      }
    });
  });
  afterEach(() => domain.store.close());

  async function check(): Promise<void> {
    const { space } = domain;
    const none = { mass: 0, sum: 0 };
    const [there, back] = [pairRef(payer.id, worker.id), pairRef(worker.id, payer.id)];
    const pair = (await space.get(there))!;
    assert.deepEqual([pair.paid, pair.said.paid], ['40000000', { mass: 40, sum: 3600 }]);
    assert.deepEqual((await space.get(back))!.said, {
      paid: none,
      returned: none,
      word: { mass: 40, sum: 2800 },
      free: none,
    });
    const [spent, slashed] = await space.getMany([deeds.ref(payer.id), deeds.ref(worker.id)]);
    assert.deepEqual([spent!.burnt, slashed!.burnt], [2, 5]);
    assert.deepEqual([slashed!.abandoned, slashed!.disputes], [1, { mass: 0.4, sum: -10 }]);
    const agent = (await space.get(agents.ref(worker.id)))!;
    assert.deepEqual([agent.standing.version, agent.standing.scores, agent.standing.counts.burnt], [2, [90], 1]);
    assert.equal('ranked' in agent, false);
  }

  it('has its sums made again of its ratings, escrows and ledger events, once', async () => {
    assert.equal(await upgradeScores(domain.space, domain.epochs), 2);
    await check();
    assert.equal(await upgradeScores(domain.space, domain.epochs), 0);
    await check();
    domain.anchors.push(payer.id);
    await domain.score();
    assert.ok((await domain.space.get(agents.ref(worker.id)))!.standing.score > 20);
  });

  it('is upgraded as if nothing had been when a start was interrupted', async () => {
    await domain.space.tx([], (tx) => {
      addPayment(tx, { requester: payer.id, provider: worker.id }, 40_000_000n, domain.epochs);
    });
    assert.equal(await upgradeScores(domain.space, domain.epochs), 2);
    await check();
  });
});

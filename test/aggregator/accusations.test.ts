import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccusationAnswers } from '../../core/aggregator/leaves/accusation-answers.ts';
import { keepLeaves } from '../../core/aggregator/leaves/keeping.ts';
import { accusationRef, accusations } from '../../core/aggregator/store/accusations.ts';
import { stakes } from '../../core/aggregator/store/ledger.ts';
import { RecordedTransactions } from '../../core/ledger/recorded-transactions.ts';
import type { Settlement } from '../../core/ledger/settlement.ts';
import { SettlementActions } from '../../core/ledger/settlement-actions.ts';
import { toHex } from '../../core/platform/bytes.ts';
import { silentLog } from '../../core/platform/log.ts';
import { systemRandom } from '../../core/platform/system-clock.ts';
import { signLeafList } from '../../core/protocol/batches/leaf-list.ts';
import { encodeHeader } from '../../core/protocol/envelopes/header.ts';
import { defineNetwork, type Network } from '../../core/protocol/identity/network.ts';
import { openBlobDirectory } from '../../core/storage/blob-directory.ts';
import type { Blobs } from '../../core/storage/blobs.ts';
import { type SettlementBench, settlementBench, USDC } from '../ledger/settlement-bench.ts';
import { TestAgent, type Wire } from './support/agent.ts';
import { hiding, LedgerDomain, never } from './support/ledger-domain.ts';

const EPOCH = 86_400;
const MINUTE = 60_000;

describe('accusations of agents that are away, at an aggregator', function () {
  this.timeout(60_000);
  let network: Network;
  let bench: SettlementBench;
  let at: LedgerDomain;
  let blobs: Blobs;
  let dir: string;
  let helper: TestAgent;
  let agent: TestAgent;
  let signed: Wire[];
  let results: string[];
  let answers: AccusationAnswers;
  let steps: SettlementActions;

  before(async () => {
    bench = await settlementBench();
    network = { ...defineNetwork({ name: 'accusations' }), id: bench.settlement.deployment.network };
    dir = await mkdtemp(join(tmpdir(), 'accusations-'));
  });
  after(async () => {
    await bench.close();
    await rm(dir, { recursive: true, force: true });
  });

  /** A staked agent with a batch of three envelopes, whose list the aggregator keeps. */
  beforeEach(async () => {
    results = [];
    at = await LedgerDomain.open(bench);
    blobs = await openBlobDirectory({ dir, clock: at.domain.clock, random: systemRandom });
    helper = await at.newAgent(0n);
    agent = new TestAgent(`accused ${helper.id}`, () => at.domain.clock.now(), network);
    await bench.net.faucet.sol(agent.id, 1_000_000_000n);
    await bench.net.faucet.usdc(agent.id, 100n * USDC);
    await bench.take(
      { type: 'add_stake', key: agent.id, stakeOwner: agent.id, amount: 20n * USDC, payments: 0 },
      at.by(agent),
    );
    at.advance(EPOCH);
    const epoch = Math.floor(at.domain.clock.time / 1000 / EPOCH);
    signed = ['one', 'two', 'three'].map((name) => agent.beacon(name));
    at.advance(EPOCH);
    await at.follow();
    const leaves = new Uint8Array(Buffer.from(signed.map(({ id }) => id).join(''), 'hex'));
    const list = signLeafList(epoch, leaves, agent.identity, network);
    const parts = { space: at.domain.space, blobs, network };
    await keepLeaves(parts, { key: agent.id, ...list }, at.domain.clock.time);
    await bench.take({ type: 'submit_batch', key: agent.id, epoch, count: 3, root: toHex(list.root) }, at.by(agent));
    await at.follow();
    const ledger = at.domain.store.space('ledger');
    const transactions = new RecordedTransactions({ space: ledger, ledger: bench.ledger, log: silentLog });
    steps = new SettlementActions({ settlement: bench.settlement, transactions, signer: at.by(helper) });
    answers = answering();
  });
  afterEach(() => at.close());

  async function accuse({ id, envelope }: Wire): Promise<void> {
    const accuser = await at.newAgent(0n);
    await bench.take({ type: 'announce', key: agent.id, id }, at.by(accuser));
    bench.net.warp({ slots: 1_000 });
    const proof = { header: encodeHeader(envelope), signature: envelope.signature };
    await bench.take({ type: 'accuse', key: agent.id, ...proof }, at.by(accuser));
  }

  function answering(settlement: Settlement = bench.settlement): AccusationAnswers {
    const { space, clock } = at.domain;
    return new AccusationAnswers({
      ...{ space, blobs, network, settlement, clock, steps, log: silentLog },
      answered: (labels) => void results.push(labels!['result']!),
    });
  }

  const open = async () => (await bench.settlement.agent(agent.id))!.open;
  const remembered = async () =>
    (await at.domain.space.page(accusations, { index: 'key', prefix: [agent.id], limit: 9 })).length;
  /** Time passes, so that what can wait is done. */
  const later = (minutes: number) => {
    at.domain.clock.time += minutes * MINUTE;
    bench.net.warp({ slots: minutes * 150 });
  };

  it('are answered although no event tells of them', async () => {
    const hidden = hiding(bench.settlement, ['agent_accused', 'accusation_answered']);
    await accuse(signed[1]!);
    await accuse(signed[2]!);
    later(11);
    await at.follow(hidden);
    assert.equal((await at.domain.space.get(stakes.ref(agent.id)))!.open, 2);
    assert.equal(await remembered(), 0);
    await answers.run(never);
    assert.deepEqual([results, await open()], [['answered', 'answered'], 0]);
    later(11);
    await at.follow(hidden);
    await answers.run(never);
    assert.equal(await remembered(), 0, 'remembered although the account shows the end');
  });

  it('are answered again when the same envelope is accused again', async () => {
    for (let times = 1; times <= 3; times += 1) {
      await accuse(signed[0]!);
      await at.follow();
      await answers.run(never);
      assert.deepEqual([results.length, await open()], [times, 0]);
      await at.follow();
    }
    assert.equal(await remembered(), 0);
  });

  it('are not forgotten because one answer of the ledger does not have them', async () => {
    await accuse(signed[0]!);
    await at.follow();
    const { slot } = (await at.domain.space.get(accusationRef(agent.id, signed[0]!.id)))!;
    const blind = answering({
      ...bench.settlement,
      accusations: async (names) => ({ slot: slot! + 1, value: names.map(() => undefined) }),
    });
    await blind.run(never);
    assert.equal(await remembered(), 1);
    const lagging = answering({
      ...bench.settlement,
      accusations: async () => {
        throw new Error('behind');
      },
    });
    later(11);
    await lagging.run(never);
    assert.equal(await remembered(), 1);
    later(61);
    await answers.run(never);
    assert.deepEqual([results, await open()], [['answered'], 0]);
  });

  it('are asked for at no earlier slot than the one they were made at', async () => {
    await accuse(signed[0]!);
    await at.follow();
    const { slot } = (await at.domain.space.get(accusationRef(agent.id, signed[0]!.id)))!;
    const asked: number[] = [];
    const watching = answering({
      ...bench.settlement,
      accusations: (names, atLeast) => {
        asked.push(atLeast ?? 0);
        return bench.settlement.accusations(names, atLeast);
      },
    });
    await watching.run(never);
    assert.ok(asked.length > 0 && asked.every((least) => least >= slot!), `${asked} before ${slot}`);
  });

  it('of envelopes that no kept list contains are searched for in bounded steps, and again only after a rest', async () => {
    // Accused by a list that is another one's: the search finds nothing.
    await at.domain.space.tx([stakes.ref(agent.id)], (tx) => {
      const ref = stakes.ref(agent.id);
      tx.put(ref, { ...tx.get(ref)!, open: 1 });
    });
    const agents: Settlement['agents'] = async (keys, atLeast) => {
      const { slot, value } = await bench.settlement.agents(keys, atLeast);
      return { slot, value: value.map((one) => one && { ...one, open: 1 }) };
    };
    let calls = 0;
    const counting = answering({
      ...bench.settlement,
      agents,
      accusations: (names, atLeast) => {
        calls += 1;
        assert.ok(names.length <= 100);
        return bench.settlement.accusations(names, atLeast);
      },
    });
    for (let times = 0; times < 5; times += 1) await counting.run(never);
    assert.equal(calls, 1);
    at.domain.clock.time += bench.settlement.numbers.responseSecs * 60;
    await counting.run(never);
    assert.equal(calls, 2);
  });
});

import assert from 'node:assert/strict';
import { Keypair } from '@solana/web3.js';
import { ledgerSigner } from '../../../core/ledger/ledger.ts';
import { RecordedTransactions } from '../../../core/ledger/recorded-transactions.ts';
import { SettlementActions } from '../../../core/ledger/settlement-actions.ts';
import { EpochJournal } from '../../../core/messaging/epoch-journal.ts';
import { Outgoing } from '../../../core/messaging/outgoing.ts';
import { BatchBook } from '../../../core/node/behavior/batch-book.ts';
import { BatchJob } from '../../../core/node/behavior/batch-job.ts';
import { OwnAccount } from '../../../core/node/behavior/own-account.ts';
import { Preparation } from '../../../core/node/behavior/preparation.ts';
import { DutyWarnings } from '../../../core/node/duty-warnings.ts';
import { toHex } from '../../../core/platform/bytes.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import type { LeafArchive } from '../../../core/protocol/batches/leaf-archive.ts';
import type { LeafList } from '../../../core/protocol/batches/leaf-list.ts';
import { merkleRoot } from '../../../core/protocol/batches/merkle.ts';
import { buildEnvelope } from '../../../core/protocol/envelopes/build.ts';
import { nonceOf } from '../../../core/protocol/envelopes/epochs.ts';
import { defineNetwork, type Network } from '../../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../../core/protocol/signer/identity.ts';
import { type SettlementBench, settlementBench } from '../../ledger/settlement-bench.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { encodeReceipt, receiptOf } from '../../support/receipt.ts';
import { nodeSpace } from '../../support/space.ts';
import { Crash, Fate } from './fate.ts';
import { SHORT_EPOCHS } from './support.ts';

/** An aggregator of this test: keeps lists, and holds what it was given. */
class Keeper implements LeafArchive {
  readonly name = 'keeper';
  readonly lists: LeafList[] = [];
  readonly receipts: Uint8Array[] = [];

  async store(_: string, list: LeafList): Promise<boolean> {
    this.lists.push(list);
    return true;
  }

  async list(_: string, epoch: number): Promise<LeafList | undefined> {
    return this.lists.find((list) => list.epoch === epoch);
  }

  async *held(): AsyncGenerator<Uint8Array> {
    yield* this.receipts;
  }
}

describe('the batch job', function () {
  this.timeout(120_000);
  let bench: SettlementBench;
  let network: Network;
  const clock = new BriskClock();
  before(async () => {
    bench = await settlementBench(SHORT_EPOCHS);
    const { deployment, numbers } = bench.settlement;
    network = { ...defineNetwork({ name: 'crashes', epochSecs: numbers.epochSecs }), id: deployment.network };
  });
  after(() => bench.close());

  function pass(epochs: number): void {
    clock.shift(epochs * 100_000);
    bench.net.warp({ seconds: epochs * 100, slots: 1, blocks: 1 });
  }

  /** To the first seconds of an epoch, so that what follows stays within it. */
  function align(): void {
    const seconds = 105 - (Math.floor(clock.now() / 1_000) % 100);
    clock.shift(seconds * 1_000);
    bench.net.warp({ seconds, slots: 1, blocks: 1 });
  }

  /** A staked agent that has signed some envelopes in the epoch that has just ended. */
  async function agent(said = 3) {
    const identity = identityFromSeed(Keypair.generate().secretKey.slice(0, 32));
    const signer = ledgerSigner(identity);
    const key = identity.address;
    const space = await nodeSpace(clock);
    align();
    await bench.net.faucet.sol(key, 1_000_000_000n);
    await bench.net.faucet.usdc(key, 20_000_000n);
    await bench.take({ type: 'add_stake', key, stakeOwner: key, amount: 10_000_000n, payments: 0 }, signer);
    pass(1);
    const outgoing = new Outgoing({
      space,
      identity,
      network,
      random: systemRandom,
      slot: () => 0,
      permit: async () => {},
    });
    const ids: string[] = [];
    for (let i = 0; i < said; i++) {
      const draft = {
        msgType: 'ADVERTISE',
        conversationId: new Uint8Array(16),
        body: Buffer.from('{"capabilities":["x"]}'),
      } as const;
      ids.push((await outgoing.issue(draft)).envelope_id);
    }
    const epoch = Math.floor(clock.now() / 100_000);
    pass(1);
    const keeper = new Keeper();

    function run(fate = new Fate(0, false)): Promise<void> {
      const journal = new EpochJournal({ space, clock, address: key, epochSecs: 100 });
      const book = new BatchBook({ space, journal, identity, network });
      const transactions = new RecordedTransactions({ space, ledger: bench.ledger, log: silentLog });
      const steps = new SettlementActions({
        settlement: fate.over(bench.settlement),
        transactions: fate.over(transactions),
        signer,
      });
      const wrapped = { journal: fate.over(journal), book: fate.over(book), steps: fate.over(steps) };
      const preparation = new Preparation({ ...wrapped, archives: [keeper], network, key, log: silentLog });
      const own = new OwnAccount({ settlement: fate.over(bench.settlement), key, clock });
      const job = new BatchJob({
        ...{ settlement: bench.settlement, own, ...wrapped, preparation: fate.over(preparation) },
        ...{ key, alarms, log: silentLog, submitted: () => {} },
      });
      return job.run(new AbortController().signal);
    }
    const alarms = new DutyWarnings(silentLog);
    const book = new BatchBook({
      space,
      journal: new EpochJournal({ space, clock, address: key, epochSecs: 100 }),
      identity,
      network,
    });
    return { key, epoch, ids, run, keeper, book, alarms, identity, space };
  }

  it('ends in a finished batch whatever step a crash hits, before or after it', async () => {
    for (const after of [false, true]) {
      for (let at = 1; ; at += 1) {
        const one = await agent();
        const fate = new Fate(at, after);
        const crashed = await one.run(fate).then(
          () => false,
          (error) => {
            if (!(error instanceof Crash)) throw error;
            return true;
          },
        );
        await one.run();
        const account = (await bench.settlement.agent(one.key))!;
        const record = (await one.book.record(one.epoch))!;
        const submitted = account.batches.filter(({ epoch }) => epoch === one.epoch);
        assert.deepEqual(
          submitted.map(({ count, root }) => [count, root]),
          [[3, record.root]],
          `${at} ${after}`,
        );
        assert.equal(record.root, toHex(merkleRoot(Buffer.from(one.ids.join(''), 'hex'))));
        assert.ok(record.submitted, `noted, ${at} ${after}`);
        assert.deepEqual(record.lists, ['keeper']);
        if (!crashed) break;
        assert.ok(at < 60, 'the job never ends');
      }
    }
  });

  it('taints an epoch of which an aggregator holds an envelope that the journal does not, and skips it', async () => {
    const one = await agent(1);
    const { identity } = one;
    const fields = {
      msgType: 'ADVERTISE',
      timestamp: one.epoch * 100_000_000 + 5,
      blockRef: 0,
      nonce: nonceOf(one.epoch, 2),
      body: Buffer.from('{}'),
    } as const;
    one.keeper.receipts.push(encodeReceipt(receiptOf(buildEnvelope(fields, identity, network))));
    await one.run();
    assert.equal((await bench.settlement.agent(one.key))!.last, one.epoch - 1);
    pass(1);
    one.keeper.receipts.length = 0;
    await one.run();
    const { last, skipped } = (await bench.settlement.agent(one.key))!;
    assert.deepEqual([last, skipped], [one.epoch + 1, [one.epoch]]);
  });

  it('says aloud when no batch can follow any more', async () => {
    const one = await agent(0);
    const journal = new EpochJournal({ space: one.space, clock, address: one.key, epochSecs: 100 });
    pass(3);
    for (let epoch = one.epoch; epoch < one.epoch + 3; epoch++) await journal.taint(epoch, 'a test');
    await one.run();
    assert.equal((await bench.settlement.agent(one.key))!.last, one.epoch - 1);
    assert.match(one.alarms.all.join(), /No batch can follow that of epoch/);
  });
});

import assert from 'node:assert/strict';
import { Keypair } from '@solana/web3.js';
import { ledgerSigner } from '../../../core/ledger/ledger.ts';
import { RecordedTransactions } from '../../../core/ledger/recorded-transactions.ts';
import { SettlementActions } from '../../../core/ledger/settlement-actions.ts';
import { marks } from '../../../core/messaging/records.ts';
import { AccusationJob } from '../../../core/node/watch/accusation-job.ts';
import { AgentWatch } from '../../../core/node/watch/agent-watch.ts';
import { EventReader } from '../../../core/node/watch/event-reader.ts';
import { accusations, suspects } from '../../../core/node/watch/watch-records.ts';
import { concatBytes, fromHex, toBase64, toHex } from '../../../core/platform/bytes.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { batchOf } from '../../../core/protocol/batches/leaf-list.ts';
import { buildEnvelope } from '../../../core/protocol/envelopes/build.ts';
import { nonceOf } from '../../../core/protocol/envelopes/epochs.ts';
import { envelopeId } from '../../../core/protocol/envelopes/header.ts';
import { formatAgentId } from '../../../core/protocol/identity/ids.ts';
import { defineNetwork, type Network } from '../../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../../core/protocol/signer/identity.ts';
import type { Space } from '../../../core/storage/space.ts';
import { type SettlementBench, SOL, settlementBench, USDC } from '../../ledger/settlement-bench.ts';
import { encodeReceipt, receiptOf } from '../../support/receipt.ts';
import { nodeSpace } from '../../support/space.ts';
import { SHORT_EPOCHS } from './support.ts';

const DEPOSIT = 20_000_000n;

describe('a node that watches others', function () {
  this.timeout(90_000);
  let bench: SettlementBench;
  let network: Network;
  before(async () => {
    bench = await settlementBench(SHORT_EPOCHS);
    const { deployment, numbers } = bench.settlement;
    network = { ...defineNetwork({ name: 'watch', epochSecs: numbers.epochSecs }), id: deployment.network };
  });
  after(() => bench.close());

  function pass(seconds: number): void {
    bench.net.warp({ seconds, slots: Math.ceil(seconds / 2), blocks: 1 });
  }

  /** An agent that has signed two envelopes and submits a batch of the leaves that `leave` makes of them. */
  async function suspect(leave: (ids: readonly Uint8Array[]) => readonly Uint8Array[]) {
    const identity = identityFromSeed(Keypair.generate().secretKey.slice(0, 32));
    const signer = ledgerSigner(identity);
    const key = identity.address;
    await bench.net.faucet.sol(key, SOL);
    await bench.net.faucet.usdc(key, 40n * USDC);
    await bench.take({ type: 'add_stake', key, stakeOwner: key, amount: 40n * USDC, payments: 0 }, signer);
    pass(200);
    const epoch = (await bench.settlement.time()).epoch - 1;
    const envelopes = [1, 2].map((seq) => {
      const body = Buffer.from('{}');
      const fields = {
        msgType: 'ADVERTISE',
        timestamp: epoch * 100_000_000,
        blockRef: 0,
        nonce: nonceOf(epoch, seq),
        body,
      } as const;
      return buildEnvelope(fields, identity, network);
    });
    const { count, root } = batchOf(epoch, concatBytes(...leave(envelopes.map(envelopeId))));
    await bench.take({ type: 'submit_batch', key, epoch, count, root: toHex(root) }, signer);
    return { key, epoch, envelopes };
  }

  async function states(space: Space): Promise<string[]> {
    return (await space.page(accusations)).map(({ value }) => value.state);
  }

  /** A node that holds these envelopes of others and has no aggregator. */
  async function watcher(
    held: readonly ReturnType<typeof buildEnvelope>[],
    { blind = false, deposits = 10n * DEPOSIT } = {},
  ) {
    const signer = await bench.wallet(0n);
    const key = signer.address;
    const space = await nodeSpace();
    for (const envelope of held) {
      const sender = formatAgentId(envelope.sender);
      const id = toHex(envelopeId(envelope));
      await space.put(marks.ref(`${sender}:${envelope.nonce}`), {
        id,
        receipt: toBase64(encodeReceipt(receiptOf(envelope))),
      });
    }
    const { settlement, ledger } = bench;
    const transactions = new RecordedTransactions({ space, ledger, log: silentLog });
    const steps = new SettlementActions({ settlement, transactions, signer });
    const common = { space, settlement, steps, key, log: silentLog };
    const reader = new EventReader({ ...common, interest: { key, others: true } });
    const others = new AgentWatch({ ...common, accuse: true, judge: undefined, pause: 0 });
    const prosecution = new AccusationJob({ ...common, archives: [], network, blind, deposits, pause: 0 });
    async function look(times = 1): Promise<void> {
      const signal = new AbortController().signal;
      for (let time = 0; time < times; time++) {
        await reader.run(signal);
        await others.run(Date.now(), signal);
        await prosecution.run(Date.now() + 1_000, signal);
        bench.net.warp({ seconds: 0, slots: SHORT_EPOCHS.announceSlots, blocks: 1 });
      }
    }
    return { key, space, look };
  }

  it('convicts at once who signed a number outside of its batch', async () => {
    const { key, envelopes } = await suspect((ids) => ids.slice(0, 1));
    const { look, space, key: own } = await watcher(envelopes);
    await look();
    assert.deepEqual(await states(space), ['announced']);
    await look(2);
    assert.equal((await bench.settlement.agent(key))!.state, 'suspended');
    assert.equal(await bench.ledger.usdc(own), 10n * USDC);
    assert.deepEqual(await states(space), ['convicted']);
  });

  it('finds nothing wrong with a batch it cannot see into, and lets it go', async () => {
    const { key, envelopes } = await suspect((ids) => ids);
    const { look, space } = await watcher(envelopes);
    await look(7);
    assert.equal((await bench.settlement.agent(key))!.open, 0);
    assert.equal(await space.count(suspects), 0);
  });

  it('accuses blindly only when told to, and convicts who does not answer in time', async () => {
    const { key, epoch, envelopes } = await suspect(([, second]) => [fromHex('07'.repeat(32), 32)!, second!]);
    const { look, space, key: own } = await watcher(envelopes.slice(0, 1), { blind: true });
    await look(5);
    assert.equal((await bench.settlement.agent(key))!.open, 0);
    await look(2);
    assert.equal((await bench.settlement.agent(key))!.open, 1);
    const value = (await space.page(accusations))[0]!.value;
    assert.deepEqual([value.key, value.epoch, value.index, value.state], [key, epoch, 0, 'open']);
    await look();
    assert.equal((await bench.settlement.agent(key))!.state, 'active');
    pass(SHORT_EPOCHS.responseSecs + 1);
    await look(2);
    assert.equal((await bench.settlement.agent(key))!.state, 'suspended');
    assert.equal(await bench.ledger.usdc(own), 10n * USDC);
    const [after] = await space.page(accusations);
    assert.equal(after!.value.state, 'convicted');
  });

  it('puts down no more than it may', async () => {
    const { key, envelopes } = await suspect((ids) => ids);
    const { look, key: own } = await watcher(envelopes.slice(0, 1), { blind: true, deposits: DEPOSIT - 1n });
    const before = (await bench.ledger.balances(own)).lamports;
    await look(8);
    assert.equal((await bench.settlement.agent(key))!.open, 0);
    assert.equal((await bench.ledger.balances(own)).lamports, before);
  });
});

import { Keypair, PublicKey, Transaction, TransactionInstruction } from '@solana/web3.js';
import { MEMO_PROGRAM } from '../../../adapters/ledger-solana/instructions.ts';
import type { Ledger, Signer } from '../../../core/ledger/ledger.ts';
import { ledgerSigner } from '../../../core/ledger/ledger.ts';
import { RecordedTransactions } from '../../../core/ledger/recorded-transactions.ts';
import type { Settlement } from '../../../core/ledger/settlement.ts';
import { SettlementActions } from '../../../core/ledger/settlement-actions.ts';
import { EpochJournal } from '../../../core/messaging/epoch-journal.ts';
import { Outgoing } from '../../../core/messaging/outgoing.ts';
import { BatchBook } from '../../../core/node/behavior/batch-book.ts';
import { BatchJob } from '../../../core/node/behavior/batch-job.ts';
import { OwnAccount } from '../../../core/node/behavior/own-account.ts';
import { Preparation } from '../../../core/node/behavior/preparation.ts';
import { DutyWarnings } from '../../../core/node/duty-warnings.ts';
import { LeaseJob } from '../../../core/node/stake/lease-job.ts';
import { LeaseBook } from '../../../core/node/stake/lease-records.ts';
import { PaymentCounter } from '../../../core/node/stake/payment-counter.ts';
import { AccusationResponder } from '../../../core/node/watch/accusation-responder.ts';
import { EventReader } from '../../../core/node/watch/event-reader.ts';
import { paced } from '../../../core/node/watch/paced.ts';
import { fromBase64, toHex } from '../../../core/platform/bytes.ts';
import { silentLog } from '../../../core/platform/log.ts';
import { systemRandom } from '../../../core/platform/system-clock.ts';
import type { LeafArchive } from '../../../core/protocol/batches/leaf-archive.ts';
import type { LeafList } from '../../../core/protocol/batches/leaf-list.ts';
import type { SignedHeader } from '../../../core/protocol/envelopes/envelope.ts';
import { encodeHeader, envelopeId } from '../../../core/protocol/envelopes/header.ts';
import { decodeReceipt } from '../../../core/protocol/envelopes/receipt.ts';
import { defineNetwork, type Network } from '../../../core/protocol/identity/network.ts';
import { identityFromSeed } from '../../../core/protocol/signer/identity.ts';
import type { SettlementBench } from '../../ledger/settlement-bench.ts';
import { BriskClock } from '../../support/brisk-clock.ts';
import { nodeSpace } from '../../support/space.ts';

/** An aggregator of a test: keeps lists. */
export class Keeper implements LeafArchive {
  readonly name = 'keeper';
  readonly lists: LeafList[] = [];
  /** How often it was asked for a list. */
  asked = 0;

  async store(_: string, list: LeafList): Promise<boolean> {
    this.lists.push(list);
    return true;
  }

  async list(_: string, epoch: number): Promise<LeafList | undefined> {
    this.asked += 1;
    return this.lists.find((list) => list.epoch === epoch);
  }

  async *held(): AsyncGenerator<Uint8Array> {}
}

/** One time for the ledger of a bench and the nodes on it. */
export class SharedTime {
  readonly clock = new BriskClock();
  readonly #bench: SettlementBench;

  constructor(bench: SettlementBench) {
    this.#bench = bench;
  }

  pass(seconds: number): void {
    this.clock.shift(seconds * 1_000);
    this.#bench.net.warp({ seconds, slots: Math.ceil(seconds / 2), blocks: 1 });
  }

  /** To the first seconds of the next epoch, so that what follows stays within it. */
  align(): void {
    const { epochSecs } = this.#bench.settlement.numbers;
    this.pass(epochSecs + 5 - (Math.floor(this.clock.now() / 1_000) % epochSecs));
  }
}

export function networkOf({ settlement: { deployment, numbers } }: SettlementBench): Network {
  return { ...defineNetwork({ name: 'staked', epochSecs: numbers.epochSecs }), id: deployment.network };
}

/** The parts of a node that owe something for its stake, on the ledger of a bench, run by hand. */
export async function stakedAgent(bench: SettlementBench, time: SharedTime) {
  const identity = identityFromSeed(Keypair.generate().secretKey.slice(0, 32));
  const signer = ledgerSigner(identity);
  const key = identity.address;
  const network = networkOf(bench);
  const { clock } = time;
  const { epochSecs } = bench.settlement.numbers;
  const keeper = new Keeper();
  const alarms = new DutyWarnings(silentLog);
  const journalIn = (space: Awaited<ReturnType<typeof nodeSpace>>) =>
    new EpochJournal({ space, clock, address: key, epochSecs });
  let space = await nodeSpace(clock);

  time.align();
  await bench.net.faucet.sol(key, 1_000_000_000n);
  await bench.net.faucet.usdc(key, 20_000_000n);
  const step = { type: 'add_stake', key, stakeOwner: key, amount: 10_000_000n, payments: 0 } as const;
  await bench.take(step, signer);
  time.pass(epochSecs);

  /** The node's duties on this ledger, which may be another view of the same one. */
  function duties(
    settlement: Settlement = bench.settlement,
    ledger: Ledger = bench.ledger,
    archives: readonly LeafArchive[] = [keeper],
  ) {
    const journal = journalIn(space);
    const book = new BatchBook({ space, journal, identity, network });
    const transactions = new RecordedTransactions({ space, ledger, log: silentLog });
    const steps = new SettlementActions({ settlement, transactions, signer });
    const own = new OwnAccount({ settlement, key, clock });
    const common = { space, settlement, steps, own, book, archives, network, key, alarms, log: silentLog };
    const batches = new BatchJob({
      ...{ ...common, journal, submitted: () => {} },
      preparation: new Preparation({ ...common, journal }),
    });
    const reader = new EventReader({ ...common, interest: { key, others: false } });
    const defence = new AccusationResponder({ ...common, clock, pause: 1_000 });
    const { signal } = new AbortController();
    const counter = new PaymentCounter({ space, own });
    const policy = { pay: 'staked', ahead: 0, maxAmount: 5_000_000n, budget: 40_000_000n } as const;
    const lease = new LeaseJob({
      ...common,
      counter,
      book: new LeaseBook(space),
      policy,
      paid: () => {},
      changed: () => {},
    });
    const readEvents = () => reader.run(signal);
    const readEventsPaced = paced(readEvents, own.reuse, clock);
    return {
      book,
      own,
      submit: () => batches.run(signal),
      readEvents,
      /** One look of every job, as the node takes it. */
      async look() {
        for (const duty of [batches, lease, defence]) await duty.run(signal);
        await readEventsPaced(signal);
      },
      /** One look, whatever was read before. */
      async defend() {
        own.expire();
        await defence.run(signal);
      },
    };
  }

  return {
    key,
    signer,
    identity,
    alarms,
    keeper,
    duties,
    get space() {
      return space;
    },
    /** Signs so many envelopes; what others hold of them. */
    async says(count = 1): Promise<SignedHeader[]> {
      const how = { space, identity, network, random: systemRandom, slot: () => 0, permit: async () => {} };
      const outgoing = new Outgoing(how);
      const body = Buffer.from('{"capabilities":["x"]}');
      const headers: SignedHeader[] = [];
      for (let i = 0; i < count; i++) {
        const draft = { msgType: 'ADVERTISE', conversationId: new Uint8Array(16), body } as const;
        const { nonce } = await outgoing.issue(draft);
        const bytes = await journalIn(space).receiptAt(Math.floor(nonce / 2 ** 22), nonce % 2 ** 22);
        const receipt = decodeReceipt(bytes!);
        if (!receipt.ok) throw new Error('no receipt');
        headers.push(receipt.value);
      }
      return headers;
    },
    /** The node begins again on a fresh disk. */
    async forgets() {
      space = await nodeSpace(clock);
    },
    account: async () => (await bench.settlement.agent(key))!,
  };
}

export type StakedAgent = Awaited<ReturnType<typeof stakedAgent>>;

/**
 * Accuses with one transaction, in which so many memos come first: their lines fill the logs of the transaction, so that
 * those of the accusation are cut off.
 */
export async function accuse(bench: SettlementBench, accuser: Signer, header: SignedHeader, memos = 0): Promise<void> {
  const key = new PublicKey(header.sender).toBase58();
  const { settlement, ledger, net } = bench;
  await bench.take({ type: 'announce', key, id: toHex(envelopeId(header)) }, accuser);
  net.warp({ seconds: 0, slots: settlement.numbers.announceSlots, blocks: 1 });
  const step = { type: 'accuse', key, header: encodeHeader(header), signature: header.signature } as const;
  const prepared = await settlement.prepare(step, [accuser]);
  if (memos === 0) return landed(await ledger.submit(prepared));
  const { instructions, recentBlockhash, feePayer } = Transaction.from(fromBase64(prepared.bytes)!);
  const noise = Array.from(
    { length: memos },
    () => new TransactionInstruction({ programId: MEMO_PROGRAM, keys: [], data: Buffer.from('x') }),
  );
  const hidden = new Transaction({ recentBlockhash: recentBlockhash!, feePayer: feePayer! } as never);
  // Without the limit of the prepared one, the memos have their own share of the budget.
  const proof = instructions.filter(({ programId }) => !programId.toBase58().startsWith('ComputeBudget'));
  hidden.add(...noise, ...proof);
  hidden.addSignature(feePayer!, Buffer.from(accuser.sign(hidden.serializeMessage())));
  const answer = await fetch(net.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'sendTransaction' },
      params: [hidden.serialize().toString('base64'), { encoding: 'base64', skipPreflight: false }],
    }),
  });
  const { error } = (await answer.json()) as { error?: unknown };
  if (error) throw new Error(JSON.stringify(error));
}

function landed(outcome: { readonly status: string }): void {
  if (outcome.status !== 'confirmed') throw new Error(JSON.stringify(outcome));
}
